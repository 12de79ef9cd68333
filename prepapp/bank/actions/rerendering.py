"""Stored HTML made anew when the Markdown pipeline has changed. The text of a version stays as it is."""

from django.db import transaction

from prepapp.bank.models import FollowUp, QuestionVersion
from prepapp.bank.rendering import render_follow_up, render_version
from prepapp.common.markdown import PIPELINE_VERSION

BATCH = 100


def rerender_versions() -> int:
    """Renders every version that an older (or newer) pipeline rendered; old versions too, since history
    shows them. Returns how many. Each batch is a transaction of its own: repeating it goes on."""
    done = 0
    stale = QuestionVersion.objects.exclude(rendered_by=PIPELINE_VERSION).order_by("pk")
    while versions := list(stale.prefetch_related("follow_ups")[:BATCH]):
        follow_ups = [follow_up for version in versions for follow_up in version.follow_ups.all()]
        for version in versions:
            version.rendered = render_version(version)
            version.rendered_by = PIPELINE_VERSION
        for follow_up in follow_ups:
            follow_up.rendered = render_follow_up(follow_up)
        with transaction.atomic():
            QuestionVersion.objects.bulk_update(versions, ["rendered", "rendered_by"])
            FollowUp.objects.bulk_update(follow_ups, ["rendered"])
        done += len(versions)
    return done
