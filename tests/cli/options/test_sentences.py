"""What is said of a budget, of rounds and of a dump, word by word."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.analyze.hand import make_trace

from lanescope.cli.options import dump, rounds
from lanescope.cli.options.budget import choice_text, outcome_text
from lanescope.dump.manifest import Totals
from lanescope.dump.write import DumpRequest
from lanescope.errors import UsageError
from lanescope.platforms.budget.choice import (
    BudgetOutcome,
    BudgetReport,
    LevelChoice,
    LevelOption,
)
from lanescope.platforms.budget.limits import RecordingBudget
from lanescope.platforms.outcome import Makespans
from lanescope.platforms.recording import Recording
from lanescope.trace.store import StoredTrace

MADE = Recording(buffers=4, buffer_records=2048)
NONE = LevelOption(MADE, 0)
TWO = LevelOption(MADE, 2, 99_999, 0.01, 0.005, 0.015)
THREE = LevelOption(MADE, 3, 100_000, 0.02, 0.02, 0.02)
FOUR = LevelOption(None, 4)
ALL = (FOUR, THREE, TWO, NONE)


def choice(chosen: LevelOption, budget: RecordingBudget, *unrecorded_ns: int) -> LevelChoice:
    return LevelChoice(budget, chosen, ALL, unrecorded_ns, "a guess")


@pytest.mark.parametrize(
    ("chosen", "budget", "text"),
    [
        (
            TWO,
            RecordingBudget(share=0.015, memory_bytes=99_999),
            "budget 1.5%, 99,999 B: level 2, 4 buffers of 2,048 records per lane, 99,999 B; "
            "expected +1.00% (+0.50 to +1.50)\n"
            "  level 4 does not fit in the memory; level 3 would take +2.00%\n"
            "  by a guess",
        ),
        (
            THREE,
            RecordingBudget(share=None, memory_bytes=100_000),
            "budget 0.1 MB: level 3, 4 buffers of 2,048 records per lane, 0.1 MB; expected +2.00%\n"
            "  level 4 does not fit in the memory\n"
            "  by a guess",
        ),
        (
            LevelOption(MADE, 4, 2_000_000),
            RecordingBudget(share=0.5, memory_bytes=None),
            "budget 50%: level 4, 4 buffers of 2,048 records per lane, 2.0 MB\n  by a guess",
        ),
        (
            NONE,
            RecordingBudget(share=0.001, memory_bytes=None),
            "budget 0.1%: level 0\n"
            "  level 4 does not fit in the memory; level 3 would take +2.00%; level 2 would take "
            "+1.00% (+0.50 to +1.50)\n"
            "  by a guess",
        ),
    ],
)
def test_the_level_that_was_chosen_and_why_no_higher_one(
    chosen: LevelOption, budget: RecordingBudget, text: str
) -> None:
    assert choice_text(choice(chosen, budget)) == text


BUDGET = RecordingBudget(share=0.1, memory_bytes=None)


@pytest.mark.parametrize(
    ("made", "measured", "text"),
    [
        (
            choice(NONE, BUDGET),
            BudgetOutcome(None, 0, True),
            "budget kept: nothing was recorded",
        ),
        (
            choice(TWO, BUDGET, 1_000_000),
            BudgetOutcome(0.0123, 5000, True),
            "budget kept: +1.23% against an unrecorded run of the same graph, 5,000 B",
        ),
        (
            choice(TWO, BUDGET, 2_500_000, 1_000_000),
            BudgetOutcome(-0.01, 5000, False),
            "budget not kept: -1.00% against the median of 2 unrecorded runs of the same graph, "
            "5,000 B, unrecorded runs took 1.000 to 2.500 ms",
        ),
        (
            choice(TWO, BUDGET, 1, 2),
            BudgetOutcome(None, 5_000_000, None),
            "budget cannot be told: 5.0 MB",
        ),
    ],
)
def test_whether_a_run_kept_to_its_budget(
    made: LevelChoice, measured: BudgetOutcome, text: str
) -> None:
    assert outcome_text(BudgetReport(made, measured)) == text


def test_rounds_lie_apart_by_a_share_of_their_median() -> None:
    makespans = Makespans(7, (3_000_000, 1_000_000, 2_000_000))
    assert rounds.sentence(makespans) == (
        "3 rounds of seed 7: median 2.000 ms, 1.000 to 3.000 ms (100.0% apart); the trace is "
        "round 2"
    )


TOTALS = Totals(
    run="a",
    select="",
    bin_bytes=1234,
    count=4321,
    before=2000,
    after=2321,
    inputs=0,
    outputs=0,
    inouts=0,
    truncated=0,
    dropped=0,
    tensor_limit_bytes=1000,
    total_limit_bytes=2000,
)
SAID = "x  4,321 tensors (2,000 before dispatch and 2,321 after completion), 1,234 bytes"


@pytest.mark.parametrize(
    ("changes", "more"),
    [
        ({}, ""),
        ({"truncated": 1}, "; TRUNCATED to 1,000 bytes: 1"),
        ({"dropped": 1}, "; DROPPED (limit 2,000 bytes): 1"),
        (
            {"truncated": 3000, "dropped": 5000, "problem": "full"},
            "; TRUNCATED to 1,000 bytes: 3,000; DROPPED (no space): 5,000",
        ),
    ],
)
def test_what_of_a_dump_is_not_there_is_said(changes: dict[str, Any], more: str) -> None:
    assert dump.sentence("x", msgspec.structs.replace(TOTALS, **changes)) == SAID + more


@pytest.mark.parametrize(
    ("text", "size"),
    [("1k", 1 << 10), ("1m", 1 << 20), ("1GB", 1 << 30), ("9" * 15, int("9" * 15))],
)
def test_sizes_of_tensors_are_powers_of_1024(text: str, size: int) -> None:
    assert dump.size_bytes(text) == size
    with pytest.raises(argparse.ArgumentTypeError):
        dump.size_bytes("9" * 16)


def asked(select: str | None, limit: int | None, total: int | None) -> argparse.Namespace:
    return argparse.Namespace(dump_tensors=select, dump_limit=limit, dump_total=total)


def test_a_dump_is_asked_for_by_its_option_alone() -> None:
    trace, folder = Path("a/run.lanes"), Path("a/run.tensors")
    assert dump.request_of(asked(None, None, None), trace) is None
    usual = DumpRequest(
        folder=folder, select="", tensor_limit_bytes=1 << 20, total_limit_bytes=1 << 30
    )
    assert dump.request_of(asked("", None, None), trace) == usual
    less = DumpRequest(folder=folder, select="add", tensor_limit_bytes=0, total_limit_bytes=0)
    assert dump.request_of(asked("add", 0, 0), trace) == less
    for limit, total in ((5, None), (None, 0)):
        with pytest.raises(UsageError) as found:
            dump.request_of(asked(None, limit, total), trace)
        assert str(found.value) == "--dump-limit and --dump-total need --dump-tensors"


def test_tensors_beside_a_trace_are_those_that_were_recorded_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A folder of that name may be somebody else's, and one that was recorded may be gone."""
    monkeypatch.setattr("lanescope.dump.read.read_totals", lambda folder: f"of {folder.name}")

    def stored(name: str, flags: int) -> StoredTrace:
        return StoredTrace(tmp_path / name, make_trace({"flags": flags}).meta, {}, 0)

    (tmp_path / "a.tensors").mkdir()
    (tmp_path / "b.tensors").touch()
    found: list[Any] = [
        dump.beside(stored(name, flags))
        for name, flags in (("a.lanes", 9), ("a.lanes", 7), ("b.lanes", 8), ("c.lanes", 8))
    ]
    assert found == [(f"{tmp_path}/a.tensors", "of a.tensors"), None, None, None]
