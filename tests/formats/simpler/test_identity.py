"""Which ranks ran one dispatch, and which invocation of the host's logs is whose."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.formats.simpler.logs import invocations_of, run_lines
from tests.formats.simpler.runs import IDENTITY

from lanescope.errors import InputError
from lanescope.formats.json_file import open_object
from lanescope.formats.simpler.identity import (
    DispatchIdentity,
    RankGroup,
    is_identity,
    pair_ranks,
    read_identity,
)
from lanescope.formats.simpler.invocations import Invocation, rounds
from lanescope.formats.simpler.matching import (
    InvocationMatch,
    RankRun,
    invocation_of,
    match_invocations,
)
from lanescope.formats.simpler.strace import read_host_log

DATA = Path(__file__).parents[3] / "../shared/data/simpler-today/two_ranks"
FIRST, SECOND, THIRD = (Path(f"rank{k}/d0/dispatch_identity.json") for k in range(3))


def identity(**changes: object) -> DispatchIdentity:
    return DispatchIdentity(**{**IDENTITY, **changes})  # type: ignore[arg-type]


def read(folder: Path, content: object) -> DispatchIdentity:
    path = folder / "dispatch_identity.json"
    path.write_text(json.dumps(content))
    file = open_object(path)
    assert is_identity(file)
    return read_identity(file)


def test_an_identity_is_read(tmp_path: Path) -> None:
    one = read(tmp_path, IDENTITY)
    assert one == identity()
    assert (one.dispatch_id, one.of_host) == ("6:0", (6, 40, 1, 2))
    without = {k: v for k, v in IDENTITY.items() if k not in ("host_pid", "schema_version")}
    assert read(tmp_path, without).host_pid is None


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"run_id": 0}, r"Expected `int` >= 1 - at `\$\.run_id`"),
        ({"task_slot": -1}, r"Expected `int` >= 0 - at `\$\.task_slot`"),
        ({"pipeline_generation": "2"}, r"Expected `int`, got `str` - at `\$\.pipeline_generation`"),
        ({"callable_digest": "ab"}, r"Expected `str` matching regex .* - at `\$\.callable_digest`"),
        ({"schema_version": 2}, r"Invalid enum value 2 - at `\$\.schema_version`"),
        ({"group_index": 2}, r"group_index is 2 in a group of 2 ranks"),
    ],
)
def test_a_wrong_identity_is_refused(
    tmp_path: Path, change: dict[str, object], problem: str
) -> None:
    start = r"dispatch_identity\.json: the dispatch's identity is not what it should be: "
    with pytest.raises(InputError, match=f"{start}{problem}$"):
        read(tmp_path, {**IDENTITY, **change})


def test_ranks_of_one_dispatch_are_a_group() -> None:
    pairing = pair_ranks(
        {
            SECOND: identity(group_index=1, chip_rank=1, endpoint_dispatch_id=41),
            FIRST: identity(),
            THIRD: identity(run_id=7, group_size=3, group_index=1, chip_rank=2),
        }
    )
    assert pairing.groups == (
        RankGroup(
            dispatch_id="6:0",
            paired_by="parent_dispatch_identity",
            ranks={0: FIRST, 1: SECOND},
            missing=(),
        ),
        RankGroup(
            dispatch_id="7:0",
            paired_by="parent_dispatch_identity",
            ranks={2: THIRD},
            missing=(0, 2),
        ),
    )
    assert [group.is_complete for group in pairing.groups] == [True, False]
    assert pairing.group("7:0") is pairing.groups[1] and pairing.group("8:0") is None


def test_single_dispatches_are_paired_by_the_number_of_their_run() -> None:
    pairing = pair_ranks(
        {
            FIRST: identity(group_size=1),
            SECOND: identity(group_size=1, chip_rank=1, run_id=9),
            THIRD: identity(group_size=1, chip_rank=1, run_id=10, local_capture_index=1),
        }
    )
    assert [(g.dispatch_id, g.ranks, g.missing) for g in pairing.groups] == [
        ("d0", {0: FIRST, 1: SECOND}, ()),
        ("d1", {1: THIRD}, (0,)),
    ]
    assert {group.paired_by for group in pairing.groups} == {"local_capture_index"}
    assert pair_ranks({}).groups == ()


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            {"group_index": 1, "chip_rank": 1, "callable_digest": "cd" * 32},
            f"'callable_digest' of dispatch 6:0 is {'cd' * 32}, and {'ab' * 32} in {FIRST}; one "
            "dispatch has one",
        ),
        (
            {"group_index": 1, "chip_rank": 1, "group_size": 3},
            f"'group_size' of dispatch 6:0 is 3, and 2 in {FIRST}; one dispatch has one",
        ),
        (
            {"chip_rank": 1},
            f"'group_index' 0 of dispatch 6:0 stands in {FIRST}, too; expected one file with it",
        ),
        (
            {"group_index": 1},
            f"'chip_rank' 0 of dispatch 6:0 stands in {FIRST}, too; expected one file with it",
        ),
    ],
)
def test_files_that_contradict_are_refused(change: dict[str, object], problem: str) -> None:
    with pytest.raises(InputError) as error:
        pair_ranks({FIRST: identity(), SECOND: identity(**change)})
    assert str(error.value) == f"{SECOND}: {problem}"


def test_a_rank_that_stands_twice_in_a_run_is_refused() -> None:
    with pytest.raises(InputError, match="'chip_rank' 0 of d0 stands in"):
        pair_ranks({FIRST: identity(group_size=1), SECOND: identity(group_size=1, run_id=9)})


NAMED = "run_id=6 dispatch_id={} run_epoch={} slot_id=1 generation=2"
HERE = Path("records.json")


def some(folder: Path) -> list[Invocation]:
    """Two processes with two runs each: dispatches 40 and 41, epochs 3 and 4."""
    lines = []
    for pid in (41, 42):
        for inv, dispatch, epoch in ((1, 40, 3), (2, 41, 4)):
            text = NAMED.format(dispatch, epoch)
            lines += run_lines((1000 * inv, 400), 200, text, pid=pid, inv=inv)
    return sorted(invocations_of(folder, lines), key=lambda one: (one.pid, one.inv))


def unnamed(folder: Path, count: int) -> list[Invocation]:
    """Runs that say nothing of themselves."""
    lines = [run_lines((1000 * inv, 400), 200, inv=inv) for inv in range(1, count + 1)]
    return invocations_of(folder, [line for run in lines for line in run])


def by_cost(*costs: int | None) -> Any:
    """A fit that gives the invocations 1, 2, … these costs."""
    table = {inv: None if cost is None else Fraction(cost) for inv, cost in enumerate(costs, 1)}
    return lambda one: table[one.inv]


def test_process_and_dispatch_name_one_invocation(tmp_path: Path) -> None:
    everyone = some(tmp_path)
    run = RankRun(path=HERE, identity=identity(host_pid=42), run_epoch=4)
    assert invocation_of(run, everyone) == InvocationMatch(everyone[2], "identity")
    assert everyone[2].pid == 42 and everyone[2].dispatch_id == 40


def test_without_an_identity_the_epoch_decides_where_it_is_the_only_one(tmp_path: Path) -> None:
    everyone = some(tmp_path)
    run = RankRun(path=HERE, run_epoch=4)
    assert invocation_of(run, everyone[:2]) == InvocationMatch(everyone[1], "run_epoch")
    # Epochs count per process: both processes have one, so the fit decides between them.
    fit = {everyone[1].pid: Fraction(9), everyone[3].pid: Fraction(1)}
    fitted = RankRun(path=HERE, run_epoch=4, fit=lambda one: fit[one.pid])
    assert invocation_of(fitted, everyone) == InvocationMatch(everyone[3], "fit")


def test_a_run_that_is_named_otherwise_is_never_taken(tmp_path: Path) -> None:
    everyone = some(tmp_path)
    perfect = by_cost(0, 0)
    other = RankRun(path=HERE, identity=identity(run_id=9), fit=perfect)
    assert invocation_of(other, everyone) == InvocationMatch(
        None, "", "none of the 4 runs in the host's logs is this one"
    )
    elsewhere = RankRun(path=HERE, identity=identity(host_pid=43), fit=perfect)
    assert invocation_of(elsewhere, everyone) == InvocationMatch(
        None, "", "the host's logs hold no run of process 43"
    )
    later = RankRun(path=HERE, run_epoch=5, fit=perfect)
    assert invocation_of(later, everyone[:1]).invocation is None
    assert invocation_of(later, []).problem == "the host's logs hold no run of a chip"


@pytest.mark.parametrize(
    ("costs", "taken"),
    [
        ((10, 40, 90), 1),
        ((10, 39, 90), None),
        ((90, 0, 1), 2),
        ((0, 0, 90), None),
        ((None, None, 7), 3),
        ((None, None, None), None),
    ],
)
def test_the_best_fit_must_beat_the_next_four_times(
    tmp_path: Path, costs: tuple[int | None, ...], taken: int | None
) -> None:
    match = invocation_of(RankRun(path=HERE, fit=by_cost(*costs)), unnamed(tmp_path, 3))
    assert (match.invocation.inv if match.invocation else None) == taken
    assert match.by == ("fit" if taken else "")
    assert bool(match.problem) == (taken is None)


def test_ranks_are_fitted_together_and_one_without_a_log_spoils_nothing(tmp_path: Path) -> None:
    everyone = unnamed(tmp_path, 2)
    runs = [
        RankRun(path=HERE, fit=by_cost(1, 2)),
        RankRun(path=HERE, fit=by_cost(None, None)),
        RankRun(path=HERE, fit=by_cost(1, 90)),
    ]
    matches = match_invocations(runs, everyone)
    assert [m.invocation.inv if m.invocation else None for m in matches] == [2, None, 1]
    assert matches[1].problem == "no run in the host's logs can contain the records"
    crowd = match_invocations([RankRun(path=HERE, fit=by_cost(1, 1))] * 3, everyone)
    assert {m.problem for m in crowd} == {
        "3 ranks, and too few runs in the host's logs that may be theirs"
    }


def test_an_invocation_that_one_rank_names_is_no_other_ranks(tmp_path: Path) -> None:
    everyone = some(tmp_path)[:2]
    runs = [
        RankRun(path=HERE, identity=identity()),
        RankRun(path=HERE, fit=by_cost(1, 90)),
    ]
    matches = match_invocations(runs, everyone)
    assert matches == [
        InvocationMatch(everyone[0], "identity"),
        InvocationMatch(everyone[1], "fit"),
    ]


def test_two_ranks_that_name_one_invocation_get_none(tmp_path: Path) -> None:
    runs = [RankRun(path=HERE, identity=identity())] * 2
    matches = match_invocations(runs, some(tmp_path))
    assert {match.problem for match in matches} == {"several ranks name pid 41 inv 1 as theirs"}


def test_too_many_ways_are_refused(tmp_path: Path) -> None:
    runs = [RankRun(path=HERE, fit=lambda one: Fraction(1))] * 4
    everyone = unnamed(tmp_path, 23)
    problem = (
        "records.json: 4 ranks say nothing of their dispatch, and 23 runs in the host's logs may "
        "be theirs: 212520 ways of matching them, more than 200000; name fewer logs"
    )
    with pytest.raises(InputError) as error:
        match_invocations(runs, everyone)
    assert str(error.value) == problem


@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
def test_example_ranks_are_one_dispatch_and_find_their_invocations() -> None:
    paths = sorted(DATA.rglob("dispatch_identity.json"))
    identities = {path: read_identity(open_object(path)) for path in paths}
    (group,) = pair_ranks(identities).groups
    assert (group.dispatch_id, group.paired_by, group.is_complete) == (
        "6:0",
        "parent_dispatch_identity",
        True,
    )
    invocations = rounds(*(read_host_log(path) for path in sorted(DATA.rglob("*.log"))))
    runs = [RankRun(path=path, identity=identities[path]) for path in group.ranks.values()]
    matches = match_invocations(runs, invocations)
    assert [match.by for match in matches] == ["identity", "identity"]
    assert [match.invocation.pid for match in matches if match.invocation] == [4101, 4102]
