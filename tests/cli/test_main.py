"""`main`: what it does before and after a command, and the sentence and exit code of each end."""

from __future__ import annotations

import argparse
import io
import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lanescope import cli
from lanescope.cli import COMMANDS, main
from lanescope.errors import InputError, LanescopeError, PluginWarning, UsageError
from lanescope.render import progress

Output = pytest.CaptureFixture[str]


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[[Callable[[Any], int]], None]:
    """Makes a function what `lanescope platforms` runs, where no file has defaults."""
    monkeypatch.chdir(tmp_path)

    def put(run: Callable[[Any], int]) -> None:
        made = SimpleNamespace(
            HELP="help",
            EXAMPLE="example",
            configure=lambda parser: parser.add_argument("--quiet", action="store_true"),
            run=run,
        )
        monkeypatch.setattr(cli, "_command", lambda name: made)

    return put


Put = Callable[[Callable[[Any], int]], None]


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (LanescopeError("it failed"), 1, "it failed"),
        (UsageError("not so"), 2, "not so"),
        (InputError("a.lanes", "is torn"), 1, "a.lanes: is torn"),
        (OSError(28, "No space left", "a.lanes"), 1, "a.lanes: No space left"),
        (OSError(28, "No space left"), 1, "the system: No space left"),
        (OSError("odd"), 1, "the system: odd"),
        (MemoryError(), 1, "the machine's memory does not hold this; select a part of it"),
        (
            SystemError("no room"),
            1,
            "the machine's memory does not hold this (no room); select a part of it",
        ),
        (KeyboardInterrupt(), 130, "interrupted; nothing was left half-written"),
    ],
)
def test_each_error_has_a_sentence_and_an_exit_code(
    error: BaseException, code: int, sentence: str, command: Put, capsys: Output
) -> None:
    def failing(_args: Any) -> int:
        raise error

    command(failing)
    assert main(["platforms"]) == code
    assert capsys.readouterr() == ("", f"lanescope: {sentence}\n")


def system_of(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What was put in the place of a stream: a file, and the number of the stream."""
    put: list[Any] = []
    system = SimpleNamespace(
        environ={},
        devnull=os.devnull,
        O_WRONLY=os.O_WRONLY,
        open=lambda path, flags: (path, flags),
        dup2=lambda opened, to: put.append((opened, to)),
    )
    monkeypatch.setattr(cli, "os", system)
    return put


def test_a_reader_that_has_gone_is_no_word_but_an_exit_code(
    command: Put, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    def failing(_args: Any) -> int:
        raise BrokenPipeError

    put = system_of(monkeypatch)
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(fileno=lambda: 17))
    command(failing)
    assert main(["platforms"]) == 1
    assert put == [((os.devnull, os.O_WRONLY), 17)]
    assert capsys.readouterr().err == ""


def test_what_a_command_printed_is_there_when_it_has_ended(
    command: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.StringIO):
        def flush(self) -> None:
            raise BrokenPipeError

        def fileno(self) -> int:
            return 17

    put = system_of(monkeypatch)
    monkeypatch.setattr(sys, "stdout", Full())
    command(lambda _args: 0)
    assert (main(["platforms"]), len(put)) == (1, 1)


def test_only_quiet_keeps_progress_from_showing(
    command: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    shows: list[bool] = []

    def run(_args: Any) -> int:
        shows.append(progress.shows_progress())
        return 7

    command(run)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert [main(["platforms"]), main(["platforms", "--quiet"]), main(["platforms"])] == [7, 7, 7]
    assert shows == [True, False, True]


def test_a_command_without_quiet_shows_its_progress(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    shows: list[bool] = []
    made = SimpleNamespace(
        HELP="help",
        EXAMPLE="example",
        configure=lambda parser: None,
        run=lambda args: shows.append(progress.shows_progress()) or 0,
    )
    monkeypatch.setattr(cli, "_command", lambda name: made)
    assert main(["platforms"]) == 0
    assert shows == [True]


def test_the_words_of_the_shell_are_taken_and_garbage_is_looked_for_seldom(
    command: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    monkeypatch.setattr(cli.gc, "set_threshold", told.append)
    monkeypatch.setattr(cli.atexit, "register", told.append)
    monkeypatch.setattr(sys, "argv", ["lanescope", "platforms", "--quiet"])
    command(lambda args: 5 if args.quiet else 6)
    assert main() == 5
    assert told == [100_000, cli.gc.freeze]
    assert main(["platforms"]) == 6
    assert len(told) == 2


def test_on_windows_every_character_can_be_printed(
    command: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, err, later = (io.TextIOWrapper(io.BytesIO(), encoding="ascii") for _ in range(3))
    windows = SimpleNamespace(platform="win32", stdout=out, stderr=err)
    monkeypatch.setattr(cli, "sys", windows)
    command(lambda _args: 0)
    assert main(["platforms"]) == 0
    assert (out.encoding, err.encoding) == ("utf-8", "utf-8")
    windows.stdout, windows.stderr = io.StringIO(), later
    assert main(["platforms"]) == 0
    assert later.encoding == "utf-8"


def test_elsewhere_streams_are_left_as_they_are(
    command: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    command(lambda _args: 0)
    assert main(["platforms"]) == 0
    assert sys.stdout.encoding == "ascii"


def test_a_package_that_is_left_out_is_a_line_and_other_warnings_are_as_always(
    command: Put, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    class Newer(PluginWarning):
        """A kind of it."""

    others: list[Any] = []
    monkeypatch.setattr(cli, "_show_other_warning", lambda *words: others.append(words))

    def run(_args: Any) -> int:
        warnings.simplefilter("always")
        warnings.warn(PluginWarning("left out\nhere"), stacklevel=1)
        warnings.warn(Newer("so is this"), stacklevel=1)
        warnings.warn_explicit(DeprecationWarning("old"), None, "a.py", 7)  # type: ignore[call-overload]
        return 0

    command(run)
    before = warnings.showwarning
    assert main(["platforms"]) == 0
    assert warnings.showwarning is before
    assert capsys.readouterr().err == "lanescope: left out here\nlanescope: so is this\n"
    ((message, *more),) = others
    assert (str(message), more) == ("old", [DeprecationWarning, "a.py", 7, None, None])


def test_a_shell_that_asks_is_answered_with_the_parser_of_every_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Answered(Exception):
        pass

    def answer(parser_for: Callable[[str], argparse.ArgumentParser]) -> None:
        parsers = cli._commands(parser_for("verify"))
        options = {name: [*one._option_string_actions] for name, one in parsers.items()}
        assert set(parsers) == set(COMMANDS)
        assert options["verify"] == ["-h", "--help", "--json"]
        assert options["report"] == ["-h", "--help"]
        raise Answered

    monkeypatch.setattr(cli, "answer_shell", answer)
    monkeypatch.setenv("_ARGCOMPLETE", "1")
    with pytest.raises(Answered):
        main(["verify"])


@pytest.mark.parametrize(
    ("words", "known"),
    [
        (["verify", "a.lanes"], ["verify"]),
        (["--version"], []),
        (["--quiet", "verify"], list(COMMANDS)),
        (["--version", "verify"], list(COMMANDS)),
        (["verfy"], list(COMMANDS)),
        (["--help"], list(COMMANDS)),
        ([], list(COMMANDS)),
    ],
)
def test_only_a_command_that_is_surely_meant_is_loaded_alone(
    words: list[str], known: list[str]
) -> None:
    assert list(cli._commands(cli._prepared(words))) == known


@pytest.mark.parametrize(
    ("words", "applied"),
    [
        (["verify", "a"], ["verify"]),
        (["--odd", "verify"], ["verify"]),
        (["verify", "-h"], []),
        (["verify", "--help"], []),
        (["--help"], []),
        (["config"], []),
        (["nothing"], []),
    ],
)
def test_the_defaults_of_a_file_are_for_commands_that_run(
    words: list[str], applied: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(
        cli, "apply_defaults", lambda parser, *more: asked.append((parser.prog, *more))
    )
    cli._prepared(words)
    assert asked == [(f"lanescope {name}", name, list(COMMANDS)) for name in applied]


def test_a_parser_without_commands_has_none() -> None:
    assert cli._commands(argparse.ArgumentParser()) == {}


def test_the_help_of_a_command_is_a_sentence_with_an_example(capsys: Output) -> None:
    with pytest.raises(SystemExit):
        main(["verify", "--help"])
    lines = capsys.readouterr().out.splitlines()
    assert "Say whether stored traces and captures are still what was written; exit code 0 " in (
        " ".join(lines) + " "
    )
    assert lines[-2:] == ["example:", "  lanescope verify run.lanes"]


def test_a_command_reads_the_defaults_of_the_folder_it_runs_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    (tmp_path / "lanescope.toml").write_text("[platforms]\njson = true\n")
    monkeypatch.chdir(tmp_path)
    assert main(["platforms"]) == 0
    assert capsys.readouterr().out.startswith("[{")
