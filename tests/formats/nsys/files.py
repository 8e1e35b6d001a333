"""Exports built by hand: a database, or a folder of Parquet files, with the tables given."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from lanescope.formats.columns import Columns
from lanescope.formats.parquet_tables import ParquetTables

NONE = ", found none; export it again"
FAR = "the time is more than 73 years"
LONG = " ns; export it again"
"""Ends of the sentences that `columns.py` refuses a table with."""
Row = dict[str, Any]
Export = Mapping[str, list[Row]]

GPID = (1 << 48) | (111 << 24)
"""Process 111 of a machine."""
OTHER = (1 << 48) | (222 << 24)
STRINGS = {
    1: "void k1<float>(int)",
    2: "k1",
    3: "ncclDevKernel_AllReduce_Sum_f32_RING_LL(x)",
    4: "cudaLaunchKernel_v7000",
    5: "cudaStreamWaitEvent_v3020",
    6: "cudaEventRecord_v3020",
    7: "cudaGraphLaunch_v10000",
    8: "train step",
    9: "python3",
}


def strings(values: Mapping[int, str] = STRINGS) -> list[Row]:
    return [{"id": key, "value": text} for key, text in values.items()]


def kernel(start: int, end: int, correlation: int, **more: Any) -> Row:
    place = {"deviceId": 0, "contextId": 1, "streamId": 7, "globalPid": GPID}
    times = {"start": start, "end": end, "correlationId": correlation}
    return {**times, **place, "demangledName": 1, "shortName": 2, **more}


def call(start: int, end: int, correlation: int, **more: Any) -> Row:
    times = {"start": start, "end": end, "correlationId": correlation}
    return {**times, "globalTid": GPID + 5, "nameId": 4, **more}


def nvtx(start: int, end: int | None, **more: Any) -> Row:
    return {"start": start, "end": end, "eventType": 59, "globalTid": GPID + 5, **more}


SMALL: dict[str, list[Row]] = {
    "StringIds": strings(),
    "CUPTI_ACTIVITY_KIND_KERNEL": [kernel(100, 150, 11), kernel(160, 200, 12)],
    "CUPTI_ACTIVITY_KIND_RUNTIME": [call(80, 90, 11), call(92, 99, 12)],
}


def columns_of(rows: list[Row]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def write_sqlite(path: Path, export: Export) -> Path:
    database = sqlite3.connect(path)
    for table, rows in export.items():
        names = columns_of(rows) or ["start"]
        quoted = ", ".join(f'"{name}"' for name in names)
        database.execute(f'create table "{table}" ({quoted})')
        marks = ", ".join("?" for _ in names)
        values = [[row.get(name) for name in names] for row in rows]
        database.executemany(f'insert into "{table}" values ({marks})', values)
    database.commit()
    database.close()
    return path


def write_parquet(folder: Path, export: Export) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for table, rows in export.items():
        names = columns_of(rows)
        columns = {name: [row.get(name) for row in rows] for name in names}
        pq.write_table(pa.table(columns), folder / f"{table}.parquet")
    return folder


def tables(folder: Path, **export: list[Row]) -> ParquetTables:
    """These tables, and no others."""
    return ParquetTables(write_parquet(folder, export))


def columns(**numbers: list[int]) -> Columns:
    """Columns as they were read."""
    arrays = {name: np.array(values, np.int64) for name, values in numbers.items()}
    return Columns(max((len(one) for one in arrays.values()), default=0), arrays, {})
