"""What every command is asked for when nothing is said: the defaults of all its options."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from lanescope.cli import COMMANDS, parser_of


class Usual(NamedTuple):
    """The words that a command needs, and what it makes of them."""

    words: list[str]
    values: dict[str, Any]
    none: str = ""
    """Names of what is None."""
    off: str = ""
    """Names of what is False."""


DEFAULTS = {
    "run": Usual(
        ["w"],
        {
            "workload": "w",
            "set": [],
            "platform": "a2a3",
            "pre_dispatch": 1,
            "chip_swimlane": "4",
            "on_full": "block",
            "buffer_records": 1024,
            "buffers": 8,
            "rounds": 1,
            "protocol": "producer-rotated",
            "output": Path(),
        },
        none=(
            "cores schedulers pmu core_source host_lost dump_tensors dump_limit dump_total "
            "budget seed"
        ),
        off="pin core_swimlane no_perfetto view force quiet",
    ),
    "bench": Usual(
        [],
        {
            "set": [],
            "platform": "a2a3",
            "pre_dispatch": 1,
            "on_full": "block",
            "buffer_records": 1024,
            "buffers": 8,
            "levels": "0,1,2,3,4",
            "rounds": 15,
            "seed": 1,
        },
        none="workload cores schedulers host_lost protocols core_source save output",
        off="pin fit force quiet",
    ),
    "collect": Usual(
        [],
        {
            "chip_swimlane": "4",
            "on_full": "block",
            "output": Path(),
            "buffer_records": 0,
            "buffers": 0,
            "program": [],
        },
        none=(
            "rotate quota time_limit connect token_file name pmu chip deps dump_tensors "
            "dump_limit dump_total"
        ),
        off="one_trace view force core_swimlane",
    ),
    "agent": Usual(
        ["--region", "r"],
        {"region": Path("r"), "listen": "127.0.0.1:0"},
        none="token_file",
        off="",
    ),
    "import": Usual(
        ["p"],
        {"paths": [Path("p")], "output": ".", "format": "auto"},
        none="clock chip period_ps core_mhz counter_mhz core kind",
        off="force quiet keep_damaged per_rank",
    ),
    "check": Usual(
        ["p"],
        {"paths": [Path("p")]},
        none="",
        off="quiet",
    ),
    "verify": Usual(
        ["p"],
        {"paths": ["p"]},
        none="",
        off="",
    ),
    "report": Usual(
        ["t"],
        {"trace": "t", "section": []},
        none="since until core function run rank plots memory corrected",
        off="full force quiet graph",
    ),
    "ranks": Usual(
        ["j"],
        {"job": "j"},
        none="plots replay cluster workers",
        off="force quiet",
    ),
    "view": Usual(
        ["t"],
        {"trace": "t", "other": []},
        none="since until core function run rank html port",
        off="by_run force quiet open",
    ),
    "export": Usual(
        ["t", "--to", "csv"],
        {"trace": "t", "format": "csv"},
        none="since until core function run rank output generation table",
        off="force quiet",
    ),
    "what-if": Usual(
        ["t"],
        {"trace": "t", "scale": [], "cores": [], "drop_edge": []},
        none="run schedulers pre_dispatch dispatch_cost submit_scale buffers output",
        off="without_preemption rank anyway force quiet",
    ),
    "diff": Usual(
        ["a"],
        {"base": ["a"], "new": [], "fail_if": []},
        none="since until core function run rank",
        off="quiet",
    ),
    "recover": Usual(
        ["d"],
        {"directory": Path("d")},
        none="output since until core",
        off="force quiet",
    ),
    "flight": Usual(
        ["p"],
        {"path": Path("p"), "last": 1},
        none="",
        off="all",
    ),
    "tensors": Usual(
        ["d"],
        {"dump": Path("d")},
        none="task index export",
        off="force",
    ),
    "probe": Usual(
        [],
        {"set": []},
        none="agent answer_seconds device output",
        off="no_wrap force quiet",
    ),
    "workloads": Usual(
        [],
        {},
        none="file",
        off="",
    ),
    "platforms": Usual(
        [],
        {},
        none="name",
        off="",
    ),
    "boards": Usual(
        [],
        {"action": "list"},
        none="name",
        off="",
    ),
    "predict": Usual(
        ["p"],
        {"program": ["p"], "memory_model": "hbm"},
        none=(
            "board cost_source settings isa operations bind mlen vlen blen hlen dc_en "
            "clock_mhz outstanding buffers capacity host_bandwidth weight_manifest "
            "memory_size policy dram trace top"
        ),
        off="serial force quiet ignore_unknown diff full",
    ),
    "manifest": Usual(
        ["m"],
        {"model": "m"},
        none="config weight_dtype kv_dtype board capacity context batch total_layers output",
        off="force quiet",
    ),
    "fit": Usual(
        ["m", "--board", "b"],
        {"model": "m", "board": ["b"], "context": 2048, "batch": 1},
        none=(
            "config weight_dtype kv_dtype capacity host_bandwidth compute cost_source "
            "settings mlen blen vlen storage svg"
        ),
        off="kv_on_host force quiet full",
    ),
    "config": Usual(
        [],
        {},
        none="",
        off="",
    ),
    "completion": Usual(
        ["bash"],
        {"shell": "bash"},
        none="",
        off="",
    ),
    "fleet index": Usual(
        ["r", "-o", "f"],
        {"root": "r", "output": "f", "label": []},
        none="cluster workers",
        off="quiet",
    ),
    "fleet report": Usual(
        ["f"],
        {"fleet": "f"},
        none="by",
        off="",
    ),
    "fleet query": Usual(
        ["f", "s"],
        {"fleet": "f", "sql": "s"},
        none="",
        off="",
    ),
    "fleet outliers": Usual(
        ["f"],
        {"fleet": "f", "where": []},
        none="by",
        off="",
    ),
    "fleet trend": Usual(
        ["f", "m"],
        {"fleet": "f", "measure": "m", "order": "date", "where": []},
        none="plot by",
        off="force",
    ),
    "fleet diff": Usual(
        ["f", "a", "b"],
        {"fleet": "f", "base": "a", "new": "b", "fail_if": [], "where": []},
        none="by",
        off="",
    ),
}
"""Command, or command and action, to what it is asked for."""


@pytest.mark.parametrize("command", DEFAULTS)
def test_without_options_a_command_is_asked_for_the_usual(command: str) -> None:
    usual, (name, *action) = DEFAULTS[command], command.split()
    told = vars(parser_of(name).parse_args([*action, *usual.words]))
    own = {"json", "given", "run_action", *(["action"] if action else [])}
    assert {key: value for key, value in told.items() if key not in own} == {
        **usual.values,
        **dict.fromkeys(usual.none.split()),
        **dict.fromkeys(usual.off.split(), False),
    }
    assert told["json"] is False


def test_every_command_has_its_usual_words() -> None:
    assert {command.split()[0] for command in DEFAULTS} == COMMANDS.keys()


@pytest.mark.parametrize(
    ("command", "option", "choices"),
    [
        ("predict", "--dc-en", (0, 1)),
        ("predict", "--buffers", (1, 2)),
        ("collect", "--on-full", ("block", "drop")),
        ("ranks", "--replay", ("peers", "job")),
        ("run", "--core-source", ("perfmon", "driver")),
        (
            "run",
            "--protocol",
            ("staging", "controller-rotated", "producer-rotated", "after-finish"),
        ),
    ],
)
def test_an_option_of_few_values_takes_these(
    command: str, option: str, choices: tuple[object, ...]
) -> None:
    assert parser_of(command)._option_string_actions[option].choices == choices
