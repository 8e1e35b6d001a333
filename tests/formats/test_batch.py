"""Which files make a run: by what an importer says of its kinds, without any real format."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lanescope.errors import InputError, LanescopeError, PluginError
from lanescope.formats import Importer
from lanescope.formats.archives import Archives
from lanescope.formats.batch import what_is_read
from lanescope.formats.bundle import Bundle, ImportAccount
from lanescope.formats.discover import Search
from lanescope.formats.listener import Listener
from lanescope.formats.look import FileLook
from lanescope.formats.option import FormatOption
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


class Heard:
    """A listener that goes on, and what it was told."""

    def __init__(self) -> None:
        self.skipped: dict[str, str] = {}
        self.failed: list[str] = []
        self.listener = Listener(
            skipped=lambda path, reason: self.skipped.update({path.name: reason}),
            failed=lambda error: self.failed.append(str(error)),
        )

    def names(self, *paths: Path, importers: tuple[Importer, ...] = (RUN, SINGLE)) -> list[str]:
        """Names of the traces of these paths."""
        with Archives() as archives:
            return [
                trace.meta.name
                for batch in Search(importers, False, self.listener, archives).batches(paths)
                for trace in batch.traces(listener=self.listener)
            ]


def test_every_file_that_gives_no_trace_is_told_with_the_reason(tmp_path: Path) -> None:
    folder = put(tmp_path / "a", m_txt="run best", g_txt="run good", u_txt="unknown", o_md="other")
    put(folder, _md="hidden")
    (folder / "old.lanes").mkdir()
    put(folder / ".hidden", x_one="single")
    heard = Heard()
    assert heard.names(folder) == ["a"]
    assert heard.skipped == {
        "old.lanes": "is a stored trace already",
        "o.md": "no importer looks into files of this name",
        "u.txt": "no importer knows what it holds",
        "g.txt": "made from the run beside it; name it to import it",
    }
    assert heard.failed == []


def test_a_damaged_archive_does_not_stop_the_files_beside_it(tmp_path: Path) -> None:
    folder = put(tmp_path / "a", x_one="single", b_zip="no archive", c_tar_zip="neither")
    heard = Heard()
    assert heard.names(folder) == ["a"]
    assert [line.partition(": ")[0] for line in heard.failed] == [
        str(folder / "b.zip"),
        str(folder / "c.tar.zip"),
    ]
    assert heard.skipped == {}


def damaged(look: FileLook) -> str | None:
    if look.head.startswith(b"bad"):
        raise InputError(look.path, "is damaged")
    return recognises(look)


def test_a_damaged_file_stops_the_run_that_it_may_belong_to_and_no_other(tmp_path: Path) -> None:
    both = (replace(RUN, recognises=damaged), SINGLE)
    folder = put(tmp_path / "a", m_txt="run best", b_txt="bad", x_one="single")
    heard = Heard()
    assert heard.names(folder, importers=both) == ["a-x"]
    assert heard.failed == [f"{folder / 'b.txt'}: is damaged"]


def test_beside_a_run_all_named_files_must_be_readable(tmp_path: Path) -> None:
    both = (replace(RUN, recognises=damaged), SINGLE)
    folder = put(tmp_path / "a", m_txt="run best", b_txt="bad", x_one="single")
    heard = Heard()
    with pytest.raises(InputError, match=r"b\.txt: is damaged$"):
        heard.names(folder / "b.txt", folder / "m.txt", importers=both)
    assert heard.failed == []
    assert heard.names(folder / "b.txt", folder / "x.one", importers=both) == ["x"]
    assert heard.failed == [f"{folder / 'b.txt'}: is damaged"]


def test_a_named_file_that_nobody_knows_is_an_error_and_the_others_are_read(tmp_path: Path) -> None:
    folder = put(tmp_path / "a", u_one="unknown", x_one="single")
    heard = Heard()
    assert heard.names(folder / "u.one", folder / "x.one") == ["x"]
    assert heard.failed == [
        f"{folder / 'u.one'}: is not a file lanescope knows; it reads runs and files"
    ]
    assert heard.skipped == {}


@pytest.mark.parametrize("error", [InputError("m", "is bad"), PluginError("package p failed")])
def test_a_run_that_cannot_be_read_does_not_stop_the_others(
    tmp_path: Path, error: LanescopeError
) -> None:
    def refuses(bundle: Bundle) -> Iterator[Trace]:
        raise error

    folder = put(tmp_path / "a", m_txt="run best", x_one="single")
    heard = Heard()
    assert heard.names(folder, importers=(replace(RUN, read=refuses), SINGLE)) == ["a-x"]
    assert heard.failed == [str(error)]


def notes_of(*paths: Path) -> dict[str, tuple[str, ...]]:
    return {
        trace.meta.name: trace.meta.notes
        for batch in Search((RUN, SINGLE)).batches(paths)
        for trace in batch.traces()
    }


def test_of_several_companions_of_a_kind_none_is_used_unless_it_is_named(tmp_path: Path) -> None:
    folder = put(tmp_path / "a", m_txt="run best", h_txt="run hint", i_txt="run hint")
    note = "Several files of kind hint (h.txt, i.txt): none was used."
    assert notes_of(folder) == {"a": (note,)}
    assert traces_of(folder) == {"a": ["m.txt"]}
    assert traces_of(folder / "m.txt", folder / "i.txt") == {"a": ["m.txt", "i.txt"]}
    assert notes_of(folder / "m.txt", folder / "i.txt") == {"a": ()}


def test_a_companion_beside_two_main_files_is_of_neither(tmp_path: Path) -> None:
    folder = put(tmp_path / "a", m_txt="run best", n_txt="run best", e_txt="run extra")
    note = "e.txt lies beside several best files and was not used."
    assert notes_of(folder) == {"a-m": (note,), "a-n": (note,)}


def test_the_best_kind_is_the_first_that_the_importer_names(tmp_path: Path) -> None:
    last = replace(RUN, mains=("good", "best"))
    folder = put(tmp_path / "a", b_txt="run best", g_txt="run good")
    assert traces_of(folder, importers=(last,)) == {"a": ["g.txt"]}


def test_a_worse_kind_is_a_copy_only_of_its_own_format(tmp_path: Path) -> None:
    other = replace(SINGLE, name="other", mains=("b", "c"), recognises=lambda look: "c")
    folder = put(tmp_path / "a", b_txt="run best", x_one="any")
    assert traces_of(folder, importers=(RUN, other)) == {"a": ["b.txt"], "a-x": ["x.one"]}


def test_a_file_of_which_there_may_be_several_is_worth_a_trace_where_it_says_so(
    tmp_path: Path,
) -> None:
    many = replace(RUN, companions=("hint",), many=("log",), alone=("log",))
    folder = put(tmp_path / "a", k_txt="run log", l_txt="run log")
    assert traces_of(folder, importers=(many,)) == {"a": ["k.txt", "l.txt"]}
    assert traces_of(folder, importers=(replace(many, alone=()),)) == {}
    put(folder, m_txt="run best")
    assert traces_of(folder, importers=(many,)) == {"a": ["m.txt", "k.txt", "l.txt"]}


def test_a_copy_beside_companions_that_are_worth_a_trace_is_a_copy(tmp_path: Path) -> None:
    both = (RUN, replace(SINGLE, copies=True))
    alone = put(tmp_path / "a", e_txt="run extra", x_one="single")
    assert traces_of(alone, importers=both) == {"a": ["e.txt"]}
    hint = put(tmp_path / "b", h_txt="run hint", x_one="single")
    assert traces_of(hint, importers=both) == {"b": ["x.one"]}


def test_what_is_below_a_folder_that_is_gathered_is_one_trace(tmp_path: Path) -> None:
    def whole(bundle: Bundle) -> Iterator[Trace]:
        yield Trace(meta=Meta(name=bundle.name, tool=str(bundle.folder), origin="imported"))

    gathers = replace(RUN, gathers=lambda folder: folder.name == "job", read=whole)
    job = put(tmp_path / "all" / "job" / "rank0", m_txt="run best").parent
    [batch] = Search((gathers, SINGLE)).batches([tmp_path / "all"])
    [trace] = batch.traces()
    assert (trace.meta.name, trace.meta.tool) == ("job", str(job))
    apart = Search((gathers, SINGLE), apart=True).batches([tmp_path / "all"])
    assert [batch.name for batch in apart] == ["job-rank0"]


def test_a_reader_gets_only_the_options_of_its_own_format(tmp_path: Path) -> None:
    seen: dict[str, Any] = {}

    def asks(bundle: Bundle) -> Iterator[Trace]:
        seen.update(bundle.options, damaged=bundle.keep_damaged)
        return read(bundle)

    clock = FormatOption(name="clock", help="clock")
    one = replace(SINGLE, options=(clock,), read=asks)
    [batch] = Search((one,)).batches([put(tmp_path / "a", x_one="single")])
    list(batch.traces(options={"clock": 5, "other": 6}))
    assert seen == {"clock": 5, "damaged": False}
    seen.clear()
    list(batch.traces(keep_damaged=True))
    assert seen == {"damaged": True}


def test_a_main_file_that_was_named_is_known_as_such(tmp_path: Path) -> None:
    seen = []

    def asks(bundle: Bundle) -> Iterator[Trace]:
        seen.append((bundle.main.path.name, bundle.named))
        return read(bundle)

    one = replace(SINGLE, read=asks)
    folder = put(tmp_path / "a", x_one="single")
    assert traces_of(folder, importers=(one,)) == {"a": ["x.one"]}
    assert traces_of(folder / "x.one", importers=(one,)) == {"x": ["x.one"]}
    assert seen == [("x.one", False), ("x.one", True)]


def test_named_files_of_several_runs_go_by_folder(tmp_path: Path) -> None:
    one = put(tmp_path / "a", m_txt="run best", e_txt="run extra")
    two = put(tmp_path / "b", m_txt="run best", h_txt="run hint")
    paths = (one / "m.txt", two / "h.txt", two / "m.txt")
    assert traces_of(*paths) == {"a": ["m.txt", "e.txt"], "b": ["m.txt", "h.txt"]}


def test_what_lies_beside_one_of_several_main_files_is_not_taken_with_it(tmp_path: Path) -> None:
    folder = put(tmp_path / "a", m_txt="run best", n_txt="run best", e_txt="run extra")
    assert traces_of(folder / "m.txt") == {"m": ["m.txt"]}


def test_a_named_companion_takes_the_place_of_the_one_beside(tmp_path: Path) -> None:
    folder = put(tmp_path / "a", m_txt="run best", h_txt="run hint", e_txt="run extra")
    other = put(tmp_path / "b", z_txt="run hint")
    assert traces_of(folder / "m.txt", other / "z.txt") == {"a": ["m.txt", "e.txt", "z.txt"]}


def test_a_companion_named_without_its_run_is_a_trace_only_where_it_is_worth_one(
    tmp_path: Path,
) -> None:
    folder = put(tmp_path / "a", m_txt="run best", h_txt="run hint", e_txt="run extra")
    assert traces_of(folder / "e.txt") == {"a": ["e.txt"]}
    assert traces_of(folder / "h.txt") == {}
