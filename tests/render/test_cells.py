"""Values as text."""

from __future__ import annotations

import pytest

from lanescope.render.cells import (
    bytes_text,
    column_text,
    count_text,
    many_text,
    more_text,
    percent_text,
    rate_text,
    seconds_text,
    time_text,
)
from lanescope.render.names import clean, clean_end
from lanescope.render.page import PageColumn


@pytest.mark.parametrize(
    ("ns", "text"),
    [
        (None, "-"),
        (0, "0 ns"),
        (999, "999 ns"),
        (12_340, "12.34 µs"),
        (1_234_000, "1.234 ms"),
        (-1_234_000, "-1.234 ms"),
        (61_000_000_000, "61.000 s"),
        (7_200_000_000_000, "7,200.000 s"),
        (442.75, "442.8 ns"),
    ],
)
def test_a_time_has_the_unit_that_suits_it(ns: float | None, text: str) -> None:
    assert time_text(ns) == text


@pytest.mark.parametrize(
    ("cells", "shown"),
    [
        ((9_999, 20), ("t ns", ["9,999", "20"])),
        ((10_000, 300), ("t µs", ["10.00", "0.30"])),
        ((99_999_000, 300, None), ("t µs", ["99,999.00", "0.30", "-"])),
        ((100_000_000, 300_000), ("t ms", ["100.000", "0.300"])),
        ((3_600_000_000_000,), ("t s", ["3,600.000"])),
        ((None,), ("t ns", ["-"])),
    ],
)
def test_a_column_has_one_unit(cells: tuple[int | None, ...], shown: object) -> None:
    assert column_text(PageColumn("t", "time", cells)) == shown


def test_columns_of_one_scale_share_the_unit() -> None:
    small, large = (
        PageColumn("a", "time", (5,), scale="s"),
        PageColumn("b", "time", (20_000,), scale="s"),
    )
    assert column_text(small, [small, large]) == ("a µs", ["0.01"])


def test_other_columns() -> None:
    assert column_text(PageColumn("n", "count", (1234567, None))) == ("n", ["1,234,567", "-"])
    assert column_text(PageColumn("p", "percent", (0.9414, None))) == ("p", ["94.1%", "-"])
    assert column_text(PageColumn("d", "number", (2.5,))) == ("d", ["2.50"])
    assert percent_text(None) == "-"


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\r\tand tab", "two lines and tab"),
        ("\x1b[31mred\x1b[0m\x00", "[31mred [0m"),
        ("right‮to left", "right to left"),
        ("[red]not red[/red]", "[red]not red[/red]"),
        ("x" * 40, "x" * 40),
        ("x" * 41, "x" * 39 + "…"),
        ("x" * 10_000_000, "x" * 39 + "…"),
        ("\ud800 alone", "alone"),
    ],
)
def test_names_are_one_short_printable_line(name: str, shown: str) -> None:
    assert clean(name) == shown


def test_a_long_path_keeps_its_end() -> None:
    assert clean_end("/folder/" * 100 + "file.json", 12) == "…r/file.json"
    assert clean_end("/short", 12) == "/short"


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.00 kB"),
        (-2_500_000, "-2.50 MB"),
        (4e15, "4,000.00 TB"),
    ],
)
def test_a_size_has_the_unit_that_suits_it(size: float, text: str) -> None:
    assert bytes_text(size) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(12.34, "12.3 s"), (0.5, "500 ms"), (2e-5, "20 µs"), (3e-9, "3 ns"), (0.0, "0 ns")],
)
def test_an_estimated_time_has_three_digits(seconds: float, text: str) -> None:
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(
    ("rate", "text"), [(0.0123449, "0.01234"), (999.9, "999.9"), (1234.5, "1,234")]
)
def test_an_estimated_rate_has_four_digits_or_is_whole(rate: float, text: str) -> None:
    assert rate_text(rate) == text


@pytest.mark.parametrize(
    ("number", "many", "more"),
    [
        (0, "0 lanes", ""),
        (1, "1 lane", "and 1 more lane"),
        (2000, "2,000 lanes", "and 2,000 more lanes"),
    ],
)
def test_a_number_of_things_is_told_as_one_says_it(number: int, many: str, more: str) -> None:
    assert (many_text(number, "lane"), more_text(number, "lane")) == (many, more)


def test_only_a_part_of_a_nanosecond_has_a_decimal() -> None:
    assert [time_text(ns) for ns in (999.5, 1000.0, 999_999, 1_000_000, 999_999_999, 1e9)] == [
        *("999.5 ns", "1.00 µs", "1,000.00 µs"),
        *("1.000 ms", "1,000.000 ms", "1.000 s"),
    ]


def test_a_column_takes_the_next_unit_from_a_hundred_times_more() -> None:
    largest = [99_999_999, 100_000_000, 99_999_999_999, 100_000_000_000]
    titles = [column_text(PageColumn("t", "time", (one,)))[0] for one in largest]
    assert titles == ["t µs", "t ms", "t ms", "t s"]


def test_a_size_takes_its_unit_from_exactly_one_of_it() -> None:
    sizes = [999, 1e3, 999_999, 1e6, 999_999_999, 1e9, 999_999_999_999, 1e12]
    assert [bytes_text(size) for size in sizes] == [
        *("999 B", "1.00 kB", "1,000.00 kB", "1.00 MB"),
        *("1,000.00 MB", "1.00 GB", "1,000.00 GB", "1.00 TB"),
    ]


def test_an_estimated_time_takes_its_unit_from_exactly_one_of_it() -> None:
    assert [seconds_text(one) for one in (1.0, 1e-3, 1e-6)] == ["1 s", "1 ms", "1 µs"]
    assert [rate_text(one) for one in (999.4, 1000.0, 1000.4)] == ["999.4", "1,000", "1,000"]


def test_a_name_in_a_column_is_cut_and_a_figure_is_not() -> None:
    long = "x" * 1001
    assert column_text(PageColumn("t", "text", (long, 7))) == ("t", ["x" * 39 + "…", "7"])
    assert column_text(PageColumn("t", "figure", (long, None))) == ("t", ["x" * 999 + "…", "-"])
    assert count_text(-1234) == "-1,234"
