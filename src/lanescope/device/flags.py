"""Turns what people write for a level into feature bits, and checks feature bits."""

from __future__ import annotations

from lanescope.device.layouts import constant
from lanescope.errors import UsageError
from lanescope.native import library
from lanescope.trace.flags import LEVEL_DOCS, Feature


def read_level(value: object) -> int:
    """Return the level of a number, of its text, or of a boolean: True is the highest level.

    Raises:
        UsageError: the value is no level.
    """
    highest = constant("LS_HIGHEST_LEVEL")
    if isinstance(value, bool):
        return highest if value else 0
    text = str(value).strip()
    if text.isascii() and text.isdigit() and int(text) <= highest:
        return int(text)
    levels = ", ".join(f"{level} ({doc})" for level, doc in enumerate(LEVEL_DOCS))
    raise UsageError(f"expected a chip-swimlane level, found {value!r}; the levels are {levels}")


def level_features(value: object) -> Feature:
    """Gives the feature bits of a level, as the C header defines them.

    Args:
        value: A level, 0 to 4, as a number or as text; True is the highest level.

    Returns:
        What is recorded, for `RegionConfig`.

    Raises:
        UsageError: The value is no level.

    Examples:
        >>> int(lanescope.level_features(2))
        3
    """
    return Feature(int(library().ls_native_level_flags(read_level(value))))


def closed(flags: int) -> Feature:
    """Return the flags together with all features that they imply.

    Raises:
        UsageError: a bit is no feature.
    """
    unknown = flags & ~constant("LS_FLAGS_KNOWN")
    if unknown:  # of a negative number there are always some
        known = ", ".join(f"{feature.bit_length() - 1} {feature.name}" for feature in Feature)
        raise UsageError(
            f"the flags {flags:#x} have bits that are not features ({unknown:#x}); the bits are "
            f"{known.lower()}"
        )
    return Feature(int(library().ls_native_flags_closed(flags)))
