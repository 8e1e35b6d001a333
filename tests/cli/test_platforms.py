"""`lanescope platforms` as a user calls it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lanescope.cli import main
from lanescope.platforms.sim.chip import load_chip, values_of

Output = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def _any_gpu(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is found here is no matter of these tests."""
    monkeypatch.setattr("lanescope.platforms.cuda.run.describe", lambda: "what was found")


def test_the_list_shows_real_platforms_and_the_simulated_chips(capsys: Output) -> None:
    assert main(["platforms"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "threads   real threads on this machine, with its real clock",
        "cuda      what was found",
        "a2a3      simulated: 72 cores (24 aic + 48 aiv) at 1.8 GHz, 1 + 3 controller threads, "
        "stamps from 50 MHz",
        "a2a3-hbg  simulated: 72 cores (24 aic + 48 aiv) at 1.8 GHz, 4 controller threads (the "
        "host builds the graph), stamps from 50 MHz",
        "a5        simulated: 108 cores (36 aic + 72 aiv) at 1.65 GHz, 1 + 4 controller threads, "
        "stamps from 1000 MHz",
    ]


def test_the_list_as_json(capsys: Output) -> None:
    assert main(["platforms", "--json"]) == 0
    threads, cuda, a2a3, hbg, a5 = json.loads(capsys.readouterr().out)
    assert (cuda["name"], cuda["kind"], cuda["text"]) == ("cuda", "gpu", "what was found")
    assert (threads["name"], threads["kind"]) == ("threads", "threads")
    assert (a2a3["name"], a2a3["kind"], a2a3["cores"]) == (
        "a2a3",
        "simulated",
        {"aic": 24, "aiv": 48},
    )
    assert (hbg["orchestrators"], hbg["schedulers"]) == (0, 4)
    assert (a5["orchestrators"], a5["schedulers"], a5["counter_hz"]) == (1, 4, 1_000_000_000)


@pytest.mark.parametrize("name", ["a2a3", "a2a3-hbg", "a5"])
def test_a_chip_shows_every_value_with_unit_basis_and_source(name: str, capsys: Output) -> None:
    assert main(["platforms", name]) == 0
    out = capsys.readouterr().out
    flat = " ".join(out.split())
    for value in values_of(load_chip(name)):
        shown = value.value if isinstance(value.value, str) else f"{value.value:,}"
        line = f"{value.key} {shown} {value.unit} {value.basis} {value.meaning} "
        line += f"to {value.to}: {value.source}" if value.to else value.source
        assert " ".join(line.split()) in flat
    assert [line for line in out.splitlines() if line.startswith("[")] == [
        f"[{section}]" for section in dict.fromkeys(v.section for v in values_of(load_chip(name)))
    ]


def test_a_chip_as_json_is_exact(capsys: Output) -> None:
    assert main(["platforms", "a2a3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["values"] == [value._asdict() for value in values_of(load_chip("a2a3"))]


def test_the_threads_have_no_values(capsys: Output) -> None:
    assert main(["platforms", "threads"]) == 0
    assert capsys.readouterr().out == "threads: real threads on this machine, with its real clock\n"


def test_a_users_file_is_shown_and_cannot_draw_on_the_terminal(
    tmp_path: Path, capsys: Output
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        'base = "a2a3"\n[core]\n'
        'setup_ns = { value = 7.25, basis = "measured", source = "a \\u001b[31m test" }\n'
        '[clock]\naiv_hz = { value = 1_500_000_000, basis = "assumed", source = "a guess" }\n'
    )
    assert main(["platforms", str(path)]) == 0
    out = capsys.readouterr().out
    assert "7.25 ns  measured   a task received until it starts\n      a �[31m test\n" in out
    assert "at 1.8 GHz and 1.5 GHz" in out
    assert "\x1b" not in out


def test_an_unknown_platform_is_a_usage_error(capsys: Output) -> None:
    assert main(["platforms", "a9"]) == 2
    assert capsys.readouterr().err == (
        "lanescope: expected a chip (a2a3, a2a3-hbg, a5) or a TOML file that describes one, found "
        "'a9'\n"
    )


def test_a_wrong_file_is_one_sentence(tmp_path: Path, capsys: Output) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('base = "a2a3"\n[core]\nsetup_ns = 12\n')
    assert main(["platforms", str(path)]) == 1
    assert capsys.readouterr().err == (
        f"lanescope: {path}: [core] setup_ns: expected {{ value = …, basis = …, source = … }}, "
        "found 12\n"
    )
