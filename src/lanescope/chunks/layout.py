"""CHUNK LAYOUT: the bits of a chunk, for the encoder and the decoder alike.

A stream is little-endian 32-bit chunks:

     31    28 27                16 15                               0
    ┌────────┬────────────────────┬──────────────────────────────────┐
    │  ctrl  │       events       │  core cycles since the last chunk │
    └────────┴────────────────────┴──────────────────────────────────┘
     0..5    mark on scalar vector cube mte1 mte2 mte3; events = the mark's number
     6, 10   mark on fixp; published decoders disagree on the code, so both are read
     15      STATE; events bits 0..6 = busy: scalar vector cube mte1 mte2 mte3 fixp

START_STAMP, ctrl 14, is four chunks in a row and has no delta:

     31    28 27      24 23        16 15                            0
    ┌────────┬──────────┬────────────┬───────────────────────────────┐
    │   14   │ sequence │ block part │ 16 bits of the system counter  │   chunk 0 least significant
    └────────┴──────────┴────────────┴───────────────────────────────┘
              0, 1, 2, 3   block id = part of chunk 1 << 8 | part of chunk 0

Source: lanescope's notes on the public decoders of this generation's stream ("chip6"). Not stated
there and assumed here: a gap of more than 65535 cycles is bridged by STATE chunks that repeat the
present state with a delta of 65535; events bits 7..11 of a STATE mean nothing.
"""

from __future__ import annotations

CHUNK_BYTES = 4
BURST_BYTES = 32
"""Hardware writes the stream in bursts of this size."""

DELTA_LIMIT = 0xFFFF
CTRL_SHIFT = 28
EVENTS_SHIFT = 16
EVENTS_MASK = 0xFFF
BUSY_MASK = 0x7F

CTRL_STAMP = 14
CTRL_STATE = 15
STAMP_CHUNKS = 4

SCALAR = 0
FIXP = 6
"""Position of the pipe in PIPES, and one of its two control codes."""
FIXP_CODES = (10, 6)
MARK_CODES = {0: 0, 1: 1, 2: 2, 3: 3, 4: 4, 5: 5, 6: FIXP, 10: FIXP}
"""Control code of a mark to the position of its pipe in PIPES."""

SENTINEL = 0xEFFFFFFF
"""Ends the stream. Its control code is 14, but it is no stamp."""
FILLER = 0xDDDDDDDD
STUB_MARKS = (0xD88, 0xD99, 0xDAA, 0xDBB, 0xDCC, 0xDDD, 0xDEE, 0xDFF)
"""Marks that a flush writes. What follows their first complete run is not the kernel's."""
