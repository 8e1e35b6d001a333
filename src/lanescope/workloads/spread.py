"""How the lengths of one function's tasks are spread, and why that is believed."""

from __future__ import annotations

from dataclasses import dataclass

from lanescope.errors import UsageError

BASES = ("published", "measured", "fitted", "assumed")
"""Where a value comes from: a document says it; it was measured; it was chosen so that a known
total is met; it is a guess."""
_MOST_NS = 10**12


@dataclass(frozen=True, slots=True, kw_only=True)
class LengthSpread:
    """A bell curve around each task's own length, or lengths that were recorded.

    A function without a LengthSpread has fixed lengths.
    """

    sigma_ns: float = 0.0
    """Standard deviation of the bell curve; better a robust one, see `robust_sigma_ns`."""
    sample_ns: tuple[int, ...] = ()
    """Recorded lengths: each unit takes one of them by chance, whatever the task's own length."""
    basis: str = "assumed"
    """One of BASES."""
    source: str = ""
    """The document or the measurement that it comes from."""

    @property
    def sigma_ps(self) -> float:
        """The standard deviation in ps, a whole number."""
        return float(round(self.sigma_ns * 1000))

    def check(self, function: str) -> None:
        """Refuse a spread that no draw can follow."""
        if self.basis not in BASES:
            raise UsageError(
                f"the spread of function {function}: expected a basis ({', '.join(BASES)}), "
                f"found {self.basis!r}"
            )
        if bool(self.sample_ns) == bool(self.sigma_ns):
            raise UsageError(
                f"the spread of function {function}: expected either sigma_ns or sample_ns, found "
                + ("both" if self.sample_ns else "neither")
            )
        for length in (self.sigma_ns, *self.sample_ns):
            if not 0 <= length <= _MOST_NS:
                raise UsageError(
                    f"the spread of function {function}: expected ns from 0 to {_MOST_NS:,}, "
                    f"found {length}"
                )
