"""Which traces of a fleet a question is about, and which of them are compared with each other."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from lanescope.errors import UsageError, did_you_mean
from lanescope.fleet.tables import IN

Row = dict[str, Any]
"""A row of the table `traces`; `labels` is a dict."""
Condition = tuple[str, str]
"""A column or label, and the value that it must have."""

BY = ("kind", "workload", "chip")
"""Traces are compared with others that have the same values in these columns."""
_COLUMNS = (
    *("kind", "job", "name", "workload", "origin", "chip", "tool", "commit", "host", "rank"),
    *("world", "run", "root"),
)
"""Columns of `traces` that a condition or a group may name; other names are labels."""


def condition(text: str) -> Condition:
    """KEY=VALUE as a condition; anything else is a UsageError."""
    key, mark, value = text.partition("=")
    if not mark or not key:
        raise UsageError(f"expected KEY=VALUE, such as commit=abc or host=n1, found {text!r}")
    return key, value


def fact(row: Row, key: str) -> str:
    """What a trace has in a column or as a label; empty where it has neither."""
    value = row[key] if key in _COLUMNS else row["labels"].get(key)
    return "" if value is None else str(value)


def choose(rows: Iterable[Row], where: Sequence[str]) -> list[Row]:
    """The traces that are in the index and fulfil all conditions KEY=VALUE."""
    wanted = [condition(text) for text in where]
    return [
        row
        for row in rows
        if row["status"] == IN and all(fact(row, key) == value for key, value in wanted)
    ]


def require_known(rows: Sequence[Row], keys: Iterable[str]) -> None:
    """Raise UsageError where a key is neither a column nor a label of any trace."""
    labels = {label for row in rows for label in row["labels"]}
    for key in keys:
        if key not in _COLUMNS and key not in labels:
            known = ", ".join([*_COLUMNS, *sorted(labels - set(_COLUMNS))])
            near = did_you_mean(key, [*_COLUMNS, *labels])
            raise UsageError(
                f"expected a column or a label of the fleet ({known}), found {key!r}{near}"
            )


def grouped(rows: Iterable[Row], by: Sequence[str]) -> dict[tuple[str, ...], list[Row]]:
    """The traces by their values in these columns and labels, in the order of the values."""
    every = list(rows)
    return {
        key: [every[place] for place in places]
        for key, places in places_by_group(every, by).items()
    }


def places_by_group(rows: Sequence[Row], by: Sequence[str]) -> dict[tuple[str, ...], list[int]]:
    """Like `grouped`, with the places of the traces in `rows`."""
    groups: dict[tuple[str, ...], list[int]] = {}
    for place, row in enumerate(rows):
        groups.setdefault(tuple(fact(row, key) for key in by), []).append(place)
    return dict(sorted(groups.items()))


def group_name(key: Sequence[str], by: Sequence[str]) -> str:
    """A group in words: the values that it shares, without those that say nothing."""
    said = [value for value, name in zip(key, by, strict=True) if value and name != "kind"]
    if "job" in [value for value, name in zip(key, by, strict=True) if name == "kind"]:
        said.insert(0, "job")
    return " ".join(said) or "all"


def short_path(row: Row) -> str:
    """The trace's path from the folder on that was indexed: `nightly/run1.lanes`."""
    trace, root = str(row["trace"]), str(row["root"]).rstrip("/")
    return trace.removeprefix(root.removesuffix(root.rpartition("/")[2])).lstrip("/") or trace
