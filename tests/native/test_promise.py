"""What the headers promise: each function is public since a version, or it is inside."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEADERS = sorted((ROOT / "native/include/lanescope").rglob("*.*h"))

MARK = re.compile(r"^/\* ---- (?:.*; )?(since \d+\.\d+\.\d+|inside) -+ \*/$")
FUNCTION = re.compile(r"^(?:LS_FN|LS_SLOW|LS_CALL|(?:static )?__device__) .*?(\w+)\(")

PUBLIC = {
    "since 0.1.0": {
        "portable.h": "ls_load_acquire ls_store_release ls_store_relaxed ls_load_relaxed "
        "ls_put_record ls_clock ls_clock_ordered ls_wait_a_little",
        "flags.h": "ls_flags_closed ls_flags_valid ls_level_flags",
        "kinds.h": "ls_record_bytes ls_kind_feature",
        "layout.h": "ls_lane_at ls_buffer_at",
        "lanes.h": "ls_find_lane",
        "writer.h": "ls_writer_open ls_reserve ls_commit ls_writer_flush",
        "core.h": "ls_core_open ls_core_receive ls_core_begin ls_core_stop ls_core_write "
        "ls_core_end ls_core_close ls_task_word",
        "controller.h": "ls_channel_open ls_channel_admit ls_channel_dispatch ls_channel_finish "
        "ls_channel_close ls_sample ls_take_burst ls_source_counts ls_scheduler_begin "
        "ls_scheduler_end ls_orchestrator_begin ls_orchestrator_end",
        "region.h": "ls_default_config ls_config_check ls_region_bytes ls_region_init "
        "ls_describe_core ls_name_function",
        "clock.h": "ls_measure_clock_hz ls_anchor_clock ls_region_stopped",
        "file.h": "ls_region_create ls_region_from_environment ls_region_running",
        "cuda.cuh": "block_number thread_number per_block per_thread per_warp",
    },
    "since 0.2.0": {
        "calls.cuh": "lanescope_per_block lanescope_per_thread lanescope_per_partition "
        "lanescope_per_warp lanescope_begin lanescope_end lanescope_mark lanescope_done "
        "lanescope_send lanescope_receive lanescope_close",
        "call_config.h": "ls_default_call ls_flags_level ls_call_check ls_call_apply",
        "call_environment.h": "ls_call_from_environment",
        "controller.h": "ls_channel_acknowledged",
        "counters.h": "ls_counter_map_dav_2201 ls_counter_map_dav_3510 ls_counting_start "
        "ls_counting_sample ls_counting_stop",
        "edges.h": "ls_take_edge ls_fan_out",
        "file.h": "ls_region_from_call",
        "host_phases.h": "ls_host_begin ls_take_host_phase ls_host_end ls_host_cycles",
        "kinds.h": "ls_kind_owner",
        "perfmon.h": "ls_engine_start ls_engine_drain ls_engine_stop",
        "region.h": "ls_core_clock",
        "registers.h": "ls_read_register ls_write_register",
        "selection.h": "ls_select_all ls_is_selected ls_select",
        "tensors.h": "ls_dtype_bytes ls_dump_open ls_dump_tensor ls_dump_close",
    },
}
"""What is here stays, or CHANGELOG.md has announced since a version ago that it goes."""


def marked(header: Path) -> list[tuple[str, str]]:
    """Every function of a header with the mark that it stands under; "" where there is none."""
    mark, functions = "", []
    for line in header.read_text().splitlines():
        if match := MARK.match(line):
            mark = match[1]
        elif match := FUNCTION.match(line):
            functions.append((match[1], mark))
    return functions


def version(text: str) -> tuple[int, ...]:
    """The three numbers of a version, without what follows them."""
    match = re.match(r"(\d+)\.(\d+)\.(\d+)", text)
    assert match is not None, text
    return tuple(map(int, match.groups()))


def header_version() -> tuple[int, ...]:
    text = (ROOT / "native/include/lanescope/version.h").read_text()
    macros = dict(re.findall(r"#define LANESCOPE_VERSION_(\w+) (\d+)", text))
    return tuple(int(macros[part]) for part in ("MAJOR", "MINOR", "PATCH"))


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header.name)
def test_every_function_is_public_since_a_version_or_inside(header: Path) -> None:
    text = re.sub(r"^ .*$|^#.*$", "", header.read_text(), flags=re.MULTILINE)
    defined = re.findall(r"\b(?:LS_FN|LS_SLOW|LS_CALL|__device__)\b", text)
    functions = marked(header)
    assert len(functions) == len(defined)
    assert [name for name, mark in functions if not mark] == []


def test_what_was_public_stays_public() -> None:
    public: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for header in HEADERS:
        for name, mark in marked(header):
            if mark != "inside":
                names = public[mark].get(header.name)
                public[mark][header.name] = f"{names} {name}" if names else name
    assert public == PUBLIC


def test_nothing_is_public_since_a_version_to_come() -> None:
    assert max(version(mark.removeprefix("since ")) for mark in PUBLIC) <= header_version()


def test_the_headers_have_the_version_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert header_version() == version(project["version"])
