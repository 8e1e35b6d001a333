"""Operations among ranks of a database: COMMUNICATION_OP, each on the lane of its group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from lanescope.errors import InputError
from lanescope.formats.ascend.lanes import LaneNumbers
from lanescope.formats.ascend.names import Operation, launches, operation_type, sequences
from lanescope.formats.ascend.texts import Texts
from lanescope.formats.sqlite_columns import SqliteFile
from lanescope.formats.streams import CollectiveRows
from lanescope.trace import MISSING
from lanescope.trace.schema import MISSING32
from lanescope.trace.table import Array

TABLE = "COMMUNICATION_OP"
_COLUMNS = (
    *("opName", "startNs", "endNs", "connectionId", "groupName", "opType"),
    *("dataType", "count", "deviceId"),
)
TYPE_BYTES = {
    **dict.fromkeys(("INT8", "UINT8", "HIF8", "FP8E4M3", "FP8E5M2", "FP8E8M0"), 1),
    **dict.fromkeys(("INT16", "UINT16", "FP16", "BFP16"), 2),
    **dict.fromkeys(("INT32", "UINT32", "FP32"), 4),
    **dict.fromkeys(("INT64", "UINT64", "FP64"), 8),
    "INT128": 16,
}
"""Bytes of the types that ENUM_HCCL_DATA_TYPE names."""


@dataclass(frozen=True, slots=True)
class OperationRows:
    """One row per operation; `labels` are names, `told` is what these say."""

    lane: Array
    name: Array
    names: list[str]
    start: Array
    end: Array
    connection: Array
    labels: list[str]
    told: Sequence[Operation]
    group: list[str]
    ranks: list[Sequence[int]]
    type: list[str]
    bytes: Array

    def collectives(self, first: int) -> CollectiveRows:
        """As collectives; `first` is the place of the first row among the device's rows."""
        sizes = [len(ranks) or MISSING32 for ranks in self.ranks]
        return CollectiveRows(
            row=first + np.arange(len(self.start)),
            group=self.group,
            sequence=sequences(self.group, [one.sequence for one in self.told]),
            kind=[one.kind for one in self.told],
            bytes=self.bytes,
            type=self.type,
            peers=[", ".join(map(str, ranks)) for ranks in self.ranks],
            size=np.array(sizes, np.int64),
            matched="name",
        )


def operation_rows(
    file: SqliteFile, texts: Texts, lanes: LaneNumbers, groups: Mapping[str, Sequence[int]]
) -> OperationRows:
    """Read the operations; `groups` says which ranks a group has."""
    rows = file.integers(TABLE, _COLUMNS)
    start, end = rows["startNs"], rows["endNs"]
    if ((start == MISSING) | (end == MISSING)).any():
        raise InputError(file.path, f"table {TABLE}: a time was expected, found none")
    labels = [texts.get(number) for number in rows["opName"].tolist()]
    told = [Operation.of(label) for label in labels]
    stored = [texts.get(number) for number in rows["groupName"].tolist()]
    group = [name or one.group for name, one in zip(stored, told, strict=True)]
    types = file.texts("ENUM_HCCL_DATA_TYPE", "id", "name")
    type_ = [types.get(number, "") for number in rows["dataType"].tolist()]
    size = np.array([TYPE_BYTES.get(name, MISSING) for name in type_], np.int64)
    known = (size != MISSING) & (rows["count"] != MISSING)
    lane = [lanes.group(int(d), g) for d, g in zip(rows["deviceId"], group, strict=True)]
    kinds = [texts.get(number) for number in rows["opType"].tolist()]
    kinds = [kind or operation_type(label) for kind, label in zip(kinds, labels, strict=True)]
    names = list(dict.fromkeys(kinds))
    number = {name: k for k, name in enumerate(names)}
    return OperationRows(
        lane=np.array(lane, np.int64),
        name=np.array([number[kind] for kind in kinds], np.int64),
        names=names,
        start=start,
        end=end,
        connection=launches(rows["connectionId"]),
        labels=labels,
        told=told,
        group=group,
        ranks=[groups.get(name, ()) for name in group],
        type=type_,
        bytes=np.where(known, size * np.where(known, rows["count"], 0), MISSING),
    )
