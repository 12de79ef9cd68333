# The verbs of the project. `make run` and `make test` need Python 3.11 or newer and nothing else:
# both set up .venv from the hashed locks first, which takes no time when nothing has changed.

PYTHON ?= python3
BIN := .venv/bin
# More words for the program behind a verb, for example: make test ARGS="-k broker"
ARGS ?=
UV ?= $(shell command -v uv || echo $(BIN)/uv)
COMPILE = $(UV) pip compile --quiet --universal --fork-strategy fewest --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header $(ARGS)
# What `check --deploy` looks at: production settings with values that nothing is reached through.
PRODUCTION = PREPAPP_MODE=production PREPAPP_DATA_DIR="$${TMPDIR:-/tmp}" ALLOWED_HOSTS=prepapp.example \
	SITE_URL=https://prepapp.example \
	SECRET_KEY="$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(64))')" \
	DATABASE_URL=postgres://prepapp@db/prepapp REDIS_URL=redis://redis EMAIL_URL=smtp://mail

.DEFAULT_GOAL := help
.PHONY: help run test lint fmt types bench browser seed lock ci app dev

help: ## list the verbs
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: app ## run the site here: web, worker and beat until Ctrl-C
	@exec $(BIN)/python manage.py up $(ARGS)

test: dev ## run the whole suite: SQLite, then PostgreSQL and Redis, then the browser
	@$(BIN)/python -m tests.run $(ARGS)

lint: dev ## check style, layers, templates, migrations, production settings and the question bank
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports
	$(BIN)/djlint templates --quiet --lint
	$(BIN)/djlint templates --quiet --check
	$(BIN)/python manage.py makemigrations --check --dry-run
	@echo "manage.py check --deploy, with production settings"
	@$(PRODUCTION) $(BIN)/python manage.py check --deploy --fail-level WARNING
	$(BIN)/python manage.py lint_bank

fmt: dev ## put code and templates into the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/djlint templates --quiet --reformat || true

types: dev ## check the types
	$(BIN)/mypy

bench: dev ## measure; figures are printed, never judged
	$(BIN)/python -m benchmarks $(ARGS)

browser: dev ## run only the browser suite
	@$(BIN)/python -m tests.run --only browser $(ARGS)

seed: app ## create the tables and load the question bank
	$(BIN)/python manage.py migrate --verbosity 0
	$(BIN)/python manage.py createcachetable --verbosity 0
	$(BIN)/python manage.py load_bank $(ARGS)
	$(BIN)/python manage.py load_packs
	$(BIN)/python manage.py load_blueprints

lock: ## renew both locks from pyproject.toml (needs uv; ARGS=--upgrade for newer versions)
	$(COMPILE) pyproject.toml --output-file requirements/app.lock
	$(COMPILE) pyproject.toml --extra dev --constraints requirements/app.lock --output-file requirements/dev.lock

ci: lint types test ## what CI runs, after .ci/run has installed what the machine lacks

app dev:
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found; prepapp needs Python 3.11 or newer"; exit 1; }
	@$(PYTHON) requirements/install.py $@
