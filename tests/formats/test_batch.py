"""Which files make a run: by what an importer says of its kinds, without any real format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from lanescope.errors import InputError
from lanescope.formats import Importer
from lanescope.formats.batch import what_is_read
from lanescope.formats.bundle import Bundle, ImportAccount
from lanescope.formats.discover import Search
from lanescope.formats.look import FileLook
from lanescope.trace import Meta, Trace


def recognises(look: FileLook) -> str | None:
    """The first word is the format, the second the kind."""
    words = look.head.decode().split()
    return words[1] if words[0] == "run" else None


def is_single(look: FileLook) -> str | None:
    return "single" if look.head.startswith(b"single") else None


def read(bundle: Bundle) -> Iterator[Trace]:
    bundle.tell(ImportAccount({"kinds": list(bundle.files)}, ("told",)))
    meta = Meta(
        name=bundle.name,
        tool="test",
        origin="imported",
        sources=bundle.sources(),
        notes=bundle.notes,
    )
    yield Trace(meta=meta)


RUN = Importer(
    name="run",
    reads="runs",
    files="text",
    endings=(".txt",),
    recognises=recognises,
    read=read,
    mains=("best", "good"),
    companions=("extra", "hint"),
    alone=("extra",),
    folded=("inside",),
)
SINGLE = Importer(
    name="single", reads="files", files="text", endings=(".one",), recognises=is_single, read=read
)


def put(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def traces_of(
    *paths: Path, importers: tuple[Importer, ...] = (RUN, SINGLE)
) -> dict[str, list[str]]:
    """Trace names to the names of their files."""
    return {
        trace.meta.name: [Path(source.path).name for source in trace.meta.sources]
        for batch in Search(importers).batches(paths)
        for trace in batch.traces()
    }


def test_companions_and_folded_folders_complete_the_main_file(tmp_path: Path) -> None:
    folder = put(tmp_path / "a", m_txt="run best", h_txt="run hint")
    put(folder / "inside", e_txt="run extra")
    assert traces_of(folder) == {"a": ["m.txt", "e.txt", "h.txt"]}


def test_a_worse_kind_beside_a_better_one_is_a_copy(tmp_path: Path) -> None:
    folder = put(tmp_path / "a", b_txt="run best", g_txt="run good", h_txt="run hint")
    assert traces_of(folder) == {"a": ["b.txt", "h.txt"]}
    assert traces_of(folder / "g.txt") == {"a": ["g.txt", "h.txt"]}
    assert traces_of(put(tmp_path / "b", g_txt="run good")) == {"b": ["g.txt"]}


def test_a_companion_alone_is_a_trace_where_it_is_worth_one(tmp_path: Path) -> None:
    assert traces_of(put(tmp_path / "a", e_txt="run extra")) == {"a": ["e.txt"]}
    assert traces_of(put(tmp_path / "b", h_txt="run hint")) == {}


def test_single_files_are_named_after_themselves_where_there_are_several(tmp_path: Path) -> None:
    folder = put(tmp_path / "a", x_one="single", y_one="single")
    assert traces_of(folder) == {"a-x": ["x.one"], "a-y": ["y.one"]}
    assert traces_of(folder / "x.one") == {"x": ["x.one"]}
    assert traces_of(put(tmp_path / "b", x_one="single")) == {"b": ["x.one"]}


def test_files_of_two_formats_in_a_folder_keep_their_names_apart(tmp_path: Path) -> None:
    folder = put(tmp_path / "a", m_txt="run best", x_one="single")
    assert traces_of(folder) == {"a": ["m.txt"], "a-x": ["x.one"]}


def test_copies_of_other_formats_are_read_when_named_or_alone(tmp_path: Path) -> None:
    both = (RUN, replace(SINGLE, copies=True))
    folder = put(tmp_path / "a", m_txt="run best", x_one="single")
    assert traces_of(folder, importers=both) == {"a": ["m.txt"]}
    assert traces_of(folder / "m.txt", folder / "x.one", importers=both) == {
        "a": ["m.txt"],
        "x": ["x.one"],
    }
    assert traces_of(put(tmp_path / "b", x_one="single"), importers=both) == {"b": ["x.one"]}


def test_one_importer_alone_refuses_files_of_others(tmp_path: Path) -> None:
    folder = put(tmp_path / "a", x_one="single", m_txt="run best")
    assert traces_of(folder, importers=(SINGLE,)) == {"a": ["x.one"]}
    with pytest.raises(InputError) as caught:
        traces_of(folder / "m.txt", importers=(replace(SINGLE, endings=(".txt",)),))
    assert caught.value.problem == (
        "is not of format single, which is for files; leave the format out to have it told by "
        "the content"
    )


def test_what_is_read_is_said_in_one_sentence() -> None:
    raw = replace(SINGLE, name="raw", reads="bytes", recognises=None)
    assert what_is_read((RUN,)) == "runs"
    assert what_is_read((RUN, SINGLE, raw)) == "runs, files and bytes (with --format raw)"


def test_what_a_reader_tells_reaches_the_caller(tmp_path: Path) -> None:
    folder = put(tmp_path / "a", x_one="single")
    told: list[ImportAccount] = []
    [batch] = Search((SINGLE,)).batches([folder])
    assert len(list(batch.traces(tell=told.append))) == 1
    assert told == [ImportAccount({"kinds": ["single"]}, ("told",))]
