"""The memory models by name, all made of the same parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lanescope.errors import UsageError
from lanescope.model.manifest.manifest import Manifest, check_inside
from lanescope.model.memory.access import Access
from lanescope.model.memory.link import AnyLink, ExactLink, positive
from lanescope.model.memory.placement import Placement, layer_unit, region_unit
from lanescope.model.memory.policies import POLICIES, Pinned, make_policy
from lanescope.model.memory.regime import choose_regime
from lanescope.model.memory.statistics import HostStatistics, Statistics
from lanescope.model.memory.system import HostSide, MemorySystem
from lanescope.model.memory.timing import Timing

MODELS = ("hbm", "layer-swap", "host-stream", "auto", "resident", "kv-swap", "weight-stream")
_ALL = frozenset({"weight", "kv", "activation"})
_WEIGHTS = frozenset({"weight"})


@dataclass(frozen=True)
class MemoryModel:
    """A memory as it was asked for; `build` makes one that charges accesses."""

    name: str
    timing: Timing
    manifest: Manifest | None = None
    capacity_bytes: int | None = None
    link: AnyLink | int | None = None
    """A link, or the bytes/s of an exact link."""
    policy: str | None = None
    memory_bytes: int | None = None
    """Bytes that programs can address, where that is known: no region may end beyond them."""

    @property
    def needs_future(self) -> bool:
        """Whether `build` must be given the accesses to come."""
        return self.policy == "belady"

    def regime(self) -> str:
        """The model that `auto` stands for; any other model is itself."""
        if self.name != "auto":
            return self.name
        manifest, capacity = self._manifest(), self._capacity()
        return choose_regime(manifest.footprint(), capacity)

    def warnings(self) -> list[str]:
        """What can never be resident, a sentence each."""
        if self.regime() == "weight-stream":
            footprint, capacity = self._manifest().footprint(), self._capacity()
            beside = footprint.kv + footprint.activation
            return (
                []
                if beside <= capacity
                else [
                    f"KV cache and activations have {beside:,} bytes, more than the capacity of "
                    f"{capacity:,}: they are charged as if they fitted"
                ]
            )
        if self.name != "layer-swap":
            return []
        placement, capacity = self._placement("layer-swap"), self._capacity()
        return [
            f"layer {unit} has {size:,} bytes, more than the capacity of {capacity:,}: "
            "it is reloaded on every access"
            for unit, size in placement.sizes.items()
            if size > capacity and self.policy in (None, "fifo", "lru")
        ]

    def build(self, accesses: Sequence[Access] | None = None) -> MemorySystem:
        """Make the memory before its first access; only belady needs the accesses to come."""
        self._check()
        name = self.regime()
        label = name if self.name == name else f"{self.name} → {name}"
        counts = Statistics(model=label, timing=self.timing.name)
        if name == "hbm":
            return MemorySystem(counts, self.timing.fresh())
        if self.memory_bytes is not None:
            check_inside(self._manifest(), self.memory_bytes)
        if name == "resident":
            self._check_resident()
            return MemorySystem(counts, self.timing.fresh())
        host = self._host(name, accesses)
        counts.host = host.statistics
        return MemorySystem(counts, self.timing.fresh(), host)

    def _check(self) -> None:
        if self.name not in MODELS:
            raise UsageError(f"expected a memory model ({', '.join(MODELS)}), found {self.name!r}")
        if self.policy is not None and self.policy not in POLICIES:
            raise UsageError(f"expected a policy ({', '.join(POLICIES)}), found {self.policy!r}")
        if self.policy is not None and self.name in ("hbm", "resident", "host-stream"):
            raise UsageError(
                f"memory model {self.name} keeps nothing to choose from; leave --policy away"
            )

    def _check_resident(self) -> None:
        """Raise a UsageError where not everything fits."""
        total, capacity = self._manifest().footprint().total, self._capacity()
        if total > capacity:
            raise UsageError(
                f"memory model resident: expected regions of at most {capacity:,} bytes, found "
                f"{total:,}; choose auto, kv-swap or weight-stream, or give more --capacity"
            )

    def _host(self, name: str, accesses: Sequence[Access] | None) -> HostSide:
        placement = self._placement(name)
        free = self._free_bytes(name)
        future = None
        if accesses is not None:
            future = [unit for access in accesses for unit in placement.units(access.pieces)]
        known = future if self._policy(name) == "belady" else None
        policy = make_policy(self._policy(name), free, placement.sizes, future=known)
        if name in ("host-stream", "weight-stream") and isinstance(policy, Pinned):
            policy.load_all()
        link = self._link()
        counts = HostStatistics(
            self._policy(name),
            link.bytes_per_s,
            None if name == "host-stream" else self._capacity(),
            resident_bytes=policy.resident_bytes,
        )
        return HostSide(placement, policy, link, counts)

    def _policy(self, name: str) -> str:
        default = {"layer-swap": "lru", "kv-swap": "lru"}.get(name, "pinned")
        return self.policy or default

    def _placement(self, name: str) -> Placement:
        """What may move: whole layers, KV regions, or weights region by region."""
        kinds = {"layer-swap": _ALL, "kv-swap": self._swapped_kinds()}.get(name, _WEIGHTS)
        unit_of = layer_unit if name == "layer-swap" else region_unit
        return Placement(self._manifest(), kinds=kinds, unit_of=unit_of)

    def _swapped_kinds(self) -> frozenset[str]:
        """The kinds that move: KV, and activations where they do not fit beside the weights."""
        footprint = self._manifest().footprint()
        if self.name in ("auto", "kv-swap"):
            fits = footprint.weight + footprint.activation <= self._capacity()
            return frozenset({"kv"}) if fits else frozenset({"kv", "activation"})
        return frozenset({"kv"})

    def _free_bytes(self, name: str) -> int:
        """Bytes of the memory that are left for the units that may move."""
        footprint = self._manifest().footprint()
        if name == "host-stream":
            return 0
        capacity = self._capacity()
        if name == "layer-swap":
            return capacity
        if name == "weight-stream":
            return max(0, capacity - footprint.kv - footprint.activation)
        if footprint.weight > capacity:
            raise UsageError(
                f"memory model kv-swap: expected weights of at most {capacity:,} bytes, found "
                f"{footprint.weight:,}; choose weight-stream, or give more --capacity"
            )
        beside = footprint.activation if "activation" not in self._swapped_kinds() else 0
        return capacity - footprint.weight - beside

    def _manifest(self) -> Manifest:
        if self.manifest is None:
            raise UsageError(
                f"memory model {self.name} needs a manifest; give --weight-manifest FILE "
                "('lanescope manifest' makes one)"
            )
        return self.manifest

    def _capacity(self) -> int:
        capacity = self.capacity_bytes
        if capacity is None and self.manifest is not None:
            capacity = self.manifest.capacity_bytes
        if capacity is None:
            raise UsageError(f"memory model {self.name} needs a capacity; give --capacity SIZE")
        return positive("capacity (bytes)", capacity)

    def _link(self) -> AnyLink:
        if self.link is None:
            raise UsageError(
                f"memory model {self.name} needs the host's bandwidth; give --host-bandwidth RATE"
            )
        return ExactLink(self.link) if isinstance(self.link, int) else self.link.fresh()
