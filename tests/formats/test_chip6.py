"""Raw chunk files as traces."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.analyze.hand import make_trace, task
from tests.chunks.test_decoder import SAME, mark, stamp, state, stream

from lanescope.chunks import decode
from lanescope.errors import InputError, UsageError
from lanescope.formats import import_trace
from lanescope.formats.bundle import ImportAccount
from lanescope.formats.chip6.account import account
from lanescope.formats.chip6.beside import _by_core, _list, with_core_streams
from lanescope.formats.chip6.read import RawStream, read_chip6
from lanescope.formats.json_file import JsonFile, open_object
from lanescope.trace import MISSING, LedgerEntry, Trace
from lanescope.trace.meta import RecordingFacts


def written(folder: Path, *words: int) -> RawStream:
    path = folder / "raw.bin"
    path.write_bytes(stream(*words))
    return RawStream(path, SAME, core=4, kind="aiv")


def test_times_count_from_the_first_stamp(tmp_path: Path) -> None:
    raw = written(tmp_path, *stamp(700), mark(1, 9, 5), *stamp(800), state(4, 1), state(0, 2))
    trace, _ = read_chip6(raw)
    assert (trace.meta.base_cycles, trace.meta.clock_hz) == (700, 10**9)
    assert trace.text("marks", "pipe") == ["cube", "vector"]
    assert trace.marks["start_ns"].tolist() == [101, 5]
    assert trace.marks["end_ns"].tolist() == [103, 5]
    assert trace.text("cores", "name") == ["aiv 4"]
    assert trace.meta.notes == ()


def test_a_bit_that_never_ends_is_in_the_ledger(tmp_path: Path) -> None:
    trace, _ = read_chip6(written(tmp_path, *stamp(700), state(4, 1)))
    assert trace.marks["end_ns"].tolist() == [MISSING]
    entry = trace.meta.ledger[1]
    assert (entry.total, entry.unmatched, entry.reason) == (1, 1, "1 have only one end")


def test_a_file_without_a_good_stamp_says_so(tmp_path: Path) -> None:
    trace, _ = read_chip6(written(tmp_path, mark(0, 1, 1)))
    assert len(trace.marks) == 0
    assert trace.meta.notes == ("The file has no good start stamp, so nothing in it has a time.",)


def test_a_missing_file_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_chip6(RawStream(tmp_path / "none.bin", SAME))


def test_a_raw_stream_needs_both_clocks(tmp_path: Path) -> None:
    path = written(tmp_path, *stamp(700)).path
    for given, missing in (("core_mhz", "--counter-mhz"), ("counter_mhz", "--core-mhz")):
        with pytest.raises(UsageError) as caught:
            import_trace(path, format="chip6", options={given: 1000})
        assert str(caught.value) == (
            f"a raw chunk stream does not say its clocks: add {missing}, in MHz"
        )


def test_a_core_without_a_name_is_cube_core_0(tmp_path: Path) -> None:
    path = written(tmp_path, *stamp(700), mark(1, 9, 5)).path
    trace = import_trace(path, format="chip6", options={"core_mhz": 2000, "counter_mhz": 1000})
    assert (trace.text("cores", "name"), trace.text("cores", "kind")) == (["aic 0"], ["aic"])
    assert trace.meta.recording == RecordingFacts(core_hz={"aic": 2_000_000_000})
    assert trace.marks["core"].tolist() == [0]


def test_whole_and_one_ended_rows_are_accounted_apart(tmp_path: Path) -> None:
    words = [*stamp(700), state(4, 1), state(0, 2), mark(1, 9, 5), state(2, 1)]
    trace, _ = read_chip6(written(tmp_path, *words))
    assert trace.meta.ledger[1] == LedgerEntry(
        lane="core 4",
        kind="mark",
        total=3,
        delivered=2,
        unmatched=1,
        reason="1 have only one end",
    )
    whole, _ = read_chip6(written(tmp_path, *words[:-1]))
    assert whole.meta.ledger[1] == LedgerEntry(lane="core 4", kind="mark", total=2, delivered=2)


def told(*words: int) -> ImportAccount:
    return account(decode(stream(*words), SAME))


def test_what_became_of_a_whole_stream_is_told() -> None:
    found = told(*stamp(700), mark(1, 9, 5), state(4, 1))
    assert found.lines == (
        "24 bytes: 24 decoded, 0 damaged",
        "1 start stamp, 0 busy intervals, 1 mark, 1 interval with one end only",
    )
    assert found.values == {
        "bytes": {
            "total": 24,
            "decoded": 24,
            "filler": 0,
            "sentinel": 0,
            "stub": 0,
            "damaged": 0,
        },
        "stamps": 1,
        "busy_intervals": 0,
        "pipe_marks": 1,
        "one_ended": 1,
        "damaged_places": 0,
        "damaged": [],
    }


def damaged_places(count: int) -> ImportAccount:
    """A lone quarter of a stamp is damage; whole stamps keep the places apart."""
    words = [word for k in range(count) for word in (*stamp(700 + k), 0xE1 << 24)]
    return told(*words)


def test_five_damaged_places_are_shown_and_the_others_counted() -> None:
    five, six = damaged_places(5), damaged_places(6)
    assert [line.partition(", ")[0] for line in five.lines[2:]] == [
        f"damaged at offset {16 + 20 * k}: 4 bytes" for k in range(5)
    ]
    assert six.lines[2:-1] == five.lines[2:]
    assert six.lines[-1] == "and 1 more damaged place"
    assert six.values["damaged_places"] == len(six.values["damaged"]) == 6
    assert six.lines[0].endswith(" decoded, 24 damaged")


def test_a_thousand_damaged_places_are_listed() -> None:
    values = damaged_places(1001).values
    assert (values["damaged_places"], len(values["damaged"])) == (1001, 1000)


@pytest.mark.parametrize(
    ("cores", "text"),
    [
        ([7], "core 7"),
        ([7, 8], "cores 7, 8"),
        ([1, 2, 3, 4], "cores 1, 2, 3, 4"),
        ([1, 2, 3, 4, 5, 6], "cores 1, 2, 3, 4 and 2 more"),
    ],
)
def test_at_most_four_cores_are_named(cores: list[int], text: str) -> None:
    assert _list(cores) == text


def test_a_stream_is_of_the_core_in_its_name() -> None:
    paths = [Path("core_12.chip6.gz"), Path("core_3.chip6"), Path("core_999999.chip6.zst")]
    assert _by_core(paths) == {3: paths[1], 12: paths[0], 999999: paths[2]}
    for name in ("core_.chip6", "core_1234567.chip6", "xcore_1.chip6", "core_1.chip6.zip"):
        with pytest.raises(InputError, match=r"expected a name like core_7\.chip6, where 7 is"):
            _by_core([Path(name)])
    with pytest.raises(InputError) as caught:
        _by_core([Path("a/core_3.chip6"), Path("a/core_03.chip6")])
    assert str(caught.value) == (
        "a/core_03.chip6: is a second stream of core 3 beside core_3.chip6; keep one"
    )


def beside(folder: Path, about: Any, **streams: bytes) -> tuple[Trace, ImportAccount]:
    """Streams beside a run of a task on core 0 and one on core 1, from tick 1000 to 2000 each."""
    clock = {"clock_hz": 10**9, "base_cycles": 0}
    cycles = {"start_cycles": 1000, "end_cycles": 2000}
    trace = make_trace(
        clock,
        tasks=[task(core, None, None, 1000, 2000, None, task=core, **cycles) for core in (0, 1)],
        cores=[{"core": 0, "name": "a", "kind": "aic"}, {"core": 1, "name": "b"}],
    )
    for name, data in streams.items():
        (folder / f"{name}.chip6").write_bytes(data)
    file: JsonFile | None = None
    if about is not None:
        (folder / "core_streams.json").write_text(json.dumps(about))
        file = open_object(folder / "core_streams.json")
    return with_core_streams(trace, [folder / f"{name}.chip6" for name in streams], file)


def test_streams_beside_a_run_are_attached_and_accounted(tmp_path: Path) -> None:
    own = stream(*stamp(1100), mark(1, 9, 5), state(4, 1), state(0, 2))
    trace, found = beside(
        tmp_path,
        {"core_mhz": {"aic": 1000, "": 500}},
        core_0=own,
        core_1=stream(*stamp(5000), mark(1, 9, 5), 0xE1 << 24),
        core_7=stream(*stamp(1), mark(1, 9, 5)) + b"abc",
        core_6=own,
    )
    assert trace.marks["core"].tolist().count(0) == 2
    assert found.values == {
        "core_streams": {
            "streams": 2,
            "left_out": [6, 7],
            "bytes": 28 + 24,
            "damaged_bytes": 4,
            "rows_in_tasks": 2,
            "rows_in_no_task": 1,
            "marks_without_partner": 0,
            "core_hz": {"aic": 10**9, "core": 500_000_000},
            "counter_hz": 10**9,
        }
    }
    assert found.lines == (
        "2 core streams: 2 rows in tasks, 1 in no task, 0 marks without a partner, 4 bytes damaged",
        "clocks of the streams: aic 1000 MHz, core 500 MHz; counter 1000 MHz",
    )
    assert trace.meta.ledger[-2:] == (
        LedgerEntry(
            lane="core 6",
            kind="chunk",
            total=7,
            delivered=0,
            dropped=7,
            reason="core_6.chip6 was left out: the records have no core 6",
        ),
        LedgerEntry(
            lane="core 7",
            kind="chunk",
            total=6,
            delivered=0,
            dropped=6,
            reason="core_7.chip6 was left out: the records have no core 7",
        ),
    )
    assert trace.meta.notes[-2:] == (
        "Streams of cores 6, 7 were left out: the records have no such core.",
        "Nothing in the streams of core 1 lies in a task: they may be of another run, or have "
        "another clock.",
    )


def test_streams_of_no_core_have_no_clocks(tmp_path: Path) -> None:
    _, found = beside(tmp_path, {"core_mhz": 1000}, core_7=stream(*stamp(1)))
    assert found.lines[1] == "clocks of the streams: none; counter 1000 MHz"


def test_streams_without_a_file_of_clocks_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        beside(tmp_path, None, core_0=b"abcd")
    assert str(caught.value) == (
        f"{tmp_path}: has chunk streams of cores, but no core_streams.json that says their clocks; "
        'write one, such as {"core_mhz": 1650}'
    )
