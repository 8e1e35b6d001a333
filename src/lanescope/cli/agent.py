"""`lanescope agent`: give a collector on another machine the region of a program on this one."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from lanescope.cli.options import places
from lanescope.cli.printing import print_json

if TYPE_CHECKING:
    from lanescope.device.agent.server import RegionAgent
    from lanescope.device.region import Region

HELP = "let 'lanescope collect --connect' on another machine drain a program on this one"
EXAMPLE = "lanescope agent --region run.capture --listen 127.0.0.1:7070"
_LOOK_S = 0.05
"""Pause between two looks, in seconds; a beat of the host, too."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope agent`."""
    parser.add_argument(
        "--region",
        type=places.local,
        required=True,
        metavar="PATH",
        help="a region's file, or the directory in which a program started with "
        "LANESCOPE_CAPTURE=PATH makes one; it is waited for",
    )
    parser.add_argument(
        "--listen",
        default="127.0.0.1:0",
        metavar="HOST:PORT",
        help="where to listen (default: 127.0.0.1 and a free port, so only for this machine and "
        "SSH tunnels); records are not encrypted",
    )
    configure_token(parser)


def configure_token(parser: argparse.ArgumentParser) -> None:
    """Adds the option that names the file of a token."""
    parser.add_argument(
        "--token-file",
        type=places.local,
        metavar="FILE",
        help="file with the token that agent and collector share; only you may read it (default: "
        "the environment variable LANESCOPE_TOKEN; an agent without one makes one and prints it)",
    )


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope agent`; returns the exit code."""
    from lanescope.capture.collect import has_ended
    from lanescope.device.agent.proof import given_token, new_token
    from lanescope.device.agent.server import RegionAgent
    from lanescope.device.agent.wire import address_of
    from lanescope.device.region import require_recording
    from lanescope.device.transport import SharedMapping
    from lanescope.errors import UsageError

    require_recording()
    try:
        address = address_of(args.listen)
    except ValueError as error:
        raise UsageError(str(error)) from None
    given = given_token(args.token_file)
    token = given or new_token()
    tell = _say_nothing if args.json else _tell
    try:
        region = _region(args.region, tell)
        transport = SharedMapping(region.memory)
        agent = RegionAgent(
            transport, address, token=token, has_ended=lambda: has_ended(region), tell=tell
        )
        _announce(agent, region, token if given is None else None, args)
        _serve(agent, region)
        tell("the program has ended, and a collector was here; agent ends")
    except KeyboardInterrupt:
        tell("agent ends")
    return 0


def _tell(sentence: str) -> None:
    print(sentence, flush=True)


def _say_nothing(_sentence: str) -> None:
    """Instead of `_tell` with --json, whose one line is the address."""


def _announce(
    agent: RegionAgent, region: Region, token: str | None, args: argparse.Namespace
) -> None:
    """Print where the agent listens; `token` is one that it made itself."""
    host, port = agent.address
    size = len(region.memory)
    if args.json:
        where = {"host": host, "port": port, "region": str(region.path), "bytes": size}
        print_json("agent", {**where, "token": token})
        return
    _tell(f"agent on {host}:{port}, region {region.path} of {size:,} bytes")
    if token is not None:
        _tell(f"token: {token}")


def _serve(agent: RegionAgent, region: Region) -> None:
    """Wait until the program has ended and a collector has taken what it recorded."""
    from lanescope.capture.collect import has_ended

    while agent.is_busy or not agent.served or not has_ended(region):
        if not agent.served and not agent.is_busy:
            agent.beat()
        time.sleep(_LOOK_S)
    agent.close()


def _region(path: Path, tell: Callable[[str], None]) -> Region:
    """Return the region of a path, as soon as it is there."""
    from lanescope.capture.directory import REGION, process_directories
    from lanescope.device.region import open_region
    from lanescope.errors import InputError

    if not path.exists():
        raise InputError(path, "expected a region's file or a directory, found nothing")
    told = False
    while path.is_dir():
        for folder in [path, *process_directories(path)]:
            if (folder / REGION).exists():
                return open_region(folder / REGION)
        if not told:
            tell(f"agent waits for a region in {path}")
            told = True
        time.sleep(_LOOK_S)
    return open_region(path)
