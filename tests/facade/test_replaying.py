"""`what_if` and `corrected` ask the replay for what is named; the replay is made by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.analyze.hand import make_trace

from lanescope.facade import replays
from lanescope.facade.replays import corrected, what_if
from lanescope.replay.asked import AskedChanges

TRACE = make_trace()


@dataclass
class Replay:
    """Stands in for the replay, and notes what it is asked."""

    changes: tuple[str, ...] = ("QK x0.5",)
    refused: str = ""
    asked: AskedChanges | None = None
    wanted: tuple[list[Any], bool] | None = None
    stored: tuple[Any, Any] | None = None
    ranked_over: list[str] | None = None

    def changes_of(self, asked: AskedChanges, replica: str) -> list[str]:
        assert replica == "replica"
        self.asked = asked
        return list(self.changes)

    def together(self, changes: list[str]) -> Any:
        return SimpleNamespace(name=" and ".join(changes), apply=lambda replica: f"{replica}'")

    def what_if(self, replica: str, wanted: list[Any], *, anyway: bool) -> Any:
        self.wanted = ([getattr(one, "name", one) for one in wanted], anyway)
        return SimpleNamespace(refused=self.refused, honesty=-0.0125)

    def ranked(self, answer: Any, tried: list[str]) -> Any:
        self.ranked_over = tried
        return "ranked"

    def save(self, trace: Any, place: Any) -> None:
        self.stored = trace, str(place)


@pytest.fixture
def replay(monkeypatch: pytest.MonkeyPatch) -> Replay:
    made = Replay()
    monkeypatch.setattr(AskedChanges, "changes", lambda self, to: made.changes_of(self, to))
    monkeypatch.setattr(replays, "nearest_replica", lambda trace: "replica")
    monkeypatch.setattr(replays, "together", made.together)
    monkeypatch.setattr(replays, "rank_changes", lambda replica: ["one more core"])
    monkeypatch.setattr(replays, "asking", made)
    monkeypatch.setattr(replays, "crowding_of", lambda replica: f"crowd of {replica}")
    monkeypatch.setattr(replays, "replay_crowded", lambda *words: words)
    monkeypatch.setattr(replays, "replayed_trace", lambda *words, **more: (*words, more))
    monkeypatch.setattr(replays, "ranked", made.ranked)
    monkeypatch.setattr(replays, "save", made.save)
    return made


def test_without_a_change_only_the_replay_itself_is_asked_for(replay: Replay) -> None:
    replay.changes = ()
    what_if(TRACE)
    assert replay.asked == AskedChanges()
    assert (replay.wanted, replay.ranked_over, replay.stored) == (([], False), [], None)


def test_every_change_arrives_and_all_are_one(replay: Replay) -> None:
    replay.changes = ("a", "b")
    answer: Any = what_if(
        TRACE,
        scale={"QK": 0.5},
        cores={"aiv": 64},
        schedulers=2,
        pre_dispatch=0,
        dispatch_cost=1.5,
        submit_scale=3.0,
        drop_edge=["A:B"],
        buffers=(4, 32),
        without_preemption=True,
        anyway=True,
    )
    assert replay.asked == AskedChanges(
        scale={"QK": 0.5},
        cores={"aiv": 64},
        schedulers=2,
        pre_dispatch=0,
        dispatch_cost=1.5,
        submit_scale=3.0,
        drop_edge=["A:B"],
        buffers=(4, 32),
        without_preemption=True,
    )
    assert (replay.wanted, answer) == ((["a and b"], True), "ranked")


@pytest.mark.parametrize(
    ("buffers", "asked"), [(3, (3, None)), ((3, None), (3, None)), (None, None)]
)
def test_a_number_of_buffers_leaves_their_size(
    buffers: Any, asked: tuple[int, int | None] | None, replay: Replay
) -> None:
    what_if(TRACE, buffers=buffers)
    assert replay.asked is not None
    assert replay.asked.buffers == asked


def test_usual_changes_are_tried_behind_what_is_asked(replay: Replay) -> None:
    what_if(TRACE, rank=True)
    assert replay.wanted == (["QK x0.5", "one more core"], False)
    assert replay.ranked_over == ["one more core"]
    replay.changes = ()
    what_if(TRACE, rank=True)
    assert replay.wanted == (["one more core"], False)


def test_the_changed_replay_is_stored_with_how_far_off_it_may_be(
    replay: Replay, tmp_path: Path
) -> None:
    what_if(TRACE, output=tmp_path / "half.lanes")
    note = (
        "A replay (QK x0.5), not a recording; the unchanged replay is -1.25 % off the recorded "
        "makespan."
    )
    made = ("replica'", "crowd of replica")
    assert replay.stored == (
        ("replica'", made, {"name": "half", "note": note}),
        str(tmp_path / "half.lanes"),
    )


def test_what_is_refused_is_neither_stored_nor_ranked(replay: Replay, tmp_path: Path) -> None:
    replay.refused = "too far off"
    answer: Any = what_if(TRACE, rank=True, output=tmp_path / "half.lanes")
    assert (answer.refused, replay.stored, replay.ranked_over) == ("too far off", None, None)


def test_costs_come_from_the_file_or_the_run_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replays, "costs_for", lambda trace, path: path)
    correcting = SimpleNamespace(corrected=lambda trace, costs: (trace, costs))
    monkeypatch.setattr(replays, "correcting", correcting)
    found: list[Any] = [corrected(TRACE), corrected(TRACE, "costs.json")]
    assert found == [(TRACE, None), (TRACE, Path("costs.json"))]
