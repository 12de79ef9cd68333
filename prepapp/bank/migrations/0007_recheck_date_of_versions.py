"""The day of the next check follows from the last one and the months it holds."""

from calendar import monthrange
from datetime import date

from django.db import migrations

BATCH = 500


def later(day, months):
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def set_recheck_dates(apps, schema_editor):
    rows = apps.get_model("bank", "QuestionVersion").objects.using(schema_editor.connection.alias)
    changed = []
    for version in rows.only("reviewed_date", "recheck_months").iterator(BATCH):
        version.recheck_date = later(version.reviewed_date, version.recheck_months)
        changed.append(version)
    rows.bulk_update(changed, ["recheck_date"], batch_size=BATCH)


class Migration(migrations.Migration):
    dependencies = [("bank", "0006_recheck_date")]

    operations = [migrations.RunPython(set_recheck_dates, migrations.RunPython.noop)]
