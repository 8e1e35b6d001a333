"""Without the thread platform, as on macOS and Windows, all traces are opened and converted."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
RUN = ROOT / "examples" / "small_run"
SOURCES = sorted(
    file for file in (ROOT / "native/src").rglob("*.c") if not file.name.startswith("threads")
)
FLAGS = ("-std=gnu11", "-fPIC", "-fvisibility=hidden", "-shared", "-ffp-contract=off")


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The part of the C library that needs no Linux, or the one that LANESCOPE_LIBRARY names."""
    if given := os.environ.get("LANESCOPE_LIBRARY"):
        return Path(given)
    target = tmp_path_factory.mktemp("portable") / "liblanescope.so"
    include = ("-I", ROOT / "native/include", "-I", ROOT / "native/src")
    subprocess.run(
        [os.environ.get("CC", "cc"), *FLAGS, *include, *SOURCES, "-o", target], check=True
    )
    return target


@pytest.fixture
def env(library: Path) -> dict[str, str]:
    return {**os.environ, "LANESCOPE_LIBRARY": str(library), "COLUMNS": "200"}


def lanescope(env: dict[str, str], folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "lanescope", *words]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)


def test_cmake_leaves_out_the_thread_platform_and_nothing_else() -> None:
    text = (ROOT / "CMakeLists.txt").read_text()
    always, _, threads = text.partition("if(LANESCOPE_THREADS)")
    threads = threads.partition("endif()")[0]
    named = {str(file.relative_to(ROOT)) for file in SOURCES}
    assert {word.strip(" )") for word in always.splitlines() if "native/src/" in word} == named
    rest = {str(file.relative_to(ROOT)) for file in (ROOT / "native/src").glob("threads*.c")}
    assert {word.strip(" )") for word in threads.splitlines() if "native/src/" in word} == rest


def test_threads_are_refused_in_one_sentence(env: dict[str, str], tmp_path: Path) -> None:
    done = lanescope(env, tmp_path, "run", "chain", "--platform", "threads")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == (
        "lanescope: the threads platform needs Linux, and this lanescope was built without it; "
        "choose a simulated chip, such as --platform a2a3\n"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_simulated_run_is_the_same_without_threads(env: dict[str, str], tmp_path: Path) -> None:
    own = {key: value for key, value in env.items() if key != "LANESCOPE_LIBRARY"}
    said = []
    for name, which in (("with", own), ("without", env)):
        folder = tmp_path / name
        folder.mkdir()
        assert lanescope(which, folder, "run", "paged_attention").returncode == 0
        said.append(lanescope(which, folder, "report", "paged_attention.lanes", "--json").stdout)
    assert said[0] == said[1]
    assert json.loads(said[0])["verdict"]


COMMANDS = (
    ("import", "run", "-o", "lanes/trace.lanes"),
    ("report", "lanes/trace.lanes"),
    ("report", "lanes/trace.lanes", "--json"),
    ("view", "lanes/trace.lanes", "--html", "page.html"),
    ("export", "lanes/trace.lanes", "--to", "perfetto", "-o", "p.perfetto-trace"),
    ("export", "lanes/trace.lanes", "--to", "chrome", "-o", "c.json"),
    ("export", "lanes/trace.lanes", "--to", "csv", "-o", "tables"),
    ("export", "lanes/trace.lanes", "--to", "simpler", "-o", "back"),
    ("import", "p.perfetto-trace", "-o", "lanes/again.lanes"),
    ("import", "run", "-o", "lanes/trace.lanes", "--force"),
    ("verify", "lanes/trace.lanes"),
    ("check", "run"),
    ("what-if", "lanes/trace.lanes", "--rank"),
    ("diff", "lanes/trace.lanes", "lanes/again.lanes"),
    ("predict", str(ROOT / "examples" / "tile.asm"), "--board", "v80"),
    ("fleet", "index", "lanes", "-o", "fleet", "--workers", "0"),
)
"""What must work everywhere. The second import replaces a trace that is there."""


def said_by(env: dict[str, str], folder: Path, program: Path | None = None) -> str:
    """What the commands print, in a folder with a run of another tool."""
    shutil.copytree(RUN, folder / "run")
    (folder / "lanes").mkdir()
    code = (
        "import json, sys\nfrom lanescope.cli import main\nfor words in json.loads(sys.argv[1]):\n"
    )
    start = (
        [str(program)] if program else ["-c", f"{code}    print('exit', main(words), flush=True)"]
    )
    options = ["-X", "warn_default_encoding", "-W", "error::EncodingWarning"]
    command = [sys.executable, *options, *start, json.dumps(COMMANDS)]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_where_nothing_of_linux_is_left_the_same_is_said(
    env: dict[str, str], tmp_path: Path
) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    here.mkdir(), there.mkdir()
    own = {key: value for key, value in env.items() if key != "LANESCOPE_LIBRARY"}
    said = said_by(env, there, ROOT / "tests" / "elsewhere.py")
    assert said.count("exit 0") == len(COMMANDS)
    assert said == said_by(own, here)
    for name in ("page.html", "p.perfetto-trace", "c.json", "tables/tasks.csv"):
        assert (there / name).read_bytes() == (here / name).read_bytes(), name


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["run", "paged_attention"],
            "recording needs Linux or macOS, also on a simulated chip; on Windows lanescope opens, "
            "reports, shows and converts traces",
        ),
        (
            ["collect", "--", "program"],
            "collecting from a program needs Linux, whose shared files lanescope/file.h makes; "
            "record there and open the trace here",
        ),
    ],
)
def test_what_windows_cannot_do_is_one_sentence(
    env: dict[str, str], tmp_path: Path, words: list[str], sentence: str
) -> None:
    command = [sys.executable, str(ROOT / "tests" / "elsewhere.py"), json.dumps([words])]
    done = subprocess.run(
        command, cwd=tmp_path, env=env, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("exit 2\n", f"lanescope: {sentence}\n")
    assert list(tmp_path.iterdir()) == []
