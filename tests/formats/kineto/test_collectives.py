"""What a Kineto file tells of its collectives: on the kernel's row, or on that of its operator."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.formats.kineto.files import file, kernel, op, read

NAME = "ncclDevKernel_AllGather_RING_LL"
ABOUT: dict[str, Any] = {"Collective name": "allreduce"}


def column(folder: Path, key: str, *rows: dict[str, Any], **head: Any) -> list[Any]:
    return list(read(folder, file(*rows, **head)).collectives.to_dict()[key])


def sequences(folder: Path, *rows: dict[str, Any]) -> list[int | None]:
    """The numbers that the file gives; None where they were counted."""
    table = read(folder, file(*rows)).collectives.to_dict()
    told = [matched == "source" for matched in table["matched"]]
    return [n if one else None for n, one in zip(table["sequence"], told, strict=True)]


def test_bytes_are_elements_times_the_size_of_their_type(tmp_path: Path) -> None:
    size: dict[str, int | None] = {
        **dict.fromkeys(("Byte", "Char", "Bool", "Float8_e4m3fn", "Float8_e5m2"), 1),
        **dict.fromkeys(("Float8_e4m3fnuz", "Float8_e5m2fnuz"), 1),
        **dict.fromkeys(("Short", "Half", "BFloat16", "UInt16"), 2),
        **dict.fromkeys(("Int", "Float", "UInt32"), 4),
        **dict.fromkeys(("Long", "Double", "ComplexFloat", "UInt64"), 8),
        "ComplexDouble": 16,
        "Unheard": None,
    }
    kernels = [
        kernel(NAME, 10 * k, 1, k, **ABOUT, **{"In msg nelems": 3, "Out msg nelems": 0}, dtype=one)
        for k, one in enumerate(size, 1)
    ]
    table = read(tmp_path, file(*kernels)).collectives.to_dict()
    assert table["bytes"] == [None if one is None else 3 * one for one in size.values()]
    assert table["bytes_out"] == [None if one is None else 0 for one in size.values()]
    assert table["type"] == list(size)


def test_bytes_of_a_number_of_elements_that_is_not_told_are_not_known(tmp_path: Path) -> None:
    rows = kernel(NAME, 1, 1, 1, **ABOUT, dtype="Int")
    assert column(tmp_path, "bytes", rows) == [None]


@pytest.mark.parametrize("backward", [False, True])
def test_what_the_kernel_says_counts_before_what_its_operator_says(
    tmp_path: Path, backward: bool
) -> None:
    """The second kernel is told by the second operator; none by another kernel."""
    rows = [
        op("record_param_comms", 1, 2, **{"External id": 5, **ABOUT, "Seq": 50}),
        op("record_param_comms", 3, 2, **{"External id": 4, **ABOUT, "Seq": 40}),
        op("record_param_comms", 4, 2, **{**ABOUT, "Seq": 30}),
        kernel(NAME, 10, 1, 1, **{"External id": 5, **ABOUT, "Seq": 7}),
        kernel(NAME, 20, 1, 2, **{"External id": 4}),
        kernel(NAME, 30, 1, 3, **{"External id": 6}),
        kernel(NAME, 40, 1, 4, **{"External id": 5}),
        kernel(NAME, 50, 1, 5),
        kernel(NAME, 60, 1, 5, **{"External id": 3}),
        kernel(NAME, 70, 1, 6, **{"External id": 8, **ABOUT, "Seq": 9}),
        kernel(NAME, 80, 1, 7, **{"External id": 8}),
    ]
    found = sequences(tmp_path, *(reversed(rows) if backward else rows))
    assert found == [7, 40, None, 50, None, None, 9, None]


def test_without_an_external_id_only_the_kernel_itself_tells(tmp_path: Path) -> None:
    rows = [
        op("record_param_comms", 1, 2, **ABOUT, Seq=50),
        kernel(NAME, 10, 1, 1, **ABOUT, Seq=7),
        kernel(NAME, 20, 1, 1),
    ]
    assert sequences(tmp_path, *rows) == [7, None]


def test_the_kind_is_the_written_one_or_that_of_the_kernel(tmp_path: Path) -> None:
    rows = [kernel(NAME, 10, 1, 1, **ABOUT), kernel(NAME, 20, 1, 1), kernel("gemm", 30, 1, 1)]
    trace = read(tmp_path, file(*rows))
    assert trace.text("collectives", "kind") == ["all_reduce", "all_gather"]
    assert trace.collectives["task"].tolist() == [0, 1]
    assert trace.text("functions", "work") == ["communication", "compute"]


def test_sizes_and_ranks_are_numbers_of_31_bits(tmp_path: Path) -> None:
    values = {0: 0, (1 << 31) - 1: (1 << 31) - 1, 1 << 31: None, -1: None, "x": None}
    rows = [
        kernel(NAME, 10 * k, 1, k, **ABOUT, **{"Group size": v, "Src Rank": v, "Dst Rank": v})
        for k, v in enumerate(values, 1)
    ]
    table = read(tmp_path, file(*rows)).collectives.to_dict()
    for key in ("size", "source", "target"):
        assert table[key] == list(values.values())


@pytest.mark.parametrize(
    ("written", "peers"),
    [
        ("[0, 12]", "0,12"),
        ("[0, 1, ...]", None),
        ("[0, 1, …]", None),
        ("", None),
    ],
)
def test_peers_are_those_that_the_row_names(
    tmp_path: Path, written: str, peers: str | None
) -> None:
    row = kernel(NAME, 1, 1, 1, **ABOUT, **{"Process Group Ranks": written})
    assert column(tmp_path, "peers", row) == [peers]


@pytest.mark.parametrize(
    ("config", "peers"),
    [
        ([{"pg_name": "0", "ranks": [3]}, {"pg_name": "5", "ranks": [4, 6]}], "4,6"),
        ([{"pg_name": 5, "ranks": [4]}], "4"),
        ([{"pg_name": "5", "ranks": []}], "1,2"),
        ([{"pg_name": "5", "ranks": "4"}], "1,2"),
        ([{"pg_name": "5"}, "odd"], "1,2"),
        (None, "1,2"),
    ],
)
def test_the_head_of_the_file_knows_the_ranks_of_a_group_better(
    tmp_path: Path, config: Any, peers: str
) -> None:
    told = {"Process Group Name": "5", "Process Group Ranks": "[1, 2]"}
    row = kernel(NAME, 1, 1, 1, **ABOUT, **told)
    assert column(tmp_path, "peers", row, distributedInfo={"pg_config": config}) == [peers]


def test_a_group_without_a_name_is_not_that_of_a_row_without_one(tmp_path: Path) -> None:
    row = kernel(NAME, 1, 1, 1, **ABOUT, **{"Process Group Ranks": "[1, 2]"})
    config = [{"ranks": [9]}, {"pg_name": "1", "ranks": [8]}]
    assert column(tmp_path, "peers", row, distributedInfo={"pg_config": config}) == ["1,2"]
