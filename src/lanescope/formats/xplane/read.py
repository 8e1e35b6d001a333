"""Reads `*.xplane.pb`, the files of XLA's profiler: one file per host, any number of devices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.bundle import Bundle
from lanescope.formats.look import FileLook
from lanescope.formats.packed import plain_name
from lanescope.formats.proto_rows import ProtoFile
from lanescope.formats.streams import (
    AnnotationRows,
    CollectiveRows,
    DeviceRows,
    HostRows,
    StepRows,
    StreamRecording,
    stream_trace,
)
from lanescope.formats.streams.recording import CATEGORIES
from lanescope.formats.xplane.lines import (
    ANNOTATION,
    ASYNC,
    HOST,
    LEFT_OUT,
    STEP,
    WORK,
    Lines,
    classify,
)
from lanescope.formats.xplane.space import Space, read_space
from lanescope.formats.xplane.work import collectives_of, numbers_of, work_of
from lanescope.trace import MISSING, Trace
from lanescope.trace.table import Array

_WHAT = "an XSpace"
_ENDING = ".xplane.pb"
_PLANE = re.compile(
    rb"\x0a.{1,10}?(?:\x08.{1,10}?)?\x12.(/(?:host|device):|Task Environment)", re.S
)
_FIRST_UTC, _LAST_UTC = 10**18, 4 * 10**18
"""Times of UNIX size, in ns: 2001 to 2096."""
_LONGEST_NAME = 4096
_LONGEST_TIME = 1 << 61
_CALL = re.compile(r"(cu|cuda|hip|hsa)[A-Z]")
_WAIT = re.compile(r"Synchronize|BlockHostUntil|BlockUntil|Await|\bWait")
_MOST_EXTRA = 64


def recognises(look: FileLook) -> str | None:
    """The name ends in .xplane.pb, or the file begins with a plane of a host or device."""
    named = plain_name(look.path.name).endswith(_ENDING)
    return "xplane" if named or _PLANE.match(look.head[:64]) else None


def read(bundle: Bundle) -> Iterator[Trace]:
    """One file is one trace."""
    space = read_space(ProtoFile.open(bundle.main.path, _WHAT))
    if not space.plane_name:
        raise InputError(bundle.main.path, "is an XSpace without planes: nothing was profiled")
    _require_times(space, bundle)
    yield stream_trace(_recording(space), bundle)


def _require_times(space: Space, bundle: Bundle) -> None:
    times = (space.line_timestamp, space.start, space.end)
    if any(len(some) and np.abs(some).max() >= _LONGEST_TIME for some in times):
        problem = "a line has a time that is more than 73 years from 1970 or from its first event"
        raise InputError(bundle.main.path, f"{problem}; the file is damaged")


def _recording(space: Space) -> StreamRecording:
    lines = classify(space)
    role = lines.role[space.event_line]
    names = [text[:_LONGEST_NAME] for text in space.kinds.names] + ["(no name)"]
    name = np.full(len(space.kind), len(names) - 1)
    known = space.kind >= 0
    name[known] = space.kinds.name[space.kind[known]] % len(names)
    work = np.flatnonzero((role == WORK) | (role == ASYNC))
    return StreamRecording(
        lanes=lines.lanes,
        threads=lines.threads,
        work=DeviceRows(
            lane=lines.lane[space.event_line[work]],
            name=name[work],
            names=names,
            work=work_of(space, work),
            start=space.start[work],
            end=space.end[work],
            launch=space.whole("correlation_id")[work],
            values=numbers_of(space, work),
        ),
        host=_host(space, lines, role, name, names),
        annotations=_annotations(space, lines, role, name, names),
        collectives=_collectives(space, lines, role, work),
        steps=_steps(space, lines, role, name, names),
        utc_ns=_utc_ns(space),
        facts=_facts(space, lines),
        ledger=_left_out(space, role),
    )


def _host(space: Space, lines: Lines, role: Array, name: Array, names: list[str]) -> HostRows:
    rows = np.flatnonzero(role == HOST)
    launch = space.whole("correlation_id")[rows]
    step = space.whole("step_num")[rows]
    kinds = {kind: CATEGORIES.index(kind) for kind in CATEGORIES}
    of_name = np.array([kinds[_category(text)] for text in names])
    category = of_name[name[rows]]
    operator, _ = space.text("hlo_op")
    category = np.where(operator[rows] >= 0, kinds["operator"], category)
    category = np.where(launch != MISSING, kinds["call"], category)
    category = np.where(step != MISSING, kinds["annotation"], category)
    return HostRows(
        thread=lines.thread[space.event_line[rows]],
        name=name[rows],
        names=names,
        category=category,
        start=space.start[rows],
        end=space.end[rows],
        launch=launch,
    )


def _category(name: str) -> str:
    """The sort of a host's row by its name; names of Python functions begin with a dollar sign."""
    if _CALL.match(name):
        return "wait" if _WAIT.search(name) else "call"
    return "wait" if _WAIT.search(name) and not name.startswith("$") else "function"


def _annotations(
    space: Space, lines: Lines, role: Array, name: Array, names: list[str]
) -> AnnotationRows:
    rows = np.flatnonzero(role == ANNOTATION)
    return AnnotationRows(
        lane=lines.lane[space.event_line[rows]],
        name=name[rows],
        names=names,
        start=space.start[rows],
        end=space.end[rows],
    )


def _collectives(space: Space, lines: Lines, role: Array, work: Array) -> CollectiveRows:
    """Those of the lines of asynchronous operations, where a device has them, else of all."""
    plane = space.event_plane
    with_async = np.unique(plane[role == ASYNC])
    chosen = ~np.isin(plane[work], with_async) | (role[work] == ASYNC)
    found = collectives_of(space, work[chosen], plane[work[chosen]])
    if not len(found.row) and not chosen.all():
        return collectives_of(space, work, plane[work])
    found.row = np.flatnonzero(chosen)[found.row]
    return found


def _steps(space: Space, lines: Lines, role: Array, name: Array, names: list[str]) -> StepRows:
    """Steps that a host thread marks; else those of the first device that has a line of them."""
    number = space.whole("step_num")
    rows = np.flatnonzero((role == HOST) & (number != MISSING))
    thread = lines.thread[space.event_line[rows]]
    if not len(rows):
        rows = np.flatnonzero(role == STEP)
        plane = space.event_plane[rows]
        rows = rows[plane == plane.min(initial=len(space.plane_name))]
        thread = np.full(len(rows), -1)
    texts = [names[int(code)] for code in name[rows]]
    told = [int(text) if text.isdecimal() and len(text) < 18 else MISSING for text in texts]
    step = number[rows]
    return StepRows(
        step=np.where(step != MISSING, step, np.array(told, np.int64)),
        name=texts,
        thread=thread,
        start=space.start[rows],
        end=space.end[rows],
    )


def _utc_ns(space: Space) -> int | None:
    """UTC at the file's 0 ns: its times are UTC where they are of that size, or count from the
    profile's start."""
    used = space.line_timestamp[space.line_events > 0]
    if not len(used):
        return None
    if _FIRST_UTC < int(used.min()) and int(used.max()) < _LAST_UTC:
        return 0
    begin = space.plane_stats.whole("profile_start_time")
    known = begin[(begin > _FIRST_UTC) & (begin < _LAST_UTC)]
    return int(known[0]) if len(known) and int(used.max()) < _FIRST_UTC else None


def _facts(space: Space, lines: Lines) -> dict[str, Any]:
    facts: dict[str, Any] = {"notes": [*_notes(space, lines)]}
    if len(space.hostnames) == 1:
        facts["host"] = space.hostnames[0][:_LONGEST_NAME]
    utc = _utc_ns(space)
    if utc:
        facts["epoch_clock"] = "session"
    devices = sorted({lane.device for lane in lines.lanes if lane.device is not None})
    if len(devices) == 1:
        facts["device"] = devices[0]
    code, texts = space.plane_stats.text("device_type_string")
    chips = sorted({texts[one] for one in code.tolist() if one >= 0})
    if len(chips) == 1:
        facts["chip"] = chips[0][:_LONGEST_NAME]
    facts["extra"] = {"planes": _about_planes(space)}
    return facts


def _about_planes(space: Space) -> dict[str, dict[str, Any]]:
    """What the planes say about themselves, such as a device's clock and memory."""
    found: dict[str, dict[str, Any]] = {}
    for name in space.plane_stats.named()[:_MOST_EXTRA]:
        numbers, whole = space.plane_stats.real(name), space.plane_stats.whole(name)
        code, texts = space.plane_stats.text(name)
        for plane, title in enumerate(space.plane_name):
            if whole[plane] != MISSING:
                found.setdefault(title, {})[name] = int(whole[plane])
            elif np.isfinite(numbers[plane]):
                found.setdefault(title, {})[name] = float(numbers[plane])
            elif code[plane] >= 0:
                found.setdefault(title, {})[name] = texts[int(code[plane])][:_LONGEST_NAME]
    return found


def _notes(space: Space, lines: Lines) -> Iterator[str]:
    for what, texts in (("error", space.errors), ("warning", space.warnings)):
        for text in texts[:8]:
            yield f"The profiler's {what}: {text[:400]}"
    if lines.unknown_planes:
        yield f"Planes that were passed over: {', '.join(lines.unknown_planes[:8])}."
    if not lines.lanes:
        yield "The file has no lines of a device: only host threads were profiled."


def _left_out(space: Space, role: Array) -> tuple[tuple[str, int, int, str], ...]:
    derived = int((role == LEFT_OUT).sum())
    entries = []
    if derived:
        why = "lines that are derived from others, or of planes that are not read"
        entries.append(("derived event", derived, derived, why))
    if space.untimed:
        entries.append(("sum of events", space.untimed, space.untimed, "it has no time"))
    return tuple(entries)
