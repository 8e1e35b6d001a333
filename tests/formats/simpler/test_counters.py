"""Counter rows: the k-th sample of a task on a core belongs to its k-th run there."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from lanescope.formats.simpler.counters import concatenated, pmu_columns
from lanescope.formats.simpler.pmu import PmuRows
from lanescope.trace import MISSING, MISSING32, NO_WORD, LedgerEntry, Words


def array(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def sampled(*pairs: tuple[int, int]) -> PmuRows:
    """A row per (core, task); its counter a is its place, b that times 10."""
    core, task = (array(*column) for column in zip(*pairs, strict=True))
    place = np.arange(len(pairs))
    unknown = np.full(len(pairs), -1)
    return PmuRows(
        path=Path("pmu.csv"),
        core=core,
        core_type=unknown,
        task=task,
        func=unknown,
        controller=unknown,
        counters={"a": place, "b": 10 * place},
        events=[2],
    )


def test_the_kth_sample_of_a_pair_has_the_token_of_its_kth_run() -> None:
    """Core 1 runs task 7 twice and task 8 once; core 2 runs task 7 once."""
    tasks = {
        "core": np.array([1, 2, 1, 1], np.int32),
        "task": array(7, 7, 8, 7),
        "token": array(100, 101, 102, 103),
    }
    words = Words()
    columns, entry = pmu_columns(
        sampled((1, 8), (1, 7), (1, 9), (1, 7), (2, 7), (1, 7)), tasks, words
    )
    frozen = words.freeze()
    assert [frozen[code] for code in columns["name"].tolist()] == ["a"] * 6 + ["b"] * 6
    tokens = [102, 100, MISSING, 103, 101, MISSING]
    assert columns["token"].tolist() == tokens + tokens
    assert columns["value"].tolist() == [0, 1, 2, 3, 4, 5, 0, 10, 20, 30, 40, 50]
    assert columns["task"].tolist() == [8, 7, 9, 7, 7, 7] * 2
    assert columns["core"].tolist() == [1, 1, 1, 1, 2, 1] * 2
    assert entry == LedgerEntry("counters", "pmu", 6, 4, unmatched=2)


def test_samples_without_any_run_have_no_token() -> None:
    none = {"core": np.empty(0, np.int32), "task": array(), "token": array()}
    columns, entry = pmu_columns(sampled((1, 8)), none, Words())
    assert columns["token"].tolist() == [MISSING, MISSING]
    assert entry == LedgerEntry("counters", "pmu", 1, 0, unmatched=1)


def test_a_run_without_a_core_has_no_samples() -> None:
    tasks = {"core": np.array([MISSING32, 0], np.int32), "task": array(7, 7), "token": array(4, 5)}
    columns, _ = pmu_columns(sampled((0, 7)), tasks, Words())
    assert columns["token"].tolist() == [5, 5]


def test_a_column_that_a_part_does_not_have_is_missing_there() -> None:
    one = {"name": np.array([3], np.int32), "value": np.array([0.5]), "task": array(7)}
    other = {"name": np.array([4], np.int32), "value": np.array([1.5]), "order": array(9)}
    assert {name: column.tolist() for name, column in concatenated([one, other]).items()} == {
        "task": [7, MISSING],
        "core": [MISSING32, MISSING32],
        "token": [MISSING, MISSING],
        "order": [MISSING, 9],
        "site": [NO_WORD, NO_WORD],
        "name": [3, 4],
        "value": [0.5, 1.5],
    }
    assert concatenated([]) == {}
