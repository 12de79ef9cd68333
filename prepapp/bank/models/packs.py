"""Named selections across tracks. A pack holds a rule and never a question."""

from typing import ClassVar

from django.db import models

from prepapp.bank.packs import PackRule, read_rule


class Pack(models.Model):
    """A named selection across tracks, with the page that says what it is practice for.

    The form of the JSON fields is that of `transfer/pack.schema.json`, question ids being references.
    """

    slug = models.SlugField(max_length=60, unique=True)
    title = models.CharField(max_length=120)
    disclaimer = models.CharField(max_length=300, blank=True)
    summary = models.TextField(blank=True, help_text="what it is practice for, in a few sentences")
    include = models.JSONField(
        default=dict, blank=True, help_text="the rule: tags, topics, tracks, levels, kinds, ids"
    )
    weights = models.JSONField(
        default=dict, blank=True, help_text="how much more often a topic is drawn than one that is not named"
    )
    pinned = models.JSONField(default=list, blank=True, help_text="ids that are asked before others")
    context_notes = models.JSONField(
        default=dict, blank=True, help_text="by id: a setting shown with the question"
    )
    blueprints = models.JSONField(default=list, blank=True, help_text="slugs of formats it offers")
    rounds = models.JSONField(default=list, blank=True)
    tips = models.JSONField(default=list, blank=True)
    mistakes = models.JSONField(default=list, blank=True)
    reading = models.JSONField(default=list, blank=True)
    reviewed_date = models.DateField(null=True, blank=True)
    recheck_months = models.PositiveSmallIntegerField(null=True, blank=True)
    content_hash = models.CharField(max_length=64, blank=True, help_text="of the file it was loaded from")
    is_edited = models.BooleanField(
        default=False, help_text="changed in the app: the list that comes with the program leaves it alone"
    )

    class Meta:
        ordering: ClassVar = ["title"]

    def __str__(self) -> str:
        return self.title

    @property
    def rule(self) -> PackRule:
        return read_rule(self.include)
