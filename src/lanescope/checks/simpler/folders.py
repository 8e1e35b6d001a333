"""What should lie in a folder together: records, graph, names, identities, ranks, host logs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from lanescope.checks.finding import CheckFinding
from lanescope.checks.naming import listed
from lanescope.checks.reading import Folder, unreadable
from lanescope.errors import InputError
from lanescope.formats.json_file import storable
from lanescope.formats.simpler.hosting import HostLogs
from lanescope.formats.simpler.identity import DispatchIdentity, read_identity
from lanescope.formats.simpler.invocations import WALL, Invocation
from lanescope.formats.simpler.names import read_names
from lanescope.render.cells import many_text, time_text

NO_FILE = "The runtime writes no records file when it collected nothing, and only warns"
"""What is said of a folder without records (hw-native-sys/simpler #2220, #2390)."""
_SINGLE = ("deps", "pmu", "scopes", "host_phases", "arguments", "identity")
_PROOF = ("deps", "names", "identity", "host_log", "host_phases")
"""Kinds of file that a run with records leaves beside them."""
_NUMBERED = {
    "chip_rank": re.compile(r"rank(\d{1,6})"),
    "local_capture_index": re.compile(r"d(\d{1,6})"),
}


def is_run_without_records(folder: Folder, others: Sequence[Folder]) -> bool:
    """Whether a folder has what a run leaves, and no records, neither here nor below."""
    if folder.mains or not any(folder.of_kind(kind) for kind in _PROOF):
        return False
    if any("records" in finding.producer for finding in folder.findings):
        return False
    return not any(
        other is not folder and other.path.is_relative_to(folder.path) and other.files
        for other in others
    )


def no_records(folder: Folder, logs: HostLogs) -> CheckFinding:
    """The finding about a folder without records: what is there, and what the device proves."""
    names = [storable(one.path.name) for one in folder.files]
    return CheckFinding(
        producer="file of records",
        kind="missing",
        count=1,
        sentence=f"There is no records file; the folder holds {listed(names) or 'nothing'}.",
        cause=f"{NO_FILE}: nothing was produced, or nothing arrived. {_proof(folder, logs)}",
    )


def _proof(folder: Folder, logs: HostLogs) -> str:
    """What the host's log says of the device's work."""
    identity = _identity(folder)
    runs = [one for one in logs.invocations if _is_of(one, identity)]
    walls = [(one, wall) for one in runs if (wall := one.only(WALL)) is not None]
    if walls:
        texts = [f"{time_text(wall.dur_ns)} (pid {one.pid}, inv {one.inv})" for one, wall in walls]
        total = sum(wall.dur_ns for _, wall in walls)
        work = "The device itself did work" if total else "The device did no work"
        return f"{work}: the host's log has a device_wall of {listed(texts)}."
    if not logs.logs:
        return "No host log is there to say whether the device worked."
    return "The host's log has no device_wall of it, so whether the device worked is not known."


def _is_of(invocation: Invocation, identity: DispatchIdentity | None) -> bool:
    if identity is None:
        return True
    if invocation.identity is not None:
        return invocation.identity == identity.of_host
    return identity.host_pid is None or invocation.pid == identity.host_pid


def _identity(folder: Folder) -> DispatchIdentity | None:
    for one in folder.of_kind("identity"):
        try:
            return read_identity(one.json) if one.json is not None else None
        except InputError:
            return None
    return None


def folder_findings(folder: Folder) -> Iterator[CheckFinding]:
    """What is wrong with the files of one folder beside what is in them."""
    yield from _names(folder)
    for one in folder.of_kind("identity"):
        try:
            if one.json is not None:
                read_identity(one.json)
        except InputError as error:
            yield unreadable(one.path, error)
    for kind in _SINGLE:
        some = folder.of_kind(kind)
        if len(some) > 1:
            names = listed([storable(one.path.name) for one in some])
            yield CheckFinding(
                producer=f"files of kind {kind}",
                kind="unknown",
                count=len(some),
                sentence=f"{many_text(len(some), 'file')} of kind {kind} lie here ({names}); a run "
                "has one, so none was used.",
                cause="Files of two runs were written into one folder.",
            )
    yield from _numbers(folder)


def _names(folder: Folder) -> Iterator[CheckFinding]:
    """Functions that two name maps call by different names."""
    known: dict[int, tuple[str, str]] = {}
    different: dict[int, str] = {}
    for one in folder.of_kind("names"):
        try:
            names = read_names(one.json) if one.json is not None else {}
        except InputError as error:
            yield unreadable(one.path, error)
            continue
        file = storable(one.path.name)
        for func, name in names.items():
            before, where = known.setdefault(func, (name, file))
            if before != name:
                different[func] = f"function {func} is {before!r} in {where} and {name!r} in {file}"
    if different:
        yield CheckFinding(
            producer="names",
            kind="contradiction",
            count=len(different),
            sentence=f"{many_text(len(different), 'function')} have two names: "
            f"{listed(list(different.values()))}.",
            cause="Function numbers are per program, so one of the maps is another program's. "
            "Names are not shown until one map is left.",
        )


def _numbers(folder: Folder) -> Iterator[CheckFinding]:
    """An identity whose numbers are not those of the folders it lies in."""
    identity = _identity(folder)
    if identity is None:
        return
    for part, (key, pattern) in zip(
        (folder.path.resolve().parent.name, folder.path.resolve().name),
        _NUMBERED.items(),
        strict=True,
    ):
        match = pattern.fullmatch(part)
        if match is not None and int(match[1]) != getattr(identity, key):
            yield CheckFinding(
                producer="file dispatch_identity.json",
                kind="contradiction",
                sentence=f"The file says {key} {getattr(identity, key)}, and lies in {part}.",
                cause="The file was copied from another rank or run.",
            )


def graph_beside(folder: Folder, others: Sequence[Folder]) -> Folder | None:
    """The only folder beside this one that has a graph and no records, where this has no graph."""
    if folder.of_kind("deps") or not folder.of_kind("records"):
        return None
    spare = [
        other
        for other in others
        if other.path.parent == folder.path.parent
        and _NUMBERED["local_capture_index"].fullmatch(other.path.name)
        and other.of_kind("deps")
        and not other.of_kind("records")
    ]
    return spare[0] if len(spare) == 1 else None


def apart(folder: Folder, graph: Folder) -> CheckFinding:
    """The finding about records and graph in two folders."""
    here, there = (storable(one.path.name) for one in (folder, graph))
    return CheckFinding(
        producer="graph",
        kind="missing",
        count=1,
        sentence=f"{here} has the records and no dependency file, {there} has the dependency file "
        "and no records: 0 arrows would be drawn.",
        cause="A capture in two passes left them apart; import both files together. Here they "
        "were checked together.",
    )
