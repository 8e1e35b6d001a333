"""A diff as text, whole."""

from __future__ import annotations

from dataclasses import replace

from lanescope.analyze.compare.diff import Diff, Difference
from lanescope.analyze.compare.diff_text import diff_text


def row(group: str, name: str, base: float | None, new: float | None, verdict: str) -> Difference:
    """A measure that was not compared."""
    change = None if base is None or new is None else (new - base) / base
    return Difference(group, name, base, new, change, None, None, None, None, verdict)


SURE = {"p": 0.001, "low": 0.15, "high": 0.25, "effect": 3.0}
ROWS = (
    replace(row("run", "makespan", 1000, 1200, "slower"), **SURE),
    replace(row("core time", "data", 100, 300, "slower"), **SURE),
    replace(row("function", "FRESH", None, 50, "new"), base_runs=0, new_runs=4),
    row("critical path", "static", 900, 100, "unsure"),
    row("critical path", "switch", 100, 150, "unsure"),
    row("core", "AIV_0", 100, 150, "unsure"),
    replace(row("function", "QK", 40, 30, "faster"), p=0.01, base_runs=5, new_runs=5),
    replace(row("function", "SF", 20, 20, "same"), p=0.9),
)


def test_every_part() -> None:
    shown = diff_text(Diff(("old",), ("new a", "new b"), 0.05, ROWS))
    assert shown == (
        "Diff\n"
        "  base           old\n"
        "  new            2 runs (new a, …)\n"
        "  makespan       1.00 µs to 1.20 µs, +20.00% (+15.00% to +25.00%): slower\n"
        "  critical path  50 ns more of switch\n"
        "  4 measures compared: 2 slower, 1 faster. Identical sides would give any at most 5 % of"
        " the time.\n"
        "\n"
        "Slower\n"
        "  what       name             base ns  new ns  change    from     to       effect\n"
        "  ---------  ---------------  -------  ------  --------  -------  -------  ------\n"
        "  run        makespan           1,000   1,200  +20.00%   +15.00%  +25.00%    3.00\n"
        "  core time  waiting on data      100     300  +200.00%  +15.00%  +25.00%    3.00\n"
        "\n"
        "New and gone functions\n"
        "  what      name   new ns  change  from  to  runs  runs new\n"
        "  --------  -----  ------  ------  ----  --  ----  --------\n"
        "  function  FRESH      50  -       -     -      0         4\n"
        "\n"
        "Different, but one run on a side cannot say whether by chance\n"
        "  what           name    base ns  new ns  change   from  to\n"
        "  -------------  ------  -------  ------  -------  ----  --\n"
        "  critical path  static      900     100  -88.89%  -     -\n"
        "  critical path  switch      100     150  +50.00%  -     -\n"
        "\n"
        "Faster\n"
        "  what      name  base ns  new ns  change   from  to  runs  runs new\n"
        "  --------  ----  -------  ------  -------  ----  --  ----  --------\n"
        "  function  QK         40      30  -25.00%  -     -      5         5\n"
    )


def test_many_rows_are_cut() -> None:
    rows = tuple(row("function", f"f{n}", 10, 5, "faster") for n in range(33))
    shown = diff_text(Diff(("a",), ("b",), 0.05, rows))
    assert "f29" in shown and "f30" not in shown
    assert "3 more are not shown; --json has all." in shown


def test_sides_without_measures_have_a_summary_only() -> None:
    assert diff_text(Diff(("a",), ("b",), 0.05, ())) == (
        "Diff\n"
        "  base  a\n"
        "  new   b\n"
        "  0 measures compared: 0 slower, 0 faster. Identical sides would give any at most 5 % of"
        " the time.\n"
    )


def test_streams_have_words_of_their_own() -> None:
    rows = (
        row("device time", "host_busy", 100, 300, "unsure"),
        row("kernel", "void at::native::add<float>(int)", 4, 5, "unsure"),
        row("stream", "s0", 4, 5, "unsure"),
    )
    text = diff_text(Diff(("a",), ("b",), 0.05, rows))
    assert "idle: late launch, host busy" in text
    assert "kernel       add<float>(int)" in text
    assert "s0" not in text


def test_what_only_one_side_has_on_its_path_is_all_of_the_change() -> None:
    gone = row("critical path", "switch", 100, None, "gone")
    new = row("critical path", "data", None, 90, "new")
    text = diff_text(Diff(("a",), ("b",), 0.9, (gone, new)))
    assert "  critical path  100.0 ns less of switch\n" in text
    assert text.split("Identical sides would give any at most ")[1].startswith("90 % of the time.")
    assert "  critical path  90.0 ns more of data\n" in diff_text(Diff(("a",), ("b",), 0.9, (new,)))
