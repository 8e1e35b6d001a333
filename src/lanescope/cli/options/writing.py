"""What commands do where something is written already: see docs/commands.md.

A path that was named is replaced only with --force. A name that lanescope chose gets a number. The
folder that holds either must be there. All of it is looked at before the work begins.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from lanescope.errors import UsageError
from lanescope.render.names import file_name

if TYPE_CHECKING:
    from lanescope.trace import Trace
    from lanescope.trace.places import Place
    from lanescope.trace.store import Put

_Output = TypeVar("_Output", Path, "Place")


class Chosen(NamedTuple, Generic[_Output]):
    """A path under a name that lanescope chose."""

    path: _Output
    taken: _Output | None = None
    """What has the usual name already, so that the path has a number."""

    @property
    def note(self) -> str:
        """The sentence about the number; empty where there is none."""
        if self.taken is None:
            return ""
        return f"{self.taken} is there already, so this is {self.path.name}; --force replaces"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds --force."""
    parser.add_argument(
        "--force", action="store_true", help="replace what is there already under this name"
    )


def check_named(path: Path | str | None, args: argparse.Namespace) -> None:
    """Refuse a path or URL that somebody named where something is, unless --force is given.

    An empty folder is nothing. Refuses also a path in a folder that is not there.
    """
    if path is None:
        return
    from lanescope.trace.places import place_of

    place = place_of(path)
    if place.local is None:
        _refuse_taken(place, args)
        return
    check_folder(place.local.parent)
    _refuse_taken(place.local, args)


def check_force(args: argparse.Namespace, path: Path | str | None, option: str) -> None:
    """Look at what the option names; --force without it would say nothing."""
    if args.force and path is None:
        raise UsageError(f"--force replaces what {option} names; add that, or leave it out")
    check_named(path, args)


def check_pictures(args: argparse.Namespace, option: str) -> None:
    """Look at the folder of --plots; --force without it would say nothing."""
    if args.plots is not None:
        check_output(args.plots)
    elif args.force:
        check_force(args, None, option)


def check_folder(folder: Path) -> None:
    """Refuse a folder that is not there."""
    if not folder.is_dir():
        found = "a file" if folder.exists() else "none"
        raise UsageError(
            f"expected a folder {folder} to write into, found {found}; make it first, or name "
            "another place"
        )


def check_output(output: Path | Place) -> None:
    """Refuse a folder that can neither be used nor made: the one above it must be there.

    On a store there are no folders.
    """
    folder = output if isinstance(output, Path) else output.local
    if folder is not None and not folder.is_dir():
        check_folder(folder if folder.exists() else folder.parent)


def new_trace(
    name: str, output: _Output, args: argparse.Namespace, *, beside: Sequence[str] = ()
) -> Chosen[_Output]:
    """Where a trace goes: `output` where it ends in .lanes, else NAME.lanes in that folder.

    `beside` has the endings of what is written beside it under the same name.
    """
    if output.suffix == ".lanes":
        check_named(str(output) if isinstance(output, Path) else output.url, args)
        for ending in beside:
            check_named(Path(str(output)).with_suffix(ending), args)
        return Chosen(output)
    check_output(output)
    chosen = free_name(output, file_name(name), args, endings=(".lanes", *beside))
    if output.suffix == ".job" and chosen.taken is not None:
        _refuse_taken(chosen.taken, args)
    return chosen


def save_trace(trace: Trace, chosen: Chosen[_Output], args: argparse.Namespace) -> None:
    """Store a trace; what somebody else has put there meanwhile is replaced only with --force."""
    from lanescope.trace.store import save_by

    save_by(trace, chosen.path, put_of(args))


def put_of(args: argparse.Namespace) -> Put:
    """What puts a new trace in its place: with --force it replaces what is there."""
    from lanescope.trace.replacing import new_directory, replace_directory

    return replace_directory if args.force else new_directory


def free_name(
    folder: _Output, stem: str, args: argparse.Namespace, *, endings: Sequence[str]
) -> Chosen[_Output]:
    """A path in a folder, with a number in its name where it is taken and --force is not given.

    `endings` are what may follow the name; the first one is the path's own. None of them is taken.
    """
    first: _Output | None = None
    for number in count(1):
        name = stem if number == 1 else f"{stem}-{number}"
        taken = [one for ending in endings if _is_taken(one := folder / f"{name}{ending}")]
        if not taken or args.force:
            return Chosen(folder / f"{name}{endings[0]}", first)
        first = first or taken[0]
    raise AssertionError("numbers do not end")


def write_pictures(
    folder: Path, pictures: Mapping[str, str], args: argparse.Namespace
) -> list[str]:
    """Write SVG texts by their names into a folder, all or none; returns their paths."""
    from lanescope.formats.output import atomic_output

    paths = [folder / name for name in pictures]
    for path in paths:
        _refuse_taken(path, args)
    for path, text in zip(paths, pictures.values(), strict=True):
        with atomic_output(path) as stream:
            stream.write(text.encode())
    return [str(path) for path in paths]


def _refuse_taken(path: Path | Place, args: argparse.Namespace) -> None:
    if not args.force and _is_taken(path):
        raise UsageError(
            f"{path} is there already and was left alone; add --force to replace it, or name "
            "another place"
        )


def _is_taken(path: Path | Place) -> bool:
    if not isinstance(path, Path):
        return (path / "meta.json").exists()
    if path.is_dir():
        return any(path.iterdir())
    return path.exists() or path.is_symlink()
