"""An analysis: one object with a question, the function that answers it, its sections and its JSON.

A new analysis is a file with an `Analysis` in it and a line in `registry.py`. Another package names
its own in the entry point group `lanescope.analyses`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from lanescope.analyze.graph.nodes import Nodes
from lanescope.render.page import Section
from lanescope.results import plain
from lanescope.trace.trace import Trace
from lanescope.trace.vocabulary import CORES, FAMILIES, Family, Vocabulary

if TYPE_CHECKING:
    from lanescope.analyze.cores.makespan import Makespan, Span
    from lanescope.analyze.cores.waiting import CoreActivity
    from lanescope.analyze.streams.basis import StreamBasis

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True, eq=False)
class Basis:
    """A trace, and what several questions need of it. It is computed once and shared."""

    trace: Trace
    nodes: Nodes | Future[Nodes]
    """The task graph, which may be in the making; questions ask for `graph`."""
    makespan: Makespan
    """How long the run took."""
    streams: StreamBasis | None = None
    """What questions about streams share; None where it was not asked for."""
    activity: CoreActivity | None = None
    """What the cores did, made for several questions; None where each makes its own."""
    detail: bool = True
    """Whether figures are wanted that the short page does not print."""

    @property
    def graph(self) -> Nodes:
        """The task graph. The first questions that need it wait for it."""
        return self.nodes if isinstance(self.nodes, Nodes) else self.nodes.result()

    def of_streams(self) -> StreamBasis:
        """What questions about streams share."""
        if self.streams is not None:
            return self.streams
        from lanescope.analyze.streams.basis import stream_basis

        return stream_basis(self.trace)

    @property
    def window(self) -> Span | None:
        """The time that the report is about; None when no task has times."""
        return self.makespan.window


class Answers:
    """The answers to all questions about one trace: `answers.verdict`, `answers["verdict"]`."""

    def __init__(
        self, by_name: Mapping[str, Any], vocabulary: Vocabulary = CORES, ran: str = ""
    ) -> None:
        self._by_name = dict(by_name)
        self._vocabulary, self._ran = vocabulary, ran

    @property
    def vocabulary(self) -> Vocabulary:
        """What lanes, tasks and functions of the trace are called."""
        return self._vocabulary

    @property
    def ran(self) -> str:
        """What ran on lanes that are no cores, in words; empty for cores."""
        return self._ran

    def of(self, analysis: Analysis[Answer]) -> Answer:
        """The answer to one question, with the type that the analysis says."""
        answer: Answer = self._by_name[analysis.name]
        return answer

    def __getitem__(self, name: str) -> Any:
        return self._by_name[name]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in self._by_name:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        return self._by_name[name]

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._by_name]


def _no_sections(answer: Any, answers: Answers) -> Sequence[Section]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Analysis(Generic[Answer]):
    """One question about a trace, and everything that a report does with it."""

    name: str
    """Its key in the JSON of a report, and the name of its attribute of a `Report`."""
    question: str
    """The question in one sentence, for the documentation."""
    answer: Callable[[Basis], Answer]
    """Computes the answer: a frozen dataclass, or a tuple of them."""
    keys: str
    """The keys of its JSON in words, for the documentation."""
    sections: Callable[[Answer, Answers], Sequence[Section]] = _no_sections
    """Makes the sections of the answer. It may look at the other answers."""
    opening: Callable[[Answer, Answers], Sequence[Section]] = _no_sections
    """Makes sections that stand before all others: what to know before reading a figure."""
    closing: Callable[[Answer, Answers], Sequence[Section]] = _no_sections
    """Makes sections that stand behind all others."""
    brief: Callable[[Answer, Answers], Sequence[Section]] = _no_sections
    """Makes what stands on the short page: a few lines. None: it is on the full page only."""
    place: int = 1000
    """Orders the sections of all analyses: smaller comes first."""
    large: bool = False
    """Whether it needs much memory. No two large analyses run at the same time."""
    families: frozenset[Family] = FAMILIES
    """Of which traces it can be asked, by what their lanes are."""
    on_request: bool = False
    """Whether a report answers it only when its name is asked for: `build_report(also=…)`."""
    detail: bool = False
    """Whether the short page can do without it: it has no lines there and no other asks for it."""

    def to_dict(self, answer: Answer) -> Any:
        """The answer as plain dicts and lists."""
        return plain(answer)
