"""Fuzz targets: what a program and a GPU recorded, an agent on a wire, a served page."""

from __future__ import annotations

import json
import shutil
import struct
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from tests.capture.programs import built
from tests.cuda.test_fixture import region as region_of_a_gpu
from tests.facade.test_sessions import config, memory_for
from tests.formats.samples import EXAMPLE
from tests.fuzz.file_targets import among, each, with_checksums
from tests.fuzz.target import Target

import lanescope
from lanescope.capture import recover
from lanescope.capture.directory import REGION, SPOOL, SessionNote, make_directory
from lanescope.capture.flight import read_flight
from lanescope.capture.host_log import LOG
from lanescope.capture.live import LiveCapture
from lanescope.capture.reading import read_capture
from lanescope.capture.tensors import dump_recorded
from lanescope.device.agent.server import RegionAgent, _Refusal
from lanescope.device.agent.wire import PAIR, WireError, WireKind
from lanescope.device.region import place_region
from lanescope.device.transport import SharedMapping, require_host_word, word_offset
from lanescope.viewer import make_server
from lanescope.viewer.server import _WRONG

OWN_RUNTIME = Path(__file__).parents[2] / "examples" / "own_runtime" / "all_records.c"
_FRAME, _CHECKED = struct.Struct("<4sIII"), struct.Struct("<II")
_UNIX_NS = 1_700_000_000_000_000_000


def read_every_way(folder: Path) -> None:
    """As recover, flight, a dump of tensors and a live page read a capture."""

    def dumped() -> None:
        target = folder.parent / "fuzzed.tensors"
        dump_recorded(read_capture(folder).contents, target)
        shutil.rmtree(target, ignore_errors=True)

    def watched() -> None:
        capture = LiveCapture(folder)
        capture.look()
        capture.trace()

    each(lambda: recover(folder), lambda: read_flight(folder), dumped, watched)


def targets_of_all_kinds(folder: Path) -> list[Target]:
    """A program that records everything, through buffers that it fills many times."""
    capture = folder / "all.capture"
    program = built(OWN_RUNTIME, folder / "all_records")
    call = lanescope.CallConfig(
        pmu=True,
        core_swimlane=True,
        dump_tensors=True,
        dump_limit=64,
        buffer_records=4,
        buffers=2,
        tensors=str(folder / "all.tensors"),
    )
    lanescope.collect([str(program), "12"], directory=capture, call=call)
    [own] = [path for path in capture.iterdir() if path.is_dir()]
    spool = among("all/spool", own / SPOOL, read_every_way)
    return [
        among("all/region", own / REGION, read_every_way),
        spool._replace(run=lambda data: spool.run(with_checksums(data))),
    ]


def targets_of_a_gpu(folder: Path) -> list[Target]:
    """What a GPU recorded, and what its host noted meanwhile."""
    capture = folder / "gpu.capture"
    make_directory(capture, SessionNote("fuzz", "GPU"))
    (capture / REGION).write_bytes(region_of_a_gpu().tobytes())
    events: list[dict[str, Any]] = [
        {"type": "thread", "thread": 0, "name": "main"},
        {"type": "begin", "range": 1, "thread": 0, "ns": _UNIX_NS, "name": "step"},
        {"type": "call", "call": 1, "thread": 0, "ns": _UNIX_NS + 500, "name": "gemm"},
        {"type": "moment", "device_ns": 1000, "unix_ns": _UNIX_NS + 900, "error_ns": 20},
        {"type": "end", "range": 1, "ns": _UNIX_NS + 2000},
    ]
    (capture / LOG).write_bytes(b"".join(json.dumps(event).encode() + b"\n" for event in events))
    return [
        among("gpu/region", capture / REGION, read_every_way),
        among("gpu/host log", capture / LOG, read_every_way),
    ]


def frame(kind: WireKind, payload: bytes) -> bytes:
    """A frame of a collector."""
    return _FRAME.pack(b"LSAG", kind, len(payload), 0) + payload


def with_frame_checksums(data: bytes) -> bytes:
    """The frames with the checksums that they should have, so that what is in them is read."""
    changed, at = bytearray(data), 0
    while at + _FRAME.size <= len(changed):
        _, kind, size, _ = _FRAME.unpack_from(changed, at)
        payload = bytes(changed[at + _FRAME.size : at + _FRAME.size + size])
        crc = zlib.crc32(payload, zlib.crc32(_CHECKED.pack(kind, size)))
        changed[at + 12 : at + 16] = struct.pack("<I", crc)
        at += _FRAME.size + size
    return bytes(changed)


class Asking:
    """The stream of a collector that has sent some bytes, and takes every answer."""

    def __init__(self, sent: bytes) -> None:
        self._sent, self._at = sent, 0

    def settimeout(self, limit_s: float) -> None:
        """Nobody waits here."""

    def sendall(self, data: bytes) -> None:
        """Take an answer."""

    def recv_into(self, room: memoryview) -> int:
        """Hand on what was sent, as far as there is room."""
        part = self._sent[self._at : self._at + len(room)]
        room[: len(part)] = part
        self._at += len(part)
        return len(part)


def agent_target() -> Target:
    """A collector that knows the token, and then asks for anything: only host words change."""
    region = config(host_lost_s=0.5)
    memory = memory_for(region)
    transport = SharedMapping(memory)
    place_region(transport, region)
    agent = RegionAgent(transport, ("127.0.0.1", 0), token="a token of the fuzzer")
    agent.close()
    beat = word_offset("ls_header", "host_beat")
    asked = (
        frame(WireKind.READ, PAIR.pack(0, 256) + PAIR.pack(512, 64)),
        frame(WireKind.WRITE, PAIR.pack(beat, 7)),
        frame(WireKind.ENDED, b""),
    )

    def run(data: bytes) -> None:
        before = memory.copy()
        with suppress(WireError, _Refusal):
            agent._answer_all(Asking(with_frame_checksums(data)), b"", "the fuzzer")  # type: ignore[arg-type]
        for word in np.unique(np.flatnonzero(memory != before) // 8 * 8).tolist():
            require_host_word(word, agent._header)
        memory[:] = before

    return Target("agent/frames", (b"".join(asked),), run)


def page_target() -> Target:
    """What a page asks the server: an answer that is JSON, or one of the refusals."""
    server = make_server([lanescope.import_trace(EXAMPLE)])
    server.server_close()
    lanes = list(range(len(server.header["traces"][0]["lanes"])))
    part = {"kind": "tasks", "lanes": lanes, "names": None, "runs": None}
    wait = {"reasons": ["data"], "least": 0, "most": None}
    found = {"parts": [part], "waits": [wait], "task": "1", "least": 0, "most": 9e9, "limit": 5}
    first = {"kind": "tasks", "lane": 0, "start": 0, "length": 10}
    asked: list[tuple[str, Any]] = [
        ("/data/0/find", found),
        ("/data/0/find", found | {"from": first, "backwards": True, "task": None}),
        ("/data/0/neighbours", {"row": 5, "hops": 3}),
        ("/data/0/path", {"from": 0, "to": 9}),
        ("/data/0/outliers", {"name": 0}),
        ("/data/0/area", {"t0": 0, "t1": 10**6, "lanes": {"0": lanes}}),
        ("/data/0/0/tasks/start", None),
    ]

    def run(data: bytes) -> None:
        try:
            path, question = json.loads(data)
        except (ValueError, TypeError, RecursionError):
            return
        if not isinstance(path, str) or path.endswith("sql"):
            return
        with suppress(*_WRONG):
            answer = server.answer(path, question)
            assert isinstance(answer, bytes) or json.dumps(answer, allow_nan=False)

    return Target("page/questions", tuple(json.dumps(one).encode() for one in asked), run)


def recorded_targets(folder: Path) -> list[Target]:
    """All of them; `folder` holds their files."""
    folder.mkdir(parents=True)
    return [
        *targets_of_all_kinds(folder),
        *targets_of_a_gpu(folder),
        agent_target(),
        page_target(),
    ]
