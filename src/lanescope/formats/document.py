"""docs/formats.md and the README's table, written from the registry.

Run `python -m lanescope.formats.document > docs/formats.md`; with `readme` it prints the table.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence

from lanescope.formats.exporter import Exporter
from lanescope.formats.importer import Importer
from lanescope.formats.option import FormatOption
from lanescope.formats.registry import EXPORTERS, IMPORTERS

_INTRO = """# Formats

This page is written by `python -m lanescope.formats.document` from
`src/lanescope/formats/registry.py`; a test keeps it current.

## What lanescope reads

`lanescope import DIR_OR_FILE…` looks into the files and tells by their content what they are; the
name only decides whether to look. `--format NAME` asks one importer alone. In Python:
`lanescope.formats.import_trace(path)` for one run, `import_paths(paths)` for many.
"""

_READING = """
A run may be several files: a main file makes a trace, companions beside it complete it, and the run
is named after its folder. {copies} beside a run of another format are usually made from that run:
they are read only when you name them.

Files packed with gzip or zstd (`.json.gz`, `.json.zst`) are read as they are. An archive (`.tar`,
`.tar.gz`, `.tgz`, `.tar.zst`, `.zip`) is a folder of files. Of a folder with a mix every trace is
imported; each file that gives none is named with the reason (`--json`: `skipped`). A damaged file
does not stop the others; the exit code is then 1. What unpacks to more than 200 times its size is
refused.
"""

_WRITING = """## What lanescope writes

`lanescope export TRACE --to NAME` writes; in Python
`lanescope.formats.export(trace, path, to=NAME)`. A file whose name ends in `.gz` or `.zst` is
compressed. A file or folder is there as a whole or not at all. `lanescope export JOB --to perfetto`
writes all ranks of a job as one archive, on their common clock ([perfetto.md](perfetto.md)).

In CSV a text that begins with `=`, `+`, `-`, `@`, a tab or a carriage return has a `'` before it,
so that a spreadsheet does not run it as a formula; `lanescope import` takes it away again. Numbers
stay as they are.
"""

_OWN = """
## A format of your own

Another package can add formats. It names an `Importer` in the entry point group
`lanescope.importers`, an `Exporter` in `lanescope.exporters`:

```toml
[project.entry-points."lanescope.importers"]
toy = "lanescope_toy.format:IMPORTER"

[project.entry-points."lanescope.exporters"]
toy = "lanescope_toy.format:EXPORTER"
```

`examples/plugin/` is such a package, complete, to copy from. What the two objects can say
is written in `src/lanescope/formats/importer.py` and `exporter.py`.

- The name in the entry point is the format's name. A name of lanescope's own is refused, and so is
  one that two packages offer; lanescope says which packages.
- Importers of other packages are asked before lanescope's own, so that they can take files that
  ours would read as something more general. `--format` names one importer.
- Options of a format begin with its name: `toy_clock` is `--toy-clock`.
- A package that cannot be loaded, or whose code fails, is named in one sentence. Everything else
  works on.
- Only reading and writing of other people's files loads these objects. Import numpy and the like
  inside the functions, and `--help` stays fast.
"""


def formats_page() -> str:
    """The whole page."""
    parts = [_INTRO, *_table(("format", "reads", "files", "told by"), map(_importer, IMPORTERS))]
    copies = " and ".join(one.reads for one in IMPORTERS if one.copies)
    parts += [*_options(IMPORTERS), _READING.format(copies=copies), _WRITING]
    parts += [*_table(("format", "writes", "output"), map(_exporter, EXPORTERS))]
    return "\n".join([*parts, *_options(EXPORTERS), _OWN])


def readme_table() -> str:
    """The formats in four lines."""
    reads = ", ".join(f"{_name(one)} ({one.reads})" for one in IMPORTERS)
    writes = ", ".join(one.name for one in EXPORTERS)
    head = ("", "formats, see [docs/formats.md](docs/formats.md)")
    return "\n".join(_table(head, [("reads", reads), ("writes", writes)]))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |" for row in (head, *rows)]
    return [lines[0], "|---" * len(head) + "|", *lines[1:]]


def _importer(one: Importer) -> tuple[str, ...]:
    told = "content" if one.recognises is not None else f"`--format {one.name}`"
    return _name(one), one.reads, one.files, told


def _exporter(one: Exporter) -> tuple[str, ...]:
    return _name(one), one.writes, f"{one.target} `NAME{one.ending}`"


def _name(one: Importer | Exporter) -> str:
    return f"[{one.name}]({one.url})" if one.url else one.name


def _options(entries: Iterable[Importer | Exporter]) -> list[str]:
    """A line per option, under the tables."""
    return [
        "",
        *(
            f"- `{option.flag}{_value(option)}` for {entry.name}: {option.help}"
            for entry in entries
            for option in entry.options
        ),
    ]


def _value(option: FormatOption) -> str:
    if option.choices is not None:
        return " " + "|".join(option.choices)
    return f" {option.metavar or option.name.upper()}"


if __name__ == "__main__":
    asked = argparse.ArgumentParser(prog="python -m lanescope.formats.document")
    asked.add_argument("what", nargs="?", choices=("page", "readme"), default="page")
    wants_table = asked.parse_args().what == "readme"
    sys.stdout.write(f"{readme_table()}\n" if wants_table else formats_page())
