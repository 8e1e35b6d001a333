"""The tables of traces of streams and jobs: steps, waits between streams, collectives.

`tables.py` has the other tables, and SCHEMA, which holds all of them.
"""

from __future__ import annotations

from lanescope.trace.schema import Column, TableSchema


def _span(what: str) -> tuple[Column, ...]:
    return (
        Column("start_ns", "i64", f"start of {what}, ns from the trace's base"),
        Column("end_ns", "i64", f"end of {what}, ns from the trace's base"),
    )


def _rank() -> Column:
    return Column("rank", "i32", "rank it belongs to; null where the trace has one rank only")


STEPS = TableSchema(
    "steps",
    "One row per step of the program that its source marks, such as one batch of a training run.",
    (
        Column("step", "i64", "the source's own number of the step"),
        Column("name", "word", "what the source calls it"),
        Column("controller", "i32", "host thread that marked it, see `controllers`"),
        *_span("the step"),
        _rank(),
    ),
    since="0.2.0",
)

WAITS = TableSchema(
    "waits",
    "One row per recorded wait: of a stream for an event of another one, or of a host thread for "
    "a stream, an event or a device. A stream's wait is in force from the next task on.",
    (
        Column(
            "kind",
            "word",
            "`stream waits event`, `host waits event`, `host waits stream` or `host waits device`",
        ),
        Column("core", "i32", "stream that waits; of a host thread's wait: stream waited for"),
        Column("controller", "i32", "host thread that made the call"),
        Column("on_core", "i32", "stream whose event is waited for; null where it is not known"),
        Column("launch", "i64", "number of the call that waits or makes the stream wait"),
        Column("on_launch", "i64", "number of the call that recorded the event"),
        *_span("the row as the source has it"),
        Column("task", "i64", "first task of the stream that had to wait"),
        Column("on_task", "i64", "last task that was waited for"),
        _rank(),
    ),
    since="0.2.0",
)

COLLECTIVES = TableSchema(
    "collectives",
    "One row per collective operation in which the rank took part. Rows of two ranks with the "
    "same `group` and `sequence` are the same operation.",
    (
        Column("group", "word", "name of the group of ranks"),
        Column("sequence", "i64", "number of the operation within the group, from 0 or as given"),
        Column(
            "matched",
            "word",
            "where `sequence` is from: `source` (it numbers them), `group` (counted in the group "
            "by start), `stream` (counted on the stream by name, the group is not known), `name` "
            "(the operation's name is its number)",
        ),
        Column("kind", "word", "what it does: `all_reduce`, `all_gather`, `send`, …"),
        Column("bytes", "i64", "bytes that the rank puts in"),
        Column("bytes_out", "i64", "bytes that the rank gets out"),
        Column("type", "word", "type of the elements, as the source calls it"),
        Column("peers", "word", "ranks of the group, as numbers with commas between them"),
        Column("size", "i32", "number of ranks of the group"),
        Column("source", "i32", "rank that sends, of a send or a receive or a broadcast"),
        Column("target", "i32", "rank that receives"),
        Column("task", "i64", "the task that did it, see `tasks`"),
        Column("core", "i32", "the stream or communicator it ran on"),
        *_span("the operation on this rank"),
        _rank(),
    ),
    since="0.2.0",
)
