"""Traces of Proton, Triton's profiler inside kernels, as Chrome JSON.

Its writer divides cycles by 1000 and calls them microseconds. A CTA's slices are laid from the
nanosecond at which the CTA began, so starts of CTAs are nanoseconds and lengths are cycles.
"""

from __future__ import annotations

import re
from dataclasses import replace

from lanescope.formats.tracks import Track, TrackRecording

_PROCESS = re.compile(r"(?P<kernel>.*?) ?(?P<place>Core ?\d+ CTA ?\d+)")
_THREAD = re.compile(r"warp \d+")
NOTE = (
    "Lengths are cycles of the SM, drawn as if it ran at 1 GHz: a slice of 100 ns took 100 cycles. "
    "Only the start of each CTA is in nanoseconds."
)


def as_proton(recording: TrackRecording) -> TrackRecording:
    """The recording with lanes per CTA and warp and a note, where it is one of Proton."""
    tracks = [_proton_track(track) for track in recording.tracks]
    known = [track for track in tracks if track is not None]
    if not known or len(known) < len(tracks):
        return recording
    facts = dict(recording.facts)
    facts["notes"] = [NOTE, *facts.get("notes", ())]
    return replace(recording, tracks=known, utc_ns=None, facts=facts)


def _proton_track(track: Track) -> Track | None:
    """The track of a warp, named by SM, CTA and warp; None where it is no such track."""
    place = _PROCESS.fullmatch(track.group)
    thread = track.name.removeprefix(f"{track.group}/")
    if place is None or not _THREAD.match(thread):
        return None
    return Track(name=f"{place['place']} {thread}", group=place["kernel"] or "kernel")
