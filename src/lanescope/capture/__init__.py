"""Makes a Trace of a region: drains and spools it, joins its records, recovers it after a crash."""

from lanescope.capture.directory import SessionNote
from lanescope.capture.rebuild import Recovery, recover
from lanescope.capture.session import CaptureSession, create_session

__all__ = ["CaptureSession", "Recovery", "SessionNote", "create_session", "recover"]
