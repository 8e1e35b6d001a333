"""Fuzz targets: every file format that is read, each file among its sound companions."""

from __future__ import annotations

import io
import shutil
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
from tests.capture.runs import graph, recorded
from tests.dump.test_read import dump
from tests.formats.samples import EXAMPLE, OPTIONS, write_samples
from tests.fuzz.target import Target
from tests.model.manifest import files as models

import lanescope
from lanescope.capture import recover
from lanescope.capture.flight import read_flight
from lanescope.capture.gather import Gatherer, NotBuffers
from lanescope.capture.spool import FRAME_MAGIC, FrameKind, SpoolReader
from lanescope.device.layouts import layout
from lanescope.dump.read import read_tensors
from lanescope.errors import LanescopeError
from lanescope.formats import import_paths
from lanescope.model.boards.load import open_board
from lanescope.model.isa.mem import read_words
from lanescope.model.isa.operations import read_operations
from lanescope.model.manifest.source import open_model
from lanescope.native import library
from lanescope.platforms.sim.chip import load_chip
from lanescope.trace import load, save
from lanescope.trace.integrity import CHECKSUMS

SOURCE = Path(lanescope.__file__).parent
ROOT = Path(__file__).parents[2]
_FRAME = struct.Struct("<IIQQII")


def each(*reads: Callable[[], object]) -> None:
    """All of them: one that refuses the file must not keep it from the others."""
    for read in reads:
        try:
            read()
        except LanescopeError as error:
            assert "\n" not in str(error), "a message has more than one line"


def imported(name: str, path: Path, place: Path) -> Target:
    """A file of a format, by itself and in its folder; `place` is a copy of that folder."""

    def run(data: bytes) -> None:
        target = place / path.name
        target.write_bytes(data)
        each(
            lambda: import_paths([target], format=name, options=OPTIONS.get(name)),
            lambda: import_paths([place], keep_damaged=True),
        )
        target.write_bytes(path.read_bytes())

    return Target(f"{name}/{path.name}", (path.read_bytes(),), run)


def format_targets(folder: Path) -> list[Target]:
    """One target for each file of tests/formats/samples.py."""
    targets = []
    for name, files in write_samples(folder / "samples").items():
        place = folder / "formats" / name
        shutil.copytree(folder / "samples" / name, place)
        targets += [imported(name, path, place) for path in files.values() if path.is_file()]
    return targets


def single(
    name: str, ending: str, folder: Path, seed: bytes, read: Callable[[Path], object]
) -> Target:
    """A file that is read by itself."""
    path = folder / f"{name.replace('/', '-')}{ending}"

    def run(data: bytes) -> None:
        path.write_bytes(data)
        read(path)

    return Target(name, (seed,), run)


def among(name: str, path: Path, read: Callable[[Path], object]) -> Target:
    """One file of a folder that is read as a whole; its folder is put right again."""
    sound = path.read_bytes()

    def run(data: bytes) -> None:
        path.write_bytes(data)
        try:
            read(path.parent)
        finally:
            path.write_bytes(sound)

    return Target(name, (sound,), run)


def model_targets(folder: Path) -> list[Target]:
    """Model files, boards, chips, programs and operation tables."""
    tensors = {"model.layers.0.weight": ("F16", [2, 3], 12), "lm_head.weight": ("F32", [1], 4)}
    keys = {"general.architecture": "llama", "llama.block_count": 1, "tokenizer": ["a", "b"]}
    one = models.safetensors(folder / "seed.safetensors", tensors).read_bytes()
    two = models.gguf(folder / "seed.gguf", keys, [("blk.0.weight", [4, 8], 0, 0)]).read_bytes()
    three = models.onnx(folder / "seed.onnx", [("w", [4, 8], 1)], packed=True).read_bytes()
    config = (ROOT / "examples/model_135m.json").read_bytes()
    table = b"typedef enum {\n  C_ADD = 6'h01, // add\n  C_SUB = 6'd2 } op;\n"
    board = (SOURCE / "model/boards/nexys_video.yaml").read_bytes()
    chip = (SOURCE / "platforms/sim/chips/a2a3.toml").read_bytes()
    program = (ROOT / "examples/tile.asm").read_bytes()

    def opened(path: Path) -> object:
        return open_model(path).manifest(context=64, batch=1, capacity_bytes=None)

    def words(path: Path) -> object:
        return read_words(path, None)

    def predicted(path: Path) -> object:
        return lanescope.predict(path, board="nexys_video")

    return [
        single("model/safetensors", ".safetensors", folder, one, opened),
        single("model/gguf", ".gguf", folder, two, opened),
        single("model/onnx", ".onnx", folder, three, opened),
        single("model/config", ".json", folder, config, opened),
        single("model/board", ".yaml", folder, board, open_board),
        single("model/chip", ".toml", folder, chip, lambda path: load_chip(str(path))),
        single("model/operations", ".svh", folder, table, read_operations),
        single("model/words", ".mem", folder, b"04000001\n0x1F\n", words),
        single("model/program", ".asm", folder, program, predicted),
    ]


def archive_targets(folder: Path) -> list[Target]:
    """A run in a zip and in a tar."""
    bag, roll = io.BytesIO(), io.BytesIO()
    with (
        zipfile.ZipFile(bag, "w", zipfile.ZIP_STORED) as zipped,
        tarfile.open(fileobj=roll, mode="w") as tarred,
    ):
        for file in sorted(EXAMPLE.iterdir()):
            zipped.write(file, file.name)
            tarred.add(file, file.name)
    return [
        single("archive/zip", ".zip", folder, bag.getvalue(), lambda path: import_paths([path])),
        single("archive/tar", ".tar", folder, roll.getvalue(), lambda path: import_paths([path])),
    ]


def own_targets(folder: Path) -> list[Target]:
    """What lanescope itself writes: stored traces, captures, tensor dumps."""
    stored = folder / "own.lanes"
    save(lanescope.import_trace(EXAMPLE), stored)
    (stored / CHECKSUMS).unlink()
    capture = folder / "own.capture"
    recorded(capture, graph(40), buffer_records=4, buffers=2)
    dumped = dump(folder / "own.tensors")

    def whole(path: Path) -> object:
        trace = load(path)
        return repr(trace), [len(trace.table(name)) for name in ("tasks", "cores")]

    def recovered(path: Path) -> None:
        each(lambda: recover(path), lambda: read_flight(path))

    def arrays(path: Path) -> list[object]:
        return [one.elements() for one in read_tensors(path)]

    spool = among("own/spool", capture / "spool", recovered)
    return [
        *(among(f"own/{name}", stored / name, whole) for name in ("meta.json", "tasks.parquet")),
        among("own/region", capture / "region", recovered),
        spool._replace(run=lambda data: spool.run(with_checksums(data))),
        among("own/session", capture / "session.json", recovered),
        *(among(f"own/{file.name}", file, arrays) for file in sorted(dumped.iterdir())),
    ]


def drain_targets(folder: Path) -> list[Target]:
    """The host's end of a region that a program writes over, and payloads of a spool."""
    session = recorded(folder / "drained.capture", graph(60), buffer_records=4, buffers=2)
    head, image = session.region.head, session.region.memory.tobytes()
    frames = SpoolReader(session.directory / "spool").frames()
    payloads = [frame.payload.tobytes() for frame in frames if frame.kind == FrameKind.BUFFERS]

    def drained(data: bytes) -> None:
        wild = np.frombuffer(data[: len(image)].ljust(len(image), b"\0"), np.uint8).copy()
        taken, out = np.zeros(len(head.lanes), np.uint64), np.empty(4096, np.uint8)
        result = np.zeros(1, layout("ls_drained"))
        library().ls_drain_some(
            wild.ctypes.data, wild.ctypes.data + int(head.header["lanes"]),
            head.lanes.ctypes.data, 0, len(head.lanes), taken.ctypes.data,
            out.ctypes.data, len(out), result.ctypes.data,
        )  # fmt: skip
        gathered(out[: int(result[0]["bytes"])].tobytes())

    def gathered(data: bytes) -> None:
        gatherer = Gatherer(head)
        try:
            gatherer.add(np.frombuffer(data, np.uint8).copy())
        except NotBuffers:
            return
        assert len(gatherer.gather().buffers) == gatherer.buffers

    return [
        Target("c/drain", (image,), drained),
        Target("c/buffers", tuple(payloads[:4]), gathered),
    ]


def with_checksums(data: bytes) -> bytes:
    """The spool with the checksums that its frames should have, so that more than these is read."""
    changed, at = bytearray(data), 8
    while at + _FRAME.size <= len(changed):
        magic, kind, size, index, _, _ = _FRAME.unpack_from(changed, at)
        if magic != FRAME_MAGIC or size > len(changed):
            at += 8
            continue
        payload = bytes(changed[at + _FRAME.size : at + _FRAME.size + size])
        crc = zlib.crc32(payload, zlib.crc32(struct.pack("<IQQ", kind, size, index)))
        changed[at + 24 : at + 28] = struct.pack("<I", crc)
        at += _FRAME.size + size + -size % 8
    return bytes(changed)


def file_targets(folder: Path) -> list[Target]:
    """All of them; `folder` holds their files."""
    folder.mkdir(parents=True)
    return [
        *format_targets(folder),
        *archive_targets(folder),
        *model_targets(folder),
        *own_targets(folder),
        *drain_targets(folder),
    ]
