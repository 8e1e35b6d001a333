"""Names and work of functions, by their id."""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.analyze.columns.core_kinds import UNKNOWN
from lanescope.trace.schema import MISSING32
from lanescope.trace.trace import Trace


@dataclass(frozen=True, slots=True)
class FunctionNames:
    """What functions are called and what they do."""

    known: dict[int, tuple[str, str]]

    @classmethod
    def of(cls, trace: Trace) -> FunctionNames:
        """Those of a trace."""
        texts = (trace.text("functions", column) for column in ("name", "work"))
        pairs = zip(*texts, strict=True)
        return cls(dict(zip(trace.functions["func"].tolist(), pairs, strict=True)))

    def name(self, func: int) -> str:
        """The name of a function."""
        if func == MISSING32:
            return UNKNOWN
        return self.known.get(func, ("", ""))[0] or f"func_{func}"

    def work(self, func: int) -> str:
        """What sort of work it does; empty where that is not known."""
        return self.known.get(func, ("", ""))[1]
