"""Stores one part of a capture: the process that `rotation.py` starts, and the end of a capture.

    python -m lanescope.capture.part_job DIRECTORY TARGET SUFFIX QUOTA

Every step leaves a capture that can be recovered: first the trace gets its name, then `parts.npz`
says so, and only then the part's spool is deleted. A process that is killed between two steps is
made good by the next one.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import msgspec

from lanescope.capture.assemble import HandingOn
from lanescope.capture.directory import part_spool
from lanescope.capture.parts import (
    PartState,
    load_state,
    part_contents,
    part_notes,
    part_path,
    within_quota,
)
from lanescope.capture.reading import read_part
from lanescope.capture.rebuild import store
from lanescope.capture.rotation import StoredPart
from lanescope.errors import LanescopeError
from lanescope.trace import Meta
from lanescope.trace.locks import lock_shared
from lanescope.trace.store import StoredTrace


def store_next_part(directory: Path, target: Path, suffix: str, quota: int) -> StoredTrace:
    """Store the first part that is not stored; its spool must be complete.

    The oldest parts are deleted where all together would take more than `quota` bytes; 0 is no
    limit.

    Raises:
        LanescopeError: the part cannot be read or stored.
    """
    before = load_state(directory)
    number = 1 if before is None else before.stored + 1
    with part_spool(directory, number).open("rb") as spool:
        lock_shared(spool.fileno())  # `recover` waits until this process has ended
        found = read_part(directory, before)
        state = before or PartState.at_start(found.contents.head)
        part = part_contents(found.contents, state, ends=False)
        handing_on = HandingOn(found.following)
        contents = replace(part.contents, handing_on=handing_on)
        path = part_path(target, suffix, number)
        state = within_quota(directory, target, suffix, state=state, quota=quota)

        def finish(meta: Meta) -> Meta:
            problems = tuple(f"{problem}." for problem in found.problems)
            notes = (*meta.notes, *part_notes(state), *problems)
            return msgspec.structs.replace(meta, name=path.stem, notes=notes)

        stored = store(contents, path, finish=finish)
        assert handing_on.carried is not None
        part.state(state, handing_on.carried, found.following).save(directory)
        if all(entry.closes and not entry.unknown for entry in stored.meta.ledger):
            part_spool(directory, number).unlink()
    return stored


def main(arguments: list[str]) -> int:
    """Store one part, and print what it is as JSON."""
    directory, target, suffix, quota = arguments
    os.nice(5)  # the recorded program comes first
    try:
        stored = store_next_part(Path(directory), Path(target), suffix, int(quota))
    except (LanescopeError, OSError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    part = StoredPart(str(stored.path), stored.meta, dict(stored.rows), stored.ran)
    sys.stdout.buffer.write(msgspec.json.encode(part))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
