"""What people name as a place: paths, URLs, file systems of pyarrow's; and what is refused."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from pyarrow import fs

from lanescope.cli import main
from lanescope.errors import InputError, UsageError
from lanescope.trace import Trace, load, save
from lanescope.trace.places import Place, local_path, place_of

S3 = "s3://name:secret@bucket/runs/a%20b.lanes?region=eu-west-1&endpoint_override=127.0.0.1:1"


def test_a_path_is_itself() -> None:
    place = place_of("runs/a.lanes/")
    assert (str(place), place.url, place.local) == ("runs/a.lanes", "runs/a.lanes", place.local)
    assert place.local == Path("runs/a.lanes")
    assert (place.name, place.stem, place.suffix) == ("a.lanes", "a", ".lanes")
    assert place / "meta.json" == Place("runs/a.lanes/meta.json")
    assert place_of(Path("runs") / "a.lanes") == place == place_of(place)


def test_a_url_of_this_machine_is_a_path() -> None:
    assert place_of("file:///data/a%20b.lanes").local == Path("/data/a b.lanes")
    assert place_of((fs.LocalFileSystem(), "/data/a.lanes")).local == Path("/data/a.lanes")


def test_a_url_of_a_store_shows_no_credentials_and_opens_again() -> None:
    place = place_of(S3)
    assert place.local is None and place.store is not None
    assert str(place) == "s3://bucket/runs/a b.lanes"
    assert place.url == S3
    assert place_of(place.url) == place
    assert place.store.path(place.key) == "bucket/runs/a b.lanes"
    assert place.store.filesystem.region == "eu-west-1"
    assert str(place / "meta.json") == "s3://bucket/runs/a b.lanes/meta.json"
    assert (place.name, place.stem) == ("a b.lanes", "a b")


def test_the_file_system_of_a_bucket_is_opened_once_and_travels_to_other_processes() -> None:
    one, other = place_of(S3), place_of(S3.replace("a%20b", "c"))
    assert one.store is other.store
    assert pickle.loads(pickle.dumps(one)) == one


def test_a_bucket_alone_is_a_place() -> None:
    place = place_of("s3://bucket?region=eu-west-1")
    assert place.store is not None
    assert (place.key, place.store.path(place.key)) == ("", "bucket")
    assert (place / "a.lanes").key == "a.lanes"


def test_a_container_of_azure_is_shown_and_its_key_is_not() -> None:
    place = place_of("abfs://box:c2VjcmV0@account.dfs.core.windows.net/a.lanes")
    assert str(place) == "abfs://box@account.dfs.core.windows.net/a.lanes"
    assert place.store is not None and place.store.path(place.key) == "box/a.lanes"


def test_a_file_system_of_the_callers_is_used_as_it_is(trace: Trace, tmp_path: Path) -> None:
    below = fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem())
    saved = save(trace, (below, "runs/a.lanes"))
    assert isinstance(saved, Place) and str(saved) == "subtree://runs/a.lanes"
    assert load((below, "runs/a.lanes")).meta == load(tmp_path / "runs" / "a.lanes").meta
    with pytest.raises(InputError, match=r"subtree://runs/b\.lanes: no such trace"):
        load((below, "runs/b.lanes"))


def test_what_pathlib_spoils_is_refused_with_the_reason() -> None:
    with pytest.raises(UsageError, match="pathlib drops a slash of a URL; give URLs as text"):
        load(Path("s3://bucket/a.lanes"))


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("http://host/a.lanes", r"expected a path, or a URL that begins with file://, s3://, .*"),
        ("s3://k:hidden@b/a?colour=red", r"s3://b: this URL cannot be used \(.*'colour'\)"),
    ],
)
def test_a_url_that_is_not_known_is_one_sentence(url: str, message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        load(url)
    assert "hidden" not in str(caught.value)


def test_what_must_be_here_may_not_be_a_url(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert local_path("file:///data/x") == Path("/data/x")
    url = "s3://bucket/out?region=eu-west-1"
    with pytest.raises(UsageError, match="expected a path of this machine, found the URL s3://b"):
        local_path(url)
    for words in (
        ["run", "chain", "-o", url],
        ["check", url],
        ["view", "a.lanes", "--html", url],
        ["export", "a.lanes", "--to", "csv", "-o", url],
        ["report", "a.lanes", "--plots", url],
    ):
        with pytest.raises(SystemExit, match="2"):
            main(words)
        assert "expected a path of this machine" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
