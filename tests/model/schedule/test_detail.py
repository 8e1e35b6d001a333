"""A prediction with all its tables as plain dicts."""

from __future__ import annotations

from tests.model.schedule.counted import predicted

from lanescope.model.schedule.detail import detail, peer_cycles, prediction_dict


def test_the_peers_figures_stand_beside_ours() -> None:
    assert peer_cycles(predicted()) == {"peer": 504, "peer-charged": 504}


def test_a_peer_that_lacks_a_figure_is_left_out() -> None:
    assert peer_cycles(predicted("V_FOO gp1")) == {}


def test_every_table_is_among_the_figures_as_rows() -> None:
    prediction = predicted()
    figures = prediction_dict(prediction, 3)
    for name, rows in detail(prediction, 3)._asdict().items():
        assert figures[name] == [row._asdict() for row in rows]
    assert figures["unknown"] == {"lines": 0, "instructions": 0, "problems": []}
