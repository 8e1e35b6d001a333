"""Which file of the profiler a file is, by its content."""

from __future__ import annotations

import re

from lanescope.errors import InputError
from lanescope.formats.ascend.communication import MARK
from lanescope.formats.ascend.database import is_database
from lanescope.formats.ascend.kernels import is_kernel_table
from lanescope.formats.csv_columns import header
from lanescope.formats.look import FileLook
from lanescope.formats.sqlite_columns import MAGIC, open_sqlite

_TEXT_TIME = re.compile(rb'"ts"\s*:\s*"[0-9]+(\.[0-9]+)?"')
_PROCESSES = (b'"Ascend Hardware"', b'"CANN"')
_DATABASE = re.compile(r"(ascend_(pytorch|mindspore)_profiler|msprof)(_.*)?\.db(\.gz)?")
_INFO = re.compile(r"profiler_info(_\d+)?\.json")
_STEPS = {"Step", "Computing", "Communication", "Free"}
_GROUPED = re.compile(rb'^\{\s*"[^"]*"\s*:\s*\{\s*"(collective|p2p|total)"')


def kind_of(look: FileLook) -> str | None:
    """`database`, `timeline`, `kernels`, `communication`, `cluster`, `steps`, `info` or None."""
    if look.head.startswith(MAGIC):
        return _database(look)
    if look.shape == "array":
        by_text = _TEXT_TIME.search(look.head) is not None
        return "timeline" if by_text and any(map(look.holds, _PROCESSES)) else None
    if look.shape == "other":
        return _table(look.head)
    if look.shape == "object" and MARK in look.head and look.json is not None:
        return "communication" if _GROUPED.match(look.start) else "cluster"
    if _INFO.fullmatch(look.path.name) and look.json is not None and "start_info" in look.json:
        return "info"
    return None


def _table(head: bytes) -> str | None:
    if is_kernel_table(head):
        return "kernels"
    return "steps" if set(header(head)) >= _STEPS else None


def _database(look: FileLook) -> str | None:
    try:
        with open_sqlite(look.path) as file:
            known = is_database(file)
    except InputError:
        if _DATABASE.fullmatch(look.path.name):
            raise
        return None
    if not known and _DATABASE.fullmatch(look.path.name):
        problem = "has no table TASK with STRING_IDS beside it, so it has nothing to show"
        raise InputError(look.path, problem)
    return "database" if known else None
