"""args_dump.json by hand: bytes by task and role, and the account of rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lanescope.errors import InputError
from lanescope.formats.json_file import open_object
from lanescope.formats.simpler.arguments import ArgumentBytes, is_arguments, read_arguments
from lanescope.trace import LedgerEntry


def read(folder: Path, *rows: dict[str, Any], **said: Any) -> ArgumentBytes:
    file = folder / "args_dump.json"
    known = {"task_id": "0x7", "func_id": [0], "role": "input", "dtype": "FLOAT32", "numel": 10}
    args = [{**known, **row} for row in rows]
    file.write_text(json.dumps({"bin_format": {}, "args": args, **said}))
    assert is_arguments(open_object(file))
    return read_arguments(open_object(file))


@pytest.mark.parametrize(
    ("dtype", "size"),
    [
        *((name, 1) for name in ("INT8", "UINT8", "BOOL")),
        *((name, 2) for name in ("FLOAT16", "BFLOAT16", "INT16", "UINT16")),
        *((name, 4) for name in ("FLOAT32", "INT32", "UINT32")),
        *((name, 8) for name in ("FLOAT64", "INT64", "UINT64")),
        ("FLOAT4", 0),
    ],
)
def test_bytes_of_every_type(tmp_path: Path, dtype: str, size: int) -> None:
    assert read(tmp_path, {"dtype": dtype}).total == {(7, "args_input_bytes"): 10 * size}


def test_arguments_of_one_role_add_up_and_scalars_weigh_nothing(tmp_path: Path) -> None:
    found = read(
        tmp_path, {}, {"numel": 2}, {"kind": "scalar"}, {"role": "output", "numel": 0},
        {"task_id": "0x10"},
    )  # fmt: skip
    assert found.total == {
        (7, "args_input_bytes"): 48,
        (7, "args_output_bytes"): 0,
        (16, "args_input_bytes"): 40,
    }
    assert found.ledger == []


def test_a_number_or_an_id_that_cannot_be_is_refused(tmp_path: Path) -> None:
    assert read(tmp_path, {"numel": (1 << 50) - 1, "dtype": "INT8"}).total == {
        (7, "args_input_bytes"): (1 << 50) - 1
    }
    with pytest.raises(InputError, match="args row 1: a number is out of range"):
        read(tmp_path, {}, {"numel": 1 << 50})
    with pytest.raises(
        InputError, match="args row 0: 'seven' is no task id like 0x0000000100000000"
    ):
        read(tmp_path, {"task_id": "seven"})


def account(reason: str, **more: Any) -> list[LedgerEntry]:
    known = {"total": 2, "delivered": 2, "dropped": 0, "unmatched": 0, "unknown": False}
    return [LedgerEntry(lane="arguments", kind="argument", reason=reason, **{**known, **more})]


def test_every_loss_is_in_the_account(tmp_path: Path) -> None:
    two = ({}, {})
    assert read(tmp_path, *two, dropped_records=3).ledger == account(
        "3 dropped by the device", total=5, dropped=3
    )
    assert read(tmp_path, *two, metadata_discarded_records=1).ledger == account(
        "1 discarded by the host", total=3, dropped=1
    )
    discarded = "1 here without their values, which the host discarded"
    assert read(tmp_path, {}, {"host_discarded": True}).ledger == account(
        discarded, delivered=1, unmatched=1
    )
    assert read(tmp_path, *two, host_discarded_args=9).ledger == account(
        discarded.replace("1", "9", 1), delivered=0, unmatched=2
    )
    assert read(tmp_path, {}, {"arg_index_ambiguous": True}).ledger == account(
        "1 with an ambiguous arg_index"
    )
