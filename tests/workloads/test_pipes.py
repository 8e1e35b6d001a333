"""What a kernel is: the order of its operations, their bytes, and what is refused."""

from __future__ import annotations

import re

import pytest

from lanescope.errors import UsageError
from lanescope.workloads.pipes import (
    KIND_OF_PIPE,
    ROUTES,
    CoreRates,
    Order,
    PipeKernel,
    PipeOp,
    bytes_moved,
)


def kernel_of(*ops: PipeOp) -> PipeKernel:
    return PipeKernel("k", ops)


def load(size: int, *, waits: tuple[int, ...] = (), sets: tuple[int, ...] = ()) -> PipeOp:
    return PipeOp("mte2", bytes=size, route="gm_to_ub", waits=waits, sets=sets)


def store(size: int, *, waits: tuple[int, ...] = ()) -> PipeOp:
    return PipeOp("mte3", bytes=size, route="ub_to_gm", waits=waits)


def refusal(*ops: PipeOp, kind: str = "aiv") -> str:
    with pytest.raises(UsageError) as refused:
        kernel_of(*ops).check(kind)
    return str(refused.value)


WRONG = {
    "op 0: a pipe is one of scalar, vector, cube, mte1, mte2, mte3, fixp, found 'mte9'": [
        PipeOp("mte9")
    ],
    "op 1: a route is one of gm_to_ub, gm_to_l1, ub_to_gm, l0c_to_gm, l1_to_l0a, l1_to_l0b, "
    "found 'gm_to_l9'": [PipeOp("scalar"), PipeOp("mte2", bytes=1, route="gm_to_l9")],
    "op 0: route gm_to_ub runs on mte2, found it on mte3": [
        PipeOp("mte3", bytes=1, route="gm_to_ub")
    ],
    "op 0: a transfer needs a route, found 8 bytes without one": [PipeOp("mte2", bytes=8)],
    "op 0: cycles must not be negative, found -1": [PipeOp("scalar", cycles=-1)],
    "op 0: bytes must not be negative, found -3": [load(-3)],
    "op 0: ps must not be negative, found -2": [PipeOp("scalar", ps=-2)],
    "op 0: a mark is 0 to 1023, found 1024": [PipeOp("scalar", mark=1024)],
    "op 1: pipe cube does not exist on an aiv core": [PipeOp("vector"), PipeOp("cube")],
    "op 0: pipe mte1 does not exist on an aiv core": [PipeOp("mte1")],
    "op 0: pipe fixp does not exist on an aiv core": [PipeOp("fixp")],
    "op 0: route gm_to_l1 does not exist on an aiv core": [
        PipeOp("mte2", bytes=1, route="gm_to_l1")
    ],
    "op 1: waits for ever: flag 4 is never set": [PipeOp("scalar"), load(1, waits=(4,))],
    "op 2: waits for ever: flag 0 is set only once": [
        load(1, sets=(0,)),
        PipeOp("vector", waits=(0,)),
        PipeOp("vector", waits=(0,)),
    ],
    "op 0: a deadlock, each waits for the next: op 0 (mte2) → op 1 (vector) → op 0 (mte2)": [
        load(1, waits=(1,), sets=(0,)),
        PipeOp("vector", waits=(0,), sets=(1,)),
    ],
    "op 1: a deadlock, each waits for the next: op 1 (scalar) → op 2 (scalar) → op 1 (scalar)": [
        PipeOp("vector"),
        PipeOp("scalar", waits=(0,)),
        PipeOp("scalar", sets=(0,)),
        PipeOp("scalar"),
    ],
    "op 1: flag 3 is set on mte2 and on vector; a flag leads from one pipe to one": [
        load(1, sets=(3,)),
        PipeOp("vector", sets=(3,)),
    ],
    "op 2: flag 3 is waited for on mte3 and on vector; a flag leads from one pipe to one": [
        load(1, sets=(3, 3)),
        store(1, waits=(3,)),
        PipeOp("vector", waits=(3,)),
    ],
}


@pytest.mark.parametrize("problem", WRONG)
def test_what_cannot_run_is_refused(problem: str) -> None:
    sentence = re.escape(f"kernel 'k', {problem}")
    with pytest.raises(UsageError, match=f"^{sentence}$"):
        kernel_of(*WRONG[problem]).check("aiv")


def test_a_cube_core_has_no_vector_pipe() -> None:
    with pytest.raises(UsageError, match=r"^kernel 'k', op 0: pipe vector does not exist on"):
        kernel_of(PipeOp("vector")).check("aic")
    with pytest.raises(UsageError, match=r"^a core's kind is aic or aiv, found 'sm'$"):
        kernel_of().check("sm")


def test_speeds_must_be_positive() -> None:
    with pytest.raises(UsageError, match=r"^a core's gm_to_ub must be positive, found 0$"):
        CoreRates(1, {"gm_to_ub": 0})


# ---- order -----------------------------------------------------------------------------------


def test_an_operation_waits_for_its_pipe_and_for_its_flags() -> None:
    kernel = kernel_of(
        load(4, sets=(0,)),
        PipeOp("vector", cycles=3, waits=(0,), sets=(1,)),
        store(2, waits=(1,)),
        load(4, sets=(0,)),
        PipeOp("vector", cycles=6, waits=(0,), sets=(1,)),
        store(2, waits=(1,)),
    )
    assert kernel.order == Order(
        sorted=(0, 1, 3, 2, 4, 5),
        before=((), (0,), (1,), (0,), (1, 3), (2, 4)),
        after=((1, 3), (2, 4), (5,), (4,), (5,), ()),
    )
    kernel.check("aiv")


def test_the_nth_wait_takes_the_nth_set_and_a_set_too_many_stays() -> None:
    kernel = kernel_of(
        PipeOp("scalar", sets=(5, 5)),
        PipeOp("scalar", sets=(5,)),
        PipeOp("vector", waits=(5,)),
        PipeOp("vector", waits=(5,)),
        PipeOp("mte2"),
    )
    assert kernel.order.before == ((), (0,), (0,), (0, 2), ())
    assert kernel.order.sorted == (0, 4, 1, 2, 3)


def test_what_an_operation_waits_for_is_told_in_order() -> None:
    kernel = kernel_of(
        PipeOp("vector"),
        PipeOp("scalar", sets=(0,)),
        *(PipeOp("vector") for _ in range(6)),
        PipeOp("mte3"),
        PipeOp("mte3", waits=(0,)),
    )
    assert kernel.order.before[9] == (1, 8)


def test_operations_that_are_not_in_a_circle_are_not_named() -> None:
    """The first waits for the circle, the last comes after it; neither is in it."""
    assert refusal(
        PipeOp("mte3", waits=(7,)),
        PipeOp("vector", waits=(1,), sets=(0,)),
        PipeOp("mte2", waits=(0,), sets=(1,)),
        PipeOp("mte2", sets=(7,)),
    ) == (
        "kernel 'k', op 2: a deadlock, each waits for the next: op 2 (mte2) → op 1 (vector) → "
        "op 2 (mte2)"
    )


@pytest.mark.parametrize(
    ("sets", "told"), [(0, "never set"), (1, "set only once"), (2, "set only 2 times")]
)
def test_a_flag_that_is_set_too_seldom_says_how_often(sets: int, told: str) -> None:
    ops = [*[PipeOp("scalar", sets=(4,))] * sets, *[PipeOp("vector", waits=(4,))] * (sets + 1)]
    assert refusal(*ops) == f"kernel 'k', op {2 * sets}: waits for ever: flag 4 is {told}"


# ---- what it moves and what it can -----------------------------------------------------------


def test_a_kernel_sums_up_its_operations() -> None:
    kernel = kernel_of(
        load(4), PipeOp("vector", flops=7), store(3), PipeOp("vector", flops=2), load(8)
    )
    assert kernel.shared_bytes == (4, 0, 3, 0, 8)
    assert (kernel.shared_total, kernel.flops) == (15, 9)
    assert [bytes_moved(kernel, route) for route in ROUTES] == [12, 0, 3, 0, 0, 0]


def test_an_operation_does_nothing_unless_told_otherwise() -> None:
    assert PipeOp("scalar") == PipeOp("scalar", 0, 0, "", (), (), None, 0, 0)
    assert kernel_of(PipeOp("scalar")).order == Order((0,), ((),), ((),))
    kernel_of(PipeOp("scalar")).check("aic")


def test_kernels_are_the_same_whatever_was_remembered_of_them() -> None:
    one, other = kernel_of(load(4)), kernel_of(load(4))
    one.memo["rates"] = 1
    assert one == other and "memo" not in repr(one)


@pytest.mark.parametrize(("route", "kind"), [(name, route.kind) for name, route in ROUTES.items()])
def test_a_route_exists_on_one_kind_of_core(route: str, kind: str) -> None:
    op = PipeOp(ROUTES[route].pipe, bytes=1, route=route)
    kernel_of(op).check(kind)
    other = "aiv" if kind == "aic" else "aic"
    what = f"pipe {op.pipe}" if op.pipe in KIND_OF_PIPE else f"route {route}"
    assert refusal(op, kind=other) == f"kernel 'k', op 0: {what} does not exist on an {other} core"


def test_pipes_and_their_routes_are_those_of_the_chips() -> None:
    assert KIND_OF_PIPE == {"cube": "aic", "mte1": "aic", "fixp": "aic", "vector": "aiv"}
    assert ROUTES == {
        "gm_to_ub": ("mte2", "aiv"),
        "gm_to_l1": ("mte2", "aic"),
        "ub_to_gm": ("mte3", "aiv"),
        "l0c_to_gm": ("fixp", "aic"),
        "l1_to_l0a": ("mte1", "aic"),
        "l1_to_l0b": ("mte1", "aic"),
    }


def test_marks_from_0_to_1023_pass() -> None:
    kernel_of(PipeOp("scalar", mark=0), PipeOp("scalar", mark=1023)).check("aic")
    assert refusal(PipeOp("scalar", mark=-1)) == "kernel 'k', op 0: a mark is 0 to 1023, found -1"


def test_the_first_fault_of_the_first_operation_is_told() -> None:
    assert refusal(PipeOp("vector"), PipeOp("scalar", ps=-1), PipeOp("mte9")) == (
        "kernel 'k', op 1: ps must not be negative, found -1"
    )
    assert refusal(PipeOp("cube"), PipeOp("fixp")) == (
        "kernel 'k', op 0: pipe cube does not exist on an aiv core"
    )


@pytest.mark.parametrize("hz", [0, -1])
def test_a_clock_must_be_positive(hz: int) -> None:
    with pytest.raises(UsageError, match=rf"^a core's core_hz must be positive, found {hz}$"):
        CoreRates(hz, {"gm_to_ub": 1})


def test_equal_rates_are_one_key() -> None:
    one, other = CoreRates(1, {"a": 1, "b": 2}), CoreRates(1, {"b": 2, "a": 1})
    assert {one: "kept"}[other] == "kept"
