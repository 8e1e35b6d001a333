"""Error codes of libascendcl and of the driver, as sentences: what a code means, and what to do.

The values are those of public copies of acl_base.h, rt_error_codes.h and ascend_hal_error.h (CANN
8.1 and the open driver).
"""

from __future__ import annotations

ALREADY_INITIALISED = 100002
"""aclInit was called before in this process, which is harmless."""

_IDS = (
    "acl counts the devices of ASCEND_RT_VISIBLE_DEVICES, the driver counts all: give device= and "
    "driver_device= accordingly"
)
_KERNEL = "look for the first error of the program on the device; plog has it"
_MEMORY = "take fewer or smaller buffers, or free device memory; npu-smi info shows it"

ACL_CODES: dict[int, tuple[str, str]] = {
    100000: ("a parameter is invalid", "report it to lanescope, with the version of CANN"),
    100001: ("acl is not initialised", "somebody called aclFinalize in this process; do it last"),
    100002: ("acl is initialised already", "this is harmless at aclInit"),
    107000: ("a parameter is invalid", "report it to lanescope, with the version of CANN"),
    107001: ("the device id is invalid", _IDS),
    107002: ("this thread has no context", "report it to lanescope; each thread should set one"),
    107008: ("an address is not aligned", "report it to lanescope, with the version of CANN"),
    107016: ("the memory is of a wrong type", "report it to lanescope, with the version of CANN"),
    107017: ("a handle is invalid", "the device may have been reset by somebody else meanwhile"),
    107019: ("waiting took too long", "see whether the device still answers, with npu-smi info"),
    207000: ("it is not supported", "see whether this CANN and this chip go together"),
    207001: ("the device has too little memory", _MEMORY),
    207002: ("memory could not be freed", "it is freed when the process ends"),
    207004: ("there is no device", "npu-smi info shows those that are there"),
    207006: ("there is no permission", "the user must be in the group of /dev/davinci*"),
    507000: ("the runtime has an internal error", _KERNEL),
    507014: ("a core of the device timed out", _KERNEL),
    507015: ("a core of the device raised an exception", _KERNEL),
    507017: ("a controller of the device timed out", _KERNEL),
    507018: ("a controller of the device raised an exception", _KERNEL),
    507899: ("the driver has an internal error", _IDS),
    507901: ("the connection to the device is lost", "see whether it is still in npu-smi info"),
}
"""Code of libascendcl to its meaning and what to do."""

HAL_CODES: dict[int, tuple[str, str]] = {
    1: ("there is no device", "npu-smi info shows those that are there"),
    2: ("the device is invalid", _IDS),
    3: ("a value is invalid", "the driver may not know this mapping"),
    4: ("a handle is invalid", "the device may have been reset by somebody else meanwhile"),
    5: ("the memory is of a type that cannot be mapped", "it is copied instead"),
    6: ("there is too little memory", _MEMORY),
    7: ("the driver has an internal error", "dmesg may say more"),
    8: (
        "a parameter is invalid, or an earlier mapping was never given back",
        "end the process that left it; if that does not help, reset the device",
    ),
    9: ("the driver is not initialised", "see whether npu-smi info answers"),
    10: ("the driver was initialised twice", "report it to lanescope, with the driver's version"),
    11: ("it does not exist", "see whether npu-smi info shows the device"),
    13: ("the driver is busy", "try it again"),
    14: ("the driver has no resources left", "end processes that map device memory"),
    16: ("waiting took too long", "see whether the device still answers, with npu-smi info"),
    17: ("the driver refused the call (ioctl)", "dmesg may say more"),
    42: ("the device id is invalid", _IDS),
}
"""Code of the driver (hal) to its meaning and what to do."""


def code_sentence(function: str, code: int) -> str:
    """Return which call failed, with which code, what that means, and what to do."""
    known = HAL_CODES if function.startswith("hal") else ACL_CODES
    meaning, advice = known.get(
        code, ("lanescope does not know this code", "the manual of CANN may have it")
    )
    return f"{function} failed with {code}: {meaning}; {advice}"
