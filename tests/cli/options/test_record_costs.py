"""`bench --fit`: what does not go together, and where what was found goes."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lanescope.cli import main, parser_of
from lanescope.cli.options import record_costs
from lanescope.errors import UsageError

Output = pytest.CaptureFixture[str]


def asked(*words: str) -> argparse.Namespace:
    return parser_of("bench").parse_args(list(words))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["chain", "--fit"], "--fit runs probes of its own; leave out 'chain'"),
        (["--fit", "--set", "a=1"], "--fit runs probes on a machine of its own; leave out --set"),
        (
            ["--fit", "--schedulers", "2", "--cores", "aic=1"],
            "--fit runs probes on a machine of its own; leave out --cores",
        ),
        (
            ["--fit", "--core-source", "driver"],
            "--fit runs probes on a machine of its own; leave out --core-source",
        ),
        (
            ["chain", "--core-source", "driver", "--save", "x", "--levels", "1"],
            "--core-source compares ways to see inside; leave out --levels",
        ),
        (
            ["chain", "--core-source", "driver", "--protocols", "staging"],
            "--core-source compares ways to see inside; leave out --protocols",
        ),
        ([], "expected a WORKLOAD (see 'lanescope workloads'), or --fit"),
        (["chain", "--save", "x"], "--save stores what --fit finds; add --fit"),
    ],
)
def test_what_does_not_go_together_is_refused(words: list[str], sentence: str) -> None:
    with pytest.raises(UsageError) as found:
        record_costs.check(asked(*words))
    assert str(found.value) == sentence


USUAL = [
    *("--platform", "a5", "--rounds", "3", "--seed", "2", "--output", "x", "--force", "--quiet"),
    "--json",
]


@pytest.mark.parametrize(
    "words",
    [
        ["chain"],
        ["chain", "--levels", "1", "--cores", "aic=1"],
        ["--fit", "--protocols", "staging", "--save", "x", *USUAL],
        ["chain", "--core-source", "driver", "--set", "a=1", *USUAL],
    ],
)
def test_what_goes_together_is_taken(words: list[str]) -> None:
    record_costs.check(asked(*words))


def test_what_was_found_goes_to_both_files_and_is_printed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    fits: list[Any] = []

    def fit(**more: Any) -> Any:
        fits.append(more)
        return SimpleNamespace(
            file_text=lambda: "costs", text=lambda: "page\n", to_dict=lambda: {"a": 1}
        )

    monkeypatch.setattr("lanescope.overhead.bench_fit", fit)
    monkeypatch.chdir(tmp_path)
    assert main(["bench", "--fit"]) == 0
    assert capsys.readouterr().out == "page\n"
    assert list(tmp_path.iterdir()) == []
    words = ["--platform", "a5", "--protocols", "staging, after-finish", "--rounds", "9"]
    files = ["--save", "a", "--output", "b"]
    assert main(["bench", "--fit", *words, "--seed", "4", *files, "--quiet"]) == 0
    assert capsys.readouterr().out == ""
    assert [Path(name).read_text() for name in ("a", "b")] == ["costs", "costs"]
    assert main(["bench", "--fit", "--save", "c", "--json", "--quiet"]) == 0
    assert json.loads(capsys.readouterr().out) == {"schema": "urn:lanescope:bench-fit:1", "a": 1}
    three = ("staging", "controller-rotated", "producer-rotated")
    usual = {"platform": "a2a3", "protocols": three, "rounds": 15, "seed": 1}
    own = {
        "platform": "a5",
        "protocols": ["staging", "after-finish"],
        "rounds": 9,
        "seed": 4,
    }
    assert fits == [usual, own, usual]
