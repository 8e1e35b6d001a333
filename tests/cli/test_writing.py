"""All that is written: nothing is replaced unasked, and no folder is made that was not named."""

from __future__ import annotations

import argparse
import hashlib
import shutil
from pathlib import Path

import pytest
from tests.capture.programs import EXAMPLE, built
from tests.cli.ground import SMALL, TINY
from tests.cli.test_options import parsers

from lanescope.cli import main
from lanescope.trace import load
from lanescope.trace.store import save_new

Output = pytest.CaptureFixture[str]

NAMED = {
    ("run", "--output"): ["run", "matmul_add", *TINY, "--quiet", "--output", "new.lanes"],
    ("bench", "--output"): [
        *("bench", "chain", "--set", "tasks=4", "--levels", "0", "--rounds", "2"),
        *("--protocols", "staging", "--output", "new.json"),
    ],
    ("bench", "--save"): [
        *("bench", "--fit", "--rounds", "6", "--protocols", "producer-rotated"),
        *("--save", "new.json"),
    ],
    ("collect", "--output"): ["collect", "--output", "new.lanes", "--", "./program", "10"],
    ("import", "--output"): ["import", str(SMALL), "--output", "new.lanes"],
    ("report", "--plots"): ["report", "other.lanes", "--plots", "new"],
    ("ranks", "--plots"): ["ranks", "slow.job", "--workers", "0", "--plots", "new"],
    ("view", "--html"): ["view", "other.lanes", "--html", "new.html"],
    ("export", "--output"): ["export", "other.lanes", "--to", "chrome", "--output", "new.json"],
    ("what-if", "--output"): [
        *("what-if", "run.lanes", "--scale", "add=2", "--output", "new.lanes"),
    ],
    ("fleet trend", "--plot"): ["fleet", "trend", "fleet", "makespan", "--plot", "new.svg"],
    ("recover", "--output"): ["recover", "run.capture", "--output", "new.lanes"],
    ("tensors", "--export"): ["tensors", "run.tensors", "--index", "0", "--export", "new.npy"],
    ("probe", "--output"): ["probe", "--output", "new"],
    ("predict", "--trace"): ["predict", "tile.asm", "--board", "v80", "--trace", "new.lanes"],
    ("manifest", "--output"): ["manifest", "model_135m.json", "--output", "new.json"],
    ("fit", "--svg"): [
        *("fit", "model_135m.json", "--board", "v80", "--compute", "1G", "--svg", "new.svg"),
    ],
}
"""Every option that names what is written, with a call of its command; `new…` is the name."""
ADDS = {("fleet index", "--output"): "an index takes more traces in, and keeps those it has"}


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(EXAMPLE, tmp_path_factory.mktemp("program") / "program")


@pytest.fixture
def here(ground: Path, program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for one in (*ground.iterdir(), program):
        (tmp_path / one.name).symlink_to(one)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(path: Path) -> dict[str, str]:
    files = [path] if path.is_file() else sorted(path.rglob("*"))
    return {
        one.name: hashlib.sha256(one.read_bytes()).hexdigest() for one in files if one.is_file()
    }


def test_every_option_that_names_an_output_is_tried() -> None:
    words = ("--output", "--plots", "--plot", "--html", "--svg", "--save", "--export", "--trace")
    found = {
        (name, word)
        for name, parser in parsers()
        for action in parser._actions
        for word in action.option_strings
        if word in words and not isinstance(action, argparse._StoreTrueAction)
    }
    assert found == NAMED.keys() | ADDS.keys()


@pytest.mark.parametrize("option", NAMED, ids=" ".join)
def test_what_was_named_is_replaced_only_with_force(
    option: tuple[str, str], here: Path, capsys: Output
) -> None:
    words = NAMED[option]
    target = Path(next(word for word in words if word.startswith("new")))
    at = words.index(str(target))
    assert main(words) == 0
    first = contents(target)
    assert first
    if target.suffix == ".lanes":
        assert save_new(load(target).with_meta(notes=("mine",)), "mine.lanes")
        shutil.rmtree(target)
        Path("mine.lanes").rename(target)
    else:
        next(iter([target] if target.is_file() else target.iterdir())).write_text("mine")
    mine = contents(target)
    capsys.readouterr()
    assert main(words) == 2
    said = capsys.readouterr()
    assert said.err.count("\n") == 1 and "is there already and was left alone" in said.err
    assert (said.out, contents(target)) == ("", mine)
    assert main([*words[: at + 1], "--force", *words[at + 1 :]]) == 0
    assert contents(target) != mine


@pytest.mark.parametrize("option", [*NAMED, *ADDS], ids=" ".join)
def test_no_folder_above_what_was_named_is_made(
    option: tuple[str, str], here: Path, capsys: Output
) -> None:
    fleet = ["fleet", "index", "runs", "--output", "new"]
    words = [
        f"none/deep/{word}" if word.startswith("new") else word for word in NAMED.get(option, fleet)
    ]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "expected a folder none/deep to write into" in said
    assert not Path("none").exists()


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["run", "matmul_add", *TINY, "--quiet"], "matmul_add.lanes"),
        (["run", "matmul_add", *TINY, "--quiet", "-o", "made"], "made/matmul_add.lanes"),
        (["import", str(SMALL)], "small_run.lanes"),
        (["collect", "--", "./program", "10"], "program.lanes"),
        (["recover", "run.capture"], "chain.lanes"),
        (["export", "other.lanes", "--to", "chrome"], "small_run.trace.json"),
        (["export", "other.lanes", "--to", "csv"], "small_run-csv"),
        (["export", "slow.job", "--to", "perfetto"], "slow.perfetto.tar"),
        (["probe"], "probe"),
    ],
)
def test_a_name_that_is_taken_gets_a_number(
    words: list[str], name: str, here: Path, capsys: Output
) -> None:
    ending = "".join(Path(name).suffixes) or ("-csv" if name.endswith("-csv") else "")
    second = f"{name.removesuffix(ending)}-2{ending}"
    assert main(words) == 0
    first = contents(Path(name))
    capsys.readouterr()
    assert main(words) == 0
    said = capsys.readouterr().out
    assert f"{name} is there already, so this is {Path(second).name}; --force replaces" in said
    assert contents(Path(name)) == first and contents(Path(second))
    flag = words.index("--") if "--" in words else len(words)
    assert main([*words[:flag], "--force", *words[flag:]]) == 0
    assert not Path(second.replace("-2", "-3")).exists()


def test_a_number_is_free_for_all_that_is_written_beside(here: Path, capsys: Output) -> None:
    Path("matmul_add.perfetto-trace").write_text("mine")
    assert main(["run", "matmul_add", *TINY, "--quiet", "--dump-tensors"]) == 0
    assert "matmul_add.perfetto-trace is there already" in capsys.readouterr().out
    assert sorted(path.name for path in here.glob("matmul_add*")) == [
        *("matmul_add-2.lanes", "matmul_add-2.perfetto-trace", "matmul_add-2.tensors"),
        "matmul_add.perfetto-trace",
    ]


def test_a_rank_of_a_job_is_not_stored_twice(here: Path, capsys: Output) -> None:
    assert main(["import", str(SMALL), "-o", "mine.job"]) == 0
    assert main(["import", str(SMALL), "-o", "mine.job"]) == 2
    assert "mine.job/small_run.lanes is there already" in capsys.readouterr().err
    assert len(list(Path("mine.job").iterdir())) == 1


def test_a_trace_that_came_meanwhile_is_not_replaced(here: Path) -> None:
    from lanescope.errors import OutputError

    trace = load("other.lanes")
    save_new(trace, "mine.lanes")
    with pytest.raises(OutputError, match=r"mine\.lanes could not be written"):
        save_new(trace, "mine.lanes")
    assert not list(here.glob(".mine*"))
