"""JSON schemas: the files in docs/schemas are current, and real output of every command fits them.

Published schemas allow further keys. Here they do not, so that a key nobody described is noticed.
"""

from __future__ import annotations

import argparse
import gc
import json
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.capture.programs import EXAMPLE, built
from tests.formats.streams.test_build import trace as streams_trace
from tests.jobs.hand_made import Made, Row, trace_of

import lanescope.cli
from lanescope.cli import main, parser_of
from lanescope.cli.printing import VERSIONS
from lanescope.cli.schemas.__main__ import schema_text
from lanescope.cli.schemas.documents import schema
from lanescope.cli.schemas.forms import FORMS
from lanescope.cli.schemas.outputs import OUTPUTS
from lanescope.cli.schemas.shapes import JsonForm, SchemaMaker
from lanescope.platforms.execute import execute
from lanescope.platforms.recording import Recording
from lanescope.platforms.request import MachineRequest
from lanescope.reports.build import REPORT_VERSION
from lanescope.results import Result
from lanescope.workloads import build_workload

ROOT = Path(__file__).parents[2]
COMMANDS = (
    ("run", "run vector --set tiles=8 --dump-tensors -o v.lanes"),
    ("run", "run chain --set tasks=20 --chip-swimlane=0 --budget 50%,64MB"),
    ("run", "run matmul_add --platform a5 --pmu --core-swimlane --no-perfetto -o inside.lanes"),
    ("run", "run varied.py --seed 1 --rounds 3"),
    ("bench", "bench chain --set tasks=4 --levels 0,1 --rounds 2"),
    ("bench", "bench chain --set tasks=4 --levels 0,1 --rounds 2 --platform threads"),
    ("bench-sources", "bench vector --platform a5 --core-source perfmon,driver --rounds 2"),
    ("bench-fit", "bench --fit --platform a2a3 --rounds 6 --protocols staging"),
    ("collect", "collect --dump-tensors -o recorded -- ./own_runtime 10"),
    ("import", "import examples/small_run slices.json"),
    ("import", "import mixed"),
    ("check", "check small_run.lanes examples/small_run"),
    ("verify", "verify small_run.lanes v.lanes"),
    ("report", "report small_run.lanes --graph --plots pictures"),
    ("report", "report inside.lanes"),
    ("report", "report small_run.lanes --section verdict"),
    ("report", "report damaged.lanes"),
    ("report", "report streams.lanes"),
    ("report", "report schedule.lanes"),
    ("report-corrected", "report v.lanes --corrected"),
    ("ranks", "ranks made.job --replay peers --plots pictures --workers 0"),
    ("ranks", "report made.job"),
    ("view-page", "view small_run.lanes --html page.html"),
    ("view-page", "view damaged.lanes --html damaged.html"),
    ("export", "export small_run.lanes --to perfetto"),
    ("export", "export small_run.lanes --to csv"),
    ("export", "export small_run.lanes --to kanata -o run.kanata"),
    ("export", "export made.job --to perfetto"),
    ("export", "export damaged.lanes --to chrome"),
    ("what-if", "what-if small_run.lanes --rank"),
    ("what-if", "what-if v.lanes --schedulers 4 -o changed.lanes"),
    ("diff", 'diff small_run.lanes v.lanes --fail-if "makespan>+10000%"'),
    ("predict", "predict examples/tile.asm --board v80 --trace other.lanes"),
    ("predict", "predict examples/tile.asm --board v80 --serial"),
    (
        "predict",
        "predict examples/tile.asm --board nexys_video --memory-model host-stream "
        "--weight-manifest weights.json",
    ),
    ("predict", "predict examples/route.asm --board v80 --isa plena-route-l --bind routes=4..9"),
    ("predict", "predict examples/tile.asm --board v80 --board nexys_video --diff"),
    ("fit", "fit examples/model_135m.json --board nexys_video --svg plane.svg"),
    ("fit", "fit examples/model_135m.json --board nexys_video --board v80"),
    ("fleet-index", "fleet index runs/a -o fleet --label commit=a --workers 0"),
    ("fleet-index", "fleet index runs/b -o fleet --label commit=b --workers 0"),
    ("fleet-report", "fleet report fleet"),
    ("fleet-query", "fleet query fleet 'select count(*) as traces from traces'"),
    ("fleet-outliers", "fleet outliers fleet"),
    ("fleet-trend", "fleet trend fleet makespan"),
    ("fleet-diff", 'fleet diff fleet commit=a commit=b --fail-if "makespan > +5%"'),
    ("flight", "flight killed.capture --last 3"),
    ("recover", "recover killed.capture"),
    ("tensors", "tensors v.tensors"),
    ("tensors-export", "tensors v.tensors --index 0 --export one.npy"),
    ("probe", "probe"),
    ("probe", "probe --set wrap=ring --set pointer=byte_count --no-wrap"),
    ("workloads", "workloads"),
    ("workloads", "workloads varied.py"),
    ("platforms", "platforms"),
    ("platforms-show", "platforms threads"),
    ("platforms-show", "platforms a5"),
    ("boards", "boards"),
    ("boards-show", "boards show v80"),
    ("boards-check", "boards check v80"),
    ("manifest", "manifest examples/model_135m.json --board nexys_video --context 64"),
    ("config", "config"),
    ("completion", "completion bash"),
)
"""Output to a command that prints it; a command may read what an earlier one wrote."""

SERVING = (
    ("view", "view v.lanes"),
    ("agent", "agent --region killed.capture"),
)
"""The same of commands that print a line and go on."""

VARIED = """\
from lanescope import GraphBuilder

def graph():
    builder = GraphBuilder("varied")
    builder.task("STEP", kind="aiv", spin_ns=1000)
    builder.vary("STEP", sigma_ns=50)
    return builder
"""
"""A workload whose lengths vary."""


def closed(value: Any) -> Any:
    """A schema that allows no key it does not name."""
    if isinstance(value, list):
        return [closed(one) for one in value]
    if not isinstance(value, dict):
        return value
    inner = {key: closed(one) for key, one in value.items()}
    return inner | ({"additionalProperties": False} if "required" in value else {})


def make_inputs(folder: Path) -> None:
    (folder / "examples").symlink_to(ROOT / "examples")
    for number, late in enumerate((0, 40)):
        rows = [Row(k, 100 * k + 50 + late, 100 * k + 99) for k in range(4)]
        made = Made(rows, [(100 * k, 100 * k + 50 + late) for k in range(4)], [(0, 0, 400)])
        lanescope.save(trace_of(number, made), folder / "made.job" / f"r{number}.lanes")
    lanescope.save(streams_trace(), folder / "streams.lanes")
    lanescope.save(streams_trace(), folder / "damaged.lanes")
    (folder / "damaged.lanes" / "counters.parquet").write_bytes(b"nothing")
    weights = lanescope.manifest(ROOT / "examples" / "model_135m.json", board="nexys_video")
    weights.save(folder / "weights.json")
    predicted = lanescope.predict(ROOT / "examples" / "tile.asm", board="v80")
    lanescope.save(predicted.trace(), folder / "schedule.lanes")
    slices = [{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 0, "dur": 5}]
    (folder / "slices.json").write_text(json.dumps(slices))
    (folder / "mixed").mkdir()
    (folder / "mixed" / "other.json").write_text("{}")
    (folder / "mixed" / "slices.json").write_text(json.dumps(slices))
    (folder / "varied.py").write_text(VARIED)
    (folder / "lanescope.toml").write_text('[fleet.trend]\norder = "date"\n')
    built(EXAMPLE, folder / "own_runtime")
    graph = build_workload("chain", {"tasks": "4"})
    execute(graph, MachineRequest(), Recording(), directory=folder / "killed.capture")
    gc.collect()  # a region that is still mapped counts as one in use
    for name in ("a", "b"):
        for seed in range(2):
            trace = lanescope.run("random_dag", settings={"tasks": 20, "seed": seed})
            lanescope.save(trace, folder / "runs" / name / f"{seed}.lanes")


def problems(name: str, printed: Any) -> list[str]:
    """What of an output does not fit its schema."""
    if OUTPUTS[name].item is None:
        assert printed["schema"] == f"urn:lanescope:{name}:{VERSIONS[name]}"
    errors = Draft202012Validator(closed(schema(name))).iter_errors(printed)
    return [f"{one.json_path}: {one.message[:300]}" for one in errors]


def first_line(command: str) -> str:
    """What a command prints first; it is then ended."""
    words = [sys.executable, "-m", "lanescope", *shlex.split(command), "--json"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        process.kill()
    return line


def test_what_commands_print_fits_their_schemas(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    make_inputs(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name, command in COMMANDS:
        words = shlex.split(command)
        at = words.index("--") if "--" in words else len(words)
        assert main([*words[:at], "--json", *words[at:]]) in (0, 1), command
        *others, last = capfd.readouterr().out.splitlines()
        assert OUTPUTS[name].lines or others == []
        assert problems(name, json.loads(last)) == [], command
    for name, command in SERVING:
        assert problems(name, json.loads(first_line(command))) == [], command


def test_every_output_is_tried() -> None:
    assert {name for name, _ in (*COMMANDS, *SERVING)} == set(OUTPUTS) == set(VERSIONS)


def commands_with_json() -> Iterator[str]:
    """Every command, or action of a command, that takes --json."""
    for name in lanescope.cli.COMMANDS:
        parser = parser_of(name)
        inner = [one for one in parser._actions if isinstance(one, argparse._SubParsersAction)]
        actions = [f"{name} {action}" for one in inner for action in one.choices]
        assert "--json" in parser._option_string_actions
        yield from actions or [name]


def test_every_command_has_an_output() -> None:
    told = {one.command for one in OUTPUTS.values()}
    for name in commands_with_json():
        assert any(f"{one} ".startswith(f"{name} ") for one in told), f"no schema: {name} --json"


def test_commands_print_json_in_one_way() -> None:
    """What `print_json` does not print has no schema."""
    folder = Path(lanescope.cli.__file__).parent
    known = {folder / "printing.py", folder / "options" / "live.py"}  # the second: no output
    others = {*folder.glob("*.py"), *folder.glob("options/*.py")} - known
    assert [file.name for file in others if "json.encode" in file.read_text()] == []


@pytest.mark.parametrize("name", OUTPUTS)
def test_the_file_is_what_the_types_say(name: str) -> None:
    file = ROOT / "docs" / "schemas" / f"{name}.json"
    Draft202012Validator.check_schema(json.loads(file.read_text()))
    assert file.read_text() == schema_text(name), (
        "run: python -m lanescope.cli.schemas docs/schemas"
    )


def test_there_is_no_other_file() -> None:
    files = {file.stem for file in (ROOT / "docs" / "schemas").iterdir()}
    assert files == set(OUTPUTS)


def test_the_report_says_its_version_twice() -> None:
    assert VERSIONS["report"] == REPORT_VERSION


def test_a_class_with_json_of_its_own_has_a_form() -> None:
    seen: set[type] = set()

    class Watched(SchemaMaker):
        def _definition(self, kind: type) -> dict[str, Any]:
            seen.add(kind)
            return super()._definition(kind)

    for output in OUTPUTS.values():
        shapes = Watched(FORMS)
        for kind in (*output.kinds, *output.more.values(), *filter(None, [output.item])):
            shapes.of(kind)
    own = {kind for kind in seen if issubclass(kind, Result) and kind.to_dict is not Result.to_dict}
    told = {kind for kind in own if kind in FORMS}
    assert {kind.__name__ for kind in own - told} == {"FitComparison"}  # its only field is the key


def test_a_key_that_is_missing_or_new_is_noticed() -> None:
    validator = Draft202012Validator(closed(schema("verify")))
    good = {"path": "a", "files": [], "whole": True}
    assert validator.is_valid([good])
    assert not validator.is_valid([{"path": "a", "files": []}])
    assert not validator.is_valid([good | {"other": 1}])
    assert not validator.is_valid([good | {"whole": "yes"}])


def test_a_form_takes_fields_away_and_adds_keys() -> None:
    from lanescope.checks.verify import Verified

    shapes = SchemaMaker(
        {Verified: JsonForm(without=("files",), more={"size": int}, optional=("size",))}
    )
    shapes.of(Verified)
    told = shapes.definitions["Verified"]
    assert list(told["properties"]) == ["path", "whole", "size"]
    assert told["required"] == ["path", "whole"]
