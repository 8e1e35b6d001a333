"""Which ranks do the same work, and which messages join to a pipeline."""

from __future__ import annotations

import numpy as np
from tests.jobs.hand_made import Made, Row, job_of

from lanescope.jobs.pipelines import joined, pipelines
from lanescope.jobs.roles import roles


def message(k: int, source: int, target: int) -> tuple[Row, Row]:
    """The two rows of a message; its name is that of its direction."""
    start = 1_000 * (k + 1)
    known = {"group": f"{source} to {target}", "source": source, "target": target}
    return (
        Row(k, start, start + 10, kind="send", **known),  # type: ignore[arg-type]
        Row(k, start, start + 12, kind="recv", **known),  # type: ignore[arg-type]
    )


def made_of(
    count: int, messages: list[tuple[int, int]], groups: list[tuple[int, ...]]
) -> list[Made]:
    rows: list[list[Row]] = [[] for _ in range(count)]
    for k, (source, target) in enumerate(messages):
        send, receive = message(k, source, target)
        rows[source].append(send)
        rows[target].append(receive)
    for number, members in enumerate(groups):
        for place in members:
            rows[place].append(Row(0, 50_000, 50_010, f"group {number}", size=len(members)))
    return [Made(one) for one in rows]


def test_ranks_that_only_meet_all_have_one_role() -> None:
    found = roles(job_of(*made_of(4, [], [(0, 1, 2, 3)])))
    assert (found.count, found.role.tolist(), found.member.tolist()) == (1, [0] * 4, [0, 1, 2, 3])


def test_ranks_of_a_part_of_the_job_have_its_role() -> None:
    found = roles(job_of(*made_of(4, [], [(0, 2), (1, 3), (0, 1, 2, 3)])))
    assert (found.count, found.role.tolist(), found.member.tolist()) == (
        2,
        [0, 1, 0, 1],
        [0, 0, 1, 1],
    )


def test_a_group_of_all_ranks_of_which_some_are_missing_is_no_part() -> None:
    rows = [Made([Row(0, 0, 10, size=4)]) for _ in range(2)] + [Made([])]
    assert roles(job_of(*rows, world=4)).count == 1


def test_ranks_that_meet_and_send_other_ways_have_two_roles() -> None:
    """The first and the last stage share a table."""
    found = roles(job_of(*made_of(3, [(0, 1), (1, 2)], [(0, 2)])))
    assert found.role.tolist() == [0, 1, 2]


def test_ranks_that_nobody_meets_have_the_role_of_their_place_in_the_pipeline() -> None:
    """Two pipelines of four stages; only their first stages meet."""
    messages = [(a, a + 1) for a in (0, 1, 2)] + [(a, a + 1) for a in (4, 5, 6)]
    job = job_of(*made_of(8, messages, [(0, 4)]))
    assert roles(job).role.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert roles(job).member.tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert pipelines(job).tolist() == [0, 0, 0, 0, 1, 1, 1, 1]


def test_a_rank_without_messages_is_a_pipeline_alone() -> None:
    job = job_of(*made_of(4, [(1, 3)], [(0, 1, 2, 3)]))
    assert pipelines(job).tolist() == [0, 1, 2, 1]


def test_items_that_share_a_value_in_a_chain_are_one_set() -> None:
    item, by = np.array([0, 1, 1, 2, 4]), np.array([70, 70, 50, 50, 9])
    assert joined(item, by, 5).tolist() == [0, 0, 0, 1, 2]


def test_a_job_without_collectives_tells_first_middle_and_last_stages() -> None:
    job = job_of(*made_of(4, [(0, 1), (1, 2), (2, 3)], []))
    assert roles(job).role.tolist() == [0, 1, 1, 2]


def test_ranks_that_send_and_receive_the_other_way_round_have_two_roles() -> None:
    """Rank 3 sends up to a and receives from b below, rank 4 sends up to b and receives from a.

    Ranks 1 and 5 are a, 2 and 6 are b. Ranks 0 and 7 send to all of these and receive from them.
    """
    both = [(end, one) for end in (0, 7) for one in (1, 2, 5, 6)]
    both += [(one, end) for end, one in both]
    job = job_of(*made_of(8, [(3, 5), (2, 3), (4, 6), (1, 4), *both], [(1, 5), (2, 6)]))
    assert roles(job).role.tolist() == [0, 1, 2, 3, 4, 1, 2, 5]


def test_stages_are_told_apart_up_to_four_from_an_end_that_is_known() -> None:
    """Of twelve stages the first one meets a rank without messages; so 5 and 6 are alike."""
    job = job_of(*made_of(13, [(a, a + 1) for a in range(11)], [(0, 12)]))
    assert roles(job).role.tolist() == [0, 1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 10, 11]


def test_one_rank_alone_has_a_role() -> None:
    found = roles(job_of(Made([], [(0, 5)])))
    assert (found.count, found.role.tolist(), found.member.tolist()) == (1, [0], [0])


def test_a_group_of_unknown_size_or_of_a_part_of_the_world_is_a_part() -> None:
    """All three ranks meet in pairs; the world has four ranks, and one is not here."""
    rows = [[Row(0, 0, 10, "ab")], [Row(0, 0, 10, "ab")], []]
    assert roles(job_of(*map(Made, rows), world=4)).role.tolist() == [0, 0, 1]
    sized = [[Row(0, 0, 10, "ab", size=3)] for _ in range(2)]
    assert roles(job_of(*map(Made, [*sized, []]), world=4)).role.tolist() == [0, 0, 1]
    assert roles(job_of(*map(Made, [*sized, []]), world=3)).role.tolist() == [0, 0, 0]
    assert roles(job_of(*map(Made, [*sized, []]))).role.tolist() == [0, 0, 0]
