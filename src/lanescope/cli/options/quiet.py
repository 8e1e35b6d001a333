"""`--quiet`, for commands that show progress or print a report after their work."""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    """Adds --quiet; `lanescope.cli` keeps progress from showing, the command its report."""
    parser.add_argument(
        "--quiet",
        action="store_true",
        help="no progress and no report; what was written and what is wrong is still said",
    )
