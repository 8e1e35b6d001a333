"""The section about the inside of the cores, whole."""

from __future__ import annotations

from tests.analyze.hand import make_trace, task
from tests.analyze.inside.test_busy import busy

from lanescope.reports import build_report
from lanescope.trace import Trace

INSIDE = """\
Inside the cores
  function  cores  tasks  total ns   cube   mte2  bound by  load hidden  bubbles
  --------  -----  -----  --------  -----  -----  --------  -----------  -------
  QK        aic        2     3,000  33.3%  60.0%  mte2            16.7%    16.7%
  Of the time from start to end. load hidden: the part of mte2's time in which cube or vector worked
  too; bubbles: no pipe worked.
  Marks and busy intervals in no task: 1.

Inside the cores: slowest task against the median one
  function  cores  slowest ns  median ns  task  core  pipe  more busy ns  more bubbles ns
  --------  -----  ----------  ---------  ----  ----  ----  ------------  ---------------
  QK        aic         2,000      1,000  5     0     mte2           600              500
  pipe: the one whose working time differs most between the two; more busy, more bubbles: slowest
  minus median.
"""


def small() -> Trace:
    return make_trace(
        cores=[{"core": 0, "kind": "aic"}],
        functions=[{"func": 0, "name": "QK"}],
        tasks=[
            task(0, None, None, 0, 1000, None, token=0, task=4, func=0),
            task(0, None, None, 1000, 3000, None, token=1, task=5, func=0),
        ],
        marks=[
            busy("mte2", 0, 600),
            busy("cube", 500, 1000),
            busy("mte2", 1000, 2200, token=1),
            busy("cube", 2000, 2500, token=1),
            {"core": 0, "pipe": "cube", "name": "busy", "start_ns": 5000, "end_ns": 5001},
        ],
    )


def test_the_text() -> None:
    text = build_report(small()).text()
    assert text[text.index("Inside the cores") :] == INSIDE


def test_no_section_without_pipes() -> None:
    assert "Inside" not in build_report(make_trace()).text()
