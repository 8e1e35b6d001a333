import numpy as np

from lanescope.native.columns import as_int32
from lanescope.trace import MISSING, MISSING32


def test_numbers_that_fit_become_narrow_and_missing_ones_stay_missing() -> None:
    most = (1 << 31) - 1
    narrow, first = as_int32(np.array([most, -most, MISSING, 0]))
    assert (narrow.tolist(), narrow.dtype, first) == ([most, -most, MISSING32, 0], np.int32, -1)


def test_the_first_number_that_does_not_fit_is_named() -> None:
    for large in (1 << 31, -(1 << 31), 1 << 40):
        assert as_int32(np.array([1, large, large]))[1] == 1


def test_a_column_of_a_table_and_one_value_for_all_rows_are_read_where_they_lie() -> None:
    table = np.arange(6).reshape(3, 2)
    assert as_int32(table[:, 1])[0].tolist() == [1, 3, 5]
    assert as_int32(np.broadcast_to(np.array(7), (3,)))[0].tolist() == [7, 7, 7]
    assert as_int32(table[::-1, 0])[0].tolist() == [4, 2, 0]
    assert as_int32(np.zeros(0, np.int64))[0].tolist() == []
