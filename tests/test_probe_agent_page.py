"""docs/probe-agent.md: requests, limits and the first line are those of the code."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path

from lanescope.platforms.sim.stream import REGION_END, REGION_START
from lanescope.platforms.sim.switches import switched_core
from lanescope.probe import conversation, lines
from lanescope.probe.serve import serve

PAGE = (Path(__file__).parents[1] / "docs" / "probe-agent.md").read_text()


def answer(request: str) -> str:
    answers = BytesIO()
    serve(switched_core([]), BytesIO(f"1 {request}\n".encode()), answers)
    return answers.getvalue().decode().split("\n")[1]


def test_every_request_is_one_that_the_agent_knows() -> None:
    rows = re.findall(r"^\| `([a-z]+)([^`]*)` \| ([^|]*)\|", PAGE, re.MULTILINE)
    assert len(rows) == 11
    for word, arguments, values in rows:
        told = answer(f"{word} {'9 ' * len(arguments.split())}".rstrip())
        assert "no request" not in told
        assert "no request" in answer(f"{word} 9 9 9 9") or word == "kernel"
        if told == "1 ok":
            assert values.strip() == ""


def test_limits_and_the_first_line() -> None:
    assert f"unasked: `{lines.GREETING}`" in PAGE and f"Version {lines.VERSION}." in PAGE
    assert f"at most {lines.LINE_BYTES} bytes" in PAGE
    assert PAGE.count(f"at most {lines.PIECE_BYTES}") == 2
    assert f"{lines.MOST_BUFFERS} must be possible" in PAGE
    assert f"{conversation.START_S:g} s for its first line and {conversation.ANSWER_S:g} s" in PAGE
    assert f"after {conversation._END_S:g} s it gets SIGTERM, after 2 more SIGKILL" in PAGE
    assert f"({REGION_START} + MARK)" in PAGE and f"({REGION_END} + MARK)" in PAGE
