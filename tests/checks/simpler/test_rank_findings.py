"""What is missing among the ranks of a folder, each finding whole."""

from __future__ import annotations

from pathlib import Path

from tests.checks.folders import identity
from tests.checks.simpler.test_folders import holding, written

from lanescope.checks.finding import CheckFinding
from lanescope.checks.reading import Folder
from lanescope.checks.simpler.ranks import rank_findings
from lanescope.formats.simpler.hosting import HostLogs

NO_LOGS = HostLogs((), ())
SILENT = (
    "The runtime writes no records file when it collected nothing, and only warns: nothing was "
    "produced, or nothing arrived. No host log is there to say whether the device worked."
)


def of_ranks(place: Path, *folders: Folder) -> list[CheckFinding]:
    for one in folders:
        one.path.mkdir(parents=True, exist_ok=True)
    return list(rank_findings(place, folders, NO_LOGS))


def test_a_rank_without_records_is_told_by_what_it_holds(tmp_path: Path) -> None:
    """Rank 1 has files in two folders, rank 2 has none, and rank 3 has records."""
    (tmp_path / "rank2").mkdir()
    found = of_ranks(
        tmp_path,
        holding(tmp_path / "rank1" / "d0", "deps"),
        holding(tmp_path / "rank1" / "d1", "names"),
        holding(tmp_path / "rank3" / "run", "records"),
        holding(tmp_path / "rank30", "deps"),
    )
    usual = {"kind": "missing", "count": 1, "cause": SILENT}
    assert found == [
        CheckFinding(
            producer="rank 1",
            sentence="Rank 1 has a folder and no records file; it holds deps.json, names.json.",
            **usual,
        ),
        CheckFinding(
            producer="rank 2",
            sentence="Rank 2 has a folder and no records file, nor any other file that is known.",
            **usual,
        ),
        CheckFinding(
            producer="rank 30",
            sentence="Rank 30 has a folder and no records file; it holds deps.json.",
            **usual,
        ),
    ]


def test_a_rank_whose_records_cannot_be_read_is_not_told_again(tmp_path: Path) -> None:
    damaged = CheckFinding(producer="file chip_records.json", kind="unreadable", sentence="It is.")
    other = CheckFinding(producer="file deps.json", kind="unreadable", sentence="It is.")
    found = of_ranks(
        tmp_path,
        holding(tmp_path / "rank0" / "d0", findings=(other, damaged)),
        holding(tmp_path / "rank1" / "d0", findings=(other,)),
    )
    assert [one.producer for one in found] == ["rank 1"]


def test_captures_that_other_ranks_have_are_told(tmp_path: Path) -> None:
    """Rank 0 has two, rank 1 one of them and another folder, rank 2 has records in no capture."""
    places = ("rank0/d0", "rank0/d10", "rank0/d2", "rank1/d2", "rank1/extra", "rank2")
    found = of_ranks(tmp_path, *(holding(tmp_path / place, "records") for place in places))
    assert found == [
        CheckFinding(
            producer="rank 1",
            kind="missing",
            count=2,
            sentence="Rank 1 has no records of d0, d10, which other ranks have.",
            cause="The rank took no part in these, or its records were not collected.",
        )
    ]
    assert of_ranks(tmp_path / "none") == []


def test_groups_that_are_not_complete_and_contradictions_are_told(tmp_path: Path) -> None:
    def rank(number: int, **more: object) -> Folder:
        told = identity(number, size=6) | more
        folder = written(tmp_path / f"rank{number}" / "d0", "identity", dispatch_identity=told)
        return Folder(folder.path, (*folder.files, *holding(folder.path, "records").files))

    assert of_ranks(tmp_path, rank(0), rank(1)) == [
        CheckFinding(
            producer="ranks",
            kind="missing",
            count=4,
            sentence="Dispatch 7:3 is not complete: of 6 ranks these are missing: 2, 3, 4, 5.",
            cause="Their folders were not copied, or these ranks never wrote one.",
        )
    ]
    [contradiction] = of_ranks(tmp_path, rank(0), rank(1, group_size=7))
    first = tmp_path / "rank0" / "d0" / "dispatch_identity.json"
    assert contradiction == CheckFinding(
        producer="ranks",
        kind="contradiction",
        sentence="The ranks' identities contradict each other: 'group_size' of dispatch 7:3 is 7, "
        f"and 6 in {first}; one dispatch has one (rank1/d0).",
        cause="Files of different dispatches or programs lie in one folder; they cannot be put "
        "together.",
    )
    alone = [rank(number, group_index=0, group_size=1) for number in (0, 1)]
    broken = rank(2, run_id=0)
    assert of_ranks(tmp_path, broken, *alone) == []
    assert of_ranks(tmp_path, broken, rank(0), rank(1))[0].count == 4
