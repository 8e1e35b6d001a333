"""The scoreboard as text."""

from __future__ import annotations

import pytest
from validation.emulator import Recorded
from validation.report import print_recorded


@pytest.mark.parametrize(
    ("allowed", "said"), [(0.0, "exact: "), (0.005, "within 0.5%: "), (0.05, "within 5%: ")]
)
def test_a_limit_is_printed_as_it_is(
    allowed: float, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    print_recorded([Recorded("linear", 100.0, 100, allowed)])
    assert f"+0.000%  {said}holds" in capsys.readouterr().out
