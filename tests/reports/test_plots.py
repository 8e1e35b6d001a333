"""Pictures of a report: well-formed, escaped, and with the figures of the analyses."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.analyze.hand import make_trace, task
from tests.reports.pictures import shapes
from tests.viewer.traces import HOSTILE, small

import lanescope
from lanescope.analyze.cores.verdict import verdict
from lanescope.cli import main
from lanescope.reports import plots as pictures
from lanescope.reports.plots import length_text, plots

RUN = make_trace(
    {"level": 4},
    tasks=[
        task(0, 1000, 1000, 1000, 2000, 2010, func=0, task=0),
        task(1, 1000, 1000, 1100, 1350, 1360, func=1, task=1),
        task(2, 1000, 1000, 2000, 3000, 3000, func=1, task=2),
        task(2, 3000, 3000, 3001, 4000, 4000, func=1, task=3),
        task(0, 4100, 4100, 4200, 5000, 5000, func=0, task=4),
    ],
    cores=[{"core": core, "kind": kind} for core, kind in enumerate(("aic", "aiv", "aiv"))],
    functions=[{"func": 0, "name": "multiply a long name"}, {"func": 1, "name": "add"}],
)
"""Of 4 µs, the matrix core is busy for 1.8 and the vector cores for 0.25 and 1.999."""

UTILISATION = [
    "760 x 242",
    "text text title 16 26 hand: cores that ran a task",
    "text text 16 70 aic",
    "text soft 16 87 45.0 % of 1",
    "line line 150 110 734 110",
    "text soft 144 114 end 0%",
    "line line 150 80 734 80",
    "text soft 144 84 end 50%",
    "line line 150 50 734 50",
    "text soft 144 54 end 100%",
    "path c0 M150 110 L150 50 L296 50 L296 110 L442 110 L442 110 L588 110 L588 62 L734 62 "
    "L734 110 Z",
    "text text 16 154 aiv",
    "text soft 16 171 28.1 % of 2",
    "line line 150 194 734 194",
    "text soft 144 198 end 0%",
    "line line 150 164 734 164",
    "text soft 144 168 end 50%",
    "line line 150 134 734 134",
    "text soft 144 138 end 100%",
    "path c0 M150 194 L150 186.5 L296 186.5 L296 164 L442 164 L442 164.03 L588 164.03 "
    "L588 194 L734 194 L734 194 Z",
    "text soft 150 226 1.00 µs",
    "text soft 296 226 middle 2.00 µs",
    "text soft 442 226 middle 3.00 µs",
    "text soft 588 226 middle 4.00 µs",
    "text soft 734 226 end 5.00 µs",
]

DURATIONS = [
    "760 x 162",
    "text text title 16 26 hand: how long the tasks of each function took",
    "text text 16 64 add",
    "text soft 16 79 3 tasks",
    "line line 150 82 734 82",
    "rect c0 150.5 66 63.89 16",
    "rect c0 669.61 50 63.89 32",
    "text text 16 108 multiply a lon…",
    "text soft 16 123 2 tasks",
    "line line 150 126 734 126",
    "rect c0 604.72 94 63.89 32",
    "rect c0 669.61 94 63.89 32",
    "text soft 150 146 middle 215 ns",
    "text soft 214.89 146 middle 256 ns",
    "text soft 279.78 146 middle 304 ns",
    "text soft 344.67 146 middle 362 ns",
    "text soft 409.56 146 middle 431 ns",
    "text soft 474.44 146 middle 512 ns",
    "text soft 539.33 146 middle 609 ns",
    "text soft 604.22 146 middle 724 ns",
    "text soft 669.11 146 middle 861 ns",
    "text soft 734 146 middle 1.02 µs",
]

WAITS = [
    "760 x 240",
    "text text title 16 26 hand: what the cores did with the window",
    "text text 16 62 chip",
    "text soft 16 77 3 cores",
    "rect c0 150 48 197.05 28",
    "text back 248.53 66 middle 33.7 %",
    "rect c3 347.05 48 58.45 28",
    "text back 376.28 66 middle 10.0 %",
    "rect c8 405.5 48 182.5 28",
    "text back 496.75 66 middle 31.2 %",
    "rect c9 588 48 146 28",
    "text text 661 66 middle 25.0 %",
    "text text 16 108 aic",
    "text soft 16 123 1 cores",
    "rect c0 150 94 262.8 28",
    "text back 281.4 112 middle 45.0 %",
    "rect c3 412.8 94 14.6 28",
    "rect c8 427.4 94 306.6 28",
    "text back 580.7 112 middle 52.5 %",
    "rect c9 734 94 0 28",
    "text text 16 154 aiv",
    "text soft 16 169 2 cores",
    "rect c0 150 140 164.18 28",
    "text back 232.09 158 middle 28.1 %",
    "rect c3 314.18 140 80.37 28",
    "text back 354.36 158 middle 13.8 %",
    "rect c8 394.55 140 120.45 28",
    "text back 454.77 158 middle 20.6 %",
    "rect c9 515 140 219 28",
    "text text 624.5 158 middle 37.5 %",
    "rect c0 16 186 10 10",
    "text soft 31 196 running",
    "rect c3 258.67 186 10 10",
    "text soft 273.67 196 dispatched, not picked up (switch)",
    "rect c8 501.33 186 10 10",
    "text soft 516.33 196 idle, the trace cannot tell why",
    "rect c9 16 204 10 10",
    "text soft 31 214 no task for this core",
]

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


def test_the_utilisation_has_an_area_per_kind_over_the_window(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pictures, "_BINS", 4)
    assert shapes(plots(RUN)["utilisation.svg"]) == UTILISATION


def test_the_utilisation_has_320_steps() -> None:
    [first, _] = [one for one in shapes(plots(RUN)["utilisation.svg"]) if one.startswith("path")]
    assert len(first.split()) == 3 + 2 * (2 * 320 + 2)


def test_durations_have_a_row_per_function_on_one_axis() -> None:
    """Bins are quarters of a doubling: 861 to 1024 ns, 724 to 861, 215 to 256."""
    assert shapes(plots(RUN)["durations.svg"]) == DURATIONS


def test_waits_are_the_chips_then_each_kinds_with_what_the_colours_mean() -> None:
    assert shapes(plots(RUN)["waits.svg"]) == WAITS
