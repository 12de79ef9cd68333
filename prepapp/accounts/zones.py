"""The time zones a person can choose from."""

import zoneinfo
from functools import cache

# The first parts of names that stand for a place; the others are abbreviations and old spellings.
_REGIONS = (
    *("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian"),
    "Pacific",
)

Choices = list[tuple[str, str] | tuple[str, list[tuple[str, str]]]]


@cache
def zone_names() -> frozenset[str]:
    """Every name that may be stored."""
    return frozenset(zoneinfo.available_timezones())


def zone_choices(current: str) -> Choices:
    """UTC, then the places by region. A place is labelled with its own name first, so that typing the
    name of a city finds it in a list. `current` is offered even where it is none of these."""
    places = _places()
    listed = {name for _, names in places for name, _ in names}
    extra = [(current, current)] if current in zone_names() - listed - {"UTC"} else []
    return [("UTC", "UTC"), *extra, *places]


@cache
def _places() -> list[tuple[str, list[tuple[str, str]]]]:
    groups: dict[str, list[tuple[str, str]]] = {region: [] for region in _REGIONS}
    for name in sorted(zone_names()):
        region, _, place = name.partition("/")
        if region in groups and place:
            groups[region].append((name, _label(place)))
    return [(region, sorted(names, key=lambda entry: entry[1])) for region, names in groups.items()]


def _label(place: str) -> str:
    """'Argentina/Buenos_Aires' as 'Buenos Aires, Argentina'."""
    return ", ".join(reversed(place.replace("_", " ").split("/")))
