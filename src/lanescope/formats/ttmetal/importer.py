"""The importer's functions: which file a file is, and a log or a report to its trace."""

from __future__ import annotations

from collections.abc import Iterator

from lanescope.formats.bundle import Bundle
from lanescope.formats.json_file import map_file
from lanescope.formats.look import FileLook
from lanescope.formats.ttmetal.from_log import log_traces
from lanescope.formats.ttmetal.log import HEAD, read_log
from lanescope.formats.ttmetal.operations import is_report, operation_names, report_traces
from lanescope.trace import Trace

_HEAD_BYTES = 4096


def recognises(look: FileLook) -> str | None:
    """`log`, `report`, or None for a file of another tool."""
    if HEAD.match(look.head):
        return "log"
    return "report" if look.shape == "other" and is_report(look.head) else None


def read(bundle: Bundle) -> Iterator[Trace]:
    """A trace per chip: of the log, whose operations a report beside it names, or of the report."""
    report = bundle.files.get("report")
    if "log" not in bundle.files:
        yield from report_traces(bundle.main.path, bundle)
        return
    path = bundle.files["log"].path
    names = operation_names(report.path) if report is not None else {}
    yield from log_traces(read_log(path, bytes(map_file(path)[:_HEAD_BYTES])), bundle, names)
