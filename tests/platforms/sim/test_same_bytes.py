"""What the simulator does is bit for bit what it was: results, traces, truth and dumps.

`same_cases` says how to make the expected digests anew.
"""

from __future__ import annotations

import pytest
from tests.platforms.sim.same_cases import BYTES, cases
from tests.platforms.sim.same_digest import PARTS, SameCase, digest_of

CASES = {case.name: case for case in cases()}
EXPECTED = dict(line.split(" = ") for line in BYTES.read_text().splitlines())


def parts_of(digest: str) -> dict[str, str]:
    """The parts of a digest by their names."""
    return dict(zip(PARTS, digest.split("."), strict=True))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_run_gives_the_same_bytes(case: SameCase) -> None:
    assert parts_of(digest_of(case)) == parts_of(EXPECTED[case.name])


def test_the_cases_are_those_of_the_file() -> None:
    assert list(CASES) == list(EXPECTED)
