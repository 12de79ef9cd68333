"""`{{ session.user_agent|device }}`"""

from django import template

from prepapp.accounts.devices import describe_device

register = template.Library()
register.filter("device", describe_device)
