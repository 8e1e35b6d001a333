"""The score by room, the survivors, and whether it is enough."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from tools.mutate.change import HERE, Change, room_of

LEAST_IN_ROOM = 0.80
LEAST_OVERALL = 0.85


@dataclass(frozen=True)
class Outcome:
    """What became of a change, and a detail."""

    NOTICED: ClassVar[str] = "noticed"
    SURVIVED: ClassVar[str] = "survived"
    UNSEEN: ClassVar[str] = "no test runs it"
    EQUIVALENT: ClassVar[str] = "equivalent"
    NO_CHANGE: ClassVar[str] = "does not compile"
    BROKEN: ClassVar[str] = "its tests fail unchanged"

    word: str
    detail: str = ""


class Scores:
    """Outcomes so far, by room."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.outcomes: dict[str, list[tuple[Change, Outcome]]] = {}
        known = tomllib.loads((HERE / "equivalent.toml").read_text())["equivalent"]
        self.reasons = {(one["file"], one["was"], one["becomes"]): one["reason"] for one in known}

    def equivalent(self, change: Change) -> Outcome | None:
        """The reason why no test can notice a change, where `equivalent.toml` has one."""
        reason = self.reasons.get((change.file, change.was, change.becomes))
        return Outcome(Outcome.EQUIVALENT, reason) if reason else None

    def add(self, change: Change, outcome: Outcome) -> None:
        """Counts an outcome."""
        self.outcomes.setdefault(room_of(change.file), []).append((change, outcome))

    def count(self, *words: str, room: str | None = None) -> int:
        """How many changes ended so, in a room or overall."""
        return sum(
            outcome.word in words
            for name, outcomes in self.outcomes.items()
            if room in (None, name)
            for _, outcome in outcomes
        )

    def share(self, room: str | None = None) -> float:
        """Noticed changes among those that matter; 1.0 of none."""
        noticed = self.count(Outcome.NOTICED, room=room)
        matter = noticed + self.count(Outcome.SURVIVED, Outcome.UNSEEN, room=room)
        return noticed / matter if matter else 1.0

    def page(self) -> str:
        """Survivors, then a line per room and one for all."""
        lines = ["", "Not noticed:"]
        for room in sorted(self.outcomes):
            for change, outcome in self.outcomes[room]:
                if outcome.word in (Outcome.SURVIVED, Outcome.UNSEEN):
                    said = f"{outcome.word} {outcome.detail}".strip()
                    lines.append(f"  {change.text}  ({said})")
        lines += [
            "",
            f"{'room':<12}{'noticed':>9}{'of':>6}{'share':>9}{'equivalent':>12}{'broken':>8}",
        ]
        lines += [self._line(room, room) for room in sorted(self.outcomes)]
        lines.append(self._line("all", None))
        return "\n".join(lines)

    def _line(self, title: str, room: str | None) -> str:
        noticed = self.count(Outcome.NOTICED, room=room)
        matter = noticed + self.count(Outcome.SURVIVED, Outcome.UNSEEN, room=room)
        equivalent = self.count(Outcome.EQUIVALENT, room=room)
        broken = self.count(Outcome.BROKEN, room=room)
        share = f"{100 * self.share(room):.0f} %"
        return f"{title:<12}{noticed:>9}{matter:>6}{share:>9}{equivalent:>12}{broken:>8}"

    def exit_code(self) -> int:
        """1 where a room or all rooms together have too few noticed changes, or tests fail."""
        enough = all(self.share(room) >= LEAST_IN_ROOM for room in self.outcomes)
        whole = self.share() >= LEAST_OVERALL and not self.count(Outcome.BROKEN)
        return 0 if enough and whole else 1
