"""One small file or more of every format that is read, written by hand or by an exporter."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

from tests.chunks.test_decoder import mark, stamp, state, stream
from tests.formats.ascend.databases import database
from tests.formats.ascend.test_communication import entry
from tests.formats.kineto.files import SMALL as KINETO
from tests.formats.nsys.files import SMALL as NSYS
from tests.formats.nsys.files import write_sqlite
from tests.formats.plena.made import LOG, SCOREBOARD, STATS
from tests.formats.rocprof.files import ROCPD, tool, write_json, write_rocpd
from tests.formats.straggler.files import StudyJob, usual
from tests.formats.ttmetal.test_log import log, program
from tests.formats.ttmetal.test_operations import ROWS, report
from tests.formats.xplane.test_damaged import GOOD as XSPACE

import lanescope
from lanescope.formats import export

EXAMPLE = Path(__file__).parents[2] / "examples" / "small_run"
OPTIONS: dict[str, dict[str, Any]] = {"chip6": {"core_mhz": "1000", "counter_mhz": "1000"}}
"""What a format has to be told, because its files do not say it."""


def write_samples(folder: Path) -> dict[str, dict[str, Path]]:
    """Format → name → a file of it."""
    places = {name: folder / name for name in FORMATS}
    for place in places.values():
        place.mkdir(parents=True)
    trace = lanescope.import_trace(EXAMPLE)
    for name in ("perfetto", "chrome", "kanata", "csv", "simpler"):
        single = {"csv": "tasks.csv", "simpler": "chip_swimlane_records.json"}.get(name, "sample")
        export(trace, places[name] / single, to=name)
    for name in ("deps.json", "name_map_small_run.json"):
        (places["simpler"] / name).write_bytes((EXAMPLE / name).read_bytes())
    (places["xplane"] / "a.xplane.pb").write_bytes(XSPACE)
    (places["kineto"] / "a.json").write_text(json.dumps(KINETO))
    write_sqlite(places["nsys"] / "a.sqlite", NSYS)
    write_json(places["rocprofv3"] / "a.json", tool())
    write_rocpd(places["rocprofv3"] / "a.db", ROCPD)
    database(places["ascend"] / "ascend_pytorch_profiler_3.db")
    (places["ascend"] / "communication.json").write_text(
        json.dumps({"step1": {"p2p": {}, "collective": {"hcom_allReduce__445_7_1@629": entry()}}})
    )
    StudyJob(dp=1, pp=2, batches=1, steps=(1,)).write(places["straggler-study"], "X", usual)
    log(places["tt-metal"], *program("0,1,2", 10000, 7))
    report(places["tt-metal"], *ROWS)
    (places["plena"] / "a.log").write_text(LOG)
    (places["plena"] / "scoreboard.jsonl").write_text(SCOREBOARD)
    (places["plena"] / "rust_emulator_run_stats.json").write_text(json.dumps(STATS))
    words = [*stamp(700), mark(1, 9, 5), *stamp(800), state(4, 1), state(0, 2)]
    (places["chip6"] / "raw.bin").write_bytes(stream(*words))
    return {
        name: {path.name: path for path in sorted(place.iterdir())}
        for name, place in places.items()
    }


FORMATS = (
    *("simpler", "xplane", "perfetto", "ascend", "kineto", "straggler-study", "nsys", "rocprofv3"),
    *("tt-metal", "chrome", "csv", "kanata", "plena", "chip6"),
)


def mutated(data: bytes, rng: random.Random) -> bytes:
    """The file with one to four changes such as a disk, a transfer or an attacker makes."""
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(data) + 1)
        end = min(len(data), at + rng.choice((1, 2, 8, 64)))
        change = rng.randrange(7)
        if change == 0:
            data = data[:at]
        elif change == 1:
            data = data[:at] + rng.randbytes(end - at) + data[end:]
        elif change == 2:
            data = data[:at] + data[end:]
        elif change == 3:
            data = data[:at] + data[at:end] * rng.randint(2, 9) + data[end:]
        elif change == 4:
            data = data[:at] + rng.choice(HOSTILE) + data[at:]
        elif change == 5:
            data = data[:at] + rng.choice(HOSTILE) + data[end:]
        elif data:
            place = rng.randrange(len(data))
            flipped = data[place] ^ 1 << rng.randrange(8)
            data = data[:place] + bytes([flipped]) + data[place + 1 :]
    return data


HOSTILE = (
    *(b"-1", b"1e999", b"NaN", b"9" * 30, b"9" * 5000, b"null", b"{", b"[", b'"', b"[" * 3000),
    *(b"\0", b"\xff\xfe", b"\\ud800", b"\x1b[2J", b"\n", b",", b"\xff" * 8, b"\x80" * 12),
    *(b"\x00\x00\x00\x80", b"\xff\xff\xff\x7f", b"true", b"{}", b"[]", b"1.5", b"''"),
)
