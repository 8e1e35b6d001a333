"""`lanescope workloads`: what `run` and `bench` can run."""

from __future__ import annotations

import argparse

from lanescope.cli.printing import print_json

HELP = "list the built-in workloads, or a file of your own, and their settings"
EXAMPLE = "lanescope workloads --json"


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds the options of `lanescope workloads`."""
    parser.add_argument(
        "file", nargs="?", metavar="NAME.py", help="a file of your own: list its settings instead"
    )


def run(args: argparse.Namespace) -> int:
    """Runs `lanescope workloads`; returns the exit code."""
    from lanescope.workloads.catalogue import list_workloads

    workloads = list_workloads(args.file)
    if args.json:
        print_json("workloads", workloads)
        return 0
    for workload in workloads:
        print(f"{workload['name']}: {workload['doc']}")
        for name, default in workload["parameters"].items():
            print(f"    --set {name}={default}")
    return 0
