"""The host's log: every record is read, counted as cut, or named as damaged."""

from __future__ import annotations

import re
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.formats.simpler.logs import PREFIX, invocations_of, log_of, record

from lanescope.errors import InputError
from lanescope.formats.simpler.host_log import HostLog, LineDamage, PhaseTotal
from lanescope.formats.simpler.invocations import RUN, rounds
from lanescope.formats.simpler.strace import is_host_log, read_host_log

DATA = Path(__file__).parents[3] / "../shared/data/simpler-today/two_ranks"
WALL = record(
    "chip.run.runner_run.device_wall", 0, 200, "clk=dev dev_id=0 dev_start_cycle=15", depth=2
)
ROOT = record(RUN, 100, 900, "run_id=6 dispatch_id=40 run_epoch=3 slot_id=1 generation=2")


def log_of_bytes(folder: Path, data: bytes) -> HostLog:
    path = folder / "host.41.log"
    path.write_bytes(data)
    return read_host_log(path)


def test_a_span_has_its_fields_and_attributes(tmp_path: Path) -> None:
    log = log_of(tmp_path, ["starting up", PREFIX + WALL, "", PREFIX + ROOT])
    wall, root = log.spans
    assert (wall.pid, wall.tid, wall.inv, wall.hid, wall.depth) == (41, 41, 1, "5ca1ab1e", 2)
    assert (wall.name, wall.ts_ns, wall.dur_ns) == ("chip.run.runner_run.device_wall", 0, 200)
    assert wall.attributes == {"clk": "dev", "dev_id": "0", "dev_start_cycle": "15"}
    assert (wall.on_device, root.on_device) == (True, False)
    assert list(log.spans[:1]) == [wall] and log.spans[-1] == root
    assert (log.cut, log.damaged, log.first_damage, log.dropped) == (0, 0, None, 0)


def test_records_without_prefix_and_on_one_line_are_read(tmp_path: Path) -> None:
    log = log_of(tmp_path, [ROOT, PREFIX + ROOT + PREFIX + WALL, ROOT + WALL + "\r"])
    assert [span.name[-4:] for span in log.spans] == [".run", ".run", "wall", ".run", "wall"]
    assert all(span == log.spans[0] for span in log.spans if span.name == RUN)


def test_names_and_values_are_decoded_and_old_names_are_todays(tmp_path: Path) -> None:
    lines = [
        record("simpler_run.bind", 1, 2, "why=no%20room%3A%20%5Bfatal%5D"),
        record("simpler_run", 1, 2),
        record("l3.submit", 1, 2),
        record("ext.odd%20name", 1, 2),
        record("l3x.simpler_run", 1, 2),
    ]
    log = log_of(tmp_path, lines)
    names = ["chip.run.bind", "chip.run", "node.submit", "ext.odd name", "l3x.simpler_run"]
    assert [span.name for span in log.spans] == names
    assert log.spans[0].attributes == {"why": "no room: [fatal]"}


def test_timing_slots_are_device_spans_and_the_boundaries_point_is_not(tmp_path: Path) -> None:
    runner = "chip.run.runner_run"
    lines = [
        record(f"{runner}.device_wall.task_slot_15", 7, 8, "clk=dev"),
        record(f"{runner}.device_boundaries", 80_000, 0, "clk=dev dev_id=0 aic_rc=0"),
        record(f"{runner}.device_wall.sched", 7, 8, "clk=device"),
    ]
    assert [span.on_device for span in log_of(tmp_path, lines).spans] == [True, False, False]


def test_a_cut_record_keeps_what_is_whole(tmp_path: Path) -> None:
    lines = [PREFIX + WALL + "~", record(RUN, 1, 23) + "~", record(RUN, 1, 2, "clk=d~"), ROOT]
    log = log_of(tmp_path, lines)
    assert [span.name for span in log.spans] == ["chip.run.runner_run.device_wall", RUN]
    assert log.spans[0].attributes["dev_start_cycle"] == "15~"
    assert log.spans[0].on_device
    assert (log.cut, log.damaged) == (3, 0)


def test_a_capped_value_inside_a_record_is_not_a_cut_record(tmp_path: Path) -> None:
    log = log_of(tmp_path, [record(RUN, 1, 2, "why=long~ run_id=6")])
    assert log.spans[0].attributes == {"why": "long~", "run_id": "6"}
    assert (log.cut, log.damaged) == (0, 0)


def test_a_last_line_without_its_end_may_have_lost_digits(tmp_path: Path) -> None:
    log = log_of_bytes(tmp_path, f"{WALL}\n{ROOT}".encode())
    assert [span.attributes.get("generation") for span in log.spans] == [None, "2~"]
    assert log.cut == 1
    log = log_of_bytes(tmp_path, f"{WALL}\n{record(RUN, 1, 23)}".encode())
    assert (len(log.spans), log.cut) == (1, 1)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("[STRACE]", "a [STRACE] record without 'v'"),
        ("[STRACE] v=2 pid=1", "a [STRACE] record of version '2', expected 1"),
        (ROOT.replace(" tid=41", ""), "a [STRACE] record without 'tid'"),
        (ROOT.replace("name=chip.run ", "name= "), "a [STRACE] record without 'name'"),
        (
            ROOT.replace("hid=5ca1ab1e", "hid=5ca1ab1z"),
            "'hid' of a [STRACE] record is '5ca1ab1z', expected 1 to 16 hexadecimal digits",
        ),
        (
            ROOT.replace("ts=100", "ts=2305843009213693952"),
            "'ts' of a [STRACE] record is '2305843009213693952', expected a number below 2^61",
        ),
        (
            ROOT.replace("dur=900", "dur=-1"),
            "'dur' of a [STRACE] record is '-1', expected a number below 2^61",
        ),
        ("x: [HOSTLOG_DROPS] v=1 pid=", "a [HOSTLOG_DROPS] record without its counts"),
        ("host-orch phase=args total_ns=x", "a 'host-orch phase=' record without its sums"),
    ],
)
def test_a_damaged_record_is_named_with_its_line(tmp_path: Path, line: str, reason: str) -> None:
    log = log_of(tmp_path, ["hello", ROOT, line, WALL, line])
    assert [span.name for span in log.spans] == [RUN, "chip.run.runner_run.device_wall"]
    assert (log.cut, log.damaged, log.first_damage) == (0, 2, LineDamage(3, reason))


def test_the_largest_number_and_another_order_of_fields_are_taken(tmp_path: Path) -> None:
    largest = (1 << 61) - 1
    swapped = ROOT.replace(" pid=41 tid=41", " tid=42 pid=41")
    log = log_of(tmp_path, [record(RUN, largest, largest), swapped])
    assert [(s.ts_ns, s.dur_ns, s.tid) for s in log.spans] == [
        (largest, largest, 41),
        (100, 900, 42),
    ]
    assert log.spans[1].attributes["run_id"] == "6"


def test_losses_are_the_largest_total_of_each_process(tmp_path: Path) -> None:
    drops = "[HOSTLOG_DROPS] v=1 pid={} new={} total={} queue_full=1"
    lines = [drops.format(7, 2, 2), drops.format(8, 1, 1), PREFIX + drops.format(7, 3, 5)]
    assert log_of(tmp_path, lines).dropped == 6


def test_sums_of_host_phases(tmp_path: Path) -> None:
    lines = [
        PREFIX + "host-orch phase=submit_task total_ns=70 count=3 detail_sum=9 dropped=1",
        PREFIX + "host-orch phase=graph_begin total_ns=7 count=1 dropped=0",
    ]
    assert log_of(tmp_path, lines).totals == [
        PhaseTotal("submit_task", 70, 3, 9, 1),
        PhaseTotal("graph_begin", 7, 1, None, 0),
    ]


@pytest.mark.parametrize(
    ("head", "expected"),
    [
        (b"other\n" * 600 + ROOT.encode(), True),
        (b"[CLOCK_ANCHOR] v=1 pid=1 mono_ns=5", True),
        (b"a: [HOSTLOG_DROPS] v=1 pid=1", True),
        (b"x\nhost-orch phase=args total_ns=1", True),
        (b"x\n[mono_ns=12][T0x7f][INFO] main: hello", True),
        (b"about [STRACE] lines", False),
        (b"[STRACE] v=<n> pid=<n>", False),
        (b'{"edges": []}', False),
        (b"", False),
    ],
)
def test_a_log_is_known_by_its_content(head: bytes, expected: bool) -> None:
    assert is_host_log(head) is expected


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"host\.41\.log: the file is empty$"):
        log_of_bytes(tmp_path, b"")


def test_rounds_are_the_runs_with_a_root_in_order_of_start(tmp_path: Path) -> None:
    lines = [
        record("chip.run.bind", 500, 5, inv=2, depth=1),
        WALL,
        record("chip.run.bind", 110, 5, depth=1),
        record(RUN, 490, 9, "run_id=0 dispatch_id=0 slot_id=0 generation=0", inv=2),
        ROOT,
        record("node.submit", 1, 2, inv=3),
    ]
    first, second = invocations_of(tmp_path, lines)
    assert (first.pid, first.inv, first.run_epoch, first.identity) == (41, 1, 3, (6, 40, 1, 2))
    assert [span.name[8:] for span in first.spans] == ["", ".bind", ".runner_run.device_wall"]
    assert (second.inv, second.run_id, second.run_epoch, second.identity) == (2, 0, None, None)


def test_two_roots_that_differ_leave_open_what_they_differ_in(tmp_path: Path) -> None:
    (one,) = invocations_of(tmp_path, [ROOT, ROOT.replace("run_epoch=3", "run_epoch=4")])
    assert (one.run_id, one.run_epoch, one.only(RUN)) == (6, None, None)


def test_a_span_in_a_log_and_in_its_extract_counts_once(tmp_path: Path) -> None:
    whole = log_of(tmp_path, [PREFIX + WALL, PREFIX + ROOT])
    extract = log_of(tmp_path, [WALL, ROOT], name="host_clock_alignment.41.log")
    assert rounds(whole, extract) == rounds(whole)


@pytest.mark.skipif(not DATA.is_dir(), reason="needs ../shared/data")
def test_example_logs() -> None:
    logs = [read_host_log(path) for path in sorted(DATA.rglob("*.log"))]
    assert [len(log.spans) for log in logs] == [2, 6, 6, 5, 5]
    assert [(log.cut, log.damaged, log.dropped) for log in logs] == [(0, 0, 0)] * 5
    assert [one.identity for one in rounds(*logs)] == [(6, 40, 1, 2), (6, 41, 1, 2)]


GOOD = [
    PREFIX + record("chip.run.bind", 110, 5, "ntensor=4", depth=1),
    "[mono_ns=9000][T0x7f00][INFO] worker: [worker.cpp:12] 5 tasks",
    PREFIX + WALL,
    record("chip.run.runner_run.aicpu_launch", 130, 0, depth=2),
    "[HOSTLOG_DROPS] v=1 pid=41 new=1 total=1 queue_full=1",
    PREFIX + ROOT,
]
"""A log whose spans all differ."""
thorough = settings(
    deadline=None,
    max_examples=300,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def others_survive(folder: Path, lines: list[str], changed: int) -> None:
    """Read a log of which one line was changed: the spans of all others are there, in order."""
    kept = [line for k, line in enumerate(GOOD) if k != changed]
    expected = list(log_of(folder, kept).spans)
    log = log_of_bytes(folder, "".join(f"{line}\n" for line in lines).encode())
    found = [span for span in log.spans if span in expected]
    assert [span for k, span in enumerate(found) if span not in found[:k]] == expected
    rounds(log)


@thorough
@given(line=st.integers(0, len(GOOD) - 1), share=st.floats(0, 1))
def test_a_line_cut_at_any_byte_loses_no_other_line(
    tmp_path: Path, line: int, share: float
) -> None:
    end = int(share * len(GOOD[line]))
    others_survive(tmp_path, [*GOOD[:line], GOOD[line][:end], *GOOD[line + 1 :]], line)
    others_survive(tmp_path, [*GOOD[:line], GOOD[line][:end] + "~", *GOOD[line + 1 :]], line)


@thorough
@given(
    line=st.integers(0, len(GOOD) - 1),
    share=st.floats(0, 1),
    new=st.text(st.characters(codec="utf-8", exclude_characters="\n["), min_size=1, max_size=22),
)
def test_a_line_with_other_characters_in_it_loses_no_other_line(
    tmp_path: Path, line: int, share: float, new: str
) -> None:
    text = GOOD[line]
    k = int(share * (len(text) - 1))
    others_survive(
        tmp_path, [*GOOD[:line], text[:k] + new + text[k + 1 :], *GOOD[line + 1 :]], line
    )


@thorough
@given(
    line=st.integers(0, len(GOOD) - 1),
    digits=st.lists(st.sampled_from("0123456789x-~"), max_size=9),
)
def test_a_line_with_other_digits_loses_no_other_line(
    tmp_path: Path, line: int, digits: list[str]
) -> None:
    new = iter(digits)
    text = re.sub(r"\d", lambda found: next(new, found.group()), GOOD[line])
    others_survive(tmp_path, [*GOOD[:line], text, *GOOD[line + 1 :]], line)


@thorough
@given(st.binary(max_size=300), st.integers(0, 900))
def test_any_bytes_give_a_log_or_an_error(tmp_path: Path, noise: bytes, place: int) -> None:
    good = "".join(f"{line}\n" for line in GOOD).encode()
    with suppress(InputError):
        rounds(log_of_bytes(tmp_path, good[:place] + noise + b"\n" + good[place:]))
