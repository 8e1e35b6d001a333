"""Which of the emulator's outputs a file is, and the trace of it. Every file is one of its own:
nothing in it says which other files are of the same run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from lanescope.errors import InputError, UsageError
from lanescope.formats.bundle import Bundle
from lanescope.formats.look import FileLook
from lanescope.formats.plena.instructions import op_stats_trace, scoreboard_trace
from lanescope.formats.plena.log import KNOWN, read_log
from lanescope.formats.plena.profiles import (
    read_memory_profile,
    read_run_stats,
    read_stage_profile,
)
from lanescope.formats.plena.run import EmulatedRun, whole_trace
from lanescope.trace import Trace

_OBJECTS = {
    "stages": ("stages", "total_instructions_executed"),
    "memory": ("program_total_picos", "profile_level"),
    "run-stats": ("log_path", "hbm_size_bytes", "return_code"),
}
"""Kind of JSON object → keys that it has."""
_READERS = {
    "stages": read_stage_profile,
    "memory": read_memory_profile,
    "run-stats": read_run_stats,
}
_SUMMARIES = {
    "a summary of MoE timing": ("routing_tax", "stage_stack", "bytes_validation"),
    "a route trace": ("routing", "workload", "replay"),
    "an analytic estimate": ("ttft_seconds", "tps", "device_num"),
}
"""What PLENA's other tools write → keys that it has. None of them holds a run."""
_TABLES = {
    "a table of TTFT and TPOT": (b"board,preset,case,",),
    "a summary of MoE timing": (b"routing_tax_cycles", b"tax_name,"),
}
"""The same as CSV → pieces of its first line."""
_LONGEST_PERIOD_PS = 10**9


def recognises(look: FileLook) -> str | None:
    """The kind of the file, by its content."""
    first = look.start.split(b"\n", 1)[0]
    if look.shape == "lines":
        return _of_lines(first)
    if look.shape == "object":
        found = look.json or ()
        kinds = (kind for kind, keys in _OBJECTS.items() if all(key in found for key in keys))
        latency = "run-stats" if "sim_latency_ns" in found else None
        kind = next(kinds, latency) or _of_lines(first)
        if kind is None:
            _refuse_summary(look, (w for w, k in _SUMMARIES.items() if all(i in found for i in k)))
        return kind
    if b"\0" in look.head or look.path.suffix == ".csv":
        _refuse_summary(look, (w for w, p in _TABLES.items() if all(i in first for i in p)))
        return None
    if look.shape == "array":
        return "log" if any(piece in look.head for piece in KNOWN) else None
    return "log" if any(look.holds(piece) for piece in KNOWN) else None


def _refuse_summary(look: FileLook, found: Iterator[str]) -> None:
    """Say of a table over several runs that it is none itself."""
    if what := next(found, None):
        raise InputError(
            look.path,
            f"is {what} of PLENA's tools, which holds no run: import the emulator's own outputs "
            "(log, run statistics, profiles, JSON lines)",
        )


def _of_lines(first: bytes) -> str | None:
    if b'"pc"' in first and b'"issue_ps"' in first:
        return "scoreboard"
    if (b'"pc"' in first or b'"aggregate"' in first) and b'dt_ps"' in first:
        return "op-stats"
    return None


def read(bundle: Bundle) -> Iterator[Trace]:
    """One file is one trace; a log may hold several runs."""
    kind, run = bundle.main.kind, EmulatedRun()
    run.period_ps = bundle.options.get("period_ps", run.period_ps)
    if kind == "scoreboard":
        yield scoreboard_trace(bundle, run)
    elif kind == "op-stats":
        yield op_stats_trace(bundle, run)
    elif kind == "log":
        runs = read_log(bundle.main.path, run.period_ps)
        for number, one in enumerate(runs, 1):
            name = bundle.name if len(runs) == 1 else f"{bundle.name}-{number}"
            yield whole_trace(one, replace(bundle, name=name))
    else:
        assert bundle.main.json is not None
        _READERS[kind](bundle.main.json, run)
        yield whole_trace(run, bundle)


def period(text: str) -> int:
    """Picoseconds of a cycle, from the text of the option."""
    if not text.isdigit() or not 0 < int(text) <= _LONGEST_PERIOD_PS:
        raise UsageError(f"expected a period of 1 to {_LONGEST_PERIOD_PS:,} ps, found {text!r}")
    return int(text)
