"""Every importer and exporter there is: those of the registry, and those of other packages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from lanescope.errors import PluginError, UsageError
from lanescope.formats.exporter import Exporter, ExportOptions
from lanescope.formats.importer import Importer
from lanescope.formats.registry import EXPORTERS, IMPORTERS
from lanescope.formats.written import Export
from lanescope.plugins import Group, Plugin, blaming, load_plugin, load_plugins

if TYPE_CHECKING:
    from lanescope.formats.bundle import Bundle
    from lanescope.formats.look import FileLook
    from lanescope.trace import Trace

T = TypeVar("T", Importer, Exporter)

AUTO = "auto"
"""In place of an importer's name: the content tells."""


def _foreign_option(one: Importer | Exporter) -> str:
    """What is wrong with the options of another package's format, or an empty text.

    They begin with the format's name, so that no two formats have the same option.
    """
    prefix = f"{one.name}_".replace("-", "_")
    for option in one.options:
        if not option.name.startswith(prefix):
            return f"its option {option.name!r} does not begin with {prefix!r}"
    return ""


_IMPORTERS = Group(
    "lanescope.importers",
    Importer,
    ours=frozenset({AUTO, *(one.name for one in IMPORTERS)}),
    problem=_foreign_option,
)
_EXPORTERS = Group(
    "lanescope.exporters",
    Exporter,
    ours=frozenset(one.name for one in EXPORTERS),
    problem=_foreign_option,
)


def importers() -> tuple[Importer, ...]:
    """Every importer: ours, then those of other packages by name."""
    return *IMPORTERS, *(_guarded_importer(one) for one in load_plugins(_IMPORTERS))


def exporters() -> tuple[Exporter, ...]:
    """Every exporter: ours, then those of other packages by name."""
    return *EXPORTERS, *(_guarded_exporter(one) for one in load_plugins(_EXPORTERS))


def importer(name: str) -> Importer:
    """The importer of that name; of other packages only the one that offers it is loaded."""
    ours = _named(IMPORTERS, name)
    if ours is not None:
        return ours
    other = load_plugin(_IMPORTERS, name)
    if other is None:
        known = ", ".join((AUTO, *(one.name for one in importers())))
        raise UsageError(f"no importer for format {name!r}; there are {known}")
    return _guarded_importer(other)


def exporter(name: str) -> Exporter:
    """The exporter of that name; of other packages only the one that offers it is loaded."""
    ours = _named(EXPORTERS, name)
    if ours is not None:
        return ours
    other = load_plugin(_EXPORTERS, name)
    if other is None:
        known = ", ".join(one.name for one in exporters())
        raise UsageError(f"no exporter for format {name!r}; there are {known}")
    return _guarded_exporter(other)


def _named(entries: Iterable[T], name: str) -> T | None:
    return next((one for one in entries if one.name == name), None)


def _guarded_importer(plugin: Plugin[Importer]) -> Importer:
    """An importer of another package; what its functions raise names that package."""
    inner, package = plugin.object, plugin.package
    told_by = inner.recognises

    def recognises(look: FileLook) -> str | None:
        assert told_by is not None
        with blaming(package, f"looking into {look.path} for format {inner.name!r}"):
            kind = told_by(look)
        if kind is not None and kind not in (*inner.main_kinds, *inner.companions, *inner.many):
            raise PluginError(
                f"the importer {inner.name!r} of package {package} calls {look.path} a file of "
                f"kind {kind!r}, which it does not have; update or uninstall that package"
            )
        return kind

    def read(bundle: Bundle) -> Iterator[Trace]:
        with blaming(package, f"reading {bundle.place} as format {inner.name!r}"):
            yield from inner.read(bundle)

    guarded = replace(inner, package=package, read=read)
    return guarded if told_by is None else replace(guarded, recognises=recognises)


def _guarded_exporter(plugin: Plugin[Exporter]) -> Exporter:
    """An exporter of another package; what its function raises names that package."""
    inner, package = plugin.object, plugin.package

    def write(trace: Trace, path: Path, options: ExportOptions) -> Export:
        with blaming(package, f"writing {path} as format {inner.name!r}"):
            written = inner.write(trace, path, options)
        if not isinstance(written, Export):
            raise PluginError(
                f"the exporter {inner.name!r} of package {package} returned "
                f"{type(written).__name__}, expected an Export; update or uninstall that package"
            )
        return written

    return replace(inner, package=package, write=write)
