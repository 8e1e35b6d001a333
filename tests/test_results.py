"""Answers as plain dicts."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass

import msgspec
import numpy as np

from lanescope.results import Result, plain


@dataclass(frozen=True, slots=True)
class Span(Result):
    DERIVED = ("length_ns",)

    start_ns: int
    end_ns: int

    @property
    def length_ns(self) -> int:
        return self.end_ns - self.start_ns


@dataclass(frozen=True, slots=True)
class Answer(Result):
    name: str
    spans: tuple[Span, ...]


class Fact(msgspec.Struct):
    size: int


def test_fields_come_first_and_derived_figures_behind_them() -> None:
    assert list(Span(2, 5).to_dict().items()) == [("start_ns", 2), ("end_ns", 5), ("length_ns", 3)]


def test_results_inside_results_are_dicts_with_their_own_derived_figures() -> None:
    answer = Answer("a", (Span(0, 1),))
    assert answer.to_dict() == {
        "name": "a",
        "spans": [{"start_ns": 0, "end_ns": 1, "length_ns": 1}],
    }


def test_every_kind_of_value_becomes_plain() -> None:
    pair = namedtuple("pair", "left right")
    value = {"fact": Fact(3), "pair": pair(1, None), "array": np.array([1, 2]), "one": np.int64(4)}
    assert plain(value) == {
        "fact": {"size": 3},
        "pair": {"left": 1, "right": None},
        "array": [1, 2],
        "one": 4,
    }
    assert type(plain(np.int64(4))) is int
