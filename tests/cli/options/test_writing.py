"""Where something is written: what is refused, what gets a number, and what is replaced."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest
from tests.analyze.hand import make_trace

from lanescope.cli.options import writing
from lanescope.cli.options.writing import Chosen
from lanescope.errors import OutputError, UsageError
from lanescope.trace import load, save
from lanescope.trace.places import Place


def asked(*, force: bool = False, plots: Path | None = None) -> argparse.Namespace:
    return argparse.Namespace(force=force, plots=plots)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").touch()
    Path("empty").mkdir()
    Path("full").mkdir()
    Path("full", "a").touch()
    Path("link").symlink_to("nowhere")


TAKEN = "{} is there already and was left alone; add --force to replace it, or name another place"


@pytest.mark.parametrize("name", ["file", "full", "link"])
def test_what_is_there_is_left_alone_without_force(name: str) -> None:
    with pytest.raises(UsageError) as found:
        writing.check_named(name, asked())
    assert str(found.value) == TAKEN.format(name)
    writing.check_named(Path(name), asked(force=True))


@pytest.mark.parametrize("path", [None, "new", "empty", Path("empty/new")])
def test_what_is_free_may_be_written(path: Path | str | None) -> None:
    writing.check_named(path, asked())


@pytest.mark.parametrize(
    ("folder", "found"), [("none", "none"), ("none/deep", "none"), ("file", "a file")]
)
def test_a_folder_that_is_not_there_is_refused_also_with_force(folder: str, found: str) -> None:
    for check in (
        lambda: writing.check_named(f"{folder}/new", asked(force=True)),
        lambda: writing.check_folder(Path(folder)),
        lambda: writing.check_output(Path(folder) / "new"),
    ):
        with pytest.raises(UsageError) as refused:
            check()
        assert str(refused.value) == (
            f"expected a folder {folder} to write into, found {found}; make it first, or name "
            "another place"
        )


def test_an_output_may_be_a_folder_or_made_in_one() -> None:
    writing.check_output(Path("full"))
    writing.check_output(Path("new"))
    writing.check_output(Place("full/new"))
    with pytest.raises(UsageError, match=r"^expected a folder file to write into, found a file;"):
        writing.check_output(Path("file"))
    writing.check_output(Place("bucket/none/deep", object()))  # type: ignore[arg-type]


def test_force_needs_something_that_it_replaces() -> None:
    sentence = r"^--force replaces what -o FILE names; add that, or leave it out$"
    with pytest.raises(UsageError, match=sentence):
        writing.check_force(asked(force=True), None, "-o FILE")
    writing.check_force(asked(), None, "-o FILE")
    writing.check_force(asked(force=True), "file", "-o FILE")
    with pytest.raises(UsageError, match=r"^file is there already"):
        writing.check_force(asked(), "file", "-o FILE")
    with pytest.raises(UsageError, match=sentence):
        writing.check_pictures(asked(force=True), "-o FILE")
    writing.check_pictures(asked(), "-o FILE")
    writing.check_pictures(asked(force=True, plots=Path("new")), "-o FILE")
    with pytest.raises(UsageError, match=r"^expected a folder none to write into"):
        writing.check_pictures(asked(plots=Path("none/new")), "-o FILE")


def test_a_number_is_free_for_every_ending() -> None:
    for name in ("a.x", "a-2.y", "a-3.x"):
        Path(name).touch()
    endings = (".x", ".y")
    assert writing.free_name(Path(), "a", asked(), endings=endings) == (
        Path("a-4.x"),
        Path("a.x"),
    )
    assert writing.free_name(Path(), "a", asked(), endings=(".y",)) == (Path("a.y"), None)
    assert writing.free_name(Path(), "b", asked(), endings=endings) == (Path("b.x"), None)
    assert writing.free_name(Path(), "a", asked(force=True), endings=endings) == (
        Path("a.x"),
        None,
    )
    Path("c.y").touch()
    assert writing.free_name(Path(), "c", asked(), endings=endings) == (
        Path("c-2.x"),
        Path("c.y"),
    )


def test_the_number_of_a_name_is_said() -> None:
    assert Chosen(Path("in/a-2.x"), Path("in/a.x")).note == (
        "in/a.x is there already, so this is a-2.x; --force replaces"
    )
    assert Chosen(Path("a.x")).note == ""


def test_a_trace_has_the_name_that_was_given_or_its_own() -> None:
    assert writing.new_trace("a/b", Path("mine.lanes"), asked()) == (Path("mine.lanes"), None)
    assert writing.new_trace("a/b", Path(), asked()) == (Path("a_b.lanes"), None)
    assert writing.new_trace("a/b", Path("made"), asked()) == (Path("made/a_b.lanes"), None)
    Path("a_b.y").touch()
    found = writing.new_trace("a/b", Path(), asked(), beside=[".y"])
    assert found == (Path("a_b-2.lanes"), Path("a_b.y"))
    Path("mine.y").touch()
    with pytest.raises(UsageError) as refused:
        writing.new_trace("a/b", Path("mine.lanes"), asked(), beside=[".x", ".y"])
    assert str(refused.value) == TAKEN.format("mine.y")
    with pytest.raises(UsageError, match=r"^expected a folder none to write into"):
        writing.new_trace("a", Path("none/deep"), asked())
    save(make_trace(), "mine.lanes")
    with pytest.raises(UsageError, match=r"^mine\.lanes is there already"):
        writing.new_trace("a/b", Path("mine.lanes"), asked())


def test_a_rank_of_a_job_gets_no_number() -> None:
    Path("x.job", "a.lanes").mkdir(parents=True)
    Path("x.job", "a.lanes", "meta.json").touch()
    with pytest.raises(UsageError) as refused:
        writing.new_trace("a", Path("x.job"), asked())
    assert str(refused.value) == TAKEN.format("x.job/a.lanes")
    assert writing.new_trace("b", Path("x.job"), asked()) == (Path("x.job/b.lanes"), None)
    forced = writing.new_trace("a", Path("x.job"), asked(force=True))
    assert forced == (Path("x.job/a.lanes"), None)


def test_what_came_meanwhile_is_replaced_only_with_force() -> None:
    first, second = (make_trace({"name": name}) for name in ("first", "second"))
    writing.save_trace(first, Chosen(Path("a.lanes")), asked())
    with pytest.raises(OutputError):
        writing.save_trace(second, Chosen(Path("a.lanes")), asked())
    assert load("a.lanes").meta.name == "first"
    writing.save_trace(second, Chosen(Path("a.lanes")), asked(force=True))
    assert load("a.lanes").meta.name == "second"


def test_pictures_are_all_written_or_none() -> None:
    pictures = {"one.svg": "<1>", "two.svg": "<2>"}
    assert writing.write_pictures(Path("new"), pictures, asked()) == ["new/one.svg", "new/two.svg"]
    assert [Path("new", name).read_text() for name in pictures] == ["<1>", "<2>"]
    Path("new", "one.svg").unlink()
    with pytest.raises(UsageError) as refused:
        writing.write_pictures(Path("new"), pictures, asked())
    assert str(refused.value) == TAKEN.format("new/two.svg")
    assert not Path("new", "one.svg").exists()
    writing.write_pictures(Path("new"), {"two.svg": "<3>"}, asked(force=True))
    assert Path("new", "two.svg").read_text() == "<3>"
