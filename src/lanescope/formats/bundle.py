"""The files of one run, as a reader gets them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from lanescope.formats.detect import Detected
    from lanescope.trace import Meta, Source


@dataclass(frozen=True, slots=True)
class ImportAccount:
    """What an import says beside its trace, to whoever called it; it is not stored."""

    values: Mapping[str, Any]
    """For machines: keys that join those of the trace in the JSON."""
    lines: tuple[str, ...]
    """For people."""


def _unheard(account: ImportAccount) -> None:
    """Nobody asked for the account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """One run to be read: its files and what the user said about them."""

    name: str
    """What the trace is to be called."""
    files: Mapping[str, Detected]
    """Kind to file; the main file comes first where there is one."""
    several: Mapping[str, tuple[Detected, ...]] = field(default_factory=dict)
    """Kind to files, for the kinds of which a run may have several."""
    folder: Path | None = None
    """The folder below which all is one trace; then `files` is empty."""
    named: bool = False
    """Whether the user named the main file; then files beside it complete it and are nothing else.
    """
    notes: tuple[str, ...] = ()
    """Sentences about files that were left out; the trace keeps them."""
    keep_damaged: bool = False
    """Keep records that are duplicate, backward or cyclic, and flag them."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The importer's own options by name, parsed; those not given are absent."""
    tell: Callable[[ImportAccount], None] = _unheard
    """Takes what is to be said beside the trace. Notes and losses go into the trace instead."""

    @property
    def main(self) -> Detected:
        """The main file, or the first companion where there is none."""
        return next(iter(self.files.values()))

    @property
    def place(self) -> Path:
        """What is read: the folder where all below it is one trace, else the first file."""
        return self.folder if self.folder is not None else self._listed()[0].path

    def meta(self, **facts: Any) -> Meta:
        """What a trace of these files says about itself, with the start and end of tasks only.

        `facts` are further fields of `Meta`.
        """
        from lanescope import __version__
        from lanescope.trace import Meta

        return Meta(
            name=self.name,
            tool=f"lanescope {__version__}",
            origin="imported",
            sources=self.sources(),
            level=1,
            flags=1,
            **facts,
        )

    def sources(self) -> tuple[Source, ...]:
        """The files as a trace lists where it comes from."""
        from lanescope.formats.json_file import storable
        from lanescope.trace import Source

        return tuple(Source(storable(f.path), f.kind, f.bytes) for f in self._listed())

    def _listed(self) -> list[Detected]:
        return [*self.files.values(), *(f for some in self.several.values() for f in some)]
