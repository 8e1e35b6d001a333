"""Formats of other packages: what their functions raise or return names the package."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest
from tests.analyze.hand import make_trace

from lanescope import plugins
from lanescope.errors import InputError, PluginError, PluginWarning
from lanescope.formats.available import exporter, exporters, importer, importers
from lanescope.formats.bundle import Bundle
from lanescope.formats.detect import Detected
from lanescope.formats.exporter import Exporter, ExportOptions
from lanescope.formats.importer import Importer
from lanescope.formats.look import FileLook
from lanescope.formats.option import FormatOption
from lanescope.formats.registry import EXPORTERS, IMPORTERS
from lanescope.formats.written import Export
from lanescope.trace import Trace

IMPORTS, EXPORTS = "lanescope.importers", "lanescope.exporters"
WRONG = "update or uninstall that package"
Offer = Callable[..., None]


@dataclass(frozen=True)
class _Point:
    """An entry point of the package toy 1.0 that leads to an object."""

    name: str
    offered: Any
    module: str = "toy"
    value: str = "toy:IT"
    dist: Any = None

    def load(self) -> Any:
        return self.offered


@pytest.fixture
def offer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Offer]:
    """Lets a package offer objects for a group."""
    plugins.forget()
    said: dict[str, list[_Point]] = {}

    def put(group: str, *objects: Importer | Exporter) -> None:
        said[group] = [_Point(one.name, one) for one in objects]

    with monkeypatch.context() as patched:
        patched.setattr(plugins, "entry_points", lambda group: tuple(said.get(group, ())))
        yield put
    plugins.forget()


def fails(*_: Any) -> Any:
    raise ValueError("no luck")


def recognises(look: FileLook) -> str | None:
    return look.head.decode() or None


def read(bundle: Bundle) -> Iterator[Trace]:
    yield make_trace({"name": bundle.name})


def write(trace: Trace, path: Path, options: ExportOptions) -> Export:
    return Export(output=str(path), format="toy")


READS = Importer(
    name="toy",
    reads="toys",
    files="toys",
    endings=(".toy",),
    recognises=recognises,
    read=read,
    mains=("best",),
    companions=("extra",),
    many=("log",),
)
WRITES = Exporter(name="toy", writes="toys", ending=".toy", write=write)


def test_a_stand_in_for_an_entry_point_has_what_a_real_one_has() -> None:
    real = EntryPoint("toy", "toy:IT", IMPORTS)
    point = _Point("toy", None)
    assert (real.name, real.module, real.value, real.dist) == (
        point.name,
        point.module,
        point.value,
        point.dist,
    )


def test_formats_of_other_packages_follow_ours_and_have_their_package(offer: Offer) -> None:
    offer(IMPORTS, replace(READS, name="toy-b"), READS)
    offer(EXPORTS, WRITES)
    more = importers()[len(IMPORTERS) :]
    assert importers()[: len(IMPORTERS)] == IMPORTERS
    assert [(one.name, one.package) for one in more] == [("toy", "toy"), ("toy-b", "toy")]
    assert exporters()[:-1] == EXPORTERS
    assert [(one.name, one.package) for one in exporters()[-1:]] == [("toy", "toy")]
    assert (importer("toy").package, exporter("toy").package) == ("toy", "toy")


@pytest.mark.parametrize("kind", ["best", "extra", "log"])
def test_a_file_has_any_kind_that_its_importer_has(offer: Offer, tmp_path: Path, kind: str) -> None:
    offer(IMPORTS, READS)
    (tmp_path / "a.toy").write_text(kind)
    told_by = importer("toy").recognises
    assert told_by is not None and told_by(FileLook(tmp_path / "a.toy")) == kind


def test_a_file_that_an_importer_does_not_know_has_no_kind(offer: Offer, tmp_path: Path) -> None:
    offer(IMPORTS, replace(READS, recognises=lambda look: None))
    (tmp_path / "a.toy").write_text("x")
    told_by = importer("toy").recognises
    assert told_by is not None and told_by(FileLook(tmp_path / "a.toy")) is None


def test_a_kind_that_the_importer_does_not_have_is_refused(offer: Offer, tmp_path: Path) -> None:
    offer(IMPORTS, READS)
    path = tmp_path / "a.toy"
    path.write_text("other")
    told_by = importer("toy").recognises
    with pytest.raises(PluginError) as caught:
        told_by(FileLook(path))  # type: ignore[misc]
    assert str(caught.value) == (
        f"the importer 'toy' of package toy calls {path} a file of kind 'other', which it does "
        f"not have; {WRONG}"
    )


def test_an_importer_without_a_look_stays_without_one(offer: Offer) -> None:
    offer(IMPORTS, replace(READS, recognises=None))
    assert importer("toy").recognises is None


def test_what_a_look_raises_names_the_package(offer: Offer, tmp_path: Path) -> None:
    offer(IMPORTS, replace(READS, recognises=fails))
    path = tmp_path / "a.toy"
    path.write_text("x")
    told_by = importer("toy").recognises
    with pytest.raises(PluginError) as caught:
        told_by(FileLook(path))  # type: ignore[misc]
    assert str(caught.value) == (
        f"looking into {path} for format 'toy' failed in package toy (ValueError: no luck); {WRONG}"
    )


def found(path: Path) -> Detected:
    return Detected(path, None, "best")


@pytest.mark.parametrize(
    ("bundle", "place"),
    [
        (Bundle(name="a", files={"best": found(Path("m")), "extra": found(Path("e"))}), "m"),
        (Bundle(name="a", files={}, several={"log": (found(Path("l")), found(Path("k")))}), "l"),
        (Bundle(name="a", files={}, folder=Path("f")), "f"),
    ],
    ids=["a main file", "companions alone", "a folder"],
)
def test_what_a_reader_raises_names_the_package(offer: Offer, bundle: Bundle, place: str) -> None:
    offer(IMPORTS, replace(READS, read=fails))
    with pytest.raises(PluginError) as caught:
        list(importer("toy").read(bundle))
    assert str(caught.value) == (
        f"reading {place} as format 'toy' failed in package toy (ValueError: no luck); {WRONG}"
    )


def test_a_reader_gives_its_traces(offer: Offer) -> None:
    offer(IMPORTS, READS)
    [trace] = importer("toy").read(Bundle(name="mine", files={"best": found(Path("m"))}))
    assert trace.meta.name == "mine"


def test_an_error_of_ours_in_a_reader_stays_as_it_is(offer: Offer) -> None:
    def refuses(bundle: Bundle) -> Iterator[Trace]:
        raise InputError("m", "is no toy")

    offer(IMPORTS, replace(READS, read=refuses))
    with pytest.raises(InputError, match=r"^m: is no toy$"):
        list(importer("toy").read(Bundle(name="a", files={"best": found(Path("m"))})))


def test_an_exporter_returns_what_it_wrote(offer: Offer) -> None:
    offer(EXPORTS, WRITES)
    written = exporter("toy").write(make_trace(), Path("a.toy"), ExportOptions())
    assert written == Export(output="a.toy", format="toy")


def test_what_a_writer_raises_names_the_package(offer: Offer) -> None:
    offer(EXPORTS, replace(WRITES, write=fails))
    with pytest.raises(PluginError) as caught:
        exporter("toy").write(make_trace(), Path("a.toy"), ExportOptions())
    assert str(caught.value) == (
        f"writing a.toy as format 'toy' failed in package toy (ValueError: no luck); {WRONG}"
    )


def test_a_writer_that_returns_anything_else_is_refused(offer: Offer) -> None:
    offer(EXPORTS, replace(WRITES, write=lambda *_: {"output": "a.toy"}))
    with pytest.raises(PluginError) as caught:
        exporter("toy").write(make_trace(), Path("a.toy"), ExportOptions())
    assert str(caught.value) == (
        f"the exporter 'toy' of package toy returned dict, expected an Export; {WRONG}"
    )


def test_options_begin_with_the_name_of_their_format(offer: Offer) -> None:
    good = FormatOption(name="toy_b_clock", help="clock")
    offer(IMPORTS, replace(READS, name="toy-b", options=(good,)))
    assert importer("toy-b").options == (good,)
    offer(IMPORTS, replace(READS, options=(FormatOption(name="toyclock", help="clock"),)))
    with pytest.raises(PluginError) as caught:
        importer("toy")
    assert str(caught.value) == (
        "package toy offers the importer 'toy', but its option 'toyclock' does not begin with "
        f"'toy_'; {WRONG}"
    )
    other = (replace(good, name="toy_a"), replace(good, name="other"))
    offer(EXPORTS, replace(WRITES, options=other))
    with pytest.raises(PluginError, match="its option 'other' does not begin with 'toy_'"):
        exporter("toy")


@pytest.mark.parametrize("name", ["auto", "chrome"])
def test_names_of_our_importers_are_taken(offer: Offer, name: str) -> None:
    offer(IMPORTS, replace(READS, name=name))
    with pytest.warns(PluginWarning, match=f"offers the importer {name!r}, but that name is"):
        assert importers() == IMPORTERS


def test_names_of_our_exporters_are_taken(offer: Offer) -> None:
    offer(EXPORTS, replace(WRITES, name="kanata"))
    with pytest.warns(PluginWarning, match="offers the exporter 'kanata', but that name is"):
        assert exporters() == EXPORTERS
