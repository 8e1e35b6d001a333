"""JSON by blocks of 64 bytes, in both forms that the C has: with SSE2, and for other machines."""

from __future__ import annotations

import ctypes
import random
from pathlib import Path

import pytest
from tests.native.test_header import INCLUDE, STRICT, compiled, tool

PROGRAM = """
#include "json_blocks.h"
void blocks(const uint8_t *text, uint64_t *out);
void blocks(const uint8_t *text, uint64_t *out)
{
    json_block b = read_block(text);
    out[0] = b.quote;
    out[1] = b.open;
    out[2] = b.close;
    out[3] = b.escape;
}
uint64_t parity(uint64_t bits);
uint64_t parity(uint64_t bits) { return parity_up_to(bits); }
int64_t count(uint64_t bits);
int64_t count(uint64_t bits) { return ones(bits); }
"""
SETS = ('"', "[{", "]}", "\\")


@pytest.fixture(scope="module", params=[[], ["-U__SSE2__"]], ids=["as it is", "without SSE2"])
def library(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> ctypes.CDLL:
    place = tmp_path_factory.mktemp("blocks")
    (place / "blocks.c").write_text(PROGRAM)
    options = [*STRICT, "-O2", "-fPIC", "-shared", *request.param, *INCLUDE]
    compiled(tool("cc"), *options, place / "blocks.c", "-o", place / "blocks.so")
    found = ctypes.CDLL(str(Path(place, "blocks.so")))
    found.parity.argtypes = found.count.argtypes = [ctypes.c_uint64]
    found.parity.restype, found.count.restype = ctypes.c_uint64, ctypes.c_int64
    return found


def texts() -> list[bytes]:
    """Every byte there is, each special byte at every place, and blocks of many."""
    every = bytes(range(256))
    found = [every[k : k + 64] for k in range(0, 256, 64)]
    found += [b" " * k + bytes([byte]) + b" " * (63 - k) for k in range(64) for byte in b'"[]{}\\;']
    drawn = random.Random(1)
    return found + [bytes(drawn.choices(b'"[]{}\\ax', k=64)) for _ in range(100)]


def test_every_special_byte_has_its_bit(library: ctypes.CDLL) -> None:
    out = (ctypes.c_uint64 * 4)()
    for text in texts():
        library.blocks(text, out)
        assert list(out) == [
            sum(1 << place for place, byte in enumerate(text) if chr(byte) in members)
            for members in SETS
        ]


def test_ones_are_counted_and_their_parity_runs_along(library: ctypes.CDLL) -> None:
    drawn = random.Random(2)
    numbers = [0, 1, 1 << 63, (1 << 64) - 1, *(drawn.getrandbits(64) for _ in range(100))]
    for bits in numbers:
        assert library.count(bits) == bits.bit_count()
        odd = [(bits & ((2 << place) - 1)).bit_count() % 2 for place in range(64)]
        assert library.parity(bits) == sum(one << place for place, one in enumerate(odd))
