"""What a check says: findings, the account of every producer, and both for all runs of a path."""

from __future__ import annotations

from dataclasses import dataclass, field

from lanescope.render.cells import many_text
from lanescope.render.page import Section
from lanescope.render.plain import render_sections
from lanescope.results import Result

KINDS = {
    "missing": "should be there and is not",
    "dropped": "given up by its producer or by the host, which counted it",
    "unmatched": "there, without its partner",
    "duplicated": "there more than once",
    "zero": "there without its times: reserved and never written",
    "backward": "ends before it starts",
    "disordered": "its times contradict the order of things",
    "contradiction": "two files, or two parts of one, cannot both be right",
    "unreadable": "a file, or a part of it, that cannot be read",
    "unknown": "nothing says whether something is missing",
    "harmless": "worth knowing, nothing is lost",
}
"""Every kind of finding and its meaning; docs/check.md shows them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFinding(Result):
    """One thing that a check found."""

    producer: str
    """Who made what this is about: `core 3`, `scheduler 1`, `collector`, `file deps.json`, …"""
    kind: str
    """One of KINDS."""
    count: int | None = None
    """How many records, files or ranks; None where that is not known."""
    sentence: str
    """What was expected, and what is there."""
    cause: str = ""
    """Who lost it, as far as the data tell: what they rule in, and what they rule out."""
    place: str = ""
    """The folder or file below the path that was checked; empty for the path itself."""

    @property
    def is_bad(self) -> bool:
        """Whether something is lost, wrong or not known."""
        return self.kind != "harmless"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProducerAccount(Result):
    """What one producer should have delivered of one kind of record, and what is there."""

    producer: str
    records: str
    """The kind of record: `core_task`, `controller_task`, `scheduler_phase`, …"""
    expected: int | None
    """None where nothing tells how many there were."""
    delivered: int
    """Records that are there and whole."""
    missing: int = 0
    dropped: int = 0
    unmatched: int = 0
    duplicated: int = 0
    zero: int = 0
    backward: int = 0
    disordered: int = 0

    @property
    def is_whole(self) -> bool:
        """Whether all that was expected is there and whole; what nobody counted may be."""
        lost = (self.missing, self.dropped, self.unmatched, self.duplicated, self.zero)
        return self.expected in (None, self.delivered) and not any(
            (*lost, self.backward, self.disordered)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedRun(Result):
    """One run, or one folder that should hold one."""

    name: str
    place: str
    """Where it lies below the path that was checked."""
    level: int | None = None
    """How much was asked for, 1 to 4; None where no records file says it."""
    verdict: str = ""
    """What the collector says of the run's completeness; empty where it says nothing."""
    accounts: tuple[ProducerAccount, ...] = ()
    findings: tuple[CheckFinding, ...] = ()
    notes: tuple[str, ...] = field(default=())
    """What reading the files said beside that."""

    @property
    def is_whole(self) -> bool:
        """Whether nothing is lost and nothing unknown."""
        return not any(finding.is_bad for finding in self.findings)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedPath(Result):
    """What `lanescope check` found below one path."""

    DERIVED = ("nothing_lost",)

    path: str
    runs: tuple[CheckedRun, ...]
    findings: tuple[CheckFinding, ...] = ()
    """What is about several runs together, or about no run."""

    @property
    def nothing_lost(self) -> bool:
        """Whether nothing is lost and nothing is unknown."""
        return not any(finding.is_bad for finding in self.all_findings)

    @property
    def all_findings(self) -> tuple[CheckFinding, ...]:
        """Those of the path, then those of every run."""
        return (*self.findings, *(one for run in self.runs for one in run.findings))

    def sections(self) -> list[Section]:
        """The page in sections: the outcome, then a section per run."""
        from lanescope.checks.page import check_sections

        return check_sections(self)

    def text(self, width: int = 100) -> str:
        """The page as plain text, ending in a newline."""
        return render_sections(self.sections(), width)

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        bad = sum(one.is_bad for one in self.all_findings)
        told = "nothing lost" if not bad else many_text(bad, "finding")
        return f"<CheckedPath {self.path!r}: {many_text(len(self.runs), 'run')}, {told}>"
