"""From a region to a Trace: drain, spool, join, account; and recovery after a crash."""

from lanescope.capture.directory import SessionNote
from lanescope.capture.rebuild import Recovery, recover
from lanescope.capture.session import Session, create_session

__all__ = ["Recovery", "Session", "SessionNote", "create_session", "recover"]
