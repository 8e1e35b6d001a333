"""Fits side by side: a row per board, and what each of them leaves out."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from lanescope.model.fit.compare import FitComparison
from lanescope.model.fit.estimate import Interval
from lanescope.model.fit.page import short_text
from lanescope.model.fit.whatif import Influence
from lanescope.model.fitting import fit
from lanescope.model.manifest import Footprint


def one(board: str, **more: Any) -> Any:
    """A fit with the fields that a comparison shows."""
    decode = {"tokens_per_s": None, "most_tokens_per_s": None, "reason": None, "bound": "link"}
    decode |= more.pop("decode", {})
    prefill = {"first_token_s": None, "step": None} | more.pop("prefill", {})
    step = SimpleNamespace(bound_by=decode.pop("bound"))
    known = {
        "model": "m.json",
        "board": board,
        "context": 2048,
        "batch": 1200,
        "footprint_bytes": Footprint(800, 150, 50),
        "capacity_bytes": 1000,
        "regime": "resident",
        "residency": SimpleNamespace(streamed_bytes=0),
        "compute_source": "",
        "notes": (),
    }
    return SimpleNamespace(
        **{**known, **more},
        decode=SimpleNamespace(step=step, **decode),
        prefill=SimpleNamespace(**prefill),
    )


def test_a_row_per_board() -> None:
    fast = one(
        "fast",
        decode={"tokens_per_s": Interval(9, 20, 30), "bound": "memory"},
        prefill={
            "first_token_s": Interval(1, 1.5, 2),
            "step": SimpleNamespace(bound_by="compute"),
        },
    )
    exact = one(
        "exact",
        decode={"tokens_per_s": Interval(5, 5, 5)},
        prefill={"first_token_s": Interval(2, 2, 2), "step": SimpleNamespace(bound_by="link")},
    )
    bound = one(
        "bound",
        regime="weight-stream",
        residency=SimpleNamespace(streamed_bytes=250),
        decode={"most_tokens_per_s": 4000.0},
    )
    (section,) = FitComparison((fast, exact, bound, one("none"))).page()
    assert section.title == "m.json on 4 boards"
    assert section.lines == (
        "context 2,048, batch 1,200, weight 800 B, kv 150 B, activation 50 B, total 1.00 kB",
    )
    assert [(column.title, column.cells) for column in section.columns] == [
        ("board", ("fast", "exact", "bound", "none")),
        ("memory", ("1.00 kB",) * 4),
        ("regime", ("resident", "resident", "weight-stream", "resident")),
        ("over the link", (0.0, 0.0, 0.25, 0.0)),
        ("tokens/s", ("20 (9 to 30)", "5", "at most 4,000", None)),
        ("bound by", ("memory", "link", "link", "link")),
        ("first token", ("1.5 s (1 s to 2 s)", "2 s", None, None)),
        ("bound by", ("compute", "link", None, None)),
    ]
    assert [column.title for column in section.columns if column.key] == ["board"]
    kept = [column.title for column in section.columns if column.kept]
    assert kept == ["tokens/s", "first token"]
    assert [column.type for column in section.columns] == [
        *("text", "figure", "text", "percent"),
        *("figure", "text", "figure", "text"),
    ]


def test_fits_without_notes_have_no_section_of_them() -> None:
    (section,) = FitComparison((one("a"), one("b"))).page()
    assert section.title == "m.json on 2 boards"


def test_what_a_fit_leaves_out_stands_below() -> None:
    told = one("a", decode={"reason": "no rate"}, compute_source="given", notes=("n1", "n2"))
    _, notes = FitComparison((told, one("b"), one("c", notes=("n3",)))).page()
    assert (notes.title, notes.facts) == (
        "Notes",
        (("a", "no rate; arithmetic: given; n1; n2"), ("c", "n3")),
    )


def test_real_fits_stand_beside_each_other_as_text_and_as_dicts() -> None:
    model = "examples/model_135m.json"
    both = fit(model, board="nexys_video").compare(fit(model, board="u55c"))
    assert both.text().startswith("model_135m.json on 2 boards\n  context 2,048, batch 1, weight ")
    assert [row["board"] for row in both.to_dict()["fits"]] == ["nexys_video", "u55c"]


def influence(name: str, low: float, high: float, *, has_range: bool = True) -> Influence:
    return Influence(name, "assumed", 1, 2, low, high, has_range)


def test_the_screen_names_the_value_whose_range_changes_the_rate_most() -> None:
    made = fit("examples/model_135m.json", board="nexys_video")
    some = (influence("a", 5, 7), influence("b", 2, 9.5), influence("c", 0, 99, has_range=False))
    text = short_text(replace(made, sensitivity=some, notes=("by hand",)))
    assert text.endswith(
        "worth measuring: b; its range gives 2 to 9.5 tokens per second\nnote: by hand\n"
    )
    same = replace(made, sensitivity=(influence("a", 5, 5),), notes=())
    assert "worth measuring" not in short_text(same)
