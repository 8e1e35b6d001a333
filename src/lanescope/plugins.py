"""Objects that other packages offer through entry points, loaded only when they are needed.

A package that is broken, or whose name for something is taken, is left out with a PluginWarning
that names it. This is a leaf: every room may use it.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib.machinery import PathFinder
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lanescope.errors import LanescopeError, PluginError, PluginWarning

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

T = TypeVar("T")


def _no_problem(offered: object) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Group(Generic[T]):
    """One kind of object that other packages may offer."""

    name: str
    """The entry point group, such as `lanescope.importers`."""
    kind: type[T]
    """What an entry point must lead to. It has a `name`, which is also the entry point's."""
    ours: frozenset[str]
    """Names that no other package may use."""
    problem: Callable[[T], str] = _no_problem
    """Says what is wrong with an object, as the end of a sentence; empty where nothing is."""

    @property
    def word(self) -> str:
        """The kind of object as messages call it."""
        return self.kind.__name__.lower()


@dataclass(frozen=True, slots=True)
class Plugin(Generic[T]):
    """One object of another package."""

    object: T
    package: str
    """Name and version of the package that it comes from."""


def load_plugins(group: Group[T]) -> tuple[Plugin[T], ...]:
    """Load what other packages offer, in the order of the names; warn of what cannot be used."""
    loaded = []
    for name in sorted({point.name for point in entry_points(group.name)}):
        try:
            loaded.append(_only(group, name))
        except PluginError as problem:
            warn_once(f"{group.name} {name}", problem)
    return tuple(loaded)


def load_plugin(group: Group[T], name: str) -> Plugin[T] | None:
    """Load one object by its name, and nothing else; None where no package offers it.

    Raises:
        PluginError: two packages offer it, or it cannot be loaded.
    """
    if all(point.name != name for point in entry_points(group.name)):
        return None
    return _only(group, name)


_warned: set[str] = set()
"""What this process was warned about already."""


def warn_once(subject: str, problem: PluginError) -> None:
    """Warn that a package is left out; later problems of the same subject are not repeated."""
    if subject not in _warned:
        _warned.add(subject)
        warnings.warn(str(problem), PluginWarning, stacklevel=3)


def forget() -> None:
    """Look for packages anew, as a new process would."""
    _warned.clear()
    entry_points.cache_clear()
    _announcements.cache_clear()


@contextmanager
def blaming(package: str, doing: str) -> Iterator[None]:
    """Turn whatever another package's code raises into a PluginError that names the package.

    Such code may raise anything, so this catches everything that is not an error of ours.
    """
    try:
        yield
    except (LanescopeError, MemoryError):
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".rstrip(": ")
        raise PluginError(
            f"{doing} failed in package {package} ({reason}); update or uninstall that package"
        ) from error


@cache
def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """What the installed packages announce for a group; read once per process."""
    said = _announcements()
    if said is not None and f"[{group}]".encode() not in said:
        return ()
    from importlib.metadata import entry_points as announced

    return tuple(announced(group=group))


@cache
def _announcements() -> bytes | None:
    """What installed packages announce, as bytes; None where some may lie outside of folders.

    To parse what every package says takes `importlib.metadata` a quarter of a small report. Mostly
    none says anything for us, and that can be seen in the bytes of the files that it would parse.
    """
    if any(hasattr(one, "find_distributions") for one in sys.meta_path if one is not PathFinder):
        return None
    said = []
    for folder in sys.path:
        try:
            with os.scandir(folder or ".") as inside:
                said += [_said_by(entry.path) for entry in inside if _is_package(entry.name)]
        except FileNotFoundError:
            continue
        except OSError:  # an archive, or a folder that cannot be listed
            return None
    return b"\n".join(said)


def _is_package(name: str) -> bool:
    """Whether what is called so in a folder of modules says what a package is, in any age of it."""
    return name.lower().endswith((".dist-info", "egg-info"))


def _said_by(folder: str) -> bytes:
    try:
        with open(f"{folder}/entry_points.txt", "rb") as file:  # noqa: PTH123  (hundreds of them)
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return b""


def _only(group: Group[T], name: str) -> Plugin[T]:
    points = [point for point in entry_points(group.name) if point.name == name]
    packages = [_package(point) for point in points]
    if name in group.ours:
        raise PluginError(
            f"package {min(packages)} offers the {group.word} {name!r}, but that name is "
            "lanescope's own, so the package's is not used; uninstall the package or have it "
            "renamed there"
        )
    if len(points) > 1:
        raise PluginError(
            f"packages {' and '.join(sorted(packages))} both offer the {group.word} {name!r}, so "
            "neither is used; uninstall one of them"
        )
    [point], [package] = points, packages
    return Plugin(_loaded(group, point), package)


def _loaded(group: Group[T], point: EntryPoint) -> T:
    package = _package(point)
    with blaming(package, f"loading the {group.word} {point.name!r}"):
        offered = point.load()
    wrong = _wrong(group, point, offered)
    if wrong:
        raise PluginError(
            f"package {package} offers the {group.word} {point.name!r}, but {wrong}; update or "
            "uninstall that package"
        )
    one: T = offered
    return one


def _wrong(group: Group[T], point: EntryPoint, offered: Any) -> str:
    """Why an object that was loaded cannot be used; empty where it can."""
    if not isinstance(offered, group.kind):
        return f"{point.value} is a {type(offered).__name__}, expected a {group.kind.__name__}"
    name = getattr(offered, "name", None)
    if name != point.name:
        return f"{point.value} calls itself {name!r}, which must be the same name"
    return group.problem(offered)


def _package(point: EntryPoint) -> str:
    return f"{point.dist.name} {point.dist.version}" if point.dist is not None else point.module
