"""Which rows of two ranks are the same collective."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from tests.jobs.hand_made import Made, Row, job_of

from lanescope.jobs.arrivals import MESSAGE, TOGETHER
from lanescope.jobs.counted import _renumbered
from lanescope.jobs.matching import _group_names, match
from lanescope.trace.schema import MISSING


def test_group_and_number_are_the_key() -> None:
    one = Made([Row(0, 0, 10), Row(1, 20, 30)])
    other = Made([Row(1, 21, 31), Row(2, 40, 50)])
    found = job_of(one, other).arrivals
    assert found.sequence.tolist() == [1]
    assert found.start.tolist() == [20, 21]
    assert found.alone == 2


def test_groups_of_one_name_and_other_ranks_are_different() -> None:
    rows = [Row(0, 0, 10, peers="0,1", size=2), Row(0, 50, 60, peers="2,3", size=2)]
    job = job_of(Made(rows[:1]), Made(rows[:1]), Made(rows[1:]), Made(rows[1:]))
    assert job.arrivals.rank.tolist() == [0, 1, 2, 3]
    assert len(job.arrivals) == 2


def test_a_name_that_stands_for_several_groups_is_left_out() -> None:
    row = Row(0, 0, 10, group="tp", size=2)
    job = job_of(*(Made([row]) for _ in range(4)))
    assert len(job.arrivals) == 0
    assert (
        "more ranks have their group and number than the group has members"
        in (job.arrivals.notes[0])
    )


def test_a_row_that_is_there_twice_is_left_out_and_told() -> None:
    twice = Made([Row(0, 0, 10), Row(0, 20, 30)])
    found = job_of(twice, Made([Row(0, 1, 11)])).arrivals
    assert found.end.tolist() == [10, 11]
    assert found.notes[0].startswith("Left out: 1 row of collectives.")


def test_streams_have_other_numbers_on_other_ranks() -> None:
    def rows(first: int, second: int) -> Made:
        one = Row(0, 0, 10, group=f"stream {first}: allreduce", matched="stream", stream=first)
        other = Row(
            0, 100, 110, group=f"stream {second}: allreduce", matched="stream", stream=second
        )
        return Made([one, other])

    found = job_of(rows(20, 24), rows(31, 77)).arrivals
    assert found.start.reshape(2, 2).tolist() == [[0, 0], [100, 100]]


def test_a_message_is_matched_by_sender_and_receiver() -> None:
    send = Row(5, 0, 10, kind="send", source=0, target=1, peers="0,1")
    receive = replace(send, kind="recv", start=3, end=12, peers="0,1,2,3")
    found = job_of(Made([send]), Made([receive])).arrivals
    assert found.tie.tolist() == [MESSAGE]
    assert (found.size.tolist(), found.complete.tolist()) == ([2], [True])
    assert found.root.tolist() == [0]
    assert found.kinds[found.kind[0]] == "message"


def test_counted_messages_are_counted_in_each_direction() -> None:
    def row(k: int, kind: str, source: int, target: int, start: int) -> Row:
        return Row(k, start, start + 9, kind=kind, source=source, target=target, matched="group")

    one = Made([row(0, "send", 0, 1, 0), row(1, "recv", 1, 0, 50), row(2, "send", 0, 1, 100)])
    other = Made([row(0, "recv", 0, 1, 2), row(1, "send", 1, 0, 48), row(2, "recv", 0, 1, 103)])
    found = job_of(one, other).arrivals
    assert sorted(found.start.reshape(-1, 2).tolist()) == [[0, 2], [50, 48], [100, 103]]


def test_a_rank_that_was_recorded_later_counts_from_there() -> None:
    random = np.random.default_rng(1)
    ends = np.cumsum(random.integers(50_000, 150_000, 40))
    whole = Made([Row(k, end - 1000, end, matched="group") for k, end in enumerate(ends.tolist())])
    late = Made(
        [
            Row(k, end + 700_000 - 900, end + 700_000, matched="group")
            for k, end in enumerate(ends[3:].tolist())
        ]
    )
    found = job_of(whole, late).arrivals
    assert len(found) == 37
    assert set((found.end[1::2] - found.end[::2]).tolist()) == {700_000}
    assert "rank 1 by +3" in found.notes[0]


def test_numbers_of_the_source_are_never_moved() -> None:
    ends = np.cumsum(np.random.default_rng(2).integers(50_000, 150_000, 20)).tolist()
    one = Made([Row(k, end - 1000, end) for k, end in enumerate(ends)])
    other = Made([Row(k, end - 1000, end) for k, end in enumerate(ends[2:])])
    assert job_of(one, other).arrivals.notes == ()


def test_kinds_that_end_together() -> None:
    job = job_of(Made([Row(0, 0, 10, kind="barrier")]), Made([Row(0, 0, 10, kind="barrier")]))
    assert job.arrivals.tie.tolist() == [TOGETHER]


def names(*ranks: Made) -> list[str]:
    found = job_of(*ranks).arrivals
    return [found.groups[group] for group in found.group]


def test_groups_have_one_name_on_all_ranks() -> None:
    """With the ranks of the group where they are known; those of a message are its two ends."""
    rows = [Row(0, 0, 9, group="tp", peers="0,1"), Row(0, 20, 29, group="dp")]
    assert sorted(names(Made(rows), Made(rows))) == ["dp", "tp [0,1]"]
    send = Row(0, 0, 9, group="pp", peers="0,1", kind="send", source=0, target=1)
    assert names(Made([send]), Made([replace(send, kind="recv", peers="")])) == ["pp"]


def test_streams_are_told_apart_where_an_operation_has_several() -> None:
    def rank(*queues: int) -> Made:
        return Made([
            Row(0, 100 * k, 100 * k + 9, group=f"stream {queue}: allreduce", matched="stream",
                stream=queue)
            for k, queue in enumerate(queues)
        ])  # fmt: skip

    assert names(rank(7), rank(9)) == ["allreduce"]
    assert names(rank(7, 8), rank(3, 9)) == ["allreduce, stream 1", "allreduce, stream 2"]


def test_a_collective_has_the_most_of_what_its_ranks_say() -> None:
    one = [Row(3, 0, 9, size=2, kind="broadcast", source=1)]
    other = [Row(3, 1, 9, kind="broadcast", source=1)]
    found = job_of(Made(one), Made(other)).arrivals
    assert (found.size.tolist(), found.root.tolist(), found.present.tolist()) == ([2], [1], [2])
    assert (found.complete.tolist(), found.alone, found.notes) == ([True], 0, ())
    assert found.title(0) == "broadcast 3 of world"


def test_a_root_that_is_not_here_is_not_known() -> None:
    rows = [Row(0, 0, 9, kind="broadcast", source=7)]
    assert job_of(Made(rows), Made(rows)).arrivals.root.tolist() == [-1]
    named = job_of(Made(rows), Made(rows), numbers=[4, 7]).arrivals
    assert named.root.tolist() == [1]


def test_a_group_that_misses_a_rank_is_not_complete() -> None:
    rows = [Row(0, 0, 9, size=3), Row(1, 20, 29)]
    found = job_of(Made(rows), Made(rows)).arrivals
    assert found.complete.tolist() == [False, True]
    part = found.of(np.array([False, True]))
    assert (part.sequence.tolist(), part.first.tolist(), part.start.tolist()) == (
        [1],
        [0, 2],
        [20, 20],
    )
    assert part.collective.tolist() == [0, 0]


def test_numbers_go_on_before_and_behind_the_reference() -> None:
    """Rows of a rank that begins two operations earlier, and of one that ends two later."""
    sequence = np.array([10, 11, 12, 10, 11, 12, 13, 14])
    reference, part = np.arange(3), np.arange(3, 8)
    early = _renumbered(sequence, part, reference, -2)
    assert early.tolist()[:3] == [8, 9, 10]
    assert _renumbered(sequence, part[:3], reference, 2).tolist() == [12, 13, 14]


def test_of_any_rank_the_second_row_with_one_number_is_left_out() -> None:
    once, twice = Made([Row(0, 1, 11)]), Made([Row(0, 0, 10), Row(0, 20, 30), Row(1, 40, 50)])
    found = job_of(once, once, twice).arrivals
    assert (found.rank.tolist(), found.end.tolist()) == ([0, 1, 2], [11, 11, 10])
    assert found.notes[0].startswith("Left out: 1 row of collectives.")
    assert found.alone == 1


def test_the_bytes_are_the_most_that_a_rank_put_in_where_one_says_it() -> None:
    made = Made([Row(0, 0, 10), Row(1, 20, 30)])
    job = job_of(made, made)
    ranks = []
    for rank, known in zip(job.ranks, ([64, MISSING], [96, MISSING]), strict=True):
        arrivals = replace(rank.facts.arrivals, bytes=np.array(known))
        ranks.append(replace(rank, facts=replace(rank.facts, arrivals=arrivals)))
    assert match(replace(job, ranks=tuple(ranks))).bytes.tolist() == [96, MISSING]


def test_messages_that_two_ranks_see_in_another_order_are_the_same_two() -> None:
    """Rank 0 sends first, and so does rank 1; both count the two messages from 0."""

    def row(k: int, kind: str, source: int, start: int) -> Row:
        return Row(
            k, start, start + 9, kind=kind, source=source, target=1 - source, matched="group"
        )

    one = Made([row(0, "send", 0, 0), row(1, "recv", 1, 50)])
    other = Made([row(0, "send", 1, 3), row(1, "recv", 0, 60)])
    found = job_of(one, other).arrivals
    assert (found.sequence.tolist(), found.start.tolist()) == ([0, 0], [0, 60, 50, 3])


@pytest.mark.parametrize(
    ("words", "group", "peers", "is_message", "name"),
    [
        (("tp", "0,1"), 0, 1, False, "tp [0,1]"),
        (("0,1", "tp"), 1, 0, False, "tp [0,1]"),
        (("0,1", "tp"), 1, 0, True, "tp"),
        (("tp",), 0, -1, False, "tp"),
        (("0,1",), -1, 0, False, " [0,1]"),
        (("tp",), -1, -1, False, ""),
    ],
)
def test_a_name_is_made_of_the_words_that_are_known(
    words: tuple[str, ...], group: int, peers: int, is_message: bool, name: str
) -> None:
    rows: Any = SimpleNamespace(
        words=words,
        **{key: np.array([one]) for key, one in (("group", group), ("peers", peers))},
        **{key: np.array([-1]) for key in ("matched", "queue")},
    )
    assert _group_names(rows, np.array([is_message])) == [name]


def test_a_group_of_a_stream_is_named_by_what_follows_the_stream() -> None:
    """The first word is what it was matched by, or its name."""

    def name(words: tuple[str, ...], group: int, matched: int) -> list[str]:
        rows: Any = SimpleNamespace(
            words=words,
            group=np.array([group, group]),
            matched=np.array([matched, matched]),
            peers=np.array([-1, -1]),
            queue=np.array([9, 7]),
        )
        return _group_names(rows, np.array([False, False]))

    both = ["send, stream 2", "send, stream 1"]
    assert name(("stream", "stream 7: send"), 1, 0) == both
    assert name(("stream 7: send", "stream"), 0, 1) == both
    assert name(("send", "stream"), 0, 1) == both
