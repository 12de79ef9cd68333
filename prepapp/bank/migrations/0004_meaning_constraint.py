from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("bank", "0003_meaning_of_versions")]

    operations = [
        migrations.AddConstraint(
            model_name="questionversion",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("change", "major"), ("meaning", models.F("number"))),
                    models.Q(("change", "minor"), ("meaning__lt", models.F("number"))),
                    _connector="OR",
                ),
                name="questionversion_meaning_of_change",
            ),
        ),
    ]
