"""Archives are read as folders; nothing of them stays, and nothing is written outside."""

from __future__ import annotations

import gzip
import io
import json
import stat
import tarfile
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

import pyarrow as pa
import pytest

from lanescope.cli import main
from lanescope.errors import InputError
from lanescope.formats import import_paths

EVENT = {"ph": "X", "name": "a", "ts": 1, "dur": 2, "pid": 1, "tid": 1}
CHART = json.dumps({"traceEvents": [EVENT]}).encode()
Files = Mapping[str, bytes]


def tarred(files: Files, *more: tarfile.TarInfo) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w") as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
        for entry in more:
            tar.addfile(entry)
    return target.getvalue()


def zipped(files: Files) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as bag:
        for name, data in files.items():
            bag.writestr(name, data)
    return target.getvalue()


def zstd(data: bytes) -> bytes:
    return pa.compress(data, codec="zstd", asbytes=True)


MAKERS: dict[str, Callable[[Files], bytes]] = {
    ".tar": tarred,
    ".tar.gz": lambda files: gzip.compress(tarred(files)),
    ".tgz": lambda files: gzip.compress(tarred(files)),
    ".tar.zst": lambda files: zstd(tarred(files)),
    ".zip": zipped,
}
every = pytest.mark.parametrize("ending", MAKERS)


@pytest.fixture(autouse=True)
def _nothing_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> object:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    yield
    assert list(place.iterdir()) == []


def problem(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        import_paths([path])
    assert str(caught.value).startswith(str(path))
    return str(caught.value).removeprefix(str(path))


@every
def test_an_archive_is_a_folder(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"job{ending}"
    files = {"a.json": CHART, "x/b.json.gz": gzip.compress(CHART), "x/c.txt": b"no trace"}
    path.write_bytes(MAKERS[ending](files))
    traces = import_paths([path])
    assert [trace.meta.name for trace in traces] == ["job", "x"]
    sources = [source.path for trace in traces for source in trace.meta.sources]
    assert sources == [str(path / "a.json"), str(path / "x/b.json.gz")]
    assert [len(trace.tasks) for trace in traces] == [1, 1]


@every
def test_an_archive_in_a_folder_is_found(tmp_path: Path, ending: str) -> None:
    folder = tmp_path / "runs"
    folder.mkdir()
    (folder / f"late{ending}").write_bytes(MAKERS[ending]({"rank/a.json": CHART}))
    (folder / "early.json").write_bytes(CHART)
    names = [trace.meta.name for trace in import_paths([folder])]
    assert names == ["runs", "late-rank"]


@every
def test_an_error_names_the_file_in_its_archive(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"job{ending}"
    path.write_bytes(MAKERS[ending]({"a.json": b'{"traceEvents": [{"ph": "X"}]}'}))
    assert problem(path) == "/a.json: event 0 ('X') has no 'ts'"


@every
def test_a_cut_archive_is_one_sentence(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"job{ending}"
    whole = MAKERS[ending]({f"{k}.json": CHART + b" " * 999 for k in range(9)})
    for cut in (0, 1, 100, len(whole) // 3, len(whole) // 2, int(len(whole) * 0.8)):
        path.write_bytes(whole[:cut])
        assert problem(path).startswith((": cannot be unpacked (", "/"))


@every
def test_a_bomb_is_refused(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"job{ending}"
    path.write_bytes(MAKERS[ending]({"a.json": gzip.compress(b" " * (64 << 20))}))
    assert problem(path) == ": unpacks to more than 200 times its size, so it was refused"


@pytest.mark.parametrize("name", ["../a.json", "x/../../a.json", "/a.json"])
@every
def test_nothing_is_written_outside(tmp_path: Path, ending: str, name: str) -> None:
    path = tmp_path / f"job{ending}"
    path.write_bytes(MAKERS[ending]({name: CHART}))
    assert "that would lie outside; unpack it by hand" in problem(path)
    assert not list(tmp_path.glob("**/a.json"))


def test_links_and_devices_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    link, device = tarfile.TarInfo("b.json"), tarfile.TarInfo("c.json")
    link.type, link.linkname, device.type = tarfile.SYMTYPE, "/etc/passwd", tarfile.CHRTYPE
    (tmp_path / "job.tar").write_bytes(tarred({"a.json": CHART}, link, device))
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as bag:
        info = zipfile.ZipInfo("b.json")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        bag.writestr(info, "/etc/passwd")
        bag.writestr("a.json", CHART)
    (tmp_path / "other.zip").write_bytes(target.getvalue())
    paths = [str(tmp_path / "job.tar"), str(tmp_path / "other.zip")]
    assert main(["import", *paths, "-o", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out.splitlines()[-1]
    names = f"{paths[0]}/b.json, {paths[0]}/c.json, {paths[1]}/b.json"
    assert told == f"skipped: {names} (a link or a device in an archive)"


def test_what_is_no_archive_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "job.zip"
    path.write_bytes(b"no archive" * 99)
    assert problem(path).startswith(": cannot be unpacked (")
    path.write_bytes(zipped({}))
    assert problem(path).startswith(": has no file to import; lanescope reads ")
