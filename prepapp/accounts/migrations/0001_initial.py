import django.db.models.functions.text
import prepapp.common.clock
import prepapp.common.ids
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
    ]

    operations = [
        migrations.CreateModel(
            name="User",
            fields=[
                ("password", models.CharField(max_length=128, verbose_name="password")),
                ("last_login", models.DateTimeField(blank=True, null=True, verbose_name="last login")),
                (
                    "is_superuser",
                    models.BooleanField(
                        default=False,
                        help_text="Designates that this user has all permissions without explicitly assigning them.",
                        verbose_name="superuser status",
                    ),
                ),
                (
                    "id",
                    models.UUIDField(
                        default=prepapp.common.ids.uuid7, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "email",
                    models.EmailField(
                        blank=True, max_length=254, null=True, unique=True, verbose_name="e-mail"
                    ),
                ),
                ("is_guest", models.BooleanField(default=False)),
                ("is_staff", models.BooleanField(default=False)),
                ("is_active", models.BooleanField(default=True)),
                ("date_joined", models.DateTimeField(default=prepapp.common.clock.read_clock)),
                (
                    "reset_number",
                    models.PositiveIntegerField(
                        default=0, help_text="part of every password link: a new link ends the older ones"
                    ),
                ),
                ("track", models.CharField(blank=True, max_length=20)),
                (
                    "level",
                    models.CharField(
                        choices=[
                            ("foundation", "Foundation"),
                            ("intermediate", "Intermediate"),
                            ("advanced", "Advanced"),
                            ("senior", "Senior"),
                        ],
                        default="intermediate",
                        max_length=20,
                    ),
                ),
                ("interview_date", models.DateField(blank=True, null=True)),
                ("time_zone", models.CharField(default="UTC", max_length=64)),
                ("is_time_zone_confirmed", models.BooleanField(default=False)),
                (
                    "time_allowance",
                    models.CharField(
                        choices=[
                            ("1.00", "Standard time"),
                            ("1.25", "25 % more time"),
                            ("1.50", "50 % more time"),
                            ("2.00", "Double time"),
                            ("untimed", "No time limit"),
                        ],
                        default="1.00",
                        max_length=10,
                    ),
                ),
                (
                    "theme",
                    models.CharField(
                        choices=[("system", "Like my device"), ("light", "Light"), ("dark", "Dark")],
                        default="system",
                        max_length=10,
                    ),
                ),
                (
                    "groups",
                    models.ManyToManyField(
                        blank=True,
                        help_text="The groups this user belongs to. A user will get all permissions granted to each of their groups.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.group",
                        verbose_name="groups",
                    ),
                ),
                (
                    "user_permissions",
                    models.ManyToManyField(
                        blank=True,
                        help_text="Specific permissions for this user.",
                        related_name="user_set",
                        related_query_name="user",
                        to="auth.permission",
                        verbose_name="user permissions",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        django.db.models.functions.text.Lower("email"), name="user_email_unique"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("email__isnull", True), ("is_guest", True)),
                            models.Q(("email__isnull", False), ("is_guest", False)),
                            _connector="OR",
                        ),
                        name="user_guest_without_email",
                    ),
                ],
            },
        ),
    ]
