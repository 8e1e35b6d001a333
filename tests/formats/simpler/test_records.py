"""Records of a file and their limits: what was not captured, cores and tokens that cannot be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lanescope.errors import InputError
from lanescope.formats.simpler.records import (
    MAX_CORE,
    ControllerRows,
    CoreRows,
    PhaseList,
    captured,
    narrow,
    require_cores,
    require_tokens,
)
from lanescope.trace import MISSING

HERE = Path("records.json")


def array(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def test_a_time_of_0_was_not_captured() -> None:
    assert captured(array(5, 0, 7)).tolist() == [5, MISSING, 7]
    times = array(5, 7)
    assert captured(times) is times


def test_values_fit_in_32_bits_or_are_named_with_their_row() -> None:
    most = (1 << 31) - 1
    narrowed = narrow(HERE, "tasks", array(most, 1 - (1 << 31), 0))
    assert (narrowed.dtype, narrowed.tolist()) == (np.int32, [most, 1 - (1 << 31), 0])
    with pytest.raises(InputError) as caught:
        narrow(HERE, "tasks", array(1, most + 1))
    assert str(caught.value) == "records.json: tasks row 1: 2147483648 does not fit in 32 bits"


def test_a_core_is_one_of_those_that_the_file_declares() -> None:
    require_cores(HERE, "tasks", array(0, 5, 2), range(6))
    require_cores(HERE, "tasks", array(), ())
    with pytest.raises(InputError) as caught:
        require_cores(HERE, "tasks", array(5, 6, 7), range(6))
    assert str(caught.value) == (
        "records.json: tasks row 1: core 6 is not below 6, the number of cores the file declares"
    )
    with pytest.raises(InputError) as caught:
        require_cores(HERE, "tasks", array(0), ())
    assert str(caught.value) == (
        "records.json: tasks row 0: core 0 is not one of the file's: it declares no cores "
        "(num_cores, core_types)"
    )


def test_a_core_of_a_file_that_declares_none_is_below_a_million() -> None:
    require_cores(HERE, "tasks", array(MAX_CORE - 1), None)
    with pytest.raises(InputError) as caught:
        require_cores(HERE, "tasks", array(0, MAX_CORE), None)
    assert str(caught.value) == "records.json: tasks row 1: core 1048576 is not below 1048576"


def test_a_token_has_32_bits() -> None:
    require_tokens(HERE, "tasks", array((1 << 32) - 1))
    require_tokens(HERE, "tasks", array())
    with pytest.raises(InputError) as caught:
        require_tokens(HERE, "tasks", array(7, 1 << 32, 1 << 33))
    assert str(caught.value) == (
        "records.json: tasks row 1: token 4294967296 is not a 32-bit number"
    )


def test_chosen_rows_keep_all_columns_that_are_there() -> None:
    columns = [array(k, k + 1) for k in (10, 20, 30, 40, 50, 60)]
    cores = CoreRows(*columns, func=array(1, 2))
    assert cores.rows(array(1)) == CoreRows(
        *(array(k) for k in (11, 21, 31, 41, 51, 61)), func=array(2)
    )
    rows = ControllerRows(*columns[:4], epoch=array(8, 9))
    assert rows.rows(array(1)) == ControllerRows(
        *(array(k) for k in (11, 21, 31, 41)), epoch=array(9)
    )


def test_chosen_phases_keep_columns_and_runs() -> None:
    phases = PhaseList(
        "scheduler", 3, array(0, 1), ["a", "b"], array(1, 5), array(2, 4), {"loop": array(7, 8)}
    )
    assert phases.backward.tolist() == [False, True]
    chosen = phases.rows(array(1))
    assert (chosen.kinds.tolist(), chosen.start.tolist(), chosen.end.tolist()) == ([1], [5], [4])
    assert (chosen.columns["loop"].tolist(), chosen.epoch) == ([8], None)
    assert (chosen.lane, chosen.controller, chosen.kind_names) == ("scheduler", 3, ["a", "b"])
