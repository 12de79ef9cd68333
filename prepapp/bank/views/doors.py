"""Who may enter the rooms of the desk: doors its views share."""

from django.contrib.auth.decorators import permission_required

may_curate = permission_required("bank.curate_question", raise_exception=True)
may_publish = permission_required("bank.publish_question", raise_exception=True)
