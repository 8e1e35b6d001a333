"""The rocpd database of rocprofv3: views, or tables whose names end with the id of the run.

Source: rocprofiler-sdk `source/share/rocprofiler-sdk-rocpd/rocpd_tables.sql`, schema version 3.
`rocpd_event.stack_id` is the correlation that a call shares with what it launched.
"""

from __future__ import annotations

import re

import msgspec
import numpy as np

from lanescope.errors import InputError
from lanescope.formats.columns import Columns, Tables, require, require_times
from lanescope.formats.rocprof.rows import (
    Calls,
    Copies,
    Dispatches,
    RocAgent,
    RocRows,
    kernel_name,
)
from lanescope.trace import MISSING
from lanescope.trace.table import Array

DISPATCHES = "rocpd_kernel_dispatch"
_COPIES = "rocpd_memory_copy"
_REGIONS = "rocpd_region"
_SIZES = tuple(f"{what}_{one}" for what in ("workgroup_size", "grid_size") for one in "xyz")
_TIMES = ("start", "end")
_RUN = re.compile(r"_?[0-9a-f][0-9a-f_-]{7,}")
_MESSAGE = re.compile(r'"message"\s*:\s*"((?:[^"\\]|\\.){1,4096})"')


class RocpdTables:
    """The tables of one database under their plain names."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.path = tables.path

    def name(self, plain: str) -> str:
        """The view, or the table of the one run in the file.

        Raises:
            InputError: There are several runs and no view that joins them.
        """
        if plain in self.tables.names:
            return plain
        ours = sorted(name for name in self.tables.names if _is_of(plain, name))
        if len(ours) > 1:
            problem = f"has {len(ours)} runs in tables {plain}_* and no view {plain} over them"
            raise InputError(self.path, f"{problem}; merge them with rocpd, or convert one")
        return ours[0] if ours else plain

    def read(self, plain: str, *integers: str, texts: tuple[str, ...] = ()) -> Columns:
        """Columns of a table; times are required where they are asked for."""
        table = self.name(plain)
        rows = self.tables.read(table, integers, texts=texts)
        for time in _TIMES if "start" in integers and rows.count else ():
            require(self.tables, table, rows, (time,))
            require_times(self.tables, table, rows[time], time)
        return rows

    def texts(self, plain: str, key: str, *names: str) -> dict[int, str]:
        """Key → the first of these texts that there is."""
        rows = self.read(plain, key, texts=names)
        found: dict[int, str] = {}
        for name in reversed(names):
            column = rows.texts[name]
            pairs = zip(rows[key].tolist(), column.codes.tolist(), strict=True)
            found |= {one: column.texts[code] for one, code in pairs if code >= 0}
        return {one: text for one, text in found.items() if text}


def is_rocpd(tables: Tables) -> bool:
    """Whether a database is one of rocprofv3."""
    signs = (DISPATCHES, _REGIONS, "rocpd_info_agent")
    return any(_is_of(plain, name) for name in tables.names for plain in signs)


def _is_of(plain: str, name: str) -> bool:
    """Whether this is the view of a plain name, or the table of one run."""
    run = name.removeprefix(plain)
    return name == plain or (run != name and _RUN.fullmatch(run) is not None)


def database_rows(tables: Tables) -> RocRows:
    """What all processes of a database recorded."""
    rocpd = RocpdTables(tables)
    strings = rocpd.texts("rocpd_string", "id", "string")
    events = _Events(rocpd)
    processes = _column(rocpd, "rocpd_info_process", "pid")
    rows = RocRows(agents=_agents(rocpd))
    rows.dispatches = _dispatches(rocpd, events, processes)
    rows.copies = _copies(rocpd, events, processes, strings)
    rows.calls, rows.threads = _calls(rocpd, events, processes, strings)
    hosts = dict.fromkeys(rocpd.texts("rocpd_info_node", "id", "hostname").values())
    rows.facts = {"host": next(iter(hosts))[:256]} if len(hosts) == 1 else {}
    return rows


def _column(rocpd: RocpdTables, table: str, name: str) -> dict[int, int]:
    rows = rocpd.read(table, "id", name)
    return dict(zip(rows["id"].tolist(), rows[name].tolist(), strict=True))


def _looked_up(keys: Array, values: dict[int, int]) -> Array:
    used, place = np.unique(keys, return_inverse=True)
    found = np.array([values.get(one, MISSING) for one in used.tolist()] or [0], np.int64)
    return found[place.reshape(-1)]


class _Events:
    """The correlation and the category of every event."""

    def __init__(self, rocpd: RocpdTables) -> None:
        rows = rocpd.read("rocpd_event", "id", "stack_id", "category_id")
        order = np.argsort(rows["id"], kind="stable")
        self._id = rows["id"][order]
        self._stack, self._category = rows["stack_id"][order], rows["category_id"][order]

    def correlation(self, events: Array) -> Array:
        """The correlation of each event; MISSING where it is not known."""
        return self._of(self._stack, events)

    def category(self, events: Array) -> Array:
        """The text id of each event's category; MISSING where it is not known."""
        return self._of(self._category, events)

    def _of(self, values: Array, events: Array) -> Array:
        if not len(self._id):
            return np.full(len(events), MISSING)
        at = np.minimum(np.searchsorted(self._id, events), len(self._id) - 1)
        return np.where(self._id[at] == events, values[at], MISSING)


def _agents(rocpd: RocpdTables) -> dict[int, RocAgent]:
    kinds = rocpd.texts("rocpd_info_agent", "id", "type")
    names = rocpd.texts("rocpd_info_agent", "id", "product_name", "name")
    numbers = _column(rocpd, "rocpd_info_agent", "type_index")
    return {
        agent: RocAgent(
            number if kinds.get(agent) == "GPU" and number >= 0 else None, names.get(agent, "")
        )
        for agent, number in numbers.items()
    }


def _dispatches(rocpd: RocpdTables, events: _Events, processes: dict[int, int]) -> Dispatches:
    ids = ("pid", "agent_id", "queue_id", "stream_id", "kernel_id", "event_id")
    rows = rocpd.read(DISPATCHES, *_TIMES, *ids, "group_segment_size", *_SIZES)
    used, code = np.unique(rows["kernel_id"], return_inverse=True)
    names = rocpd.texts("rocpd_info_kernel_symbol", "id", "display_name", "kernel_name")
    registers = _column(rocpd, "rocpd_info_kernel_symbol", "arch_vgpr_count")
    sizes = np.stack([rows[name] for name in _SIZES], axis=1)
    return Dispatches(
        process=_looked_up(rows["pid"], processes),
        agent=rows["agent_id"],
        queue=rows["queue_id"],
        stream=rows["stream_id"],
        name=code.reshape(-1),
        names=[names.get(one) or kernel_name(one) for one in used.tolist()],
        start=rows["start"],
        end=rows["end"],
        correlation=events.correlation(rows["event_id"]),
        workgroup=sizes[:, :3],
        grid=sizes[:, 3:],
        shared=rows["group_segment_size"],
        registers=_looked_up(rows["kernel_id"], registers),
    )


def _copies(
    rocpd: RocpdTables, events: _Events, processes: dict[int, int], strings: dict[int, str]
) -> Copies:
    ids = ("pid", "name_id", "src_agent_id", "dst_agent_id", "size", "event_id")
    rows = rocpd.read(_COPIES, *_TIMES, *ids)
    used, code = np.unique(rows["name_id"], return_inverse=True)
    return Copies(
        process=_looked_up(rows["pid"], processes),
        source=rows["src_agent_id"],
        target=rows["dst_agent_id"],
        name=code.reshape(-1),
        names=[strings.get(one) or "copy without a name" for one in used.tolist()],
        start=rows["start"],
        end=rows["end"],
        correlation=events.correlation(rows["event_id"]),
        bytes=rows["size"],
    )


def _calls(
    rocpd: RocpdTables, events: _Events, processes: dict[int, int], strings: dict[int, str]
) -> tuple[Calls, dict[tuple[int, int], str]]:
    """Regions of the host's threads; those of a marker are called by its message."""
    ids = ("pid", "tid", "name_id", "event_id")
    rows = rocpd.read(_REGIONS, *_TIMES, *ids, texts=("extdata",))
    markers = [one for one, text in strings.items() if text.upper().startswith("MARKER")]
    is_range = np.isin(events.category(rows["event_id"]), markers)
    extra = rows.texts["extdata"]
    said = [_message(one) for one in extra.texts]
    message = np.where(is_range, extra.codes, -1)
    keys = np.stack([rows["name_id"], message], axis=1)
    used, code = np.unique(keys, axis=0, return_inverse=True)
    names = [
        (said[text] if text >= 0 else "") or strings.get(name) or "region without a name"
        for name, text in used.tolist()
    ]
    numbers = _column(rocpd, "rocpd_info_thread", "tid")
    called = rocpd.texts("rocpd_info_thread", "id", "name")
    process, thread = _looked_up(rows["pid"], processes), _looked_up(rows["tid"], numbers)
    calls = Calls(
        process=process,
        thread=thread,
        name=code.reshape(-1),
        names=names,
        start=rows["start"],
        end=rows["end"],
        correlation=events.correlation(rows["event_id"]),
        is_range=is_range,
    )
    of_thread = zip(process.tolist(), thread.tolist(), rows["tid"].tolist(), strict=True)
    threads = {(p, t): f"{called[k]} {t}" for p, t, k in of_thread if k in called}
    return calls, threads


def _message(extra: str) -> str:
    """What a marker says, out of the JSON beside its region; empty where it says nothing."""
    found = _MESSAGE.search(extra)
    if found is None:
        return ""
    try:
        return msgspec.json.decode(f'"{found[1]}"', type=str)
    except msgspec.DecodeError:
        return found[1]
