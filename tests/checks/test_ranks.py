"""Ranks side by side: one without records, a group that is not complete, other programs."""

from __future__ import annotations

from pathlib import Path

from tests.checks.folders import identity, only, put, records
from tests.formats.simpler.logs import run_lines

from lanescope.checks.check import check


def test_two_whole_ranks(tmp_path: Path) -> None:
    for rank in (0, 1):
        put(tmp_path / f"rank{rank}" / "d0", records=records(2), identity=identity(rank))
    checked = check(tmp_path)
    assert checked.nothing_lost
    assert [run.place for run in checked.runs] == ["rank0/d0", "rank1/d0"]


def test_a_rank_with_identity_and_without_records(tmp_path: Path) -> None:
    put(tmp_path / "rank0" / "d0", records=records(2), identity=identity(0))
    put(tmp_path / "rank1" / "d0", identity=identity(1, pid=43))
    texts = run_lines((1000, 900_000), 50_000, pid=41) + run_lines((1000, 900_000), 70_000, pid=43)
    (tmp_path / "host.1.log").write_text("".join(f"{line}\n" for line in texts))
    found = only(tmp_path)
    assert (found.producer, found.kind) == ("rank 1", "missing")
    assert found.sentence == (
        "Rank 1 has a folder and no records file; it holds dispatch_identity.json."
    )
    assert "device_wall of 70.00 µs (pid 43, inv 1)" in found.cause


def test_an_empty_rank_folder(tmp_path: Path) -> None:
    put(tmp_path / "rank0" / "d0", records=records(2))
    (tmp_path / "rank1" / "d0").mkdir(parents=True)
    assert "nor any other file" in only(tmp_path).sentence


def test_ranks_that_are_all_empty_are_named_each(tmp_path: Path) -> None:
    for rank in (0, 1):
        (tmp_path / f"rank{rank}" / "d0").mkdir(parents=True)
    checked = check(tmp_path)
    assert [one.producer for one in checked.all_findings] == ["rank 0", "rank 1"]


def test_a_group_of_three_with_two_ranks(tmp_path: Path) -> None:
    for rank in (0, 1):
        put(tmp_path / f"rank{rank}" / "d0", records=records(2), identity=identity(rank, size=3))
    found = only(tmp_path)
    assert (found.producer, found.kind, found.count) == ("ranks", "missing", 1)
    assert found.sentence == ("Dispatch 7:3 is not complete: of 3 ranks these are missing: 2.")


def test_digests_that_differ_are_a_finding(tmp_path: Path) -> None:
    for rank, digest in ((0, "a"), (1, "b")):
        put(
            tmp_path / f"rank{rank}" / "d0",
            records=records(2),
            identity=identity(rank, digest=digest),
        )
    found = only(tmp_path)
    assert (found.producer, found.kind) == ("ranks", "contradiction")
    assert "'callable_digest' of dispatch 7:3" in found.sentence


def test_a_rank_that_lacks_a_capture(tmp_path: Path) -> None:
    put(tmp_path / "rank0" / "d0", records=records(2))
    put(tmp_path / "rank0" / "d1", records=records(2))
    put(tmp_path / "rank1" / "d0", records=records(2))
    assert only(tmp_path).sentence == "Rank 1 has no records of d1, which other ranks have."


def test_an_identity_in_the_wrong_folder(tmp_path: Path) -> None:
    put(tmp_path / "rank0" / "d0", records=records(2), identity=identity(0))
    put(tmp_path / "rank1" / "d3", records=records(2), identity=identity(1))
    found = [one.sentence for one in check(tmp_path).all_findings]
    assert "The file says local_capture_index 0, and lies in d3." in found
