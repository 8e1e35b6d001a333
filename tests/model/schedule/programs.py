"""Random valid PLENA programs, and the machines they run on."""

from __future__ import annotations

from hypothesis import strategies as st

from lanescope.model.boards import load_board
from lanescope.model.cost.core import core_setup
from lanescope.model.isa.isa import Isa, load_isa

PLENA = load_isa("plena")
ROUTE_L = load_isa("plena-route-l")
SMALL = core_setup(load_board("nexys_video"), None, {"MLEN": 8, "BLEN": 2, "HLEN": 4})
"""Small tiles, so that random addresses meet."""

_GP = st.integers(0, 4).map("gp{}".format)
_F = st.integers(0, 3).map("f{}".format)
_A = st.integers(0, 1).map("a{}".format)
_IMM = st.sampled_from(["0", "1", "2", "8", "16", "64"])
_KINDS = {"gp": _GP, "f": _F, "a": _A, "imm": _IMM}
_ROLES = {
    "policy": st.sampled_from(["0", "1"]),
    **dict.fromkeys(("view", "slot", "primitive", "token"), st.sampled_from(["0", "1", "2"])),
}
"""Operands that not every number can be."""
ALL = [
    name
    for name, form in PLENA.forms.items()
    if form.opcode.loop is None and name not in ("V_PS_V", "C_HADAMARD_TRANSFORM")
]
TILELANG = load_isa("plena-tilelang")
SHIFTED = [name for name, form in TILELANG.forms.items() if form.opcode.loop is None]
"""Those of the build that computes addresses with shifts and divisions."""
ROUTED = [name for name, form in ROUTE_L.forms.items() if form.opcode.loop is None]
"""Those of the largest build."""
RTL = [name for name in ALL if not name.startswith(("M_B", "V_MAX", "V_MIN", "V_TOPK"))]
"""Those that the rtl costs know."""


def _instruction(name: str, isa: Isa) -> st.SearchStrategy[list[str]]:
    parts = [
        _ROLES.get(operand.role, _KINDS[operand.kinds[-1]]) for operand in isa.forms[name].operands
    ]
    return st.tuples(*parts).map(lambda found: [f"{name} {', '.join(found)}"])


def _looped(body: st.SearchStrategy[list[str]]) -> st.SearchStrategy[list[str]]:
    return st.tuples(st.integers(1, 4), st.integers(1, 4), body).map(
        lambda found: [
            f"C_LOOP_START gp{found[0]}, {found[1]}",
            *found[2],
            f"C_LOOP_END gp{found[0]}",
        ]
    )


def _joined(parts: list[list[str]]) -> list[str]:
    return [line for part in parts for line in part]


def programs(names: list[str], isa: Isa = PLENA) -> st.SearchStrategy[str]:
    """Texts of programs with nested loops."""
    line = st.sampled_from(names).flatmap(lambda name: _instruction(name, isa))
    block = st.lists(line, min_size=1, max_size=6).map(_joined)
    nested = st.recursive(
        block,
        lambda inner: st.lists(st.one_of(block, _looped(inner)), min_size=1, max_size=3).map(
            _joined
        ),
        max_leaves=8,
    )
    return nested.map("\n".join)
