"""`lanescope collect --connect`: collect from an agent on another machine."""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lanescope.capture.collect import ProcessCapture

_LOOK_S = 0.05
"""Pause between two questions whether the program has ended, in seconds."""
INTERRUPTED = "Collecting was interrupted before the agent's program had ended."


def collected(args: argparse.Namespace, directory: Path, name: str) -> ProcessCapture:
    """Drain the region of an agent until its program has ended; return what was recorded.

    SIGINT ends it early, and what was drained is returned as `unfinished`.
    """
    from lanescope.capture import SessionNote
    from lanescope.capture.collect import ProcessCapture
    from lanescope.capture.session import reach_session
    from lanescope.device.agent.client import Socket
    from lanescope.device.agent.proof import given_token
    from lanescope.errors import TransportError

    transport = Socket(args.connect, token=given_token(args.token_file))
    session = reach_session(directory, transport, note=SessionNote(name))
    unfinished, ended = "", False
    with session:
        try:
            while not ended and session.drain_error is None:
                time.sleep(_LOOK_S)
                ended = transport.has_ended()
        except TransportError:
            pass  # the drain meets a broken connection, too, and the session says so
        except KeyboardInterrupt:
            unfinished = INTERRUPTED
    return ProcessCapture("", directory, session, unfinished)
