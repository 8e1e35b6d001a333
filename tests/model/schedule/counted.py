"""A small program whose figures can be counted by hand, on a Nexys Video."""

from __future__ import annotations

from lanescope.model.boards import load_board
from lanescope.model.cost.core import core_setup
from lanescope.model.cost.source import load_cost_source
from lanescope.model.isa.isa import load_isa
from lanescope.model.isa.parse import parse
from lanescope.model.schedule.figures import predict_known
from lanescope.model.schedule.prediction import Prediction

PLENA = load_isa("plena")
VIDEO = core_setup(load_board("nexys_video"), None)
TEXT = """\
S_LUI_INT gp1, 1
; region product
C_LOOP_START gp2, 2
C_LOOP_START gp3, 3
M_MM 0, gp1, gp0
C_LOOP_END gp3
C_LOOP_END gp2
; region norm
V_RED_SUM f1, gp0
V_RED_SUM f0, gp0
"""
SHORTER = TEXT.replace("C_LOOP_START gp3, 3", "C_LOOP_START gp3, 2")


def predicted(text: str = TEXT, source: str = "emulator") -> Prediction:
    """The prediction of a program's text."""
    return predict_known(parse(text, PLENA), load_cost_source(source), VIDEO)
