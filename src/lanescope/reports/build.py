"""The report of a trace: the answers of every analysis in the registry, computed once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from lanescope.analyze.analysis import Analysis, Answers, Basis
from lanescope.analyze.cores.makespan import makespan
from lanescope.analyze.graph.nodes import nodes
from lanescope.analyze.registry import analyses
from lanescope.render.page import Section
from lanescope.render.plain import render_sections
from lanescope.trace.lane_summary import lane_numbers, ran_text
from lanescope.trace.trace import Trace
from lanescope.trace.vocabulary import vocabulary

if TYPE_CHECKING:
    from lanescope.analyze.streams.basis import StreamBasis

REPORT_VERSION = 1
"""Version of the JSON. It rises when a key changes its meaning, not when a key is added."""

_FEW_ROWS = 50_000
"""Up to so many rows two threads take longer: they hand Python's lock to each other."""
_SHORT = (
    *("capture", "verdict", "breakdown", "units", "rounds", "launched", "functions", "kernels"),
    "slices",
    *("critical", "critical_path", "losses"),
)
"""Order of the short page; what is not named comes last."""


class Report(Answers):
    """The answers to all questions about one trace.

    `report.verdict`, `report.makespan`, … are the answers by name; `dir(report)` lists them.
    """

    def sections(self, only: Collection[str] = ()) -> list[Section]:
        """The sections of all answers in reading order, or of those that `only` names.

        An answer may have none.
        """
        asked = self._in_order()
        if only:
            mine = [analysis for analysis in asked if analysis.name in only]
            parts = [analysis.sections(self.of(analysis), self) for analysis in mine]
            return [section for part in parts for section in part]
        parts = [
            *(analysis.opening(self.of(analysis), self) for analysis in asked),
            *(analysis.sections(self.of(analysis), self) for analysis in asked),
            *(analysis.closing(self.of(analysis), self) for analysis in asked),
        ]
        return [section for part in parts for section in part]

    def text(self, width: int = 100) -> str:
        """The sections as plain text, ending in a newline.

        A table that is wider than `width` letters is cut into pieces below each other.
        """
        return render_sections(self.sections(), width)

    def short_sections(self) -> list[Section]:
        """What everybody should read, for one screen: warnings, then a few lines per answer."""
        asked = self._in_order()
        parts = [
            *(analysis.opening(self.of(analysis), self) for analysis in asked),
            *(analysis.brief(self.of(analysis), self) for analysis in sorted(asked, key=_rank)),
        ]
        return [section for part in parts for section in part]

    def short(self, width: int = 100) -> str:
        """The short page as plain text, ending in a newline."""
        return render_sections(self.short_sections(), width)

    def to_dict(self) -> dict[str, Any]:
        """Every figure by analysis, as plain values.

        Times are whole nanoseconds, shares are fractions of 1, None is not known.
        """
        figures = {one.name: one.to_dict(self.of(one)) for one in self._answered()}
        return {"report_version": REPORT_VERSION, **figures}

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        names = ", ".join(one.name for one in self._answered())
        return f"<Report of {self.capture.name!r}: {names}>"

    def _in_order(self) -> list[Analysis[Any]]:
        return sorted(self._answered(), key=lambda analysis: analysis.place)

    def _answered(self) -> list[Analysis[Any]]:
        every = analyses(self.vocabulary.family)
        return [analysis for analysis in every if analysis.name in self._by_name]


def _rank(analysis: Analysis[Any]) -> int:
    return _SHORT.index(analysis.name) if analysis.name in _SHORT else len(_SHORT)


def build_report(trace: Trace, also: Collection[str] = (), *, detail: bool = True) -> Report:
    """The report of a trace; `also` names analyses that are answered on request only.

    What the trace's lanes are decides which questions can be asked. Without `detail` it has the
    answers of the short page only.

    Two analyses run at a time, because numpy and the C library let go of Python's lock.
    """
    rows = len(trace.tasks) + len(trace.phases) + len(trace.edges)
    with _AtOnce() if rows <= _FEW_ROWS else ThreadPoolExecutor(max_workers=2) as pool:
        span, graph = pool.submit(makespan, trace), pool.submit(nodes, trace)
        words = vocabulary(trace)
        streams = _stream_basis(trace) if words.family == "streams" else None
        possible = [one for one in analyses(words.family) if words.family in one.families]
        basis = Basis(trace, graph, span.result(), streams, detail=detail)
        asked = [one for one in possible if _is_asked(one, also, detail)]
        large = deque(analysis for analysis in asked if analysis.large)
        small = deque(analysis for analysis in asked if not analysis.large)
        # The thread that is free first begins with what needs no graph.
        both = [pool.submit(_answer, basis, small), pool.submit(_answer, basis, large, small)]
        answers = {name: answer for part in both for name, answer in part.result()}
    return Report(answers, words, "" if words.family == "cores" else ran_text(lane_numbers(trace)))


class _AtOnce(Executor):
    """Runs what it is given at once, in the thread that gives it."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Return a future that is there already."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


def _stream_basis(trace: Trace) -> StreamBasis:
    from lanescope.analyze.streams.basis import stream_basis

    return stream_basis(trace)


def _is_asked(analysis: Analysis[Any], also: Collection[str], detail: bool) -> bool:
    if analysis.on_request:
        return analysis.name in also
    return detail or not analysis.detail


def _answer(basis: Basis, *queues: deque[Analysis[Any]]) -> list[tuple[str, Any]]:
    """Names and answers of the analyses that this thread took from the queues.

    It takes until the queues are empty. Two threads may take from the same queue.
    """
    answers = []
    for queue in queues:
        while queue:
            try:
                analysis = queue.popleft()
            except IndexError:
                break
            answers.append((analysis.name, analysis.answer(basis)))
    return answers
