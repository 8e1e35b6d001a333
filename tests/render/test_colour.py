"""Which streams get colours and drawn tables."""

from __future__ import annotations

import io

import pytest

from lanescope.render.colour import has_colour, is_drawn


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "variables", "drawn", "coloured"),
    [
        (io.StringIO(), {}, False, False),
        (io.StringIO(), {"FORCE_COLOR": "1"}, True, True),
        (io.StringIO(), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        (Terminal(), {}, True, True),
        (Terminal(), {"FORCE_COLOR": "", "NO_COLOR": ""}, True, True),
        (Terminal(), {"NO_COLOR": "1"}, True, False),
    ],
)
def test_variables_go_before_what_the_stream_is(
    stream: io.StringIO,
    variables: dict[str, str],
    drawn: bool,
    coloured: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert (is_drawn(stream), has_colour(stream)) == (drawn, coloured)
