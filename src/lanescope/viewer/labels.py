"""Names that tell the traces of a page apart, also where the traces are called the same."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

_ENDING = ".lanes"


def labels_of(names: Sequence[str], places: Sequence[str | None]) -> list[str]:
    """A label per trace: its name, or where another has the same, as much of its place as it needs.

    `places` are paths or URLs; None where a trace came from none. Traces of one name and one place
    keep their name; the page's letters tell them apart.
    """
    labels = []
    for number, name in enumerate(names):
        same = [k for k, other in enumerate(names) if other == name and k != number]
        place = places[number]
        others = [places[k] for k in same]
        labels.append(name if not same or place is None else _part(place, others) or name)
    return labels


def _part(place: str, others: Sequence[str | None]) -> str:
    """The last parts of a place that no other place ends in; empty where there are none."""
    mine = _parts(place)
    rest = [_parts(other) for other in others if other is not None]
    for count in range(1, len(mine) + 1):
        if all(one[-count:] != mine[-count:] for one in rest):
            return "/".join(mine[-count:]).removesuffix(_ENDING)
    return ""


def _parts(place: str) -> list[str]:
    return [part for part in PurePath(place.replace("\\", "/")).parts if part != "/"]
