"""What lies in a folder together, for folders of which only the files' kinds are given."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.checks.folders import identity
from tests.formats.simpler.logs import record, run_lines

from lanescope.checks.finding import CheckFinding
from lanescope.checks.reading import Folder
from lanescope.checks.simpler.folders import (
    folder_findings,
    graph_beside,
    is_run_without_records,
    no_records,
)
from lanescope.formats.detect import Detected
from lanescope.formats.json_file import open_object
from lanescope.formats.registry import IMPORTERS
from lanescope.formats.simpler.hosting import HostLogs

SIMPLER = next(one for one in IMPORTERS if one.name == "simpler")


def holding(path: Path, *kinds: str, findings: tuple[CheckFinding, ...] = ()) -> Folder:
    """A folder with a file of each kind; nobody has read them."""
    files = (Detected(path / f"{kind}.json", SIMPLER, kind) for kind in kinds)
    return Folder(path, tuple(files), findings)


def written(path: Path, kind: str, **files: Any) -> Folder:
    """A folder with files of one kind, by their names and contents."""
    path.mkdir(parents=True, exist_ok=True)
    found = []
    for name, content in files.items():
        file = path / f"{name}.json"
        file.write_text(json.dumps(content))
        found.append(Detected(file, SIMPLER, kind, open_object(file)))
    return Folder(path, tuple(found))


RUN = Path("all/run")


@pytest.mark.parametrize("kind", ["deps", "names", "identity", "host_log", "host_phases"])
def test_a_folder_with_what_a_run_leaves_lacks_its_records(kind: str) -> None:
    assert is_run_without_records(holding(RUN, kind), ())
    assert not is_run_without_records(holding(RUN, kind, "records"), ())


@pytest.mark.parametrize("kinds", [(), ("pmu",), ("scopes", "arguments")])
def test_a_folder_with_nothing_that_a_run_leaves_lacks_none(kinds: tuple[str, ...]) -> None:
    assert not is_run_without_records(holding(RUN, *kinds), ())


def test_records_that_cannot_be_read_or_lie_below_are_not_missing() -> None:
    def damaged(producer: str) -> CheckFinding:
        return CheckFinding(producer=producer, kind="unreadable", sentence="It is.")

    own = holding(RUN, "deps")
    beside, empty = holding(RUN.parent / "run2", "records"), holding(RUN / "d0")
    assert is_run_without_records(own, (own, beside, empty))
    assert not is_run_without_records(own, (own, beside, holding(RUN / "d0", "deps")))
    found = (damaged("file deps.json"), damaged("file chip_records.json"))
    assert not is_run_without_records(holding(RUN, "deps", findings=found), ())
    assert is_run_without_records(holding(RUN, "deps", findings=found[:1]), ())


WARNS = (
    "The runtime writes no records file when it collected nothing, and only warns: nothing was "
    "produced, or nothing arrived. "
)


def proof(folder: Folder, logs: HostLogs) -> str:
    return no_records(folder, logs).cause.removeprefix(WARNS)


def logs(folder: Path, *lines: str) -> HostLogs:
    folder.mkdir(exist_ok=True)
    (folder / "host.log").write_text("".join(f"{line}\n" for line in lines))
    return HostLogs.read([folder / "host.log"])


def test_a_folder_without_records_tells_what_it_holds() -> None:
    silent = HostLogs((), ())
    assert no_records(holding(RUN, "deps", "names"), silent) == CheckFinding(
        producer="file of records",
        kind="missing",
        count=1,
        sentence="There is no records file; the folder holds deps.json, names.json.",
        cause=f"{WARNS}No host log is there to say whether the device worked.",
    )
    assert no_records(holding(RUN), silent).sentence == (
        "There is no records file; the folder holds nothing."
    )


OF_7 = "run_id=7 dispatch_id=1 run_epoch=5 slot_id=0 generation=1"
OF_8 = "run_id=8 dispatch_id=1 run_epoch=5 slot_id=0 generation=1"
UNKNOWN = "The host's log has no device_wall of it, so whether the device worked is not known."


def test_the_hosts_log_proves_whether_the_device_worked(tmp_path: Path) -> None:
    """Run 1 took 0 ns and run 2 took 50 µs; run 3 has no wall of the device."""
    idle = run_lines((1000, 90), 0)
    busy = run_lines((3000, 90_000), 50_000, pid=43, inv=2)
    folder = holding(RUN, "deps")
    assert proof(folder, logs(tmp_path, *idle, *busy)) == (
        "The device itself did work: the host's log has a device_wall of 0 ns (pid 41, inv 1), "
        "50.00 µs (pid 43, inv 2)."
    )
    assert proof(folder, logs(tmp_path, *idle)) == (
        "The device did no work: the host's log has a device_wall of 0 ns (pid 41, inv 1)."
    )
    assert proof(folder, logs(tmp_path, record("chip.run", 1, 9))) == UNKNOWN


@pytest.mark.parametrize(
    ("pid", "text", "told_pid", "is_of"),
    [
        (41, OF_7, 41, True),
        (99, OF_7, 41, True),
        (41, OF_8, 41, False),
        (41, "", 41, True),
        (99, "", 41, False),
        (99, "", None, True),
    ],
)
def test_an_invocation_is_of_a_dispatch_by_its_numbers_or_else_by_its_process(
    pid: int, text: str, told_pid: int | None, is_of: bool, tmp_path: Path
) -> None:
    told = identity() | {"host_pid": told_pid}
    folder = written(tmp_path / "run", "identity", dispatch_identity=told)
    found = proof(folder, logs(tmp_path / "log", *run_lines((1000, 90), 50, text, pid=pid)))
    assert found == (
        f"The device itself did work: the host's log has a device_wall of 50 ns (pid {pid}, inv 1)."
        if is_of
        else UNKNOWN
    )


def test_an_identity_that_cannot_be_read_is_told_and_stands_for_no_dispatch(tmp_path: Path) -> None:
    folder = written(tmp_path / "run", "identity", dispatch_identity=identity() | {"run_id": 0})
    [found] = folder_findings(folder)
    assert (found.producer, found.kind) == ("file dispatch_identity.json", "unreadable")
    own = logs(tmp_path / "log", *run_lines((1000, 90), 50, OF_8, pid=99))
    assert proof(folder, own).startswith("The device itself did work")
    assert list(folder_findings(holding(RUN, "identity", "names"))) == []
    assert proof(holding(RUN, "identity"), own).startswith("The device itself did work")


@pytest.mark.parametrize(
    ("kind", "single"),
    [
        *(
            (kind, True)
            for kind in ("deps", "pmu", "scopes", "host_phases", "arguments", "identity")
        ),
        *((kind, False) for kind in ("names", "host_log", "core_stream", "records")),
    ],
)
def test_of_some_kinds_a_run_has_one_file(kind: str, single: bool) -> None:
    files = tuple(Detected(RUN / f"{name}.json", SIMPLER, kind) for name in "ab")
    assert list(folder_findings(Folder(RUN, files[:1]))) == []
    finding = CheckFinding(
        producer=f"files of kind {kind}",
        kind="unknown",
        count=2,
        sentence=f"2 files of kind {kind} lie here (a.json, b.json); a run has one, so none was "
        "used.",
        cause="Files of two runs were written into one folder.",
    )
    assert list(folder_findings(Folder(RUN, files))) == ([finding] if single else [])


def test_functions_with_two_names_are_one_contradiction(tmp_path: Path) -> None:
    folder = written(
        tmp_path,
        "names",
        a={"callable_id_to_name": {"0": "QK", "1": "PV", "2": "same"}},
        b={"callable_id_to_name": {"0": "load", "2": "same", "3": "only"}},
        c={"callable_id_to_name": {"1": "store", "3": "only"}},
    )
    assert list(folder_findings(folder)) == [
        CheckFinding(
            producer="names",
            kind="contradiction",
            count=2,
            sentence="2 functions have two names: function 0 is 'QK' in a.json and 'load' in "
            "b.json, function 1 is 'PV' in a.json and 'store' in c.json.",
            cause="Function numbers are per program, so one of the maps is another program's. "
            "Names are not shown until one map is left.",
        )
    ]


@pytest.mark.parametrize(
    ("place", "sentences"),
    [
        ("rank1/d0", []),
        ("rank2/d0", ["The file says chip_rank 1, and lies in rank2."]),
        ("rank01/d00", []),
        ("rank0000002/d1234567", []),
        ("ranks/run", []),
        ("d5/rank5", []),
        (
            "rank3/d4",
            [
                "The file says chip_rank 1, and lies in rank3.",
                "The file says local_capture_index 0, and lies in d4.",
            ],
        ),
    ],
)
def test_an_identity_has_the_numbers_of_its_folders(
    place: str, sentences: list[str], tmp_path: Path
) -> None:
    folder = written(tmp_path / place, "identity", dispatch_identity=identity(1))
    assert list(folder_findings(folder)) == [
        CheckFinding(
            producer="file dispatch_identity.json",
            kind="contradiction",
            sentence=sentence,
            cause="The file was copied from another rank or run.",
        )
        for sentence in sentences
    ]


def test_the_only_graph_beside_records_without_one_is_theirs() -> None:
    own, graph = holding(Path("rank0/d1"), "records"), holding(Path("rank0/d0"), "deps")
    others = (
        holding(Path("rank1/d0"), "deps"),
        holding(Path("rank0/graph"), "deps"),
        holding(Path("rank0/d2"), "names"),
        holding(Path("rank0/d3"), "deps", "records"),
    )
    assert graph_beside(own, (own, *others, graph)) is graph
    assert graph_beside(own, (own, *others)) is None
    assert graph_beside(own, (own, graph, holding(Path("rank0/d5"), "deps"))) is None
    assert graph_beside(holding(Path("rank0/d1"), "records", "deps"), (graph,)) is None
    assert graph_beside(holding(Path("rank0/d1"), "names"), (graph,)) is None
