"""The answer of a fit as dict, text and picture."""

from __future__ import annotations

from pathlib import Path

from lanescope.model.fit.svg import plane_svg
from lanescope.model.fitting import fit

MODEL = Path(__file__).parents[3] / "examples" / "model_135m.json"
FIT = fit(MODEL, board="nexys_video", weight_dtype="mxfp8", capacity="128M", compute="1G")


def test_its_dict_is_plain_all_the_way_down() -> None:
    figures = FIT.to_dict()
    assert figures["footprint_bytes"]["total"] == FIT.footprint_bytes.total
    assert figures["interval_from"]["group"] == "weights over the link"
    assert figures["decode"]["step"]["bound_by"] == "link"
    assert figures["prefill"]["step"]["bound_by"] == "compute"
    assert figures["ways_out"][0]["what"] == "memory"
    assert list(figures["decode"]["tokens_per_s"]) == ["low", "estimate", "high"]
    assert list(figures["prefill"]["first_token_s"]) == ["low", "estimate", "high"]


def test_its_picture_is_the_plane_under_its_name() -> None:
    assert FIT.svg() == plane_svg(FIT.plane, title="model_135m.json on nexys_video")


def test_it_prints_itself_without_the_plane() -> None:
    assert "plane=" not in repr(FIT)
