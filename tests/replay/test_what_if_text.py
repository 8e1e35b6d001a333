"""A what-if as it is printed, the whole page."""

from __future__ import annotations

from dataclasses import replace

from lanescope.replay.unexplained import UnexplainedWait
from lanescope.replay.what_if import ChangePrediction, EffortGroup, WhatIf
from lanescope.replay.what_if_text import what_if_text

ROW = ChangePrediction("QK x0.5", 900_000.0, 880_000.0, 930_000.0, -0.1, -0.12, -0.07, 12, True)
MORE = replace(ROW, name="aic=48", makespan_ns=1_250_000.0, change=0.25)
NOTE = "submits were not recorded; their cost is guessed"
PAGE = """\
Replay of run
  recorded  1.000 ms, first dispatch to last finish
  replayed  1.120 ms unchanged, +12.00%
  Note: submits were not recorded; their cost is guessed.
  The unchanged replay is more than 10 % off, so it leaves out what decided this run; what follows
  says little about it.

What if
  change   makespan µs  change   from     to
  -------  -----------  -------  -------  ------
  QK x0.5       900.00  -10.00%  -12.00%  -7.00%
  aic=48      1,250.00  +25.00%  -12.00%  -7.00%
  From and to hold every replay over what the records leave open, and the distance of the unchanged
  replay. A change has an effect if every replay is shorter with it, or every one longer, by 0.1 %
  or more.
"""


RANKED = """\
What if
  No effect: QK x0.5.

What if: more cores
  change  makespan µs  change   from     to
  ------  -----------  -------  -------  ------
  aic=48     1,250.00  +25.00%  -12.00%  -7.00%
  No effect: aiv cores +1 (3), sm cores +1 (9).

What if: fewer edges
  No effect: without A:B.
  From and to hold every replay over what the records leave open, and the distance of the unchanged
  replay. A change has an effect if every replay is shorter with it, or every one longer, by 0.1 %
  or more.
"""


def test_notes_and_a_replay_that_is_far_off_come_before_the_predictions() -> None:
    answer = WhatIf(1_000_000, 1_120_000.0, 0.12, (NOTE,), (ROW, MORE))
    assert what_if_text("run", answer) == PAGE


def test_a_ranking_is_a_table_per_class_and_a_change_without_effect_is_only_named() -> None:
    groups = (
        EffortGroup("cores", (MORE,), ("aiv cores +1 (3)", "sm cores +1 (9)")),
        EffortGroup("edges", (), ("without A:B",)),
    )
    answer = WhatIf(1_000_000, 1_000_000.0, 0.0, (), (replace(ROW, sure=False),), groups)
    assert what_if_text("run", answer).split("\n\n", 1)[1] == RANKED


def test_without_changes_there_is_only_the_unchanged_replay() -> None:
    assert what_if_text("run", WhatIf(1_000_000, 950_000.0, -0.05, (), ())) == (
        "Replay of run\n"
        "  recorded  1.000 ms, first dispatch to last finish\n"
        "  replayed  950.00 µs unchanged, -5.00%\n"
    )


def test_a_name_cannot_write_to_the_terminal() -> None:
    page = what_if_text("run\x1b[2J", WhatIf(1000, 1000.0, 0.0, (), (replace(ROW, name="\x07"),)))
    assert "\x1b" not in page and "\x07" not in page


REFUSED = """\
Replay of run
  recorded   1.000 ms, first dispatch to last finish
  replayed   1.120 ms unchanged, +12.00%
  uses       every task's own pick-up, dispatch and finish, as constant costs explain less
  unseen     +3.00%, -40.00%: each half replayed with what the other half tells
  preempted  25.0 % of the makespan: threads were off the processor
  No prediction: it is too far off.

Waits that the replay does not explain
  task  function  recorded µs  replayed µs
  ----  --------  -----------  -----------
     7  QK             800.00         0.20
  From submit and the last predecessor's finish to the dispatch.
"""


def test_a_refusal_says_why_and_lists_what_is_not_explained() -> None:
    answer = WhatIf(
        1_000_000,
        1_120_000.0,
        0.12,
        (),
        (),
        values="own",
        unseen=(0.03, -0.4),
        off_processor=0.25,
        unexplained=(UnexplainedWait(7, "QK", 800_000, 200),),
        refused="it is too far off",
    )
    assert what_if_text("run", answer) == REFUSED


def test_only_a_replay_beyond_ten_percent_is_far_off() -> None:
    assert "more than 10 % off" not in what_if_text("run", WhatIf(1000, 1100.0, 0.1, (), ()))
    assert "more than 10 % off" in what_if_text("run", WhatIf(1000, 899.0, -0.101, (), ()))
