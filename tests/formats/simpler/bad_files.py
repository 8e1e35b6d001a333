"""Files that must be refused, by what is wrong with them."""

from __future__ import annotations

import json
from typing import Any

from tests.formats.simpler.runs import (
    EVENT,
    GOOD,
    HOST,
    PMU,
    SCOPE,
    SCOPES,
    hosted_today,
    lines,
    phase,
    record,
    records,
    stream,
    task_us,
    today,
)


def without(*keys: str) -> dict[str, Any]:
    return {key: value for key, value in GOOD.items() if key not in keys}


def metadata(**changes: Any) -> dict[str, Any]:
    return {**GOOD, "metadata": {**GOOD["metadata"], **changes}}


def with_text(key: str, value: str) -> str:
    """The good records file with one value replaced by text that json.dumps cannot write."""
    return json.dumps({**GOOD, key: "@"}).replace('"@"', value)


BAD_RECORDS: dict[str, Any] = {
    "empty": b"",
    "only white space": b" \n\t ",
    "only [": b"[",
    "only {}": b"{}",
    "not JSON": b"hello, world",
    "binary": bytes(range(256)) * 40,
    "invalid UTF-8 key": b'{"chip_swimlane_level": 1, "\xff\xfe": 1}',
    "invalid UTF-8 kind": json.dumps(GOOD).encode().replace(b'"aic"', b'"\xff"'),
    "NUL bytes": b"\0" * 5000,
    "array of numbers": b"[1, 2, 3]",
    "array of arrays": b"[[[]]]",
    "text behind the end": json.dumps(GOOD) + "]",
    "two objects": json.dumps(GOOD) * 2,
    "100 000 brackets": b"[" * 100_000,
    "100 000 nested arrays": b"[" * 100_000 + b"]" * 100_000,
    "100 000 nested below a key": b'{"chip_swimlane_level": ' + b"[" * 100_000,
    "100 000 nested and closed": b'{"tasks": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "100 000 nested objects": b'{"a":' * 100_000,
    "level 0": {**GOOD, "chip_swimlane_level": 0},
    "level 7": {**GOOD, "chip_swimlane_level": 7},
    "level as text": {**GOOD, "chip_swimlane_level": "4"},
    "level null": {**GOOD, "chip_swimlane_level": None},
    "level true": {**GOOD, "chip_swimlane_level": True},
    "level 4.5": {**GOOD, "chip_swimlane_level": 4.5},
    "level 1e400": with_text("chip_swimlane_level", "1e400"),
    "level with 5000 digits": with_text("chip_swimlane_level", "9" * 5000),
    "level nested": {**GOOD, "chip_swimlane_level": [4]},
    "no metadata": without("metadata"),
    "metadata is an array": {**GOOD, "metadata": []},
    "no cores' stream": without("aicore_tasks"),
    "no controllers' stream": without("aicpu_tasks"),
    "object for array": {**GOOD, "aicore_tasks": {}},
    "text for array": {**GOOD, "aicore_tasks": "x"},
    "null for array": {**GOOD, "aicore_tasks": None},
    "objects for rows": {**GOOD, "aicore_tasks": [{"core_id": 0}]},
    "numbers for rows": {**GOOD, "aicore_tasks": [1]},
    "nested rows": {**GOOD, "aicore_tasks": [[[0, 7, 1, 100, 200, 3]]]},
    "empty row": {**GOOD, "aicore_tasks": [[]]},
    "short row": {**GOOD, "aicore_tasks": [[0, 7, 1, 100]]},
    "long row": {**GOOD, "aicore_tasks": [[0, 7, 1, 100, 200, 3, 4, 5]]},
    "text for a number": {**GOOD, "aicore_tasks": [[0, 7, 1, "soon", 200]]},
    "null for a number": {**GOOD, "aicore_tasks": [[0, 7, 1, None, 200]]},
    "true for a number": {**GOOD, "aicore_tasks": [[0, 7, 1, True, 200]]},
    "fraction of a cycle": {**GOOD, "aicore_tasks": [[0, 7, 1, 1.5, 200]]},
    "negative cycle": {**GOOD, "aicore_tasks": [[0, 7, 1, -1, 200]]},
    "cycle 2^63": {**GOOD, "aicore_tasks": [[0, 7, 1, 1 << 63, 200]]},
    "cycle 2^64": {**GOOD, "aicore_tasks": [[0, 7, 1, 1 << 64, 200]]},
    "cycle -2^63": {**GOOD, "aicore_tasks": [[0, 7, 1, -1 << 63, 200]]},
    "cycle 1e400": with_text("aicore_tasks", "[[0, 7, 1, 1e400, 200]]"),
    "cycle 1e-400": with_text("aicore_tasks", "[[0, 7, 1, 1e-400, 200]]"),
    "cycle NaN": with_text("aicore_tasks", "[[0, 7, 1, NaN, 200]]"),
    "cycle Infinity": with_text("aicore_tasks", "[[0, 7, 1, Infinity, 200]]"),
    "cycle -Infinity": with_text("aicore_tasks", "[[0, 7, 1, -Infinity, 200]]"),
    "cycle of 100 000 digits": with_text("aicore_tasks", f"[[0, 7, 1, {'9' * 100_000}, 200]]"),
    "cycles 300 years apart": records(1, aicore_tasks=[[0, 7, 1, 1, (1 << 63) - 1]]),
    "token above 32 bits": {**GOOD, "aicore_tasks": [[0, 7, 1 << 32, 100, 200]]},
    "controller token above 32 bits": {**GOOD, "aicpu_tasks": [[0, 1 << 32, 90, 210]]},
    "huge core": {**GOOD, "aicore_tasks": [[1 << 40, 7, 1, 100, 200]]},
    "core beyond the chip": {**GOOD, "aicore_tasks": [[3, 7, 1, 100, 200]]},
    "controller's core beyond the chip": {**GOOD, "aicpu_tasks": [[3, 1, 100, 200]]},
    "negative core": {**GOOD, "aicore_tasks": [[-1, 7, 1, 100, 200]]},
    "received too early": {**GOOD, "aicore_tasks": [[0, 7, 1, 100, 200, 101]]},
    "backward record": {**GOOD, "aicore_tasks": [[0, 7, 1, 200, 100]]},
    "backward dispatch": {**GOOD, "aicpu_tasks": [[0, 1, 210, 90]]},
    "duplicate core token": {**GOOD, "aicore_tasks": [[0, 7, 1, 100, 200], [0, 8, 1, 201, 202]]},
    "duplicate controller token": {**GOOD, "aicpu_tasks": [[0, 1, 90, 210], [0, 1, 220, 230]]},
    "clock 0": metadata(clock_freq_hz=0),
    "negative clock": metadata(clock_freq_hz=-50),
    "clock 2^63": metadata(clock_freq_hz=1 << 63),
    "clock as text": metadata(clock_freq_hz="50"),
    "clock 1.5": metadata(clock_freq_hz=1.5),
    "no clock": metadata(clock_freq_hz=None),
    "too few cores": metadata(num_cores=2),
    "too many cores": metadata(num_cores=4),
    "negative number of cores": metadata(num_cores=-1),
    "a billion cores": metadata(num_cores=10**9, core_types=None),
    "core kind is a number": metadata(core_types=["aic", "aiv", 5]),
    "core kind of a megabyte": metadata(core_types=["aic", "aiv", "x" * 1_000_000]),
    "core_to_thread is text": metadata(core_to_thread="0"),
    "huge thread": metadata(core_to_thread=[1 << 40, 0, 0]),
    "phases are an object": {**GOOD, "aicpu_scheduler_phases": {}},
    "phases are rows": {**GOOD, "aicpu_scheduler_phases": [[[1, 2]]]},
    "phase without a kind": {
        **GOOD,
        "aicpu_scheduler_phases": [[{"start_cycles": 1, "end_cycles": 2}]],
    },
    "phase kind is null": {
        **GOOD,
        "aicpu_scheduler_phases": [[{**phase("x", 1, 2), "kind": None}]],
    },
    "phase kind is a list": {
        **GOOD,
        "aicpu_scheduler_phases": [[{**phase("x", 1, 2), "kind": []}]],
    },
    "phase kind of a megabyte": {
        **GOOD,
        "aicpu_scheduler_phases": [[phase("x" * 1_000_000, 1, 2)]],
    },
    "phase without an end": {
        **GOOD,
        "aicpu_scheduler_phases": [[{"kind": "x", "start_cycles": 1}]],
    },
    "backward phase": {**GOOD, "aicpu_scheduler_phases": [[phase("x", 9, 8)]]},
    "two queue depths": {
        **GOOD,
        "aicpu_scheduler_phases": [[phase("x", 1, 2, shared_at_start=[1, 2])]],
    },
    "huge queue depth": {
        **GOOD,
        "aicpu_scheduler_phases": [[phase("x", 1, 2, shared_at_start=[1, 2, 1 << 40])]],
    },
    "huge number of tasks": {
        **GOOD,
        "aicpu_scheduler_phases": [[phase("x", 1, 2, tasks_processed=1 << 31)]],
    },
    "two orchestrators": {**GOOD, "host_orchestrator_phases": [[]]},
    "more kinds than any runtime has": {
        **GOOD,
        "aicpu_scheduler_phases": [[phase(f"kind {k}", 1, 2) for k in range(5000)]],
    },
    "µs level without tasks": {"l2_swimlane_level": 3},
    "µs tasks are an object": {"version": 1, "tasks": {}},
    "µs task without a core": {"version": 1, "tasks": [{"task_id": 1}]},
    "µs time as text": {"version": 1, "tasks": [task_us(0, 0, 1, 2, start_time_us="1 us")]},
    "negative µs time": {"version": 1, "tasks": [task_us(0, 0, -1, 2)]},
    "µs time 1e400": json.dumps({"version": 1, "tasks": [task_us(0, 0, 1, 777)]}).replace(
        "777", "1e400"
    ),
    "µs backward": {"version": 1, "tasks": [task_us(0, 0, 2, 1)]},
    "µs huge core": {"version": 1, "tasks": [{**task_us(0, 0, 1, 2), "core_id": 1 << 20}]},
    "µs huge function": {"version": 1, "tasks": [task_us(0, 0, 1, 2, func_id=1 << 40)]},
    "fanout is text": {"version": 1, "tasks": [task_us(0, 0, 1, 2, fanout="1")]},
    "fanout of text": {"version": 1, "tasks": [task_us(0, 0, 1, 2, fanout=["1"])]},
    "fanout beyond 63 bits": {"version": 1, "tasks": [task_us(0, 0, 1, 2, fanout=[1 << 63])]},
    "negative fanout": {"version": 1, "tasks": [task_us(0, 0, 1, 2, fanout=[-1])]},
    "fanout to itself": {"version": 1, "tasks": [task_us(0, 0, 1, 2, fanout=[0])]},
    "core kind is an object": {"version": 1, "tasks": [task_us(0, 0, 1, 2, core_type={})]},
    "summary 1e300": {
        "version": 2,
        "tasks": [],
        "aicpu_orchestrator": {"start_time_us": 0, "end_time_us": 1e300, "submit_count": 1},
    },
    "summary counts below zero": {
        "version": 2,
        "tasks": [],
        "aicpu_orchestrator": {"start_time_us": 0, "end_time_us": 1, "submit_count": -(1 << 40)},
    },
    "unknown object": {"hello": "world"},
}

BAD_COMPANIONS: dict[str, tuple[str, Any]] = {
    "deps empty": ("deps.json", b""),
    "deps: edges are an object": ("deps.json", {"edges": {}}),
    "deps: edges are rows": ("deps.json", {"edges": [[7, 8]]}),
    "deps: no succ": ("deps.json", {"edges": [{"pred": "7"}]}),
    "deps: id in words": ("deps.json", {"edges": [{"pred": "seven", "succ": "8"}]}),
    "deps: id with a blank": ("deps.json", {"edges": [{"pred": "7 ", "succ": "8"}]}),
    "deps: quoted id cut": ("deps.json", {"edges": [{"pred": "", "succ": "8"}]}),
    "deps: negative id": ("deps.json", {"edges": [{"pred": "-7", "succ": "8"}]}),
    "deps: id of space 3": ("deps.json", {"edges": [{"pred": str(3 << 62), "succ": "8"}]}),
    "deps: huge arg": ("deps.json", {"edges": [{"pred": "7", "succ": "8", "arg": 1 << 40}]}),
    "deps: source is a list": ("deps.json", {"edges": [{"pred": "7", "succ": "8", "source": []}]}),
    "deps: huge function": (
        "deps.json",
        {"tasks": [{"task_id": "7", "kernel_ids": [1 << 40, -1, -1]}], "edges": []},
    ),
    "deps: two functions": (
        "deps.json",
        {"tasks": [{"task_id": "7", "kernel_ids": [1, -1]}], "edges": []},
    ),
    "deps: huge blocks": (
        "deps.json",
        {"tasks": [{"task_id": "7", "block_num": 1 << 40}], "edges": []},
    ),
    "deps: cycle": (
        "deps.json",
        {"edges": [{"pred": "7", "succ": "8"}, {"pred": "8", "succ": "7"}]},
    ),
    "deps: self edge": ("deps.json", {"edges": [{"pred": "7", "succ": "7"}]}),
    "names: a function of 10 MB": (
        "name_map_x.json",
        {"callable_id_to_name": {"0": "x" * 10_000_000}},
    ),
    "names: a number": ("name_map_x.json", {"callable_id_to_name": {"0": 5}}),
    "names: no id": ("name_map_x.json", {"callable_id_to_name": {"QK": "QK"}}),
    "names: huge id": ("name_map_x.json", {"callable_id_to_name": {"9999999999": "QK"}}),
    "names: negative id": ("name_map_x.json", {"callable_id_to_name": {"-1": "QK"}}),
    "names: a list": ("name_map_x.json", {"callable_id_to_name": ["QK"]}),
    "names: half a pair": ("name_map_x.json", b'{"callable_id_to_name": {"0": "\\ud800"}}'),
    "pmu: changed header": ("pmu.csv", PMU.replace("thread_id", "thread")),
    "pmu: columns swapped": ("pmu.csv", PMU.replace("func_id,core_type", "core_type,func_id")),
    "pmu: no event type": ("pmu.csv", PMU.replace(",event_type", ",x")),
    "pmu: column twice": ("pmu.csv", PMU.replace(",busy", ",pmu_total_cycles")),
    "pmu: header is not UTF-8": ("pmu.csv", PMU.encode().replace(b"busy", b"\xff")),
    "pmu: header of 100 kB": ("pmu.csv", PMU.replace("busy", "b" * 100_000)),
    "pmu: empty": ("pmu.csv", b""),
    "pmu: only blank lines": ("pmu.csv", b"\n\n\n"),
    "pmu: short row": ("pmu.csv", PMU + "0,0,0x0000000000000008,0\n"),
    "pmu: long row": ("pmu.csv", PMU.replace(",2\n", ",2,3\n")),
    "pmu: bad hex": ("pmu.csv", PMU.replace("0x0000000000000007", "0xyz")),
    "pmu: decimal id": ("pmu.csv", PMU.replace("0x0000000000000007", "7")),
    "pmu: negative id": ("pmu.csv", PMU.replace("0x0000000000000007", "-0x7")),
    "pmu: id of space 3": ("pmu.csv", PMU.replace("0x0000000000000007", "0xc000000000000000")),
    "pmu: empty cell": ("pmu.csv", PMU.replace(",100,", ",,")),
    "pmu: text for a number": ("pmu.csv", PMU.replace(",100,", ",many,")),
    "pmu: fraction": ("pmu.csv", PMU.replace(",100,", ",1.5,")),
    "pmu: negative count": ("pmu.csv", PMU.replace(",100,", ",-100,")),
    "pmu: count above 2^53": ("pmu.csv", PMU.replace(",100,", f",{1 << 54},")),
    "pmu: count above 2^64": ("pmu.csv", PMU.replace(",100,", f",{1 << 65},")),
    "pmu: negative core": ("pmu.csv", PMU.replace("\n0,0,", "\n0,-1,")),
    "pmu: huge core": ("pmu.csv", PMU.replace("\n0,0,", f"\n0,{1 << 40},")),
    "pmu: binary": ("pmu.csv", PMU.encode() + bytes(range(256))),
    "scopes: other version": ("scope_stats.jsonl", lines({**SCOPES[0], "version": 5}, SCOPE)),
    "scopes: cut": ("scope_stats.jsonl", lines(SCOPES[0])),
    "scopes: line cut": ("scope_stats.jsonl", lines(*SCOPES)[:-20]),
    "scopes: huge number": ("scope_stats.jsonl", lines(SCOPES[0], {**SCOPE, "heap_end": 10**400})),
    "scopes: negative": ("scope_stats.jsonl", lines(SCOPES[0], {**SCOPE, "tensormap": -1})),
    "scopes: negative loss": ("scope_stats.jsonl", lines({**SCOPES[0], "dropped": -1}, SCOPE)),
    "scopes: site is null": ("scope_stats.jsonl", lines(SCOPES[0], {**SCOPE, "site": None})),
    "scopes: site of a megabyte": (
        "scope_stats.jsonl",
        lines(SCOPES[0], {**SCOPE, "site": "x" * 1_000_000}),
    ),
    "scopes: not UTF-8": (
        "scope_stats.jsonl",
        lines(*SCOPES).encode().replace(b"a.cpp", b"\xff.cpp"),
    ),
    "scopes: nested": (
        "scope_stats.jsonl",
        lines(SCOPES[0]).encode() + b'{"site": "x", "y": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    ),
    "host: records are an object": ("host_phase_records.jsonl", lines({**HOST, "records": {}})),
    "host: phase without end": (
        "host_phase_records.jsonl",
        lines({**HOST, "records": [{"phase": "args", "start_ns": 5}]}),
    ),
    "host: time 2^63": (
        "host_phase_records.jsonl",
        lines({**HOST, "records": [{"phase": "args", "start_ns": 5, "end_ns": 1 << 63}]}),
    ),
    "host: negative time": (
        "host_phase_records.jsonl",
        lines({**HOST, "records": [{"phase": "args", "start_ns": -5, "end_ns": 1}]}),
    ),
    "host: backward": (
        "host_phase_records.jsonl",
        lines({**HOST, "records": [{"phase": "args", "start_ns": 5, "end_ns": 1}]}),
    ),
    "host: negative loss": ("host_phase_records.jsonl", lines({**HOST, "dropped": -1})),
    "host: nested": (
        "host_phase_records.jsonl",
        lines(HOST).encode() + b'{"records": [], "x": ' + b"[" * 100_000,
    ),
    "args: no id": (
        "args_dump.json",
        {"bin_format": {}, "args": [{"task_id": "x", "func_id": [0], "role": "input"}]},
    ),
    "args: negative id": (
        "args_dump.json",
        {"bin_format": {}, "args": [{"task_id": "-0x1", "func_id": [0], "role": "input"}]},
    ),
    "args: id 2^64": (
        "args_dump.json",
        {"bin_format": {}, "args": [{"task_id": f"{1 << 64:#x}", "func_id": [0], "role": "in"}]},
    ),
    "args: huge": (
        "args_dump.json",
        {
            "bin_format": {},
            "args": [{"task_id": "0x1", "func_id": [0], "role": "input", "numel": 1 << 60}],
        },
    ),
    "args: an object": ("args_dump.json", {"bin_format": {}, "args": {}}),
    "unknown JSON that is cut": ("other.json", b'{"a": [1, 2'),
}

BAD_CHROME: dict[str, Any] = {
    "events are an object": {"traceEvents": {}},
    "events are numbers": {"traceEvents": [1]},
    "no ph": {"traceEvents": [{"ts": 1}]},
    "ph is null": {"traceEvents": [{**EVENT, "ph": None}]},
    "ph is a number": {"traceEvents": [{**EVENT, "ph": 5}]},
    "ph is a word": {"traceEvents": [{**EVENT, "ph": "XX"}]},
    "ph is empty": {"traceEvents": [{**EVENT, "ph": ""}]},
    "no time": {"traceEvents": [{"ph": "X", "pid": 1, "tid": 1}]},
    "null time": {"traceEvents": [{**EVENT, "ts": None}]},
    "time as text": {"traceEvents": [{**EVENT, "ts": "1 us"}]},
    "time 1e400": b'[{"ph": "X", "ts": 1e400}]',
    "time NaN": b'[{"ph": "X", "ts": NaN}]',
    "time nan": b'[{"ph": "X", "ts": nan}]',
    "time nullx": b'[{"ph": "X", "ts": nullx}]',
    "time beyond 73 years": {"traceEvents": [{**EVENT, "ts": 1e16}]},
    "duration beyond 73 years": {"traceEvents": [{**EVENT, "dur": 9e15}]},
    "time below -73 years": {"traceEvents": [{**EVENT, "ts": -1e16}]},
    "negative duration": {"traceEvents": [{**EVENT, "dur": -1}]},
    "cut array": b'{"traceEvents": [{"ph": "X", "ts": 1, "dur": 1},',
    "array cut in an event": b'[{"ph": "X", "ts": 1, "dur": 1}, {"ph": "X", "ts":',
    "array of nothing, cut": b"[",
    "something else behind an array": b'[{"ph": "X", "ts": 1, "dur": 1}; ',
    "cut in a name": b'[{"ph": "X", "ts": 1, "dur": 1, "name": "a',
    "name is not UTF-8": b'[{"ph": "X", "ts": 1, "dur": 1, "name": "\xff"}]',
    "name is half a pair": b'[{"ph": "X", "ts": 1, "dur": 1, "name": "\\ud800"}]',
    "name of 10 MB": {"traceEvents": [{**EVENT, "name": "x" * 10_000_000}]},
    "name nested 100 000 deep": b'[{"ph": "X", "ts": 1, "name": '
    + b"[" * 100_000
    + b"]" * 100_000
    + b"}]",
    "args nested 100 000 deep": b'[{"ph": "C", "ts": 1, "args": '
    + b"[" * 100_000
    + b"]" * 100_000
    + b"}]",
    "args are not JSON": b'[{"ph": "C", "ts": 1, "args": {oops}}]',
    "brackets that do not match": b'[{"ph": "C", "ts": 1, "args": [}}]',
}


def with_metadata(content: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**content, "metadata": {**content["metadata"], **changes}}


def with_streams(*streams: Any) -> dict[str, Any]:
    return today(scheduler_records={"streams": list(streams)})


def scheduled(*rows: list[int]) -> dict[str, Any]:
    return today(scheduler_tasks={"producer": "aicpu", "records": list(rows)})


def without_epoch(one: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in one.items() if key != "run_epoch"}


WIDE = [[0, 7, 0, 100, 200, 3, 0], [1, 8, 0, 250, 300, 4, 0]]
"""Rows of a single run."""
BAD_TODAY: dict[str, tuple[Any, str]] = {
    "both scheduler keys": (
        today(aicpu_tasks=[]),
        "has both 'scheduler_tasks' and 'aicpu_tasks', which no version of the runtime writes",
    ),
    "no scheduler key": (
        {key: value for key, value in today().items() if key != "scheduler_tasks"},
        "has neither 'scheduler_tasks' nor 'aicpu_tasks'",
    ),
    "a width that shrinks": (
        today(aicore_tasks=[WIDE[0], WIDE[1][:6]]),
        "aicore_tasks row 1, 'run_epoch': the row has no such column",
    ),
    "a width that grows": (
        scheduled([0, 0, 90, 210], [1, 0, 240, 310, 0]),
        "scheduler_tasks row 1: the row has more columns than this format has",
    ),
    "an id of space 3": (
        today(1, aicore_tasks=[[0, 3 << 62 | 5, 0, 100, 200, 3, 0]], runtime="host_build_graph"),
        "this is no task id: its two upper bits are set",
    ),
    "an id too wide for its ring": (
        today(1, aicore_tasks=[[0, 1 << 40, 0, 100, 200, 3, 0]]),
        "aicore_tasks row 0: 1099511627776 is no task id of this runtime (ring and number)",
    ),
    "an id of no space": (
        today(1, aicore_tasks=[[0, 1 << 61, 0, 100, 200, 3, 0]], runtime="host_build_graph"),
        "is no task id of this runtime (space and number)",
    ),
    "a key twice in one run": (
        today(aicore_tasks=[WIDE[0], [0, 8, 0, 250, 300, 4, 0]]),
        "aicore_tasks rows 0 and 1 are both core 0, token 0",
    ),
    "a scheduler key twice": (
        scheduled([1, 0, 90, 210, 0], [0, 0, 1090, 1210, 5], [0, 0, 1240, 1310, 5]),
        "scheduler_tasks rows 1 and 2 are both core 0, token 0",
    ),
    "a run that only one side names": (
        scheduled([0, 0, 90, 210], [1, 0, 240, 310]),
        "scheduler_tasks rows do not say which run they are of, and the file holds several",
    ),
    "a negative length": (
        with_streams(stream(0, record("dispatch", 95, 80, 0))),
        "phase 0 (dispatch) of scheduler 0 ends before it starts",
    ),
    "a task that ends before it starts": (
        today(aicore_tasks=[[0, 7, 0, 200, 100, 3, 0]]),
        "the task on core 0, token 0 ends before it starts",
    ),
    "some epochs in a stream": (
        with_streams(stream(0, without_epoch(record("a", 1, 2, 0)), record("b", 3, 4, 0))),
        "scheduler_records.streams[0].records row 0 has no 'run_epoch', and others have one",
    ),
    "streams that are no array": (today(scheduler_records={"streams": {}}), "streams"),
    "no streams": (today(scheduler_records={}), "'scheduler_records' has no 'streams'"),
    "a stream without records": (with_streams({"scheduler_id": 0}), "has no 'records'"),
    "a stream's id as text": (
        with_streams(stream(0, scheduler_id="0")),
        "scheduler_records.streams[0] is not what it should be",
    ),
    "metrics about no record": (
        with_streams(stream(0, metrics=[{"record_index": 0}])),
        "metrics row 0 is about record 0, but there are only 0",
    ),
    "metrics twice about one": (
        with_streams(stream(0, record("a", 1, 2, 0), metrics=[{"record_index": 0}] * 2)),
        "metrics has two rows about one record",
    ),
    "another producer": (
        today(scheduler_tasks={"producer": "gpu", "records": []}),
        "'scheduler_tasks' is not what it should be",
    ),
    "a lifecycle stamp as text": (
        hosted_today(aicpu_lifecycle_records=[{"handshake_start_cycles": "5"}]),
        "aicpu_lifecycle_records row 0, 'handshake_start_cycles': expected a counter value",
    ),
    "a lifecycle twice": (
        hosted_today(aicpu_lifecycle_records=[{"aicpu_thread_id": 1}] * 2),
        "aicpu_lifecycle_records: rows 0 and 1 are both of thread 1",
    ),
    "two orchestrators": (
        today(host_orchestrator_phases=[]),
        "has both 'host_orchestrator_phases' and 'aicpu_orchestrator_phases'",
    ),
    "a collection without a verdict": (
        with_metadata(today(), collection={"run_epoch": 5}),
        "'metadata' is not what it should be",
    ),
    "a saved clock that contradicts itself": (
        with_metadata(
            hosted_today(),
            clock_alignment={
                "status": "bounded",
                "device_anchor_cycles": 5,
                "host_anchor_ns": 10,
                "host_anchor_min_ns": 11,
                "host_anchor_max_ns": 12,
            },
        ),
        "'metadata.clock_alignment' is damaged",
    ),
}
"""Files of September 2026 that must be refused, and a part of the sentence that says why."""
