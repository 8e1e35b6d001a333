"""A database of the profiler becomes a recording: `ascend_pytorch_profiler_*.db`, `msprof_*.db`.

Not every table is there in every file, and columns come and go with versions, so every table but
TASK may be absent. Tables: github.com/Ascend/msprof,
docs/en/user_guide/profile_data_file_references_db.md.
"""

from __future__ import annotations

import msgspec

from lanescope.errors import InputError
from lanescope.formats.ascend.database_host import host_rows, step_rows
from lanescope.formats.ascend.database_operations import operation_rows
from lanescope.formats.ascend.database_tasks import task_rows
from lanescope.formats.ascend.host_marks import waits_of
from lanescope.formats.ascend.lanes import LaneNumbers
from lanescope.formats.ascend.source import RankSource, with_utc
from lanescope.formats.ascend.texts import Texts
from lanescope.formats.sqlite_columns import SqliteFile
from lanescope.formats.streams import StreamRecording

TASKS = "TASK"
_DERIVED = "OVERLAP_ANALYSIS"
_NOT_READ = (
    *("NPU_MEM", "NPU_MODULE_MEM", "NPU_OP_MEM", "MEMORY_RECORD", "OP_MEMORY", "HBM", "DDR", "LLC"),
    *("QOS", "AICORE_FREQ", "ACC_PMU", "SOC_BANDWIDTH_LEVEL", "NIC", "ROCE", "HCCS", "PCIE", "UB"),
    *("SIO", "CCU", "DPU_TASK", "SAMPLE_PMU_TIMELINE", "SAMPLE_PMU_SUMMARY", "OSRT_API"),
    *("CPU_USAGE", "HOST_MEM_USAGE", "HOST_DISK_USAGE", "HOST_NETWORK_USAGE", "NETDEV_STATS"),
    *("PYTORCH_CALLCHAINS", "COMMUNICATION_SCHEDULE_TASK_INFO", "GC_RECORD"),
)


def is_database(file: SqliteFile) -> bool:
    """Whether a file has the tables of this profiler."""
    return file.has(TASKS, "startNs", "endNs") and file.has("STRING_IDS", "id", "value")


def database_source(file: SqliteFile) -> RankSource:
    """Everything that the file tells about devices and the host.

    Raises:
        InputError: A table lacks a column that it must have, or a value is no number.
    """
    texts = Texts.of(file)
    lanes = LaneNumbers()
    tasks = task_rows(file, texts, lanes)
    operations = operation_rows(file, texts, lanes, _groups(file))
    host = host_rows(file, texts)
    work = tasks.with_operations(operations)
    work.op = host.operators_of(tasks.connection, len(work.start))
    recording = StreamRecording(
        lanes=lanes.lanes,
        threads=host.threads,
        work=work,
        host=host.rows,
        collectives=operations.collectives(len(tasks.start)),
        steps=step_rows(file, host),
        waits=waits_of(host.rows),
        facts=_facts(file) | {"notes": _left_out(file)},
    )
    return RankSource(with_utc(recording), operations.labels)


def _left_out(file: SqliteFile) -> tuple[str, ...]:
    """Sentences about tables that are not read."""
    notes = []
    if derived := file.count(_DERIVED):
        sentence = "is no work: the profiler made it of the other tables."
        notes.append(f"Table {_DERIVED} ({derived} rows) {sentence}")
    unread = [table for table in _NOT_READ if file.count(table)]
    if unread:
        notes.append(f"Tables that were not read: {', '.join(unread)}.")
    return tuple(notes)


def _facts(file: SqliteFile) -> dict[str, object]:
    """What the file says about the machine."""
    facts: dict[str, object] = {}
    chips = {name for name in file.texts("NPU_INFO", "id", "name").values() if name}
    if len(chips) == 1:
        facts["chip"] = chips.pop()
    hosts = set(file.texts("HOST_INFO", "hostUid", "hostName").values())
    if len(hosts) == 1:
        facts["host"] = hosts.pop()
    ranks = file.integers("RANK_DEVICE_MAP", ("rankId", "deviceId"))
    for name, key in (("rank", "rankId"), ("device", "deviceId")):
        known = {value for value in ranks[key].tolist() if value >= 0}
        if len(known) == 1:
            facts[name] = known.pop()
    return facts


class _Group(msgspec.Struct):
    group_name: str = ""
    global_ranks: list[int] = []


def _groups(file: SqliteFile) -> dict[str, list[int]]:
    """Name of a group → its ranks, where the program told the profiler."""
    stored = file.texts("META_DATA", "name", "value").get("parallel_group_info")
    if not stored:
        return {}
    try:
        groups = msgspec.json.decode(stored, type=dict[str, _Group])
    except msgspec.DecodeError as error:
        problem = f"table META_DATA, 'parallel_group_info' is not what it should be: {error}"
        raise InputError(file.path, problem) from error
    return {name: group.global_ranks for name, group in groups.items()}
