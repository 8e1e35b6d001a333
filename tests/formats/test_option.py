"""Options of one format, as a call from Python gives them."""

from __future__ import annotations

import pytest

from lanescope.errors import UsageError
from lanescope.formats import FormatOption
from lanescope.formats.option import parsed

CLOCK = FormatOption(name="toy_mhz", help="clock", parse=int)
KIND = FormatOption(name="toy_kind", help="kind", choices=("a", "b"))


def test_values_are_parsed_and_absent_ones_left_out() -> None:
    given = {"toy_mhz": 50, "toy_kind": None}
    assert parsed("toy", (CLOCK, KIND), given) == {"toy_mhz": 50}
    assert parsed("toy", (CLOCK, KIND), {"toy_mhz": "7", "toy_kind": "b"}) == {
        "toy_mhz": 7,
        "toy_kind": "b",
    }


@pytest.mark.parametrize(
    ("options", "given", "problem"),
    [
        ((CLOCK,), {"mhz": 1}, "format toy has no option 'mhz'; it has toy_mhz"),
        ((), {"mhz": 1}, "format toy has no option 'mhz'; it has none"),
        ((KIND,), {"toy_kind": "c"}, "option 'toy_kind' is one of a, b, found 'c'"),
        (
            (CLOCK,),
            {"toy_mhz": "x"},
            "option 'toy_mhz': invalid literal for int() with base 10: 'x'",
        ),
    ],
)
def test_a_wrong_option_is_usage(
    options: tuple[FormatOption, ...], given: dict[str, object], problem: str
) -> None:
    with pytest.raises(UsageError) as caught:
        parsed("toy", options, given)
    assert str(caught.value) == problem


def test_the_flag_is_the_name_with_dashes() -> None:
    assert CLOCK.flag == "--toy-mhz"


def test_what_a_value_is_made_of_may_refuse_it_itself() -> None:
    def refuses(text: str) -> int:
        raise UsageError(f"expected a clock, found {text!r}")

    strict = FormatOption(name="toy_mhz", help="clock", parse=refuses)
    with pytest.raises(UsageError, match=r"^expected a clock, found '5'$"):
        parsed("toy", (strict,), {"toy_mhz": 5})


def test_options_that_are_not_given_may_be_of_any_name() -> None:
    assert parsed("toy", (), {"mhz": None}) == {}
