"""Findings as text, captures as files, and the words of an agent's lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanescope.device.perfmon import Buffer
from lanescope.probe.capture import GUARD_BYTES, PATTERN, Look, ProbeCapture, changed
from lanescope.probe.lines import WrongLine, maybe_number, number, octets, read_answer, shown
from lanescope.probe.result import QUESTIONS, Findings, ProbeVerdict, cannot_tell
from lanescope.probe.text import render, save_captures

BURST = len(PATTERN)


def findings(owner: str = "exclusive") -> Findings:
    verdicts = {
        "address": ProbeVerdict("address", "virtual", ("one", "two"), "high"),
        "stream": cannot_tell("stream", "nobody knows"),
        "form": cannot_tell("form"),
        "fixp_code": ProbeVerdict("fixp_code", "10", ("seen",), "medium"),
        "buffer": ProbeVerdict("buffer", "ring, byte_count", ("seen",), "high"),
        "cache": ProbeVerdict("cache", "coherent", ("seen",), "medium"),
        "owner": ProbeVerdict("owner", owner, ("seen",), "high"),
    }
    return Findings(verdicts, ())


def test_every_question_has_its_answer_and_what_it_rests_on() -> None:
    text = render(findings())
    titles = [text.index(QUESTIONS[name]) for name in findings().verdicts]
    assert titles == sorted(titles)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert "answer virtual (high confidence)" in lines
    assert lines[lines.index("evidence one") + 1] == "two"
    assert lines.count("answer cannot tell") == 2
    first = lines.index("What the collector should use")
    assert [line for line in lines[first + 1 :] if line] == [
        "address virtual",
        "stream not known",
        "wrap ring",
        "pointer byte_count",
        "invalidate no",
        "form not known",
        "fixp_code 10",
        "exclusive yes",
    ]


def test_another_owner_is_to_be_stopped() -> None:
    said = "Stop the other owner first"
    assert said in render(findings("contended"))
    assert said not in render(findings())
    assert findings("contended").configuration()["exclusive"] is False


def capture(name: str, data: bytes, base_after: int = 0x1000) -> ProbeCapture:
    look = Look(*range(len(Look._fields)))
    buffer = Buffer(0x1000, None, len(data) - 2 * GUARD_BYTES)
    return ProbeCapture(name, "virtual", buffer, (), look, look, base_after, 5, 6, data)


def guard(size: int = GUARD_BYTES) -> bytes:
    return (PATTERN * (size // BURST + 1))[:size]


def test_captures_are_files_of_their_own_and_replace_older_ones(tmp_path: Path) -> None:
    (tmp_path / "07-old.bin").touch()
    (tmp_path / "notes.bin").touch()
    data = guard() + bytes(BURST) + guard()
    save_captures(Findings({}, (capture("form", data), capture("cache", guard()))), tmp_path)
    files = sorted(path.name for path in tmp_path.iterdir())
    assert files == ["00-form.bin", "01-cache.bin", "captures.json", "notes.bin"]
    assert (tmp_path / "00-form.bin").read_bytes() == data
    first, second = json.loads((tmp_path / "captures.json").read_text())
    assert (first["file"], first["name"], first["base"]) == ("00-form.bin", "form", 0x1000)
    assert (first["buffer_bytes"], first["counter_before"]) == (BURST, 5)
    assert (second["file"], second["counter_after"]) == ("01-cache.bin", 6)


def test_a_byte_that_is_not_the_patterns_is_seen_wherever_it_is() -> None:
    for size in (0, 1, BURST - 1, BURST, BURST + 1):
        own = guard(size)
        assert not changed(own)
        for at in range(size):
            other = bytearray(own)
            other[at] ^= 1
            assert changed(bytes(other))


def test_a_capture_knows_what_was_written_and_whether_its_guards_are_whole() -> None:
    full = b"\1" * BURST
    found = capture("form", guard() + full + PATTERN + full + guard())
    assert (found.window, found.written) == (full + PATTERN + full, full)
    assert (found.guards_intact, found.undisturbed) == (True, True)
    assert capture("form", guard() + full + guard()).written == full
    assert not capture("form", b"\1" + guard()[1:] + full + guard()).guards_intact
    assert not capture("form", guard() + full + guard()[:-1] + b"\1").guards_intact
    assert not capture("form", guard() + full + guard(), base_after=7).undisturbed


@pytest.mark.parametrize(
    ("word", "value"),
    [("0", 0), ("15", 15), ("0xf", 15), ("16", None), ("0x10", None), ("0xF", None), ("-1", None)],
)
def test_a_number_is_decimal_or_hexadecimal_and_below_its_limit(
    word: str, value: int | None
) -> None:
    if value is not None:
        assert number(word, 16) == maybe_number(word, 16) == value
        return
    with pytest.raises(WrongLine, match=f"expected a number below 0x10, found '{word}'"):
        number(word, 16)


def test_bytes_are_pairs_of_digits() -> None:
    assert maybe_number("none", 16) is None
    assert octets("00ff", 2) == b"\0\xff"
    for word in ("00f", "00FF", "00ff00"):
        with pytest.raises(WrongLine) as caught:
            octets(word, 2)
        assert str(caught.value) == f"expected 2 bytes as 4 digits 0-9a-f, found {word!r}"


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("7", "expected '7 ok …' or '7 error …', found '7'"),
        ("x ok", "expected '7 ok …' or '7 error …', found 'x ok'"),
        ("7 yes", "expected '7 ok …' or '7 error …', found '7 yes'"),
        ("8 ok", "expected the answer number 7, found number '8'"),
        ("7 error it is off", "it refuses: 'it is off'"),
    ],
)
def test_a_line_that_is_no_answer_is_refused(line: str, problem: str) -> None:
    with pytest.raises(WrongLine) as caught:
        read_answer(line, 7)
    assert str(caught.value) == problem


def test_an_answer_is_its_values_and_foreign_text_is_short() -> None:
    assert (read_answer("7 ok", 7), read_answer("7 ok 1 0x2", 7)) == ([], ["1", "0x2"])
    assert (shown("a" * 60), shown("a" * 61)) == (f"'{'a' * 60}'", f"'{'a' * 60}…'")
