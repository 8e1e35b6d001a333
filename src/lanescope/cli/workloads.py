"""`lanescope workloads`: what `run` and `bench` can run."""

from __future__ import annotations

import argparse

HELP = "list the built-in workloads and their settings"
EXAMPLE = "lanescope workloads --json"


def configure(parser: argparse.ArgumentParser) -> None:
    """No options of its own."""


def run(args: argparse.Namespace) -> int:
    from lanescope.workloads import describe

    found = describe()
    if args.json:
        import msgspec

        print(msgspec.json.encode(found).decode())
        return 0
    for workload in found:
        print(f"{workload['name']}: {workload['doc']}")
        for name, default in workload["parameters"].items():
            print(f"    --set {name}={default}")
    return 0
