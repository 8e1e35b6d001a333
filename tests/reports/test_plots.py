"""Pictures of a report: well-formed, escaped, and with the figures of the analyses."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.analyze.hand import make_trace
from tests.viewer.traces import HOSTILE, small

import lanescope
from lanescope.analyze.cores.verdict import verdict
from lanescope.cli import main
from lanescope.reports.plots import length_text, plots

SVG = "{http://www.w3.org/2000/svg}"


def drawn(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def widths(svg: str, style: str) -> list[float]:
    found = drawn(svg).iter(f"{SVG}rect")
    return [float(r.attrib["width"]) for r in found if r.attrib["class"] == style]


def test_three_pictures_are_well_formed_and_follow_the_theme() -> None:
    pictures = plots(small())
    assert list(pictures) == ["utilisation.svg", "durations.svg", "waits.svg"]
    for svg in pictures.values():
        drawn(svg)
        assert "prefers-color-scheme: dark" in svg
        assert not re.search(r"https?://(?!www\.w3\.org)", svg)


def test_bars_of_the_waits_are_the_shares() -> None:
    trace = small()
    chip = verdict(trace).chip
    assert chip is not None
    svg = plots(trace)["waits.svg"]
    for number, share in enumerate(chip.shares):
        found = widths(svg, f"c{number}")
        assert len(found) == (2 if share.ns else 0)
        if found:
            bar, legend = found
            assert (legend, bar / 584) == (10, pytest.approx(share.share, abs=1e-4))


def test_a_hostile_name_is_text() -> None:
    svg = plots(small(HOSTILE))["durations.svg"]
    texts = [text.text or "" for text in drawn(svg).iter(f"{SVG}text")]
    assert any(HOSTILE in text for text in texts)
    assert "<script" not in svg


def test_a_control_character_does_not_break_the_picture() -> None:
    drawn(plots(small("a\x00b\x1bc"))["waits.svg"])


def test_an_empty_trace_has_no_pictures() -> None:
    assert plots(make_trace()) == {}


@pytest.mark.parametrize(
    ("ns", "text"), [(0, "0 ns"), (999, "999 ns"), (1500, "1.50 µs"), (12_340_000, "12.3 ms")]
)
def test_lengths_have_three_digits(ns: int, text: str) -> None:
    assert length_text(ns) == text


def test_the_command_writes_them(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lanescope.save(small(), tmp_path / "a.lanes")
    folder = tmp_path / "plots"
    assert main(["report", str(tmp_path / "a.lanes"), "--plots", str(folder)]) == 0
    assert sorted(file.name for file in folder.iterdir()) == [
        "durations.svg",
        "utilisation.svg",
        "waits.svg",
    ]
    assert "Pictures: " in capsys.readouterr().out
