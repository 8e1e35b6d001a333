"""The tables of `lanescope bench` as people read them."""

from __future__ import annotations

from lanescope.overhead import Configuration, RunSample, compare, render_table
from lanescope.overhead.comparison import BenchResult
from lanescope.overhead.statistics import PairedDifference
from lanescope.overhead.table import _differences, _explained, table_sections

OFF = Configuration(0, "off")
STAGING = Configuration(1, "staging")
PRODUCER = Configuration(1, "producer-rotated")


def _samples(*makespans_us: int, dropped: int = 0, blocked_ns: int = 0) -> list[RunSample]:
    return [
        RunSample(1000 * us, records=10, dropped=dropped, stalls=1, blocked_ns=blocked_ns)
        for us in makespans_us
    ]


def test_results_are_compared_within_rounds() -> None:
    found = compare(
        {OFF: _samples(100, 200, 300), STAGING: _samples(110, 210, 310)},
        tasks=5,
    )
    off, staging = found
    assert off.to_off_ns is None
    assert staging.to_off_ns is not None
    assert (staging.to_off_ns.mean, staging.to_off_ns.low) == (10_000, 10_000)
    assert staging.to_off_percent == 5
    assert staging.to_off_ns_per_task == 2000
    assert staging.to_baseline_ns is None


def test_table_of_three_configurations() -> None:
    results = compare(
        {
            OFF: _samples(100, 101, 102),
            STAGING: _samples(110, 111, 112, dropped=2),
            PRODUCER: _samples(109, 112, 112, blocked_ns=2000),
        },
        tasks=100,
    )
    lines = render_table(results).splitlines()
    assert lines[:14] == [
        "makespan, µs",
        "  level and protocol  n    mean ± sd  median    min    max  outliers  mean without"
        "  dropped  blocked",
        "  ------------------  -  -----------  ------  -----  -----  --------  ------------"
        "  -------  -------",
        "  off                 3  101.0 ± 1.0   101.0  100.0  102.0         0         101.0"
        "        0      0.0",
        "  1 staging           3  111.0 ± 1.0   111.0  110.0  112.0         0         111.0"
        "        6      0.0",
        "  1 producer-rotated  3  111.0 ± 1.7   112.0  109.0  112.0         1         112.0"
        "        0      2.0",
        "",
        "what recording added to level 0, µs",
        "  level and protocol  Δ mean       interval      %  ns/task  Δ median",
        "  ------------------  ------  -------------  -----  -------  --------",
        "  1 staging            +10.0  +10.0 … +10.0  +9.90   +100.0     +10.0",
        "  1 producer-rotated   +10.0   +7.5 … +12.5  +9.90   +100.0     +10.0",
        "",
        "what it added to staging at the same level, µs",
    ]
    assert lines[16] == "  1 producer-rotated    +0.0  -2.5 … +2.5 not told apart      +0.0"
    assert lines[18:21] == [
        "how to read this",
        "  outliers: rounds further than 3.5 scaled median absolute deviations from the median; "
        'all figures but "mean without"',
        "  include them.",
    ]


def test_without_level_zero_the_table_says_so() -> None:
    text = render_table(compare({STAGING: _samples(1, 2)}, tasks=1))
    assert "Δ" not in text
    assert text.endswith("Level 0 was not measured, so nothing is compared with it.\n")


def test_the_reader_is_told_what_concerns_these_results() -> None:
    def begins(*results: BenchResult) -> list[str]:
        return [line.split(":")[0].split(",")[0] for line in _explained(results)]

    def timed(ns: int | None) -> list[RunSample]:
        return [RunSample(1_000 + k, orchestrator_ns=ns) for k in range(2)]

    (off, staging) = compare({OFF: timed(None), STAGING: timed(None)}, tasks=1)
    (simulated,) = compare({STAGING: timed(9)}, tasks=1)
    usual = ["outliers", "dropped"]
    assert begins(off) == usual
    assert begins(staging) == [*usual, "Level 0 was not measured"]
    assert begins(simulated) == [*usual, "Simulated", "Level 0 was not measured"]
    assert begins(off, staging) == [*usual, "Δ", '"not told apart"']
    assert begins(off, simulated) == [*usual, "Δ", '"not told apart"', "Simulated"]


def test_a_row_without_a_difference_has_no_cell_for_it() -> None:
    added = PairedDifference(1_234_500, -500, 2_000, 1_000, told_apart=False)
    columns = _differences([None, added])
    assert [(column.title, column.cells) for column in columns] == [
        ("Δ mean", (None, "+1,234.5")),
        ("interval", (None, "-0.5 … +2.0 not told apart")),
        ("Δ median", (None, "+1.0")),
    ]


def test_simulated_controllers_have_a_table_of_their_own() -> None:
    """Level 0 is held against nothing, so its last two cells are empty."""

    def timed(*us: int, own: int) -> list[RunSample]:
        return [RunSample(1_000 * one, orchestrator_ns=1_000 * own) for one in us]

    results = compare({OFF: timed(10, 12, own=5), STAGING: timed(13, 15, own=7)}, tasks=2)
    lines = render_table(results).splitlines()
    at = lines.index("controllers, µs")
    assert [line.split() for line in lines[at + 3 : at + 5]] == [
        ["off", "11.0", "±", "1.4", "5.0", "±", "0.0", "-", "-"],
        ["1", "staging", "14.0", "±", "1.4", "7.0", "±", "0.0", "+5.0", "+5.0", "…", "+5.0"],
    ]
    assert lines[at + 1].endswith("  interval")


def test_tables_without_rows_are_left_out() -> None:
    titles = [section.title for section in table_sections(compare({OFF: _samples(1, 2)}, tasks=1))]
    assert titles == ["makespan, µs", "how to read this"]


def test_a_reader_is_told_every_sentence() -> None:
    timed = [RunSample(1_000 + k, orchestrator_ns=3) for k in range(4)]
    results = compare({STAGING: timed, PRODUCER: timed}, tasks=1)
    assert _explained(results) == [
        "outliers: rounds further than 3.5 scaled median absolute deviations from the median; all "
        'figures but "mean without" include them.',
        "dropped: records, in all rounds; blocked: how long producers waited for a free buffer, "
        "per run, all lanes together.",
        "Δ: of the 4 differences within a round; the interval of their mean is Student's t of "
        "paired differences, 95% for each row by itself.",
        '"not told apart": the interval includes 0, so these rounds show no difference.',
        "Simulated: rounds differ because each changes every task's length by up to 2%, the same "
        "way for all rows. The makespan is the schedulers'.",
        "Level 0 was not measured, so nothing is compared with it.",
    ]
