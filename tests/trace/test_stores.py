"""What a store says where it does not do as asked."""

from __future__ import annotations

import pytest

from lanescope.trace.stores import reason_of


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ("no such bucket.", "no such bucket"),
        (
            "When reading 'a': AWS Error ACCESS_DENIED: no. error_info=7",
            "AWS Error ACCESS_DENIED: no",
        ),
        ("AWS Error SLOW: wait\nand a second line", "AWS Error SLOW: wait"),
        ("", "OSError"),
    ],
)
def test_a_reason_is_what_the_store_says_in_one_line(said: str, reason: str) -> None:
    assert reason_of(OSError(said)) == reason
