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
from pathlib import Path, PurePosixPath

import pyarrow as pa
import pytest
from tests.analyze.hand import make_trace

from lanescope.cli import main
from lanescope.errors import InputError
from lanescope.formats import import_paths
from lanescope.formats.archives import (
    Archives,
    _copy,
    _inside,
    _Member,
    _pieces,
    _unpack,
    _write,
    archive_stem,
)

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


def refused(archive: Path, wanted: Callable[[str], bool] = lambda name: True) -> str:
    with Archives() as archives, pytest.raises(InputError) as caught:
        archives.open(archive, wanted, lambda path, reason: None)
    return caught.value.problem


def test_an_archive_that_is_not_there_cannot_be_read(tmp_path: Path) -> None:
    assert refused(tmp_path / "a.tar") == "cannot be read (No such file or directory)"


def test_a_file_of_one_block_that_is_not_empty_does_not_end_as_a_tar(tmp_path: Path) -> None:
    path = tmp_path / "a.tar"
    path.write_bytes(b"x" * 512)
    assert refused(path) == (
        "cannot be unpacked (it does not end with an empty block); it is damaged or cut off"
    )
    path.write_bytes(b"x" * 511)
    assert refused(path).endswith("; it is damaged, encrypted, or no archive")


@pytest.mark.parametrize("name", ["", "..", "a/../b", "/a", "a\0b", "a\\b", "x" * 90 + "\\"])
def test_a_name_that_leads_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(InputError) as caught:
        _inside(Path("a.zip"), name)
    assert str(caught.value) == (
        f"a.zip: has a file {name[:80]!r} that would lie outside; unpack it by hand"
    )


@pytest.mark.parametrize("name", ["a", "a/b.json", "a..b", "...", ".a/b"])
def test_a_name_that_stays_inside_is_taken(name: str) -> None:
    assert _inside(Path("a.zip"), name) == PurePosixPath(name)


def members(count: int) -> list[_Member]:
    return [_Member(f"{n}.txt", is_file=False, open=io.BytesIO) for n in range(count)]


def test_there_are_only_so_many_members(tmp_path: Path) -> None:
    """An empty archive may unpack to 1 MiB, and a member counts 512 bytes."""
    archive = tmp_path / "a.zip"
    archive.write_bytes(b"")
    told: list[tuple[Path, str]] = []

    def unpack(count: int) -> None:
        told.clear()
        _unpack(
            archive,
            tmp_path / "out",
            iter(members(count)),
            lambda name: True,
            lambda path, reason: told.append((path, reason)),
        )

    unpack(2048)
    assert len(told) == 2048
    assert told[7] == (archive / "7.txt", "a link or a device in an archive")
    with pytest.raises(InputError, match="unpacks to more than 200 times its size"):
        unpack(2049)


def test_a_file_may_take_what_is_left_and_not_a_byte_more(tmp_path: Path) -> None:
    archive, room = tmp_path / "a.zip", 200 * 3 + (1 << 20) - 512
    archive.write_bytes(b"abc")

    def unpack(size: int) -> None:
        one = _Member("x/a.txt", is_file=True, open=lambda: io.BytesIO(b" " * size))
        _unpack(archive, tmp_path, iter([one]), lambda name: name == "a.txt", lambda *_: None)

    unpack(room)
    assert (tmp_path / "x" / "a.txt").stat().st_size == room
    with pytest.raises(InputError, match="unpacks to more than 200 times its size"):
        unpack(room + 1)


def test_what_nobody_looks_into_is_told_and_not_unpacked(tmp_path: Path) -> None:
    path, told = tmp_path / "a.zip", []
    path.write_bytes(zipped({"/x/a.txt": b"", "b.json": b"{}", "empty/": b""}))
    with Archives() as archives:
        place = archives.open(path, lambda name: name == "b.json", lambda *one: told.append(one))
        assert [file.name for file in place.rglob("*")] == ["b.json"]
        assert archives.shown(place / "b.json") == str(path / "b.json")
        assert archives.shown(tmp_path / "b.json") == str(tmp_path / "b.json")
    assert told == [(path / "x" / "a.txt", "no importer looks into files of this name")]


def test_a_packed_member_that_is_too_large_is_not_unpacked() -> None:
    packed = gzip.compress(b"abc" * 50)
    for limit, size in ((len(packed), 150), (len(packed) - 1, len(packed))):
        target = io.BytesIO()
        assert _copy(Path("a.gz"), io.BytesIO(packed), target, limit) == size
        assert bool(target.getvalue()) == (size == 150)


def test_writing_stops_behind_the_limit() -> None:
    target = io.BytesIO()
    assert _write(target, iter([b"ab", b"cd", b"ef", b"gh"]), 4) == 6
    assert target.getvalue() == b"abcdef"


def test_what_follows_the_first_piece_is_read() -> None:
    assert list(_pieces(b"a", io.BytesIO(b"bc"))) == [b"a", b"bc"]
    assert list(_pieces(b"", io.BytesIO(b"bc"))) == []


@pytest.mark.parametrize("ending", [".tar", ".tar.gz", ".tgz", ".tar.zst", ".zip"])
def test_the_name_of_an_archive_is_without_its_whole_ending(ending: str) -> None:
    assert archive_stem(Path(f"x/a.b{ending}")) == "a.b"


def test_an_error_of_another_file_stays_the_same_error() -> None:
    error = InputError("elsewhere.json", "is damaged")
    with Archives() as archives, pytest.raises(InputError) as caught:
        archives.places[Path("/unpacked")] = Path("a.zip")
        with archives.naming():
            raise error
    assert caught.value is error
    with Archives() as archives, pytest.raises(InputError, match=r"^a.zip/x.json: is damaged$"):
        archives.places[Path("/unpacked")] = Path("a.zip")
        with archives.naming():
            raise InputError("/unpacked/x.json", "is damaged")


def test_a_trace_of_no_archive_stays_as_it_is() -> None:
    trace = make_trace()
    assert Archives().named(trace) is trace
