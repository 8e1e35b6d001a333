"""The runs of one records file: what belongs to which, and what does not say it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from tests.analyze.hand import make_trace
from tests.formats.simpler.runs import rows

from lanescope.errors import InputError
from lanescope.formats.simpler.deps import Graph
from lanescope.formats.simpler.host import ClockFit, HostPart
from lanescope.formats.simpler.parts import Run, RunFiles
from lanescope.formats.simpler.pmu import PmuRows
from lanescope.formats.simpler.records import (
    ControllerFacts,
    ControllerRows,
    CoreRows,
    PhaseList,
    Records,
)
from lanescope.formats.simpler.runs import (
    controller_columns,
    missing_sections,
    share_companions,
    split_runs,
    with_epoch,
)
from lanescope.trace import MISSING32, NO_WORD, LedgerEntry
from lanescope.trace.task_ids import TaskIds, unsigned

ENTRY = LedgerEntry("a", "b", 1, 1)
GRAPH = cast(Graph, object())


def array(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def cores(*tasks: int, epoch: tuple[int, ...] | None = None) -> CoreRows:
    one = array(*tasks)
    told = None if epoch is None else array(*epoch)
    return CoreRows(one, one, one, one, one, one, epoch=told)


def controllers(*tokens: int, epoch: tuple[int, ...] | None = None) -> ControllerRows:
    one = array(*tokens)
    return ControllerRows(one, one, one, one, epoch=None if epoch is None else array(*epoch))


def phases(
    lane: str, *starts: int, epoch: tuple[int, ...] | None = None, **columns: np.ndarray
) -> PhaseList:
    start = array(*starts)
    told = None if epoch is None else array(*epoch)
    return PhaseList(lane, 0, np.zeros(len(start), int), ["a"], start, start, columns, told)


def records(**more: Any) -> Records:
    facts: dict[str, Any] = {
        "path": Path("records.json"),
        "generation": "G10",
        "level": 4,
        "clock_hz": 1,
        "cores": cores(1, 2, 3, epoch=(5, 9, 5)),
        "controllers": controllers(1, 2, epoch=(9, 5)),
        "core_kinds": {},
        "core_controller": {},
    }
    return Records(**{**facts, **more})


def whole(**more: Any) -> Run:
    facts: dict[str, Any] = {"files": RunFiles("run"), "records": records()}
    return Run(**{**facts, **more})


def split(run: Run, *, keep_damaged: bool = False) -> list[Run]:
    runs = split_runs(run, keep_damaged=keep_damaged)
    share_companions(runs)
    return runs


def tasks_of(run: Run) -> list[int]:
    assert run.records is not None
    return run.records.cores.task.tolist()


def test_what_has_no_records_is_one_run() -> None:
    run = whole(records=None)
    assert split(run) == [run]


def test_rows_go_to_the_run_of_their_epoch_in_rising_order() -> None:
    first, second = split(whole())
    assert (tasks_of(first), tasks_of(second)) == ([1, 3], [2])
    assert first.records is not None and second.records is not None
    assert (first.records.epoch, second.records.epoch) == (5, 9)
    assert first.records.cores.place is not None and second.records.cores.place is not None
    assert first.records.cores.place.tolist() == [0, 2]
    assert second.records.cores.place.tolist() == [1]
    assert first.records.controllers is not None and second.records.controllers is not None
    assert first.records.controllers.token.tolist() == [2]
    assert second.records.controllers.token.tolist() == [1]


def test_an_epoch_may_be_known_of_phases_alone() -> None:
    own = records(
        cores=cores(), controllers=None, phases=[phases("scheduler", 1, 2, 3, epoch=(4, 3, 4))]
    )
    runs = split(whole(records=own))
    assert [run.records.phases[0].start.tolist() for run in runs if run.records] == [[2], [1, 3]]
    assert [run.records.controllers for run in runs if run.records] == [None, None]


def test_what_names_no_run_is_with_the_first_one() -> None:
    own = records(
        phases=[phases("lifecycle", 7), phases("scheduler", 1, 2, epoch=(9, 5))],
        ledger=(ENTRY,),
        notes=["noted"],
        host=HostPart(),
    )
    files = RunFiles(
        "run", scopes=Path("s"), arguments=cast(Any, object()), notes=("n",), pmu=Path("p")
    )
    pmu = PmuRows(Path("p"), *(array(1, 2, 3) for _ in range(5)), {}, [2], array(9, 5, 9))
    placed = ClockFit(cast(Any, 1), 2)
    run = whole(
        files=files,
        records=own,
        pmu=pmu,
        loose=[phases("host", 1)],
        placed=placed,
        ledger=[ENTRY],
        notes=["own"],
    )
    first, second = split(run)
    assert first.records is not None and second.records is not None
    assert [p.start.tolist() for p in first.records.phases] == [[7], [2]]
    assert [p.start.tolist() for p in second.records.phases] == [[], [1]]
    assert (first.records.ledger, second.records.ledger) == ((ENTRY,), ())
    assert (first.records.notes, second.records.notes) == (["noted"], [])
    assert (first.records.host, second.records.host) == (HostPart(), None)
    assert (first.files, second.files) == (
        files,
        replace(files, scopes=None, arguments=None, notes=()),
    )
    assert (len(first.loose), second.loose) == (1, [])
    assert (first.placed, second.placed) == (placed, placed)
    assert (first.ledger, second.ledger) == ([ENTRY], [])
    assert second.notes == [] and first.notes[0] == "own"
    assert first.pmu is not None and second.pmu is not None
    assert (first.pmu.task.tolist(), second.pmu.task.tolist()) == ([2], [1, 3])


def test_what_a_file_of_several_runs_leaves_open_is_told_once() -> None:
    pmu = PmuRows(Path("p"), *(array(1) for _ in range(5)), {}, [2])
    first, second = split(
        whole(
            files=RunFiles("run", arguments=cast(Any, object())),
            records=records(host=HostPart()),
            pmu=pmu,
            graph=GRAPH,
        )
    )
    assert first.notes == [
        "The host's phases do not say which run they are of; they are shown with the first one.",
        "pmu.csv does not say which of the runs its rows are of, so it was not used.",
        "The argument dump does not say which run it is of; it is shown with the first one.",
        "deps.json holds one task graph; all runs are taken to have run it.",
    ]
    assert (first.pmu, second.pmu, second.notes) == (None, None, [])
    assert first.graph is GRAPH and second.graph is GRAPH
    assert split(whole())[0].notes == []


def sampled(*epochs: int) -> PmuRows:
    """A counter row per epoch; its task is its place."""
    places = array(*range(len(epochs)))
    return PmuRows(Path("p"), *(places for _ in range(5)), {}, [2], array(*epochs))


@pytest.mark.parametrize(
    ("rows", "stated", "counters", "mine", "left"),
    [
        ((5, 5), None, (5, 9, 5, 9), [0, 2], "2 rows"),
        ((5, 5), 8, (8, 5, 5), [1, 2], "1 row"),
        ((), 8, (5, 8), [1], "1 row"),
        ((0,), None, (0, 0), [0, 1], ""),
        ((5,), None, (9,), [], "1 row"),
        ((), None, (9, 9), [0, 1], ""),
        ((), None, (5, 9), [], "2 rows"),
    ],
)
def test_counters_of_other_runs_are_left_out_and_counted(
    rows: tuple[int, ...], stated: int | None, counters: tuple[int, ...], mine: list[int], left: str
) -> None:
    """Task ids begin anew with every run: the same id is another task."""
    own = records(cores=cores(*rows, epoch=rows or None), controllers=None, epoch=stated)
    [run] = split(whole(records=own, pmu=sampled(*counters)))
    assert run.pmu is not None and run.pmu.task.tolist() == mine
    problem = "without the epoch of a run that is here"
    count = len(counters) - len(mine)
    told = LedgerEntry("counters", "pmu", count, 0, count, reason=problem)
    assert run.ledger == ([told] if left else [])
    note = f"Left out: {left} of pmu.csv {problem}."
    assert [one for one in run.notes if "pmu" in one] == ([note] if left else [])


def test_counters_of_a_third_run_are_counted_with_the_first() -> None:
    first, second = split(whole(pmu=sampled(9, 7, 5)))
    assert first.pmu is not None and second.pmu is not None
    assert (first.pmu.task.tolist(), second.pmu.task.tolist()) == ([2], [0])
    assert [entry.dropped for entry in first.ledger] == [1] and second.ledger == []


def test_counters_alone_stay_whatever_runs_they_are_of() -> None:
    [run] = split(whole(records=None, pmu=sampled(5, 9)))
    assert run.pmu is not None and run.pmu.task.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("part", "what"),
    [
        ({"cores": cores(1, 2)}, "aicore_tasks"),
        ({"controllers": controllers(1)}, "aicpu_tasks"),
        ({"controllers": controllers(1), "scheduler_key": "scheduler_tasks"}, "scheduler_tasks"),
    ],
)
def test_rows_that_do_not_say_their_run_are_refused_beside_others_that_do(
    part: dict[str, Any], what: str
) -> None:
    own = records(**{"phases": [phases("scheduler", 1, 2, epoch=(9, 5))], **part})
    with pytest.raises(InputError) as caught:
        split(whole(records=own))
    assert str(caught.value) == (
        f"records.json: {what} rows do not say which run they are of, and the file holds several, "
        "so they cannot be joined; --keep-damaged imports them"
    )
    first, second = split(whole(records=own), keep_damaged=True)
    for name in part:
        if name != "scheduler_key":
            rows = [getattr(run.records, name).core.tolist() for run in (first, second)]
            assert rows == [part[name].core.tolist(), []]


def test_rows_without_runs_that_are_none_disturb_nobody() -> None:
    own = records(cores=cores(), phases=[phases("scheduler", 1, 2, epoch=(9, 5))])
    assert len(split(whole(records=own))) == 2


@pytest.mark.parametrize(
    ("stated", "epoch", "notes"),
    [
        (None, 5, []),
        (5, 5, []),
        (
            8,
            5,
            [
                "records.json: 'collection' says that this is run 8, its records are of run 5.",
            ],
        ),
    ],
)
def test_one_run_is_that_of_its_rows_whatever_the_collection_says(
    stated: int | None, epoch: int, notes: list[str]
) -> None:
    own = records(cores=cores(1, 2, epoch=(5, 5)), controllers=None, epoch=stated)
    [run] = split(whole(records=own))
    assert run.records is not None
    assert (run.records.epoch, run.notes) == (epoch, notes)


@pytest.mark.parametrize("stated", [None, 8])
def test_one_run_whose_rows_do_not_say_it_is_what_the_collection_says(stated: int | None) -> None:
    own = records(cores=cores(1), controllers=None, epoch=stated)
    [run] = split(whole(records=own))
    assert run.records is not None
    assert (run.records.epoch, run.notes) == (stated, [])


WRONG = -(1 << 62)
BAD = unsigned(WRONG)


@pytest.mark.parametrize(
    ("form", "word"), [(TaskIds.RING, "ring and number"), (TaskIds.SPACE, "space and number")]
)
def test_ids_that_a_runtime_cannot_have_written_are_refused(form: str, word: str) -> None:
    own = records(task_ids=form, cores=cores(1, WRONG))
    with pytest.raises(InputError) as caught:
        split(whole(records=own))
    assert str(caught.value) == (
        f"records.json: aicore_tasks row 1: {BAD} is no task id of this runtime ({word}); is "
        "'runtime' right?"
    )
    other = phases("scheduler", 1, 2, 3, task=array(1, 1, WRONG))
    with pytest.raises(InputError, match=f"scheduler 0 row 2: {BAD} is no task id of this runtime"):
        split(whole(records=records(task_ids=form, phases=[phases("host", 1), other])))


@pytest.mark.parametrize(
    ("level", "lanes", "missing"),
    [
        (2, (), ()),
        (3, (), ("scheduler phases",)),
        (3, ("scheduler",), ()),
        (4, (), ("scheduler phases", "submits")),
        (4, ("orchestrator",), ("scheduler phases",)),
        (4, ("scheduler",), ("submits",)),
        (4, ("scheduler", "orchestrator"), ()),
    ],
)
def test_what_a_level_promises_and_is_not_there_is_told(
    level: int, lanes: tuple[str, ...], missing: tuple[str, ...]
) -> None:
    own = [phases(lane, 1) for lane in lanes]
    notes = [f"Level {level} was asked for, but the file has no {what}." for what in missing]
    assert missing_sections(records(level=level, phases=own)) == notes
    host = HostPart(phases=own)
    assert missing_sections(records(level=level, host=host, phases=[phases("x")])) == notes
    assert missing_sections(records(level=level, cores=cores())) == []


def test_phases_without_rows_are_not_there() -> None:
    empty = [phases("scheduler"), phases("orchestrator")]
    assert len(missing_sections(records(phases=empty))) == 2
    assert len(missing_sections(records(host=HostPart(phases=empty)))) == 2


def test_what_is_known_of_controllers_is_a_table() -> None:
    facts = (
        ControllerFacts("scheduler", 3, "Scheduler_9", "aiv", 9, 17),
        ControllerFacts("lifecycle", 0, "AICPU 0"),
    )
    run = whole(records=records(controller_facts=facts))
    columns = {name: column.tolist() for name, column in controller_columns(run).items()}
    words = run.words.freeze()
    for name in ("lane", "name"):
        columns[name] = [words[code] for code in columns[name]]
    assert columns == {
        "lane": ["scheduler", "lifecycle"],
        "controller": [3, 0],
        "name": ["Scheduler_9", "AICPU 0"],
        "kind": [list(words).index("aiv"), NO_WORD],
        "worker": [9, MISSING32],
        "physical_core": [17, MISSING32],
    }
    assert len(controller_columns(whole(records=None))["name"]) == 0


def test_a_run_that_is_known_by_epoch_or_verdict_has_a_row() -> None:
    trace = make_trace()
    for epoch, verdict in ((4, ""), (None, "published"), (0, "")):
        run = whole(records=records(epoch=epoch, verdict=verdict))
        found = rows(with_epoch(run, trace), "runs", "epoch", "completeness")
        assert found == [(epoch, verdict or None)]
    assert with_epoch(whole(), trace) is trace
    assert with_epoch(whole(records=None), trace) is trace
