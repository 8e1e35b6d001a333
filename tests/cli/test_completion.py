"""Completion in real shells, with the script that `lanescope completion` prints."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lanescope.cli import completion, main
from lanescope.cli.completion import SHELLS
from lanescope.workloads import WORKLOADS

Output = pytest.CaptureFixture[str]

LINES = {
    "lanescope rep": {"report"},
    "lanescope fleet in": {"index"},
    "lanescope report x --si": {"--since"},
    "lanescope fleet trend f m --or": {"--order"},
    "lanescope export x --to c": {"chrome", "csv"},
    "lanescope run paged": {"paged_attention"},
    "lanescope run chain --platform th": {"threads"},
    "lanescope predict x --board v": {"v80"},
}
"""What stands before the cursor, and the words that may follow."""
BASH = """
eval "$(lanescope completion bash)"
while IFS= read -r line; do
  COMP_LINE="$line" COMP_POINT=${#line} COMP_TYPE=9 COMPREPLY=()
  _python_argcomplete lanescope
  echo "${COMPREPLY[*]}"
done
"""
FISH = """
lanescope completion fish | source
while read -l line; complete -C "$line" | string split -f1 \\t | string join ' '; end
true # `string join` fails where there is one word only
"""
ZSH = r"""
zmodload zsh/zpty
answers=$(mktemp)
zpty terminal zsh -f -i
zpty -w terminal "answers=$answers"
zpty -w terminal '
  autoload -U compinit; compinit -u -D
  eval "$(lanescope completion zsh)"
  compadd() {
    local -a words_found; builtin compadd -A words_found "$@"
    print -rn -- "${(j: :)words_found} " >> $answers
    builtin compadd "$@"
  }
  answer() { zle complete-word; BUFFER=; print >> $answers }
  zle -N answer; bindkey "^I" answer'
while IFS= read -r line; do
  before=$(wc -l < $answers)
  zpty -w -n terminal "$line"$'\t'
  until (( $(wc -l < $answers) > before )); do zpty -r -t terminal shown; sleep 0.02; done
done
cat $answers; rm $answers
"""
"""A terminal in which the line is typed and Tab is pressed; what zsh would offer goes to a file."""


def asked(shell: str, *words: str) -> list[str]:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        [program, *words],
        input="".join(f"{line}\n" for line in LINES),
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return done.stdout.splitlines()


@pytest.mark.parametrize(("shell", "script"), [("bash", BASH), ("fish", FISH), ("zsh", ZSH)])
def test_a_shell_completes_commands_options_and_names(shell: str, script: str) -> None:
    answers = asked(shell, "-c", script)
    assert [set(answer.split()) for answer in answers] == list(LINES.values())


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_has_a_script(shell: str, capsys: Output) -> None:
    assert main(["completion", shell]) == 0
    assert "_ARGCOMPLETE" in capsys.readouterr().out


def test_without_its_package_it_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.setitem(sys.modules, "argcomplete.shell_integration", None)
    assert main(["completion", "bash"]) == 1
    assert "pip install lanescope[completion]" in capsys.readouterr().err


def test_a_command_starts_without_it() -> None:
    code = (
        "import sys\n"
        "from lanescope.cli import main\n"
        "try: main(['--version'])\n"
        "except SystemExit: pass\n"
        "heavy = {'argcomplete', 'tomllib', 'difflib', 'rich', 'numpy'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("lanescope", ""),
        ("lanescope rep", "rep"),
        ("lanescope --json report x --si", "report"),
        ("lanescope --json", ""),
    ],
)
def test_a_shell_is_answered_by_the_parser_of_the_command_on_its_line(
    line: str, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered: list[object] = []
    parser = argparse.ArgumentParser()
    parser.add_argument("--platform")

    def parser_for(name: str) -> argparse.ArgumentParser:
        answered.append(name)
        return parser

    monkeypatch.setenv("COMP_LINE", line)
    monkeypatch.setattr("argcomplete.autocomplete", answered.append)
    completion.answer_shell(parser_for)
    assert answered == [asked, parser]
    assert hasattr(parser._actions[-1], "completer")


def test_options_that_name_one_of_ours_offer_their_names() -> None:
    parser = argparse.ArgumentParser()
    inner = parser.add_subparsers().add_parser("run")
    for one in (parser, inner):
        one.add_argument("--board")
        one.add_argument("--name")
    inner.add_argument("workload")
    inner.add_argument("--platform")
    completion._add_names(parser)
    offered = {
        (one.prog == parser.prog, action.dest): action.completer(prefix="a", parsed_args=None)
        for one in (parser, inner)
        for action in one._actions
        if hasattr(action, "completer")
    }
    boards = ["custom_a7", "h200", "nexys_a7", "nexys_video", "u55c", "v80"]
    assert offered == {
        (True, "board"): boards,
        (False, "board"): boards,
        (False, "workload"): list(WORKLOADS),
        (False, "platform"): ["threads", "cuda", "a2a3", "a2a3-hbg", "a5"],
    }


def test_the_script_as_json(capsys: Output) -> None:
    assert main(["completion", "fish"]) == 0
    script = capsys.readouterr().out
    assert main(["completion", "fish", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "schema": "urn:lanescope:completion:1",
        "shell": "fish",
        "script": script,
    }
