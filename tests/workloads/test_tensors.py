"""Views of tensors, and whether two of them share an element."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanescope.errors import UsageError
from lanescope.workloads import Tensor, TensorView, strides
from lanescope.workloads.tensors import covers, overlaps, views_of

MATRIX = Tensor("C", (6, 8))
NUMBERS = np.arange(48).reshape(6, 8)


def elements(view: TensorView) -> set[int]:
    indices = product(*map(range, view.shape))
    return {view.offset + int(np.dot(index, view.strides)) for index in indices}


# ---- views -----------------------------------------------------------------------------------


def test_a_whole_tensor_is_a_view_of_everything() -> None:
    assert MATRIX.whole() == TensorView(MATRIX, (6, 8), (8, 1), 0)
    assert elements(MATRIX.whole()) == set(range(48))
    assert elements(Tensor("scalar", ()).whole()) == {0}


def test_a_view_without_strides_lies_row_by_row() -> None:
    assert MATRIX.view((3, 4), offset=5) == TensorView(MATRIX, (3, 4), (4, 1), 5)


@pytest.mark.parametrize(
    "index",
    [
        np.s_[1:3, 2:5],
        np.s_[:, ::2],
        np.s_[1::2, 1:8:3],
        np.s_[2],
        np.s_[2:4],
        np.s_[-1, -3:],
        np.s_[:-2, 7],
        np.s_[3:3, :],
        np.s_[4:2],
    ],
)
def test_slices_choose_what_they_choose_in_an_array(index: tuple[slice | int, ...]) -> None:
    view = MATRIX[index]
    assert view.shape == NUMBERS[index].shape
    assert elements(view) == set(NUMBERS[index].ravel().tolist())


def test_a_view_has_a_range_of_bytes() -> None:
    halves = Tensor("H", (6, 8), element_bytes=2)
    assert halves[1:3, 2:5].byte_range == (20, 42)
    assert halves[3:3, 2:5].byte_range == (52, 52)


@pytest.mark.parametrize(
    ("index", "sentence"),
    [
        (np.s_[0:7], "dimension 0 of tensor C has the size 6, found 0:7"),
        (np.s_[:, 9:10], "dimension 1 of tensor C has the size 8, found 9:10"),
        (np.s_[:, -9:], "dimension 1 of tensor C has the size 8, found -1:8"),
        (np.s_[6], "dimension 0 of tensor C has the size 6, found 6"),
        (np.s_[0:5:0], "a slice of tensor C has the step 0, expected 1 or more"),
        (np.s_[::-1], "a slice of tensor C has the step -1, expected 1 or more"),
        (np.s_[0, 0, 0], "tensor C has 2 dimensions, found 3 indices"),
    ],
)
def test_an_index_outside_is_refused(index: tuple[slice | int, ...], sentence: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(sentence)}$"):
        MATRIX[index]


@pytest.mark.parametrize(
    ("shape", "steps", "offset", "sentence"),
    [
        (
            (2, 8),
            (8, 1),
            40,
            "a view of tensor C has elements 40 to 55, but the tensor only 0 to 47",
        ),
        ((1,), (1,), -1, "a view of tensor C has elements -1 to -1, but the tensor only 0 to 47"),
        ((2, 2), (1,), 0, "a view of tensor C has 2 dimensions, but 1 strides"),
        ((2,), (-1,), 5, "a view of tensor C has the strides (-1,); none may be negative"),
        ((-2,), (1,), 5, "a view of tensor C has the shape (-2,); none may be negative"),
    ],
)
def test_a_view_outside_is_refused(
    shape: tuple[int, ...], steps: tuple[int, ...], offset: int, sentence: str
) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(sentence)}$"):
        MATRIX.view(shape, steps, offset=offset)


def test_a_tensor_that_cannot_be_is_refused() -> None:
    with pytest.raises(UsageError, match=r"^tensor T has the shape \(-1, 2\); none may be"):
        Tensor("T", (-1, 2))
    with pytest.raises(UsageError, match=r"^tensor T has elements of 0 bytes, expected 1 or more$"):
        Tensor("T", (1, 2), element_bytes=0)


# ---- overlaps --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (MATRIX[:, 0:4], MATRIX[:, 4:8], False),
        (MATRIX[:, 0:5], MATRIX[:, 4:8], True),
        (MATRIX[:, ::2], MATRIX[:, 1::2], False),
        (MATRIX[::2], MATRIX[1::2], False),
        (MATRIX[:, ::2], MATRIX[:, ::3], True),
        (MATRIX[0:3, 0:3], MATRIX[3:6, 0:3], False),
        (MATRIX[2:2], MATRIX.whole(), False),
        (MATRIX.whole(), Tensor("D", (6, 8)).whole(), False),
        (MATRIX[3, 3], MATRIX.view((6,), (9,)), True),
        (MATRIX[3, 4], MATRIX.view((6,), (9,)), False),
        (MATRIX.view((5,), (0,), offset=7), MATRIX[0, 7], True),
    ],
)
def test_views_overlap_where_they_share_an_element(
    a: TensorView, b: TensorView, expected: bool
) -> None:
    assert (overlaps(a, b), overlaps(b, a)) == (expected, expected)


def test_large_views_take_no_longer_than_small_ones() -> None:
    large = Tensor("L", (1 << 20, 1 << 20))
    assert not overlaps(large[:, ::2], large[:, 1::2])
    assert not overlaps(large[:, : 1 << 19], large[:, 1 << 19 :])
    assert overlaps(large[::3, ::5], large[7::11, 4::13])
    assert covers(large[:, ::2], large[4::5, 2::6])


def test_views_that_would_take_too_long_are_taken_to_overlap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wide = Tensor("W", (6, 9))
    left, right = wide[:, :4], wide[:, 5:]
    assert not overlaps(left, right)
    monkeypatch.setattr(strides, "MOST_TRIES", 0)
    strides.meet.cache_clear()
    assert overlaps(left, right)
    strides.meet.cache_clear()


@st.composite
def views(draw: st.DrawFn) -> TensorView:
    """Any strides, also 0 and such that name an element twice."""
    shape = tuple(draw(st.lists(st.integers(0, 5), max_size=3)))
    steps = tuple(draw(st.integers(0, 26)) for _ in shape)
    return TensorView(Tensor("T", (400,)), shape, steps, draw(st.integers(0, 60)))


@st.composite
def slices(draw: st.DrawFn) -> TensorView:
    tensor = Tensor("T", (4, 5, 6))
    index = []
    for size in tensor.shape:
        start = draw(st.integers(0, size))
        index.append(slice(start, draw(st.integers(start, size)), draw(st.integers(1, 3))))
    return tensor[tuple(index)]


@given(views(), views())
def test_any_views_overlap_as_their_elements_do(a: TensorView, b: TensorView) -> None:
    assert overlaps(a, b) == bool(elements(a) & elements(b))
    assert not covers(a, b) or elements(a) >= elements(b)


@given(slices(), slices())
def test_slices_overlap_and_cover_as_their_elements_do(a: TensorView, b: TensorView) -> None:
    assert overlaps(a, b) == bool(elements(a) & elements(b))
    assert covers(a, b) == (elements(a) >= elements(b))


# ---- elements and places ---------------------------------------------------------------------


def test_an_element_has_a_byte_or_more() -> None:
    assert Tensor("bytes", (3,), element_bytes=1).whole().byte_range == (0, 3)
    with pytest.raises(
        UsageError, match=r"^tensor none has elements of 0 bytes, expected 1 or more$"
    ):
        Tensor("none", (3,), element_bytes=0)


@pytest.mark.parametrize(
    ("view", "contiguous"),
    [
        (MATRIX.whole(), True),
        (MATRIX[2:4], True),
        (MATRIX[2, 1:5], True),
        (MATRIX[2:3, 1:5], True),
        (MATRIX[:, :4], False),
        (MATRIX[:, ::2], False),
        (MATRIX[3:3, ::2], True),
        (MATRIX[1:2, 3:4], True),
    ],
)
def test_rows_without_gaps_are_contiguous_and_so_is_nothing(
    view: TensorView, contiguous: bool
) -> None:
    assert view.is_contiguous is contiguous


def test_a_tensor_counts_its_elements_and_is_what_its_name_and_shape_say() -> None:
    one = Tensor("T", [2, 3], data=np.zeros((2, 3), np.float32))  # type: ignore[arg-type]
    assert (one.shape, one.size, one.element_bytes) == ((2, 3), 6, 4)
    assert one == Tensor("T", (2, 3)) != Tensor("T", (2, 3), 8)
    assert repr(one) == "Tensor(name='T', shape=(2, 3), element_bytes=4)"
    assert [Tensor("T", shape).size for shape in ((), (0,), (0, 3))] == [1, 0, 0]


def test_a_view_that_ends_with_its_tensor_passes_and_one_that_ends_later_does_not() -> None:
    assert MATRIX.view((2, 4), (8, 1), offset=36).last == 47
    with pytest.raises(UsageError) as refused:
        MATRIX.view((2, 4), (8, 1), offset=37)
    assert str(refused.value) == (
        "a view of tensor C has elements 37 to 48, but the tensor only 0 to 47"
    )
    assert MATRIX.view((0,), (1,), offset=99).size == 0
    assert MATRIX.view((2, 3), (8, 1)).offset == 0


@pytest.mark.parametrize("index", [np.s_[0:6, 0:8], np.s_[6:6], np.s_[-6:], np.s_[0], np.s_[-6]])
def test_an_index_at_the_end_of_a_tensor_passes(index: tuple[slice | int, ...]) -> None:
    assert elements(MATRIX[index]) == set(NUMBERS[index].ravel().tolist())


@pytest.mark.parametrize(
    ("index", "found"), [(np.s_[-7], "-1"), (np.s_[7:7], "7:7"), (np.s_[7:3], "7:3")]
)
def test_an_index_one_further_is_refused(index: tuple[slice | int, ...], found: str) -> None:
    with pytest.raises(UsageError) as refused:
        MATRIX[index]
    assert str(refused.value) == f"dimension 0 of tensor C has the size 6, found {found}"


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (MATRIX.whole(), MATRIX[2:4, 1:3], True),
        (MATRIX[2:4], MATRIX[2:4], True),
        (MATRIX[2:4], MATRIX[1:4], False),
        (MATRIX[2:4], MATRIX[2:5], False),
        (MATRIX[2, 3], MATRIX[2, 3], True),
        (MATRIX[2, 3], MATRIX[2, 4], False),
        (MATRIX[:, ::2], MATRIX[:, ::4], True),
        (MATRIX[:, ::2], MATRIX[:, 1:2], False),
        (MATRIX[:, :4], MATRIX[1:3, 0:5], False),
        (MATRIX[3:3], MATRIX[2, 3], False),
        (MATRIX[3:3], MATRIX[4:4], True),
        (MATRIX.whole(), Tensor("D", (6, 8))[0, 0], False),
        (MATRIX.whole(), Tensor("D", (6, 8))[0:0], True),
    ],
)
def test_a_view_covers_another_where_it_has_all_its_elements(
    a: TensorView, b: TensorView, expected: bool
) -> None:
    assert covers(a, b) is expected


def test_views_of_a_list_are_its_views_and_its_whole_tensors() -> None:
    assert views_of([MATRIX, MATRIX[0]]) == [MATRIX.whole(), MATRIX[0]]
    assert views_of([]) == []


# ---- sets of strides -------------------------------------------------------------------------


def test_dimensions_that_do_not_matter_are_left_out() -> None:
    assert strides.dims_of((3, 1, 5, 2), (1, 9, 0, 4)) == ((4, 2), (1, 3))
    assert strides.dims_of((0, 2), (8, 1)) == ((8, 0), (1, 2))
    assert strides.dims_of((), ()) == ()


@pytest.mark.parametrize(
    ("dims", "runs"),
    [
        (((8, 6), (1, 8)), ((1, 48),)),
        (((8, 6), (1, 7)), ((8, 6), (1, 7))),
        (((16, 2), (8, 2), (2, 4)), ((2, 16),)),
        ((), ()),
    ],
)
def test_full_rows_become_one_run(dims: strides.Dims, runs: strides.Dims) -> None:
    assert strides._runs(dims) == runs


@pytest.mark.parametrize(
    ("distance", "of", "digits"),
    [(27, (10, 3), [2, 2, 1]), (0, (4,), [0, 0]), (5, (), [5]), (8, (4, 4), [2, 0, 0])],
)
def test_a_distance_has_a_digit_per_stride_and_a_rest(
    distance: int, of: tuple[int, ...], digits: list[int]
) -> None:
    assert strides._digits(distance, of) == digits


@pytest.mark.parametrize(
    ("dims", "terms"),
    [
        (((8, 2), (3, 3), (1, 2)), [(8, 1, 15, 1, False), (3, 2, 7, 1, False), (1, 1, 1, 1, True)]),
        (((8, 2), (4, 2), (4, 3)), [(8, 1, 20, 4, True), (4, 3, 12, 4, True)]),
        (((7, 3), (2, 3)), [(7, 2, 18, 1, False), (2, 2, 4, 2, True)]),
        (((4, 2), (1, 3)), [(4, 1, 6, 1, False), (1, 2, 2, 1, True)]),
        (((3, 2), (1, 3)), [(3, 1, 5, 1, True), (1, 2, 2, 1, True)]),
        ((), []),
    ],
)
def test_terms_know_how_far_they_reach_and_whether_they_leave_holes(
    dims: strides.Dims, terms: list[tuple[int, int, int, int, bool]]
) -> None:
    """Stride, most, reach, step and full of each; a stride may reach one step past the rest."""
    found = strides._terms(dims)
    nothing = (0, 0, 0, 0, True)
    assert [(t.stride, t.most, t.reach, t.step, t.full) for t in found] == [*terms, nothing]


def test_only_those_candidates_are_tried_that_the_rest_can_make() -> None:
    """37 = 7 · 3 + 16 and 7 · 5 + 2: the rest is even, reaches 20 and leaves no hole."""
    seven, two, _ = strides._terms(((7, 7), (2, 11)))
    assert list(strides._candidates(37, seven, two)) == [3]
    holes = strides._Term(two.stride, two.most, two.reach, two.step, full=False)
    assert list(strides._candidates(37, seven, holes)) == [3, 5]
    assert list(strides._candidates(62, seven, holes)) == [6]
    assert list(strides._candidates(3, seven, holes)) == []
