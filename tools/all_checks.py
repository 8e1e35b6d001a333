"""Runs checks one after the other, goes on after a failure, and ends with a table of them.

    python tools/all_checks.py "NAME: COMMAND" …

Exit code 1 where one failed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time


def main(checks: list[str]) -> int:
    """Run them; print the table."""
    rows = []
    for check in checks:
        name, _, command = check.partition(": ")
        print(f"---- {name}: {command}", flush=True)
        started = time.monotonic()
        code = subprocess.run(command, shell=True, check=False).returncode
        rows.append((name, code, time.monotonic() - started))
    width = max(len(name) for name, _, _ in rows)
    print()
    for name, code, seconds in rows:
        result = "passed" if code == 0 else f"FAILED ({code})"
        print(f"{name:{width}}  {result:12} {seconds / 60:7.1f} min")
    return int(any(code != 0 for _, code, _ in rows))


if __name__ == "__main__":
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("checks", metavar='"NAME: COMMAND"', nargs="+")
    sys.exit(main(asked.parse_args().checks))
