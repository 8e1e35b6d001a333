"""What a caller asks a runtime to record, in one object; C has it as ls_call_config."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from lanescope.device.flags import closed, level_features, read_level
from lanescope.device.head import ON_FULL, Array
from lanescope.device.layouts import constant, layout
from lanescope.errors import InputError, UsageError
from lanescope.trace.flags import Feature, flags_level

_STRUCT = "ls_call_config"
_FEATURES = {
    "core_swimlane": Feature.CORE_SWIMLANE,
    "pmu": Feature.PMU,
    "dump_tensors": Feature.DUMP_TENSOR,
}
"""Field to the feature that it asks for."""
_VARIABLES = {
    "capture": "LANESCOPE_CAPTURE",
    "buffer_records": "LANESCOPE_BUFFER_RECORDS",
    "buffers": "LANESCOPE_BUFFERS",
    "pmu_group": "LANESCOPE_PMU_GROUP",
    "dump_select": "LANESCOPE_DUMP_SELECT",
    "dump_limit": "LANESCOPE_DUMP_LIMIT",
    "dump_total": "LANESCOPE_DUMP_TOTAL",
    "tensors": "LANESCOPE_TENSORS",
    "deps": "LANESCOPE_DEPS",
}
"""Field to the variable of the environment that carries it, where it is not empty or 0."""
_EVENTS = "LANESCOPE_PMU_EVENTS"
_TEXTS = {
    "dump_select": "LS_CALL_SELECT",
    "capture": "LS_CALL_PATH",
    "tensors": "LS_CALL_PATH",
    "deps": "LS_CALL_PATH",
}
"""Field with a text to the constant that says how many bytes it has, the 0 at its end included."""
_NUMBERS = {
    "buffer_records": ("buffer_records", "LS_MOST_RECORDS"),
    "buffers": ("buffer_count", "LS_MOST_BUFFERS"),
}


@dataclass(frozen=True, kw_only=True)
class CallConfig:
    """What a runtime is asked to record: level, features, buffers, limits and paths.

    A runtime takes it as bytes (`to_bytes`, an ls_call_config of lanescope/call_config.h) or from
    its environment (`environment`, which ls_region_from_environment() of lanescope/file.h reads).

    Examples:
        >>> import lanescope
        >>> call = lanescope.CallConfig(chip_swimlane=True, pmu=True)
        >>> call.chip_swimlane, call.environment()["LANESCOPE_FLAGS"]
        (4, '87')
        >>> lanescope.CallConfig.from_bytes(call.to_bytes()) == call
        True
    """

    chip_swimlane: int = 4
    """The level, 0 to 4. True is 4, and False is 0."""
    core_swimlane: bool = False
    """Whether trace engines are drained: what happens inside cores."""
    pmu: bool = False
    """Whether hardware counters are sampled per task."""
    pmu_group: int = 0
    """Number of the group of hardware events; 0 where none was chosen."""
    pmu_events: tuple[int, ...] = ()
    """What the selector of each counter is set to; empty: the runtime chooses."""
    dump_tensors: bool = False
    """Whether tensors are dumped."""
    dump_select: str = ""
    """Which tensors: functions, tasks, arguments, stages, such as `add,17,20-30,arg1,outputs`."""
    dump_limit: int = 1 << 20
    """Most bytes of one tensor."""
    dump_total: int = 1 << 30
    """Most bytes of all tensors."""
    on_full: str = "block"
    """Without a free buffer a producer waits (`block`) or drops and counts (`drop`)."""
    buffer_records: int = 0
    """Number of records in a buffer; 0: the runtime chooses."""
    buffers: int = 0
    """Number of buffers of a lane; 0: the runtime chooses."""
    capture: str = ""
    """Directory in which processes make their regions; empty: none."""
    tensors: str = ""
    """Folder of the dump, for a runtime that writes it by itself."""
    deps: str = ""
    """File for the task graph, for a runtime that writes it by itself."""

    def __post_init__(self) -> None:
        """Turn booleans into levels, and refuse what no runtime could do.

        Raises:
            UsageError: a value cannot be.
        """
        object.__setattr__(self, "chip_swimlane", read_level(self.chip_swimlane))
        if self.on_full not in ON_FULL:
            raise UsageError(f"expected on-full {' or '.join(ON_FULL)}, found {self.on_full!r}")
        for name, (_, most) in _NUMBERS.items():
            if not 0 <= getattr(self, name) <= constant(most):
                raise UsageError(
                    f"expected {name} from 0 to {constant(most)}, found {getattr(self, name)}"
                )
        if len(self.pmu_events) > constant("LS_PMU_COUNTERS"):
            raise UsageError(
                f"a core has {constant('LS_PMU_COUNTERS')} counters at most, found "
                f"{len(self.pmu_events)} events"
            )
        for name, most in _TEXTS.items():
            text = getattr(self, name)
            if len(text.encode()) >= constant(most) or "\0" in text:
                raise UsageError(
                    f"expected {name} of less than {constant(most)} bytes, found {text[:40]!r}…"
                )

    @property
    def flags(self) -> Feature:
        """The features that are asked for, one bit each, with those that they imply."""
        flags = level_features(self.chip_swimlane)
        for name, feature in _FEATURES.items():
            flags |= feature if getattr(self, name) else Feature(0)
        return closed(int(flags))

    def to_bytes(self) -> bytes:
        """Return the object as ls_call_config."""
        packed: Array = np.zeros(1, layout(_STRUCT))
        call = packed[0]
        call["magic"], call["version"] = constant("LS_CALL_MAGIC"), constant("LS_CALL_VERSION")
        call["bytes"] = layout(_STRUCT).itemsize
        call["flags"], call["level"] = int(self.flags), flags_level(self.flags)
        call["on_full"] = ON_FULL.index(self.on_full)
        for name, (field, _) in _NUMBERS.items():
            call[field] = getattr(self, name)
        call["pmu_group"], call["pmu_count"] = self.pmu_group, len(self.pmu_events)
        call["pmu_events"][: len(self.pmu_events)] = self.pmu_events
        call["tensor_bytes"], call["total_bytes"] = self.dump_limit, self.dump_total
        for name in _TEXTS:
            call[name] = getattr(self, name).encode()
        return packed.tobytes()

    @staticmethod
    def from_bytes(data: bytes) -> CallConfig:
        """Return the object of an ls_call_config.

        Raises:
            InputError: the bytes are none, or of another version.
        """
        struct = layout(_STRUCT)
        if len(data) != struct.itemsize:
            raise InputError("CallConfig", f"expected {struct.itemsize} bytes, found {len(data)}")
        call = np.frombuffer(data, struct)[0]
        if int(call["magic"]) != constant("LS_CALL_MAGIC"):
            raise InputError("CallConfig", "the first 8 bytes are not LLCONFIG")
        if int(call["version"]) != constant("LS_CALL_VERSION"):
            raise InputError(
                "CallConfig",
                f"it is of version {call['version']}, this lanescope knows version "
                f"{constant('LS_CALL_VERSION')}",
            )
        flags = closed(int(call["flags"]))
        if int(call["on_full"]) >= len(ON_FULL):
            raise InputError("CallConfig", f"{call['on_full']} is neither block nor drop")
        values: dict[str, Any] = {
            **{name: bool(flags & feature) for name, feature in _FEATURES.items()},
            **{name: int(call[field]) for name, (field, _) in _NUMBERS.items()},
            **{name: call[name].decode("utf-8", "replace") for name in _TEXTS},
        }
        return CallConfig(
            chip_swimlane=flags_level(flags),
            pmu_group=int(call["pmu_group"]),
            pmu_events=tuple(call["pmu_events"][: int(call["pmu_count"])].tolist()),
            dump_limit=int(call["tensor_bytes"]),
            dump_total=int(call["total_bytes"]),
            on_full=ON_FULL[int(call["on_full"])],
            **values,
        )

    @staticmethod
    def variables() -> frozenset[str]:
        """Return the names of all variables of the environment that carry a CallConfig."""
        more = ("LANESCOPE_FLAGS", "LANESCOPE_ON_FULL", _EVENTS)
        return frozenset((*_VARIABLES.values(), *more))

    def environment(self) -> Mapping[str, str]:
        """Return the variables that say the same to ls_call_from_environment()."""
        texts = {
            variable: str(value)
            for name, variable in _VARIABLES.items()
            if (value := getattr(self, name)) or name in ("dump_limit", "dump_total")
        }
        events = {_EVENTS: ",".join(map(str, self.pmu_events))}
        return {
            **texts,
            **(events if self.pmu_events else {}),
            "LANESCOPE_FLAGS": str(int(self.flags)),
            "LANESCOPE_ON_FULL": self.on_full,
        }
