"""Folders that hold several captures of one job: ranks side by side, or runs one after the other.

    rankN/dM/                 run M of rank N; host logs lie in the folder above or in these
    swimlane-K/records_eE.json   runs of one device, collected across runs; E is the run's epoch

Source: docs/dfx/chip-swimlane-profiling.md and host-trace.md of hw-native-sys/simpler, 2026-09.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path

from lanescope.errors import InputError
from lanescope.formats.json_file import storable
from lanescope.formats.look import FileLook
from lanescope.formats.registry import IMPORTERS
from lanescope.formats.simpler.build import ReadCapture, common_base
from lanescope.formats.simpler.host_lanes import host_lanes
from lanescope.formats.simpler.host_spans import with_host_spans
from lanescope.formats.simpler.hosting import HostLogs, Placed, place_runs
from lanescope.formats.simpler.identity import pair_ranks, read_identity
from lanescope.formats.simpler.kinds import kind_of
from lanescope.formats.simpler.parts import RunFiles
from lanescope.formats.simpler.runs import share_companions
from lanescope.trace import HostClock, Source, Trace
from lanescope.trace.merge import Part, merge

_RANK = re.compile(r"rank(\d{1,6})")
_CAPTURE = re.compile(r"d(\d{1,6})")
_SESSION = re.compile(r"swimlane-\d{1,4}")
_RUN = re.compile(r"records_e\d+\.json(\.gz|\.zst)?")
_OWN = next(one for one in IMPORTERS if one.name == "simpler")


@dataclass(frozen=True, slots=True)
class Leaf:
    """One capture: its files, and its rank where there are ranks."""

    files: RunFiles
    folder: Path
    rank: int | None


def is_gathered(folder: Path) -> bool:
    """Whether a folder holds ranks, or the runs of one session."""
    try:
        names = [entry.name for entry in folder.iterdir()]
    except OSError:
        return False
    if _SESSION.fullmatch(folder.name) and sum(bool(_RUN.fullmatch(n)) for n in names) > 1:
        return True
    ranks = [name for name in names if _RANK.fullmatch(name)]
    return len(ranks) > 1 and any(_captures(folder / name) for name in ranks)


def rank_of(folder: Path) -> int | None:
    """The rank that a capture's folder rankN/dM tells; None for other folders."""
    rank = _RANK.fullmatch(folder.parent.name)
    return int(rank[1]) if rank and _CAPTURE.fullmatch(folder.name) else None


def gather(name: str, folder: Path, *, keep_damaged: bool, clock: str) -> Trace:
    """One trace of all captures below a folder."""
    leaves = _leaves(folder)
    if not leaves:
        raise InputError(folder, "has folders of ranks, but no records file in any of them")
    logs = HostLogs.read(_logs(folder))
    captures = [ReadCapture.read(leaf.files, keep_damaged=keep_damaged) for leaf in leaves]
    runs = [run for capture in captures for run in capture.runs]
    for some in [runs] if leaves[0].rank is None else [one.runs for one in captures]:
        share_companions(some)
    ranks = [leaf.rank for leaf, c in zip(leaves, captures, strict=True) for _ in c.runs]
    placed: list[Placed | None] = [None] * len(runs)
    if logs.logs:
        placed = place_runs(runs, logs, clock)
    if ranks[0] is None:
        base = common_base(runs)
        traces = [t for c in captures for t in c.traces(keep_damaged=keep_damaged, base=base)]
    else:
        traces = [t for c in captures for t in c.traces(keep_damaged=keep_damaged)]
    parts, origin = _parts(traces, ranks, placed)
    trace = merge(name, parts)
    if logs.logs:
        zeros = [origin] * len(parts) if ranks[0] is not None else _zeros(traces)
        if any(placed):
            trace = with_host_spans(trace, host_lanes(logs, placed, ranks), zeros)
        ledger, extra = (*trace.meta.ledger, *logs.ledger()), trace.meta.extra | logs.facts()
        trace = trace.with_meta(ledger=ledger, extra=extra)
    return _told(trace, folder, leaves, placed, origin)


def _zeros(traces: list[Trace]) -> list[int]:
    return [one.meta.host_clock.host_ns if one.meta.host_clock else 0 for one in traces]


def _parts(
    traces: list[Trace], ranks: list[int | None], placed: list[Placed | None]
) -> tuple[list[Part], int]:
    """The runs on one axis, and the host's clock at its 0 ns.

    Runs of one device share its counter. Ranks share the host's clock, as far as they are placed on
    it; one that is not begins at 0 ns, and its place is not known.
    """
    clocks = [trace.meta.host_clock for trace in traces]
    known = [c.host_ns for c in clocks if c is not None and c.is_known]
    origin = min(known, default=0)
    parts = []
    for trace, rank, clock, one in zip(traces, ranks, clocks, placed, strict=True):
        if rank is None:
            parts.append(Part(trace=trace, slack_ns=clock.slack_ns if clock else 0))
        elif clock is not None and clock.is_known:
            how = "containment" if one is not None else "anchors"
            shift = clock.host_ns - origin
            slack = clock.slack_ns
            parts.append(Part(trace=trace, rank=rank, shift_ns=shift, clock=how, slack_ns=slack))
        else:
            parts.append(Part(trace=trace, rank=rank, clock="unknown", slack_ns=None))
    return parts, origin


def _told(
    trace: Trace, folder: Path, leaves: list[Leaf], placed: list[Placed | None], origin: int
) -> Trace:
    """The trace with what is known of the ranks together: what is missing, one clock or several."""
    notes = list(trace.meta.notes)
    ranks = [leaf.rank for leaf in leaves]
    if ranks[0] is not None:
        empty = sorted(set(rank_folders(folder)) - set(ranks))
        no_file = "has a folder, but no records file"
        notes += [f"Rank {rank} {no_file}: {_why(folder, rank)}." for rank in empty]
        notes += _pairing(leaves)
        domains = {run.get("host_clock_domain_id") for run in trace.meta.extra.get("runs", [])}
        if len(domains) > 1 or domains == {None}:
            notes.append(
                "The ranks do not say that they share one host clock (one boot of one machine); "
                "the order between them holds only if they do."
            )
        slack = max((one.placement.slack_ns for one in placed if one is not None), default=0)
        status = "contained" if any(placed) else "unaligned"
        trace = trace.with_meta(host_clock=HostClock(origin, 0, 0, status, slack))
    return trace.with_meta(notes=tuple(dict.fromkeys(notes)))


def _why(folder: Path, rank: int) -> str:
    held = [path.name for path in sorted((folder / f"rank{rank}").rglob("*")) if path.is_file()]
    if not held:
        return "the folder is empty"
    return f"it holds only {', '.join(held[:4])}{', …' if len(held) > 4 else ''}"


def _pairing(leaves: list[Leaf]) -> list[str]:
    """What the identities of the ranks' dispatches say of ranks that are not there."""
    files = {leaf.folder: leaf.files.identity for leaf in leaves}
    identities = {path: read_identity(file) for path, file in files.items() if file is not None}
    notes = []
    for group in pair_ranks(identities).groups if identities else ():
        if group.missing:
            absent = ", ".join(map(str, group.missing[:8]))
            notes.append(f"Of dispatch {group.dispatch_id}, ranks are missing: {absent}.")
    return notes


def rank_folders(folder: Path) -> dict[int, Path]:
    """The folders rankN of a folder, by number."""
    try:
        entries = [entry for entry in folder.iterdir() if entry.is_dir()]
    except OSError:
        return {}
    found = {int(m[1]): entry for entry in entries if (m := _RANK.fullmatch(entry.name))}
    return dict(sorted(found.items()))


def _captures(rank: Path) -> list[Path]:
    """The folders of one rank's captures, in the order of their numbers."""
    if not rank.is_dir():
        return []
    numbers = {e: _CAPTURE.fullmatch(e.name) for e in rank.iterdir() if e.is_dir()}
    found = {entry: int(match[1]) for entry, match in numbers.items() if match}
    return sorted(found, key=found.__getitem__)


def _leaves(folder: Path) -> list[Leaf]:
    if _SESSION.fullmatch(folder.name):
        return _runs_of_session(folder)
    leaves = []
    for rank, path in rank_folders(folder).items():
        places = _captures(path)
        of_rank = [_look(path, f"rank{rank}-{path.name}") for path in places]
        for path, files in zip(places, of_rank, strict=True):
            if files.records is not None:
                leaves.append(Leaf(_with_sibling_graph(files, of_rank), path, rank))
    return leaves


def _with_sibling_graph(files: RunFiles, others: list[RunFiles]) -> RunFiles:
    """A capture in two passes leaves the graph in one folder and the records in another."""
    spare = [one for one in others if one.deps is not None and one.records is None]
    if files.deps is not None or len(spare) != 1 or spare[0].deps is None:
        return files
    note = f"The task graph is that of {storable(spare[0].deps.path.parent.name)}, which has no "
    return replace(
        files,
        deps=spare[0].deps,
        names=files.names or spare[0].names,
        notes=(*files.notes, f"{note}records of its own."),
        sources=(*files.sources, *(s for s in spare[0].sources if s.format == "deps")),
    )


def _runs_of_session(folder: Path) -> list[Leaf]:
    """A capture per records file; the first one has what lies beside them."""
    files = [path for path in sorted(folder.iterdir()) if _RUN.fullmatch(path.name)]
    shared = _look(folder, folder.name, without=frozenset(files))
    leaves = []
    for path in files:
        look = FileLook(path)
        if look.json is None or kind_of(look) != "records":
            raise look.problem or InputError(path, "is no records file")
        source = Source(storable(path), "records", look.size)
        own = replace(shared, records=look.json, sources=(source, *shared.sources))
        leaves.append(Leaf(own, folder, None))
        shared = replace(shared, pmu=None, scopes=None, host_phases=None, arguments=None, notes=())
    return leaves


def _look(folder: Path, name: str, without: frozenset[Path] = frozenset()) -> RunFiles:
    """The files of one capture's folder; of two of a kind none is used."""
    places = [folder, *(folder / inner for inner in _OWN.folded if (folder / inner).is_dir())]
    found: dict[str, list[tuple[Path, FileLook]]] = {}
    streams: list[Path] = []
    for path in (p for place in places for p in sorted(place.iterdir())):
        if path in without or not path.name.endswith(_OWN.endings) or not path.is_file():
            continue
        look = FileLook(path)
        kind = kind_of(look)
        if kind in ("core_stream", "core_streams"):
            streams.append(path)
        elif kind is not None and kind != "host_log":
            found.setdefault(kind, []).append((path, look))
    files: dict[str, object] = {}
    notes, sources = _no_streams(folder, streams), []
    for kind, some in found.items():
        if len(some) > 1:
            names = ", ".join(storable(path.name) for path, _ in some)
            notes.append(f"Several files of kind {kind} ({names}): none was used.")
            continue
        path, look = some[0]
        files[kind] = look.json or path
        sources.append(Source(storable(path), kind, look.size))
    told = {"name": name, "notes": tuple(notes), "sources": tuple(sources)}
    return RunFiles(**told, **files)  # type: ignore[arg-type]


def _no_streams(folder: Path, streams: list[Path]) -> list[str]:
    """A note about chunk streams of cores, which are attached to a run that is read by itself."""
    if not streams:
        return []
    where = storable(f"{folder.parent.name}/{folder.name}")
    return [
        f"{len(streams)} files with chunk streams of cores in {where} were left out: import that "
        "folder by itself, or all with --per-rank."
    ]


def _logs(folder: Path) -> list[Path]:
    """Every host log below the folder."""
    found = []
    for path in sorted(folder.rglob("*.log")):
        if path.is_file() and path.stat().st_size and kind_of(FileLook(path)) == "host_log":
            found.append(path)
    return found
