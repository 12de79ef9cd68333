# One image for web, worker, beat and the commands; docker-compose.yml says which runs what.

FROM python:3.11.13-slim-bookworm AS packages
RUN python -m venv /opt/venv
COPY requirements/app.lock /tmp/app.lock
RUN /opt/venv/bin/python -m pip install --no-cache-dir --disable-pip-version-check \
    --require-hashes --requirement /tmp/app.lock

FROM python:3.11.13-slim-bookworm
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    STATIC_ROOT=/srv/static \
    PREPAPP_DATA_DIR=/data
RUN useradd --system --uid 10001 --home-dir /data --create-home prepapp
COPY --from=packages /opt/venv /opt/venv
WORKDIR /app
COPY . .
# Collected here, so that no start waits for it and the running image needs no write access. The data
# folder of this step is thrown away: the key made in it must not become part of the image.
RUN PREPAPP_MODE=embedded PREPAPP_DATA_DIR=/tmp/build \
    python manage.py collectstatic --noinput --verbosity 0 --ignore 'django_htmx/ext/*' \
    && rm -rf /tmp/build
ENV PREPAPP_MODE=production
USER prepapp
VOLUME /data
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz/ready', timeout=4)"]
CMD ["gunicorn", "prepapp.wsgi", "--worker-class", "gthread", "--workers", "2", "--threads", "4", \
    "--bind", "0.0.0.0:8000", "--graceful-timeout", "20", "--worker-tmp-dir", "/dev/shm", \
    "--log-level", "warning", "--no-control-socket"]
