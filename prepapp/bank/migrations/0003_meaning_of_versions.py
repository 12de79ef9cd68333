"""Every version so far came from a file and stood for itself."""

from django.db import migrations
from django.db.models import F


def every_version_is_major(apps, schema_editor):
    version = apps.get_model("bank", "QuestionVersion")
    version.objects.using(schema_editor.connection.alias).update(meaning=F("number"), change="major")


class Migration(migrations.Migration):
    dependencies = [("bank", "0002_curation_and_imports")]

    operations = [migrations.RunPython(every_version_is_major, migrations.RunPython.noop)]
