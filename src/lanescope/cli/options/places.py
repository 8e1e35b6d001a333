"""Options that name a path: those of traces take URLs as they are, all others say no to them."""

from __future__ import annotations

import argparse
from pathlib import Path

from lanescope.errors import UsageError

TRACE_HELP = "NAME.lanes, its URL (s3://bucket/NAME.lanes), or a run's own files"


def local(text: str) -> Path:
    """`lanescope.trace.places.local_path` for argparse, which prints the message."""
    if "://" not in text:
        return Path(text)
    from lanescope.trace.places import local_path

    try:
        return local_path(text)
    except UsageError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
