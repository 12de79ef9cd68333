"""Migrations: none is missing, and each can be taken back."""

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.migration import Migration
from django.db.migrations.operations import RunPython

OURS = {config.label for config in apps.get_app_configs() if config.name.startswith("prepapp.")}


def migrations() -> dict[str, Migration]:
    loader = MigrationLoader(None)
    return {
        f"{app}.{name}": migration for (app, name), migration in loader.disk_migrations.items() if app in OURS
    }


@pytest.mark.django_db
def test_the_models_have_all_their_migrations() -> None:
    # Ends with SystemExit and prints the operations when one is missing.
    call_command("makemigrations", check_changes=True, dry_run=True)


def test_every_migration_is_reversible() -> None:
    found = migrations()
    assert len(found) >= 3
    irreversible = [
        f"{name}: {operation.describe()}"
        for name, migration in found.items()
        for operation in migration.operations
        if not operation.reversible
    ]
    assert irreversible == []


def test_data_moves_apart_from_the_schema() -> None:
    mixed = [
        name
        for name, migration in migrations().items()
        if len({isinstance(operation, RunPython) for operation in migration.operations}) > 1
    ]
    assert mixed == []


@pytest.mark.django_db(transaction=True)
def test_all_migrations_go_back_and_forth() -> None:
    """By running them: an operation may be reversible in name and still fail."""
    tables = set(connection.introspection.table_names())
    try:
        for label in sorted(OURS):
            if any(name.startswith(f"{label}.") for name in migrations()):
                call_command("migrate", label, "zero", verbosity=0, interactive=False)
        assert not {table for table in connection.introspection.table_names() if table.split("_")[0] in OURS}
    finally:
        call_command("migrate", verbosity=0, interactive=False)
    assert set(connection.introspection.table_names()) == tables
