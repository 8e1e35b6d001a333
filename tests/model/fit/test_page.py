"""The report of a fit, line by line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lanescope.model.fit.page import _ways_out, fit_text
from lanescope.model.fit.whatif import WayOut
from lanescope.model.fitting import fit
from lanescope.render.cells import rate_text

MODEL = Path(__file__).parents[3] / "examples" / "model_135m.json"


def test_a_model_that_streams() -> None:
    lines = fit_text(
        fit(MODEL, board="nexys_video", weight_dtype="mxfp8", capacity="128M")
    ).splitlines()
    assert lines[:3] == [
        "model_135m.json on nexys_video, context 2,048, batch 1",
        "footprint: weight 151.33 MB, kv 47.19 MB, activation 106.75 kB, total 198.62 MB",
        "regime: weight-stream with 134.22 MB of memory; 64.40 MB (32.4%) do not fit and come over "
        "the link",
    ]
    assert lines[3].startswith("decode: 0.58")
    assert lines[3].endswith("bound by link")
    assert lines[5].startswith("prefill: first token after ")
    assert lines[7].startswith("arithmetic: predict's schedule of a generated tile program")
    assert lines[9].startswith("17.11 MB more memory: kv-swap, ")
    assert sum(line.count("@") for line in lines) == 2
    assert [line for line in lines if line.startswith("  R ")] == ["  R resident"]
    assert lines.count("sensitivity: tokens per second with one value changed") == 1
    assert any(line.startswith("weights over the link per pass: ") for line in lines)


def test_a_board_without_arithmetic_says_what_to_give() -> None:
    lines = fit_text(fit(MODEL, board="u55c", capacity="128M")).splitlines()
    assert lines[3].startswith("decode: at most ")
    assert lines[5] == (
        "prefill: no time to first token; no arithmetic rate is known: give --compute RATE, what "
        "the board reaches, like 8.9G"
    )
    assert ", at most " in lines[6]
    assert not any(line.startswith("intervals") for line in lines)


def test_decode_and_prefill_are_apart() -> None:
    lines = fit_text(fit(MODEL, board="nexys_video", compute="1G")).splitlines()
    assert lines[3].startswith("decode: 2.4")
    assert lines[4].startswith("  one step: memory 316 ms, compute ")
    assert lines[5].startswith("prefill: first token after ")
    assert lines[5].endswith("bound by compute")
    assert lines[6].startswith("  all prompts: memory 316 ms, compute ")
    assert lines[7] == "arithmetic: given"
    assert lines[8].startswith("intervals: meant to hold 9 of 10 measurements; from the errors on ")


def test_a_model_that_cannot_run(tmp_path: Path) -> None:
    file = tmp_path / "alone.yaml"
    file.write_text(
        "name: alone\nsummary: no link\nsources: {us: by hand}\nmemory:\n"
        "  capacity_bytes: {value: 1000, basis: assumed, source: us}\n"
        "  peak_bytes_per_s: {value: 1000, basis: assumed, source: us}\n"
    )
    text = fit_text(fit(MODEL, board=file))
    assert (
        "decode: no tokens per second; it does not fit and there is no link to stream over" in text
    )
    assert "note: the board alone names no link to the host (--host-bandwidth)" in text
    assert "sensitivity" not in text


def test_a_way_out_is_slower_where_it_has_less_than_the_bound() -> None:
    found = fit(MODEL, board="u55c", capacity="128M")
    now = found.decode.most_tokens_per_s
    assert found.decode.tokens_per_s is None and now is not None
    ways = [
        WayOut("memory", 1.5e6, "bytes", "resident", now),
        WayOut("link", 2e9, "bytes/s", "kv-swap", now / 2),
    ]
    assert list(_ways_out(replace(found, ways_out=ways))) == [
        f"1.50 MB more memory: resident, at most {rate_text(now)} tokens per second",
        f"2.00 GB/s more link: kv-swap, at most {rate_text(now / 2)} tokens per second, slower: "
        "the link outruns the memory",
    ]
