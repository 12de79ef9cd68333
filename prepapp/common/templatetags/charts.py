"""The charts by name, for templates."""

from typing import Any

from django import template

from prepapp.common import charts

register = template.Library()
register.simple_tag(charts.interval, name="interval_chart")
register.simple_tag(charts.bar, name="bar_chart")
register.simple_tag(charts.bullet, name="bullet_chart")
register.filter("percent", charts.percent_text)
register.filter("sure", charts.sure_text)


@register.filter
def span(estimate: Any) -> str:
    """From `low` to `high` of whatever has them."""
    return charts.span_text(estimate.low, estimate.high)
