"""What traces of slices on tracks have in common, whatever made them: Chrome's and Perfetto's.

An importer fills a `TrackRecording`; `track_trace` makes the trace of it.
"""

from lanescope.formats.tracks.build import track_trace
from lanescope.formats.tracks.recording import CounterRows, SliceRows, Track, TrackRecording

__all__ = ["CounterRows", "SliceRows", "Track", "TrackRecording", "track_trace"]
