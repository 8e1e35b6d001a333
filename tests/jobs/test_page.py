"""The page of a job made by hand, whole: rank 2 computes a third longer, and the others wait."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest
from tests.jobs.hand_made import Made, Row, job_of

from lanescope.errors import LanescopeError
from lanescope.jobs import report as reporting
from lanescope.jobs.blame import FunctionExcess, IdlePart, RankBlame
from lanescope.jobs.report import JobReport, job_report
from lanescope.jobs.report_sections import _head, why_line
from lanescope.render.page import Section

STEPS = 10


def rank(place: int) -> Made:
    """Step k: 1 ms of work, 20 µs more per rank, then a transfer of (100 + 10 k) µs.

    The collective of step k ends (1440 + 10 k) µs after its start. Clocks are ahead by 0, 5 and
    -2 ms.
    """
    work_ns = (1_000_000, 1_020_000, 1_340_000)[place]
    ahead = (0, 5_000_000, -2_000_000)[place]
    rows, work, steps = [], [], []
    for k in range(STEPS):
        start = 10_000_000 * (k + 1) + ahead
        end = start + 1_440_000 + 10_000 * k
        work.append((start, start + work_ns))
        rows.append(Row(k, start + work_ns, end, size=3))
        steps.append((k, start, end + 50_000))
    return Made(rows, work, steps, {"host": f"machine{place % 2}"})


@pytest.fixture(scope="module")
def report() -> JobReport:
    return job_report(job_of(*(rank(place) for place in range(3)), world=13))


PAGE = """\
Job
  job       made
  ranks     3 of 13 ranks
  missing   3, 4, 5, 6, 7, 8, 9, 10 and 2 more
  machines  2

Who holds up the job
  Rank 2 computes 1.33 times as long as its peers, in 10 of 10 steps.

  rank  role  work a step µs  of peers'  sigmas  slow steps  times last  others waited µs   share
  ----  ----  --------------  ---------  ------  ----------  ----------  ----------------  ------
  2        0        1,340.00       1.33   11.10          10          10          6,600.00  100.0%
  1        0        1,020.00       0.87   -5.10           0           0              0.00    0.0%
  0        0        1,000.00       0.85   -6.10           0           0              0.00    0.0%

Why they were late
  Rank 2, last in 10 collectives: its work took longer; gemm takes 1.33 times as long as on its
  peers.

  rank  later by µs  ran longer µs  waited elsewhere µs  idle µs  began late µs  not recorded µs
  ----  -----------  -------------  -------------------  -------  -------------  ---------------
  2        3,300.00       3,300.00                 0.00     0.00           0.00             0.00
  More than the median of the peers, from the last collective that they had in common, summed over
  the collectives at which the rank was last. Where work and collectives overlap, peers work while
  they wait for a late rank, which then has that work still to do: it is under 'ran longer'.

Waiting for each other
  In 10 collectives the ranks waited 6.600 ms together (60.3%) and moved data for 4.350 ms.
  Of 10 in which all wait for all, the last rank is known beyond the clocks' error in 10.

  rank  collectives   wait µs  in messages µs  transfer µs  last  undecided
  ----  -----------  --------  --------------  -----------  ----  ---------
  0              10  3,400.00            0.00     1,450.00     0          0
  1              10  3,200.00            0.00     1,450.00     0          0
  2              10      0.00            0.00     1,450.00    10          0
  Without clocks, by lengths alone, waits differ by 0.0 ns (median), 0.0 ns (95 %); by more than
  clocks and ends explain in 0 of 30.

Longest waits
  collective             ranks  last   by µs  all waited µs
  ---------------------  -----  ----  ------  -------------
  all_reduce 0 of world      3  2     320.00         660.00
  all_reduce 1 of world      3  2     320.00         660.00
  all_reduce 2 of world      3  2     320.00         660.00
  all_reduce 3 of world      3  2     320.00         660.00
  all_reduce 4 of world      3  2     320.00         660.00
  all_reduce 5 of world      3  2     320.00         660.00
  all_reduce 6 of world      3  2     320.00         660.00
  all_reduce 7 of world      3  2     320.00         660.00

Steps
  10 steps (marked by the ranks): 1.490 ms to 1.580 ms, median 1.535 ms.
  From step 5 on they take 1.560 ms, before 1.510 ms (+3.3%).

  longest  length µs  ranks  most work  all waited µs
  -------  ---------  -----  ---------  -------------
  9         1,580.00      3  rank 2            660.00
  8         1,570.00      3  rank 2            660.00
  7         1,560.00      3  rank 2            660.00
  6         1,550.00      3  rank 2            660.00
  5         1,540.00      3  rank 2            660.00
  4         1,530.00      3  rank 2            660.00
  3         1,520.00      3  rank 2            660.00
  2         1,510.00      3  rank 2            660.00

Balance of work
  ranks of   ranks   mean µs  least µs  on rank   most µs  on      imbalance
  ---------  -----  --------  --------  -------  --------  ------  ---------
  all ranks      3  1,120.00  1,000.00  0        1,340.00  rank 2      19.6%

Critical path over ranks
  91.580 ms: 90.130 ms in ranks, 1.450 ms in transfers; it changes the rank 1 time.

  rank   on it µs  share  visits
  ----  ---------  -----  ------
  2     91,340.00  99.7%       1
  0        240.00   0.3%       1

Clocks
  Ends of a collective lie 0.0 ns apart (median), 0.0 ns (95 %), 0.0 ns (worst); before clocks were
  aligned 7.000 ms (median).

  rank  rests on             ahead by µs  drift ppm  error ns  residual ns  95 % ns  worst ns
  ----  -------------------  -----------  ---------  --------  -----------  -------  --------
  0     ends of collectives    -1,000.00       0.00   5,000.0          0.0      0.0       0.0
  1     ends of collectives     4,000.00       0.00   5,000.0          0.0      0.0       0.0
  2     ends of collectives    -3,000.00       0.00   5,000.0          0.0      0.0       0.0
"""


def test_the_whole_page(report: JobReport) -> None:
    assert report.text() == PAGE


def test_few_steps_have_no_table(report: JobReport) -> None:
    one = replace(report, steps=replace(report.steps, steps=report.steps.steps[:1]))
    assert "Steps" not in [section.title for section in one.sections()]
    two = replace(report, steps=replace(report.steps, steps=report.steps.steps[:2], changes=()))
    assert "Steps" in [section.title for section in two.sections()]


def test_ranks_without_collectives_say_so() -> None:
    made = [Made([], [(0, 1_000)]), Made([], [(0, 1_000)])]
    page = job_report(job_of(*made)).text()
    assert "The ranks share no collective, so nothing can be said about waiting." in page
    assert "Longest waits" not in page
    assert "Nothing can be compared: the ranks share no collectives and no steps." not in page


def test_a_table_ends_after_16_ranks_and_counts_the_rest(report: JobReport) -> None:
    many = replace(report.waits, ranks=report.waits.ranks * 6)
    section = next(
        one
        for one in replace(report, waits=many).sections()
        if one.title == "Waiting for each other"
    )
    assert [len(column.cells) for column in section.columns] == [16] * 7
    assert section.notes[-1] == "2 more ranks in --json."


def late(main: str, **more: object) -> RankBlame:
    known = {"collectives": 3, "waited_ns": 9, "late_ns": 9.0, "causes": (), "functions": ()}
    return RankBlame(rank=4, main=main, **{**known, "idle": (), "held_up_by": None, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("one", "told"),
    [
        (late("ran longer"), "its work took longer"),
        (
            late("ran longer", functions=(FunctionExcess("gemm", 2, 30.0, 20.0, 20.0),)),
            "its work took longer; gemm takes 1.50 times as long as on its peers",
        ),
        (late("idle"), "its devices were idle"),
        (
            late("idle", idle=(IdlePart("host_busy", "the host was busy", 5.0),)),
            "its devices were idle, mostly: the host was busy",
        ),
        (late("waited elsewhere"), "it waited in other collectives"),
        (
            late("waited elsewhere", held_up_by=0),
            "it waited in other collectives, which rank 0 held up",
        ),
        (late("began late"), "it began later than its peers"),
        (late(""), "no cause explains half of it"),
    ],
)
def test_why_a_rank_was_late_is_one_sentence(one: RankBlame, told: str) -> None:
    assert why_line(one) == f"Rank 4, last in 3 collectives: {told}."
    assert why_line(replace(one, collectives=0)) == f"Rank 4: {told}."


@pytest.mark.parametrize(
    ("count", "told"),
    [
        (1, "0"),
        (8, "0, 1, 2, 3, 4, 5, 6, 7"),
        (9, "0, 1, 2, 3, 4, 5, 6, 7 and 1 more"),
        (2008, "0, 1, 2, 3, 4, 5, 6, 7 and 2,000 more"),
    ],
)
def test_eight_missing_ranks_are_named_and_the_others_counted(count: int, told: str) -> None:
    ranks = SimpleNamespace(
        name="made", present="3 ranks", missing=tuple(range(count)), ranks=(), unread=()
    )
    head = _head(cast(Any, SimpleNamespace(job=ranks, notes=())))
    assert head.facts == (("job", "made"), ("ranks", "3 ranks"), ("missing", told))


def section(report: JobReport, title: str) -> Section:
    return next(one for one in report.sections() if one.title == title)


@pytest.mark.parametrize(("count", "lines"), [(0, 0), (5, 5), (6, 6), (1_005, 6)])
def test_five_traces_that_were_left_out_are_told_and_the_others_counted(
    count: int, lines: int
) -> None:
    unread = [SimpleNamespace(why=f"r{k}: is damaged") for k in range(count)]
    job = SimpleNamespace(name="made", present="3 ranks", missing=(), ranks=(), unread=unread)
    told = _head(cast(Any, SimpleNamespace(job=job, notes=()))).lines
    assert len(told) == lines
    assert told[:1] == (("Left out: r0: is damaged.",) if count else ())
    if count > 5:
        assert told[5] == f"{count - 5:,} more in --json."


def test_machines_are_counted_where_traces_name_them() -> None:
    def machines(*hosts: str) -> tuple[tuple[str, str], ...]:
        ranks = [SimpleNamespace(facts=SimpleNamespace(host=host)) for host in hosts]
        job = SimpleNamespace(name="made", present="3 ranks", missing=(), ranks=ranks, unread=())
        return _head(cast(Any, SimpleNamespace(job=job, notes=()))).facts[2:]

    assert machines("a", "b", "a") == (("machines", "2"),)
    assert machines("a", "") == (("machines", "1"),)
    assert machines("", "") == ()


def test_ranks_about_which_nothing_is_known_are_only_counted(report: JobReport) -> None:
    """One has no peers and kept nobody waiting; others have one of both."""
    first = report.stragglers.ranks[0]
    unknown = replace(first, rank=7, ratio=None, caused_ns=0)
    ranks = (replace(first, ratio=None), unknown, replace(first, rank=8, caused_ns=0))
    some = replace(report, stragglers=replace(report.stragglers, ranks=ranks))
    table = section(some, "Who holds up the job")
    assert table.columns[0].cells == ("2", "8")
    assert table.notes == ("1 more rank in --json.",)


def test_tables_of_roles_and_of_the_path_end_and_count_the_rest(report: JobReport) -> None:
    assert report.path is not None
    path = replace(report.path, ranks=(report.path.ranks[0],) * 9)
    long = replace(report, balance=report.balance * 17, path=path)
    balance, walked = (
        section(long, title) for title in ("Balance of work", "Critical path over ranks")
    )
    assert {len(column.cells) for column in balance.columns} == {16}
    assert balance.notes == ("1 more role in --json.",)
    assert {len(column.cells) for column in walked.columns} == {8}
    assert walked.notes == ("1 more rank in --json.",)


def test_a_path_that_stays_on_one_rank_and_a_job_without_roles_have_no_table(
    report: JobReport,
) -> None:
    assert report.path is not None
    alone = replace(report, balance=(), blame=(), path=replace(report.path, hops=0))
    titles = {one.title for one in alone.sections()}
    assert not titles & {"Critical path over ranks", "Balance of work", "Why they were late"}
    none = replace(report, path=None)
    assert "Critical path over ranks" not in {one.title for one in none.sections()}


def test_the_clock_that_is_known_worst_stands_first(report: JobReport) -> None:
    errors = (5.0, None, 9.0)
    ranks = tuple(
        replace(one, error_ns=error) for one, error in zip(report.clock.ranks, errors, strict=True)
    )
    shown = section(replace(report, clock=replace(report.clock, ranks=ranks)), "Clocks")
    assert shown.columns[0].cells == ("2", "0", "1")
    many = replace(report, clock=replace(report.clock, ranks=ranks * 6, end_spread_p50_ns=None))
    assert section(many, "Clocks").lines == ()
    assert section(many, "Clocks").notes == ("2 more ranks in --json.",)


def test_waits_that_could_not_be_compared_and_missing_ranks_are_told(report: JobReport) -> None:
    known = replace(report.waits, incomplete=1, left_out=2, together=0, check=None)
    shown = section(replace(report, waits=known), "Waiting for each other")
    assert len(shown.lines) == 1
    assert shown.notes == (
        "At 1 collective ranks are missing here: the last is the last of those that are here.",
        "2 collectives could not be compared.",
    )
    none = replace(report.waits, wait_ns=0, transfer_ns=0)
    first = section(replace(report, waits=none), "Waiting for each other").lines[0]
    assert "waited 0 ns together (-)" in first


def test_the_first_column_of_a_table_names_its_rows(report: JobReport) -> None:
    tables = [one for one in report.sections() if one.columns]
    assert len(tables) == 8
    for one in tables:
        assert [column.key for column in one.columns] == [True, *[False] * (len(one.columns) - 1)]


def test_why_a_job_cannot_be_replayed_is_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(job: object) -> None:
        raise LanescopeError("step 7 cannot be replayed: tasks wait in a circle")

    monkeypatch.setitem(reporting.IDEALS, "job", refuse)
    found = job_report(job_of(rank(0), rank(1)), replay="job")
    assert found.ideal is None
    assert found.notes[-1] == "Step 7 cannot be replayed: tasks wait in a circle."


def test_the_rank_that_waited_longest_stands_first(report: JobReport) -> None:
    ranks = report.waits.ranks[1], report.waits.ranks[2], report.waits.ranks[0]
    many = replace(report, waits=replace(report.waits, ranks=ranks))
    assert section(many, "Waiting for each other").columns[0].cells == ("0", "1", "2")


def test_the_longest_waits_stand_first_and_eight_are_shown() -> None:
    """In collective k rank 1 comes so many µs after rank 0; both end together."""
    late = [3, 50, 1, 20, 9, 70, 2, 30, 40, 60]
    ranks = [
        Made([Row(k, 1_000_000 * k + own, 1_000_000 * k + 200_000) for k, own in enumerate(after)])
        for after in ([0] * len(late), [1_000 * one for one in late])
    ]
    report = job_report(job_of(*ranks))
    [waits] = [one for one in report.sections() if one.title == "Longest waits"]
    [waited] = [one.cells for one in waits.columns if one.title == "all waited"]
    assert waited == tuple(1_000 * one for one in (70, 60, 50, 40, 30, 20, 9, 3))
