from zoneinfo import ZoneInfo

import pytest

from prepapp.accounts.zones import zone_choices, zone_names


def flat(choices):
    return [
        entry
        for value, label in choices
        for entry in (label if isinstance(label, list) else [(value, label)])
    ]


def test_every_choice_can_be_loaded_and_stands_there_once():
    values = [value for value, _ in flat(zone_choices("UTC"))]
    assert len(values) == len(set(values)) > 400
    assert {ZoneInfo(value).key for value in values} == set(values)


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("UTC", "UTC"),
        ("Europe/Paris", "Paris"),
        ("America/Argentina/Buenos_Aires", "Buenos Aires, Argentina"),
        ("Asia/Calcutta", "Calcutta"),
    ],
)
def test_labels_start_with_what_one_types(value, label):
    assert dict(flat(zone_choices("UTC")))[value] == label


@pytest.mark.parametrize(("current", "count"), [("Etc/GMT+5", 1), ("Europe/Paris", 1), ("No/Where", 0)])
def test_the_current_zone_is_offered_if_it_is_one(current, count):
    assert [value for value, _ in flat(zone_choices(current))].count(current) == count
    assert (current in zone_names()) is bool(count)
