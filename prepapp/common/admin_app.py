"""The admin as an installed app, with our site."""

from django.contrib.admin.apps import AdminConfig


class DeskConfig(AdminConfig):
    default_site = "prepapp.common.admin_site.DeskSite"
