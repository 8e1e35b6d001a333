"""`lanescope probe`: find out how a core's trace engine behaves, by experiments."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from lanescope.cli.options import places, quiet, writing
from lanescope.cli.printing import print_json
from lanescope.platforms.sim.switches import SWITCHES

if TYPE_CHECKING:
    from lanescope.probe import BringUp, Findings

HELP = "bring up a core's trace engine: find out by experiments how it behaves"
EXAMPLE = """lanescope probe --set wrap=ring --set pointer=burst_index -o probe
  lanescope probe --agent "ssh board ./probe_agent" -o first_light"""

_NEEDED = (
    *("clocks", "pipes", "can_invalidate", "read", "write", "counter", "run_kernel", "allocate"),
    *("map_for_engine", "fill", "peek", "invalidate"),
)
"""What a device of the user's own must have."""
_MOST_SECONDS = 3600


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope probe`."""
    parser.add_argument(
        "--agent",
        metavar="COMMAND",
        help="your own board: a command that starts an agent, which answers on its output what is "
        "asked on its input (docs/probe-agent.md); examples/probe_agent is one in C",
    )
    parser.add_argument(
        "--answer-seconds",
        type=_seconds,
        metavar="S",
        help="how long an agent may take for one answer (default: 10; for its first line: 30)",
    )
    parser.add_argument(
        "--device",
        type=places.local,
        metavar="FILE.py",
        help="your own core: a Python file with a function device() that returns an object like "
        "lanescope.probe.BringUp (default: a simulated core of a5)",
    )
    names = "; ".join(f"{name}: {', '.join(values)}" for name, values in SWITCHES.items())
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help=f"what the simulated core does, which the probe is not told; repeat. {names}",
    )
    parser.add_argument(
        "--no-wrap",
        action="store_true",
        help="never let the engine run past the end of a buffer, although it has guards",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=places.local,
        metavar="DIR",
        help="folder for the raw captures (default: probe, here)",
    )
    writing.configure(parser)
    quiet.configure(parser)


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope probe`; returns the exit code."""
    from lanescope.cli.parsing import complain
    from lanescope.probe.run import ProbeOptions, probe_engine
    from lanescope.probe.text import save_captures

    _check(args)
    chosen = _folder(args)
    with _device(args) as device:
        findings = probe_engine(device, ProbeOptions(wrap=not args.no_wrap))
    save_captures(findings, chosen.path)
    _print(findings, chosen, args)
    if findings.problem:
        complain(findings.problem)
    return 0 if findings.complete else 1


def _print(findings: Findings, chosen: writing.Chosen[Path], args: argparse.Namespace) -> None:
    from lanescope.probe.text import render

    if args.json:
        print_json("probe", {**findings.to_dict(), "captures": str(chosen.path)})
        return
    if not args.quiet:
        print(render(findings))
    print(f"{chosen.path}  {len(findings.captures)} raw captures")
    if chosen.note:
        print(chosen.note)
    sys.stdout.flush()


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= _MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"expected seconds up to {_MOST_SECONDS}, found {text!r}")
    return seconds


def _check(args: argparse.Namespace) -> None:
    """Refuse options that contradict each other, or that would say nothing."""
    from lanescope.errors import UsageError

    if args.agent is not None and args.device is not None:
        raise UsageError("--agent and --device are two ways to a core; choose one")
    if args.set and (args.agent is not None or args.device is not None):
        raise UsageError("--set is for the simulated core; a device of your own does what it does")
    if args.answer_seconds is not None and args.agent is None:
        raise UsageError("--answer-seconds is for an agent; add --agent, or leave it out")


@contextmanager
def _device(args: argparse.Namespace) -> Iterator[BringUp]:
    """The core under test; an agent ends with the probe."""
    if args.agent is not None:
        from lanescope.probe.agent import AgentCore
        from lanescope.probe.conversation import ANSWER_S, AgentConversation

        with AgentConversation(args.agent, answer_s=args.answer_seconds or ANSWER_S) as agent:
            yield AgentCore(agent)
    elif args.device is not None:
        yield _own(args.device)
    else:
        from lanescope.platforms.sim.switches import switched_core

        yield switched_core(args.set)


def _folder(args: argparse.Namespace) -> writing.Chosen[Path]:
    if args.output is None:
        return writing.free_name(Path(), "probe", args, endings=("",))
    writing.check_named(args.output, args)
    return writing.Chosen(args.output)


def _own(path: Path) -> BringUp:
    import runpy

    from lanescope.errors import UsageError

    if not path.is_file():
        raise UsageError(f"{path}: expected a Python file with a function device(), found no file")
    make = runpy.run_path(str(path)).get("device")
    if not callable(make):
        raise UsageError(f"{path}: expected a function device(), found none")
    device: BringUp = make()
    lacking = [name for name in _NEEDED if not hasattr(device, name)]
    if lacking:
        raise UsageError(
            f"{path}: device() returned an object without {', '.join(lacking)}; it must be like "
            "lanescope.probe.BringUp"
        )
    return device
