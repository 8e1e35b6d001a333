"""docs/report-json.md, written from the registry: run `python -m lanescope.reports.document`."""

from __future__ import annotations

import sys
import textwrap

from lanescope.analyze.registry import own_analyses
from lanescope.reports.build import REPORT_VERSION
from lanescope.trace.vocabulary import FAMILIES

_INTRO = f"""# The report as JSON

This page is written by `python -m lanescope.reports.document` from the registry of analyses
(`src/lanescope/analyze/registry.py`); a test keeps it current. Version: {REPORT_VERSION}.

`lanescope report TRACE --json` and `lanescope.report(trace).to_dict()` give one object with a key
per question. Times are whole nanoseconds, shares are fractions of 1, and null means not known.
Means are floating-point numbers; the `count` and the `total_ns` beside them are exact. Keys stay;
new ones may be added. On the command line the key `schema` comes first; [json.md](json.md) has the
schema of all of it.

Which questions are asked depends on what the lanes of the trace are: cores; streams, on which a
host launches kernels; or tracks, of which only slices are known. A question that says nothing about
it is asked of all traces.

Of a trace that needs more memory than `--memory` allows, `capture`, `losses`, `makespan` and
`functions` are answered, and `left_out` says so: tasks, needed_bytes, limit_bytes, names (of the
questions that are not answered), notes, window_ns.

Square brackets below: a list of objects with these keys, or one object where there is only one.

`report_version` is {REPORT_VERSION}.
"""
_OF = "\n\nOnly for traces of {0}."
_ON_REQUEST = "\n\nIt is there only when asked for: `--{0}`, `lanescope.report(trace, {0}=True)`."

_WHAT_IF = """## What if

`lanescope what-if TRACE --json` and `lanescope.what_if(trace).to_dict()` give another object.
`sure` says that a change has an effect. `effort` is one of function, cores, pre-dispatch,
schedulers, controllers, edges, buffers. `values` is constant or own. `refused` says why there are
no predictions, and `unexplained` where the replay is far off; else it is null.

recorded_ns, replayed_ns, honesty, values, unseen [the first half's distance, the second's],
off_processor, refused, unexplained [task, function, recorded_ns, replayed_ns], notes,
predictions [name, makespan_ns, low_ns, high_ns, change, low_change, high_change, replays, sure],
ranking [effort, predictions, no_effect (names)], trace (where the replay is stored; on the
command line)
"""


def report_json() -> str:
    """The whole page."""
    parts = [_INTRO]
    for analysis in own_analyses():
        keys = "\n".join(textwrap.wrap(analysis.keys, 100, break_on_hyphens=False))
        when = _ON_REQUEST.format(analysis.name) if analysis.on_request else ""
        if analysis.families != FAMILIES:
            when = _OF.format(" or ".join(sorted(analysis.families))) + when
        parts.append(f"## `{analysis.name}`\n\n{analysis.question}{when}\n\n{keys}\n")
    return "\n".join([*parts, _WHAT_IF])


if __name__ == "__main__":
    sys.stdout.write(report_json())
