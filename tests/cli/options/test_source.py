"""Which trace is read, which part of it, and options that name a path or a board."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.analyze.hand import make_trace

from lanescope.cli.options import board, places, source
from lanescope.errors import UsageError

PART = {
    "since": 1000,
    "until": 2_000_000,
    "core": [0, 4, 5],
    "function": ["QK", "7"],
    "run": [1],
    "rank": [2, 3],
}


def test_a_part_is_read_as_numbers() -> None:
    parser = argparse.ArgumentParser()
    source.configure(parser)
    words = ["--since", "1us", "--until", "2ms", "--core", "0,4-5", "--function", "QK"]
    args = parser.parse_args(["a", *words, "--function", "7", "--run", "1", "--rank", "2-3"])
    assert (args.trace, source.part_of(args)) == ("a", PART)


@pytest.mark.parametrize(
    ("read", "text", "sentence"),
    [
        (source.time_ns, "soon", "expected a time like 1.5ms or 200us, found 'soon'"),
        (source.cores, "x", "expected core numbers like 0,4-7, found 'x'"),
        (source.runs, "x", "expected run numbers like 0,4-7, found 'x'"),
        (source.ranks, "x", "expected rank numbers like 0,4-7, found 'x'"),
    ],
)
def test_a_wrong_part_is_a_sentence_for_the_parser(
    read: Callable[[str], object], text: str, sentence: str
) -> None:
    with pytest.raises(argparse.ArgumentTypeError) as found:
        read(text)
    assert str(found.value) == sentence


def test_a_part_of_the_trace_is_opened_and_the_whole_one_if_it_is_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("lanescope.facade.opening.opened_some", lambda trace, **part: (trace, part))
    monkeypatch.setattr("lanescope.facade.opening.opened", lambda trace: f"whole {trace}")
    found: list[Any] = [
        source.open_trace(argparse.Namespace(trace="a", **PART)),
        source.whole_trace("a"),
    ]
    assert found == [("a", PART), "whole a"]


def test_a_run_and_a_rank_are_chosen_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lanescope.trace.select", lambda trace, **part: (trace, part))
    trace = make_trace()
    found: Any = source.of_run(argparse.Namespace(**PART), trace)
    assert found == (trace, {"run": [1], "rank": [2, 3]})


def test_a_path_on_this_machine_is_taken_and_a_url_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert places.local("a:b/c") == Path("a:b/c")
    assert places.local("file:///a/b") == Path("/a/b")

    def refuse(text: str) -> Path:
        raise UsageError(f"{text} is on a store")

    monkeypatch.setattr("lanescope.trace.places.local_path", refuse)
    with pytest.raises(argparse.ArgumentTypeError, match=r"^s3://bucket/a is on a store$"):
        places.local("s3://bucket/a")
    assert places.local("bucket/a") == Path("bucket/a")


@pytest.mark.parametrize(("boards", "one"), [(None, None), ([], None), (["v80"], "v80")])
def test_one_board_or_none_is_named(boards: list[str] | None, one: str | None) -> None:
    assert board.the_board(argparse.Namespace(board=boards, command="x")) == one


def test_a_second_board_is_refused() -> None:
    with pytest.raises(UsageError) as found:
        board.the_board(argparse.Namespace(board=["a", "b"], command="x"))
    assert str(found.value) == "x takes one --board, found 2: a, b"
