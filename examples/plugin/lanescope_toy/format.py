"""A format for lanescope in a package of its own: a line of text per task.

TOY 1
0 QK 100 250        core, function, start and end in nanoseconds
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from lanescope.formats import Export, Exporter, ExportOptions, Importer

if TYPE_CHECKING:
    from lanescope.formats.bundle import Bundle
    from lanescope.formats.look import FileLook
    from lanescope.trace import Trace

MAGIC = b"TOY 1\n"


def recognises(look: FileLook) -> str | None:
    """The first line tells."""
    return "toy" if look.head.startswith(MAGIC) else None


def read(bundle: Bundle) -> Iterator[Trace]:
    """One file is one trace. The heavy imports are here, so that `--help` stays fast."""
    import numpy as np

    from lanescope.trace import Meta, Table, Trace, Words

    rows = [line.split() for line in bundle.main.path.read_text().splitlines()[1:]]
    names = sorted({name for _, name, _, _ in rows})
    cores = sorted({int(core) for core, *_ in rows})
    words = Words()
    tasks = {
        "task": np.arange(len(rows)),
        "kind": words.codes(["run"] * len(rows)),
        "core": np.array([int(core) for core, *_ in rows], np.int32),
        "func": np.array([names.index(name) for _, name, _, _ in rows], np.int32),
        "flags": np.zeros(len(rows), np.int32),
        "start_ns": np.array([int(start) for _, _, start, _ in rows]),
        "end_ns": np.array([int(end) for _, _, _, end in rows]),
    }
    yield Trace(
        meta=Meta(
            name=bundle.name,
            tool="lanescope-toy 1.0",
            origin="imported",
            sources=bundle.sources(),
            level=1,
            flags=1,
            notes=bundle.notes,
        ),
        tasks=Table.build("tasks", tasks),
        cores=Table.build(
            "cores",
            {
                "core": np.array(cores, np.int32),
                "name": words.codes([f"core {core}" for core in cores]),
                "kind": words.codes(["toy"] * len(cores)),
            },
        ),
        functions=Table.build(
            "functions",
            {"func": np.arange(len(names), dtype=np.int32), "name": words.codes(names)},
        ),
        words=words.freeze(),
    )


def write(trace: Trace, path: Path, options: ExportOptions) -> Export:
    """The file is whole or not there at all."""
    from lanescope.formats.output import atomic_output

    functions = zip(trace.functions["func"].tolist(), trace.text("functions", "name"), strict=True)
    names = dict(functions)
    ran = trace.tasks.rows(trace.ran())
    columns = (ran[name].tolist() for name in ("core", "func", "start_ns", "end_ns"))
    with atomic_output(path) as file:
        file.write(MAGIC)
        for core, func, start, end in zip(*columns, strict=True):
            name = names.get(func, f"func_{func}").replace(" ", "_")
            file.write(f"{core} {name} {start} {end}\n".encode())
    return Export(output=str(path), format="toy")


IMPORTER = Importer(
    name="toy",
    reads="toy files",
    files="text with a line per task",
    endings=(".toy",),
    recognises=recognises,
    read=read,
)
EXPORTER = Exporter(name="toy", writes="text with a line per task", ending=".toy", write=write)
