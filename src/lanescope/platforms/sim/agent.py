"""A simulated core behind a pipe: `python -m lanescope.platforms.sim.agent`, for `probe --agent`.

It speaks the protocol of docs/probe-agent.md, as an agent on a board does.
"""

from __future__ import annotations

import argparse
import sys

from lanescope.errors import UsageError
from lanescope.platforms.sim.switches import SWITCHES, switched_core
from lanescope.probe.serve import serve


def main() -> None:
    """Serve one core on the standard streams."""
    asked = argparse.ArgumentParser(prog="python -m lanescope.platforms.sim.agent")
    names = "; ".join(f"{name}: {', '.join(values)}" for name, values in SWITCHES.items())
    asked.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help=names)
    try:
        core = switched_core(asked.parse_args().set)
    except UsageError as error:
        asked.error(str(error))
    serve(core, sys.stdin.buffer, sys.stdout.buffer)


if __name__ == "__main__":
    main()
