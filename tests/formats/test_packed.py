"""Packed files are read like plain ones."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from lanescope.errors import InputError
from lanescope.formats import export, import_paths
from lanescope.formats.packed import as_gzip, damage_named, is_packed, plain_name, unpacked

EXAMPLE = Path(__file__).parents[2] / "examples" / "small_run"
RECORDS = (EXAMPLE / "chip_swimlane_records.json").read_bytes()


def zstd(data: bytes) -> bytes:
    return pa.compress(data, codec="zstd", asbytes=True)


PACKERS = {"gz": gzip.compress, "zst": zstd}
packers = pytest.mark.parametrize(("ending", "pack"), PACKERS.items(), ids=PACKERS)
Pack = Callable[[bytes], bytes]


@packers
def test_packed_json_is_read_like_plain_json(tmp_path: Path, ending: str, pack: Pack) -> None:
    deps = (EXAMPLE / "deps.json").read_bytes()
    (tmp_path / f"records.json.{ending}").write_bytes(pack(RECORDS))
    (tmp_path / f"deps.json.{ending}").write_bytes(pack(deps))
    (trace,) = import_paths([tmp_path])
    assert (int(trace.ran().sum()), len(trace.edges)) == (122, 127)


@packers
def test_a_named_packed_file_gives_its_name_without_endings(
    tmp_path: Path, ending: str, pack: Pack
) -> None:
    event = b'{"traceEvents": [{"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}]}'
    (tmp_path / f"chart.json.{ending}").write_bytes(pack(event))
    (trace,) = import_paths([tmp_path / f"chart.json.{ending}"])
    assert trace.meta.name == "chart"


@packers
def test_a_cut_off_packed_file_is_said_so(tmp_path: Path, ending: str, pack: Pack) -> None:
    (tmp_path / f"records.json.{ending}").write_bytes(pack(RECORDS)[:-400])
    with pytest.raises(InputError, match=rf"records\.json\.{ending}: cannot be unpacked"):
        import_paths([tmp_path])


@packers
def test_a_bomb_is_refused_before_it_fills_the_disk(
    tmp_path: Path, ending: str, pack: Pack
) -> None:
    (tmp_path / f"records.json.{ending}").write_bytes(pack(b" " * (64 << 20)))
    with pytest.raises(InputError, match="unpacks to more than 200 times its size"):
        import_paths([tmp_path])


def test_packed_lines_are_refused_with_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "pmu.json.gz").write_bytes(gzip.compress(b"thread_id,core_id,task_id\n"))
    with pytest.raises(InputError, match="unpack it with gunzip"):
        import_paths([tmp_path])


@packers
def test_an_export_is_packed_by_its_ending(tmp_path: Path, ending: str, pack: Pack) -> None:
    (trace,) = import_paths([EXAMPLE])
    out = tmp_path / f"run.trace.json.{ending}"
    export(trace, out, to="chrome")
    assert out.read_bytes()[:2] == pack(b"x")[:2]
    (back,) = import_paths([out])
    assert int(back.ran().sum()) >= 122


@packers
def test_what_grows_by_less_than_200_times_is_unpacked_whole(
    tmp_path: Path, ending: str, pack: Pack
) -> None:
    """3 MB, more than the piece that may come of any file, of which a half stays."""
    whole = np.random.default_rng(1).integers(0, 16, 3 << 20).astype(np.uint8).tobytes()
    path = tmp_path / f"a.{ending}"
    path.write_bytes(pack(whole))
    with path.open("rb") as packed, unpacked(path, packed) as found:
        found.seek(0)
        assert found.read() == whole


@pytest.mark.parametrize(
    ("name", "plain", "as_if"),
    [
        ("a.json", "a.json", "a.json"),
        ("a.json.gz", "a.json", "a.json.gz"),
        ("a.json.zst", "a.json", "a.json.gz"),
        ("a.gz.zst", "a.gz", "a.gz.gz"),
        ("gz", "gz", "gz"),
    ],
)
def test_a_name_without_and_with_the_ending_of_a_packed_file(
    name: str, plain: str, as_if: str
) -> None:
    assert (plain_name(name), as_gzip(name)) == (plain, as_if)


def test_a_packed_file_is_told_by_its_first_bytes() -> None:
    assert is_packed(gzip.compress(b"")) and is_packed(zstd(b""))
    assert not is_packed(b"\x1f") and not is_packed(b"{}") and not is_packed(b"")


def test_the_systems_own_errors_stay_what_they_are() -> None:
    with pytest.raises(OSError, match="No space left") as caught, damage_named(Path("a.gz")):
        raise OSError(28, "No space left on device")
    assert caught.value.errno == 28
    for error in (OSError("Not a gzipped file"), EOFError("ended")):
        with pytest.raises(InputError) as refused, damage_named(Path("a.gz")):
            raise error
        assert str(refused.value) == (
            f"a.gz: cannot be unpacked ({error}); it is damaged or cut off"
        )
