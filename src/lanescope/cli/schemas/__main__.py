"""`python -m lanescope.cli.schemas DIR` writes every schema as DIR/NAME.json."""

from __future__ import annotations

import argparse
from pathlib import Path

import msgspec

from lanescope.cli.schemas.documents import schema
from lanescope.cli.schemas.outputs import OUTPUTS


def schema_text(name: str) -> str:
    """One schema as the text of its file."""
    return msgspec.json.format(msgspec.json.encode(schema(name)), indent=2).decode() + "\n"


def main(folder: Path) -> None:
    """Write all schemas; a file whose output is no more stays and has to be deleted by hand."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in OUTPUTS:
        (folder / f"{name}.json").write_text(schema_text(name))


if __name__ == "__main__":
    asked = argparse.ArgumentParser(prog="python -m lanescope.cli.schemas", description=__doc__)
    asked.add_argument("folder", metavar="DIR", type=Path)
    main(asked.parse_args().folder)
