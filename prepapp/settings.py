"""Every setting of the project, read once from the environment.

Two modes. `embedded` (the default) needs nothing: SQLite, a broker made of files, mail as files,
all in the data folder. `production` takes every secret and address from the environment and
refuses to start when one is missing. `.env.example` lists each variable read here.
"""

import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from celery.schedules import crontab
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured

from prepapp import admin_look

BASE_DIR = Path(__file__).resolve().parent.parent


def _flag(name: str, default: bool = False) -> bool:
    value = os.environ.get(name, "").strip().lower()
    if value in {"", "0", "1", "true", "false", "yes", "no"}:
        return default if value == "" else value in {"1", "true", "yes"}
    raise ImproperlyConfigured(f"{name} must be 0 or 1, not {value!r}")


def _number(name: str, default: int) -> int:
    value = os.environ.get(name, "").strip()
    try:
        return int(value) if value else default
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} must be a whole number, not {value!r}") from error


def _list(name: str, default: str = "") -> list[str]:
    return [part.strip() for part in os.environ.get(name, default).split(",") if part.strip()]


def _required(name: str) -> str:
    value = os.environ.get(name, "").strip()
    if not value:
        raise ImproperlyConfigured(f"{name} must be set in production; see .env.example")
    return value


MODE = os.environ.get("PREPAPP_MODE", "embedded")
if MODE not in {"embedded", "production"}:
    raise ImproperlyConfigured(f"PREPAPP_MODE must be embedded or production, not {MODE!r}")
PRODUCTION = MODE == "production"
DEBUG = _flag("DEBUG")
if PRODUCTION and DEBUG:
    raise ImproperlyConfigured("DEBUG must be off in production")

DATA_DIR = Path(os.environ.get("PREPAPP_DATA_DIR", BASE_DIR / "var"))
if not PRODUCTION:
    DATA_DIR.mkdir(parents=True, exist_ok=True)


def _secret_key() -> str:
    """The key from the environment, or in embedded mode one made once and kept in the data folder."""
    if PRODUCTION:
        key = _required("SECRET_KEY")
        is_placeholder = "change" in key.lower() or key.startswith("django-insecure-")
        if len(key) < 50 or len(set(key)) < 10 or is_placeholder:
            raise ImproperlyConfigured("SECRET_KEY must be at least 50 random characters, not a placeholder")
        return key
    if key := os.environ.get("SECRET_KEY", ""):
        return key
    path = DATA_DIR / "secret_key"
    try:
        # O_EXCL: of several processes starting at once exactly one writes the key.
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return path.read_text().strip()
    with os.fdopen(descriptor, "w") as file:
        file.write(secrets.token_urlsafe(64))
    return path.read_text().strip()


SECRET_KEY = _secret_key()
SECRET_KEY_FALLBACKS = _list("SECRET_KEY_FALLBACKS")

HOST = os.environ.get("HOST", "127.0.0.1")
PORT = _number("PORT", 8000)
if PRODUCTION:
    _required("ALLOWED_HOSTS")
    ALLOWED_HOSTS = _list("ALLOWED_HOSTS")
    if not ALLOWED_HOSTS or "*" in ALLOWED_HOSTS:
        raise ImproperlyConfigured("ALLOWED_HOSTS must name the hosts of the site, not all of them")
else:
    ALLOWED_HOSTS = ["localhost", "127.0.0.1", "[::1]", HOST, *_list("ALLOWED_HOSTS")]
CSRF_TRUSTED_ORIGINS = _list("CSRF_TRUSTED_ORIGINS")


def _site_url() -> str:
    """Where the site is reached: what a mail links to, since no request says so there."""
    if PRODUCTION:
        url = _required("SITE_URL")
    elif not (url := os.environ.get("SITE_URL", "").strip()):
        reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(HOST, HOST)  # noqa: S104 - compared, not bound
        url = f"http://[{reachable}]:{PORT}" if ":" in reachable else f"http://{reachable}:{PORT}"
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.netloc or parts.path.strip("/") or parts.query:
        raise ImproperlyConfigured(f"SITE_URL must be a scheme and a host (https://…), not {url!r}")
    return f"{parts.scheme}://{parts.netloc}"


SITE_URL = _site_url()

INSTALLED_APPS = [
    # Before the admin, whose templates it replaces; without its own site, which is `common.admin_site`.
    "unfold.apps.BasicAppConfig",
    "unfold.contrib.filters",
    "unfold.contrib.forms",
    "prepapp.common.admin_app.DeskConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "allauth",
    "allauth.account",
    "allauth.usersessions",
    "csp",
    "django_filters",
    "django_htmx",
    "template_partials",
    "prepapp.common",
    "prepapp.accounts",
    "prepapp.bank",
    "prepapp.interviews",
    "prepapp.reports",
]

MIDDLEWARE = [
    # These two say something with every reply: files, health, refusals and errors too.
    "django.middleware.security.SecurityMiddleware",
    "prepapp.common.middleware.PolicyMiddleware",
    "prepapp.common.middleware.HealthMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.gzip.GZipMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    # Outside of all that answers by itself, such as the redirect to an address with its last slash.
    "prepapp.common.middleware.PrivatePagesMiddleware",
    "django.middleware.common.CommonMiddleware",
    # Before the forms are read, which looking for their token does.
    "prepapp.common.middleware.BodyLimitMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "prepapp.common.middleware.HtmxLoginMiddleware",
    "prepapp.accounts.middleware.PersonMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "allauth.usersessions.middleware.UserSessionsMiddleware",
]

ROOT_URLCONF = "prepapp.urls"
WSGI_APPLICATION = "prepapp.wsgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "prepapp.common.context.page",
                "prepapp.accounts.context.person",
            ],
            "builtins": ["prepapp.common.templatetags.addresses"],
        },
    },
]


# --- database -------------------------------------------------------------------------------------

_SQLITE_INIT = (
    "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON; PRAGMA busy_timeout=20000;"
)


def _database(url: str) -> dict[str, object]:
    """`postgres://user:password@host:port/name` or `sqlite:///path` as a Django database entry."""
    if not url:
        if PRODUCTION:
            raise ImproperlyConfigured("DATABASE_URL must be set in production; see .env.example")
        url = f"sqlite:///{quote(str(DATA_DIR / 'prepapp.sqlite3'))}"
    parts = urlsplit(url)
    if parts.scheme == "sqlite":
        return {
            "ENGINE": "django.db.backends.sqlite3",
            "NAME": unquote(parts.path.removeprefix("/")),
            "OPTIONS": {"transaction_mode": "IMMEDIATE", "timeout": 20, "init_command": _SQLITE_INIT},
        }
    if parts.scheme in {"postgres", "postgresql"}:
        return {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": unquote(parts.path.removeprefix("/")),
            "USER": unquote(parts.username or ""),
            "PASSWORD": unquote(parts.password or ""),
            "HOST": parts.hostname or "",
            "PORT": str(parts.port or ""),
            "CONN_MAX_AGE": 0,
            "OPTIONS": {
                # The pool is the real gain over a new connection per request; sizes are per process.
                "pool": {
                    "min_size": 1,
                    "max_size": _number("DATABASE_POOL_SIZE", 4),
                    "timeout": 10,
                },
                "connect_timeout": 3,
                # Planning costs the database more than most of our statements do: one that a connection
                # has run this often is kept there planned. It needs parameters bound by the server.
                "server_side_binding": True,
                "prepare_threshold": _number("DATABASE_PREPARE_AFTER", 3) or None,
                "options": (
                    f"-c statement_timeout={_number('DATABASE_STATEMENT_TIMEOUT_MS', 5000)} "
                    "-c lock_timeout=2000 -c idle_in_transaction_session_timeout=10000 "
                    # Our statements are short: compiling one costs more than it ever gives back.
                    "-c jit=off"
                ),
            },
        }
    raise ImproperlyConfigured(
        f"DATABASE_URL must start with postgres:// or sqlite:///, not {parts.scheme!r}"
    )


DATABASES = {"default": _database(os.environ.get("DATABASE_URL", ""))}


# --- cache, broker, worker ------------------------------------------------------------------------

REDIS_URL = os.environ.get("REDIS_URL", "")
if PRODUCTION and not REDIS_URL:
    raise ImproperlyConfigured("REDIS_URL must be set in production; see .env.example")

# Rate limits live in the cache, so it must be shared by all web processes. The database keeps it: a
# stopped or hung Redis then neither opens nor locks sign-in.
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.db.DatabaseCache",
        "LOCATION": "cache",
        # Above it a third of the entries is dropped, limits of attackers among them; 300 by default.
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
}

QUEUE_DIR = DATA_DIR / "queue"
if REDIS_URL:
    CELERY_BROKER_URL = REDIS_URL
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {
        "socket_timeout": 1.0,
        "socket_connect_timeout": 1.0,
        "visibility_timeout": 600,
    }
else:
    CELERY_BROKER_URL = "safefilesystem://localhost"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(QUEUE_DIR / "messages"),
        "data_folder_out": str(QUEUE_DIR / "messages"),
        "processed_folder": str(QUEUE_DIR / "processed"),
        "control_folder": str(QUEUE_DIR / "control"),
        "store_processed": False,
        "polling_interval": 0.2,
    }
# Interviews close on time whatever the others do: `reports` reckons, `mail` waits for a mail server.
CELERY_TASK_DEFAULT_QUEUE = "interviews"
CELERY_TASK_ROUTES = {
    "prepapp.reports.tasks.plan_weekly_reports": {"queue": "reports"},
    "prepapp.reports.tasks.make_weekly_reports": {"queue": "reports"},
    "prepapp.reports.tasks.sweep_report_mails": {"queue": "reports"},
    "prepapp.bank.tasks.work_on_import": {"queue": "reports"},
    "prepapp.bank.tasks.sweep_imports": {"queue": "reports"},
    "prepapp.reports.tasks.count_item_statistics": {"queue": "reports"},
    "prepapp.reports.tasks.send_report_mail": {"queue": "mail"},
    "prepapp.reports.tasks.send_report_copy": {"queue": "mail"},
}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# A request that finds the broker gone must fail at once, not retry: the sweeps find the work again.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SOFT_TIME_LIMIT = 25
CELERY_TASK_TIME_LIMIT = 30
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TIMEZONE = "UTC"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "celerybeat-schedule")
CELERY_BEAT_SCHEDULE: dict[str, dict[str, Any]] = {
    "close-overdue-attempts": {
        "task": "prepapp.interviews.tasks.close_overdue_attempts",
        "schedule": 20.0,
        # A tick that waited longer than this is useless: the next one does its work.
        "options": {"expires": 15, "queue": "interviews"},
    },
    "delete-stale-guests": {
        "task": "prepapp.accounts.tasks.delete_stale_guests",
        "schedule": 3600.0,
        "options": {"expires": 3000, "queue": "interviews"},
    },
    "reckon-track-rates": {
        "task": "prepapp.reports.tasks.reckon_track_rates",
        "schedule": 6 * 3600.0,
        "options": {"expires": 3000, "queue": "interviews"},
    },
    "plan-weekly-reports": {
        "task": "prepapp.reports.tasks.plan_weekly_reports",
        # Just after the hour: in most zones it is Monday 07:00 then.
        "schedule": crontab(minute="1"),
        "options": {"expires": 3000, "queue": "reports"},
    },
    "count-item-statistics": {
        "task": "prepapp.reports.tasks.count_item_statistics",
        # Nightly, at an hour when few sit an interview in most zones.
        "schedule": crontab(hour="3", minute="20"),
        "options": {"expires": 6 * 3600, "queue": "reports"},
    },
    "sweep-report-mails": {
        "task": "prepapp.reports.tasks.sweep_report_mails",
        "schedule": 60.0,
        "options": {"expires": 50, "queue": "reports"},
    },
    "sweep-imports": {
        "task": "prepapp.bank.tasks.sweep_imports",
        "schedule": 60.0,
        "options": {"expires": 50, "queue": "reports"},
    },
}


# --- people ---------------------------------------------------------------------------------------

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["prepapp.accounts.backends.Backend"]
# What a role may do; an admin may do everything. A permission names the app whose rooms it opens.
_CURATOR = [
    "bank.curate_question",
    "bank.import_questions",
    "bank.settle_flag",
    "bank.view_track",
    "bank.view_topic",
    "bank.view_tracktopic",
    "bank.view_pack",
    "bank.view_tag",
    "bank.view_question",
    "bank.view_curationevent",
    "bank.view_flag",
    "bank.view_importrun",
    "bank.change_pack",
    "interviews.view_blueprint",
    "reports.view_itemstatistic",
]
_REVIEWER = [
    "bank.publish_question",
    "bank.change_track",
    "bank.change_topic",
    "bank.change_tracktopic",
    "bank.add_tracktopic",
    "bank.delete_tracktopic",
    "bank.add_pack",
    "interviews.change_blueprint",
    "interviews.add_blueprint",
]
ROLE_PERMISSIONS = {"curator": _CURATOR, "reviewer": [*_CURATOR, *_REVIEWER]}
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "prepapp.accounts.passwords.ProductNameValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
ACCOUNT_ADAPTER = "prepapp.accounts.adapter.AccountAdapter"
ACCOUNT_USER_MODEL_USERNAME_FIELD = None
ACCOUNT_LOGIN_METHODS = {"email"}
ACCOUNT_SIGNUP_FIELDS = ["email*", "password1*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory"
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_ENABLED = True
ACCOUNT_EMAIL_VERIFICATION_SUPPORTS_RESEND = True
# Long enough to finish a running interview before looking for the code.
ACCOUNT_EMAIL_VERIFICATION_BY_CODE_TIMEOUT = 3600
ACCOUNT_LOGIN_TIMEOUT = 3600
ACCOUNT_CHANGE_EMAIL = True
ACCOUNT_PREVENT_ENUMERATION = True
ACCOUNT_LOGOUT_ON_PASSWORD_CHANGE = False
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_EMAIL_SUBJECT_PREFIX = ""
ACCOUNT_EMAIL_NOTIFICATIONS = True
ACCOUNT_REAUTHENTICATION_REQUIRED = True
ACCOUNT_REAUTHENTICATION_METHODS = ["password"]
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "prepapp.accounts.tokens.ResetTokenGenerator"  # noqa: S105
ACCOUNT_FORMS = {
    "login": "prepapp.accounts.forms.sign_in.LoginForm",
    "signup": "prepapp.accounts.forms.sign_in.SignupForm",
    "confirm_email_verification_code": "prepapp.accounts.forms.sign_in.ConfirmCodeForm",
    "add_email": "prepapp.accounts.forms.sign_in.AddEmailForm",
    "reset_password": "prepapp.accounts.forms.sign_in.ResetPasswordForm",
    "reset_password_from_key": "prepapp.accounts.forms.sign_in.ResetPasswordKeyForm",
    "change_password": "prepapp.accounts.forms.sign_in.ChangePasswordForm",
    "reauthenticate": "prepapp.accounts.forms.sign_in.ReauthenticateForm",
}
ACCOUNT_RATE_LIMITS = {
    # Per account, not per network: a class room behind one address signs in together.
    "login": "120/m/ip",
    "login_failed": "5/5m/key",
    "signup": "60/m/ip",
    "confirm_email": "1/10s/key",
    "reset_password": "60/m/ip,5/5m/key",
    "guest": "600/h/ip",
    "export": f"{_number('EXPORTS_PER_DAY', 50)}/d/user",
}
ALLAUTH_TRUSTED_PROXY_COUNT = _number("TRUSTED_PROXY_COUNT", 0)
PASSWORD_RESET_TIMEOUT = 3600
USERSESSIONS_TRACK_ACTIVITY = False
# What the apps above accounts lend it, by name, since it may not import them.
GUEST_ACTIVITY = ["prepapp.interviews.queries.started_since"]
GUEST_WORK_CLAIMS = [
    "prepapp.interviews.actions.claim.claim_attempts",
    "prepapp.bank.actions.claim.claim_flags",
]
# What the bank's lists ask the apps above: when questions were last asked, and which were since a moment.
QUESTION_USE = {
    "last_asked": "prepapp.interviews.bank_use.last_asked",
    "asked_since": "prepapp.interviews.bank_use.asked_since",
}
# What pages tell a person and therefore know from their row: functions that each give an expression of it.
PERSON_FACTS = {"has_unread_flag_answers": "prepapp.bank.queries.flags.unread_answer_exists"}
TRACK_CHOICES = "prepapp.bank.queries.track_choices"
# Told when graded work of a person came, went or changed hands.
GRADED_WORK_WATCHERS = [
    "prepapp.reports.actions.evidence.note_graded_work",
    "prepapp.reports.actions.item_statistics.note_changed_work",
]

# Draws the front page of somebody who has been here.
CANDIDATE_HOME = "prepapp.reports.views.dashboard.home"
# Asked when a drill of a topic is started: whether it is weak for the person, and what they are strong in.
DRILL_ADVISER = "prepapp.reports.queries.standings.drill_advice"

SESSION_ENGINE = "prepapp.accounts.sessions"
SESSION_COOKIE_AGE = 30 * 24 * 3600
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
# htmx reads the token at request time, so that signing in from another tab does not break this one.
CSRF_COOKIE_HTTPONLY = False
CSRF_FAILURE_VIEW = "prepapp.common.errors.csrf_failure"

DEFAULT_FROM_EMAIL = os.environ.get("DEFAULT_FROM_EMAIL", "prepapp <no-reply@localhost>")
if EMAIL_URL := os.environ.get("EMAIL_URL", ""):
    _mail = urlsplit(EMAIL_URL)
    if _mail.scheme not in {"smtp", "smtps", "smtp+tls"}:
        raise ImproperlyConfigured("EMAIL_URL must start with smtp://, smtps:// or smtp+tls://")
    EMAIL_BACKEND = "prepapp.common.mail.SmtpBackend"
    EMAIL_HOST = _mail.hostname or "localhost"
    EMAIL_PORT = _mail.port or 25
    EMAIL_HOST_USER = unquote(_mail.username or "")
    EMAIL_HOST_PASSWORD = unquote(_mail.password or "")
    EMAIL_USE_SSL = _mail.scheme == "smtps"
    EMAIL_USE_TLS = _mail.scheme == "smtp+tls"
    EMAIL_TIMEOUT = 10
elif PRODUCTION:
    raise ImproperlyConfigured("EMAIL_URL must be set in production; see .env.example")
else:
    EMAIL_BACKEND = "prepapp.common.mail.FileAndConsoleBackend"
    EMAIL_FILE_PATH = str(DATA_DIR / "mail")


# --- pages ----------------------------------------------------------------------------------------

LANGUAGE_CODE = "en-gb"
USE_I18N = False
USE_TZ = True
TIME_ZONE = "UTC"

STATIC_URL = "static/"
STATIC_ROOT = Path(os.environ.get("STATIC_ROOT", DATA_DIR / "static"))
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "prepapp.common.storage.StaticStorage"},
}
WHITENOISE_MAX_AGE = 3600
# Our files are for our pages.
WHITENOISE_ALLOW_ALL_ORIGINS = False

UNFOLD = admin_look.UNFOLD
# What the admin's scripts need beyond the policy of all other pages: Alpine builds functions from text.
ADMIN_CSP_ADDS = {
    "script-src": ["'unsafe-eval'"],
    "style-src": ["'unsafe-inline'"],
    "font-src": [SELF],
    "img-src": ["data:"],
}
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "base-uri": [NONE],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    },
}
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1_000_000
# A question with forty rubric points has some hundred fields in the editor; its text must not be lost.
DATA_UPLOAD_MAX_NUMBER_FIELDS = 3_000
# Of any request, files too; more is refused unread. The upload of an import takes more.
BODY_LIMIT = 2_000_000

if PRODUCTION:
    SESSION_COOKIE_NAME = "__Host-sessionid"
    CSRF_COOKIE_NAME = "__Host-csrftoken"
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    SECURE_SSL_REDIRECT = _flag("SECURE_SSL_REDIRECT", True)
    # Asked from inside the container, where there is no https.
    SECURE_REDIRECT_EXEMPT = [r"^healthz/(live|ready)$"]
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True


# --- the rules of an interview (product words; defaults are the product's) ------------------------

# Network grace after the deadline in which a save still counts, in seconds.
INTERVIEW_GRACE_SECONDS = _number("INTERVIEW_GRACE_SECONDS", 5)
ANSWER_MAX_CHARACTERS = 16_000
# Asked before the bank shows an answer; a running mock that asks the question says no.
BANK_ANSWER_GUARDS = ["prepapp.interviews.gradebook.held_back.why_closed_in_bank"]
# The same for many questions at once, where only yes or no is asked.
BANK_CLOSED_ANSWERS = ["prepapp.interviews.gradebook.held_back.closed_in_bank"]
# Asked before an import is taken back: which of its questions are in use above the bank.
QUESTION_USES = ["prepapp.interviews.queries.asked_questions"]
STARTS_PER_HOUR = _number("STARTS_PER_HOUR", 60)
# Other numbers for `reports.mastery.Constants`. After a change of half life, correlation or retake rule run
# `manage.py rebuild_mastery`.
MASTERY: dict[str, float] = {}
# How often one person may send each thing of the room and of grading to one process: so many at once, as
# when an hour of offline drafts comes back, then so many a minute. Nobody types that fast; a loop does.
RATE_LIMIT_BURST = _number("RATE_LIMIT_BURST", 240)
RATE_LIMIT_PER_MINUTE = _number("RATE_LIMIT_PER_MINUTE", 180)
if min(RATE_LIMIT_BURST, RATE_LIMIT_PER_MINUTE) < 1:
    raise ImproperlyConfigured("RATE_LIMIT_BURST and RATE_LIMIT_PER_MINUTE must be at least 1")


LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name} {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": os.environ.get("LOG_LEVEL", "INFO")},
    "loggers": {"django.server": {"handlers": ["console"], "level": "WARNING", "propagate": False}},
}
