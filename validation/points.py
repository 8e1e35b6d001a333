"""A published point, and what its words mean.

Nothing here knows an id: placement, link, prompt and schedule are read from the columns.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

DEVICES = {
    "h200": r"H200",
    "v100": r"V100",
    "a6000": r"(?<!PRO )\bA6000",
    "t4": r"\bT4\b",
    "a100": r"A100",
}
"""Devices that a board file describes, and how systems name them."""
_MIXTURES = re.compile(
    r"\d+B-A\d|\d+x\d+B|MoE|Mixtral|SmallThinker|DeepSeek-(?:V[23]|R1)|gpt-oss|DBRX|Grok|Arctic|"
    r"Kimi-K|GLM-4\.[5-9]|MiniMax|Llama-4|Qwen3-Next|Jamba|Hunyuan-A|-A\d+(?:\.\d+)?B",
    re.IGNORECASE,
)
"""Names of mixtures of experts."""
_BITS = {"int4": 4.4, "4bit": 4.5, "q4": 4.5, "int8": 8.0, "q8": 8.5, "fp8": 8.0}
_DEFAULT_GENERATED = 32
"""FlexGen's benchmark generates 32 tokens where a point names the prompt only."""


@dataclass(frozen=True)
class Point:
    """One measured rate, and how it came about."""

    id: str
    system: str
    model: str
    kind: str
    source: str
    note: str
    weight_bytes: float
    resident_bytes: float
    batch: int
    measured: float
    """Tokens per second, of one device where several work."""
    given_link_bytes_per_s: float | None
    given_link_source: str
    disk_weight_share: float = 0.0
    disk_kv: bool = False
    kv_host_share: float = 1.0
    """Share of the KV cache that is not on the device, where it is offloaded."""
    problem: str = ""
    """What of the row could not be read."""

    @property
    def text(self) -> str:
        return f"{self.system} {self.kind} {self.note}"

    @property
    def device(self) -> str | None:
        found = (name for name, form in DEVICES.items() if re.search(form, self.system))
        return next(found, None)

    @property
    def links(self) -> int:
        match = re.match(r"(\d+)x .*links", self.system)
        return int(match[1]) if match else 1

    @property
    def prompt_and_generated(self) -> tuple[int, int] | None:
        if match := re.search(r"prompt (\d+) gen (\d+)", self.note):
            return int(match[1]), int(match[2])
        if match := re.search(r"\bs=(\d+)", self.note):
            return int(match[1]), _DEFAULT_GENERATED
        return None

    @property
    def context(self) -> int | None:
        """Tokens in the cache of a sequence, where the point names them."""
        words = f"{self.model} {self.kind} {self.note} {self.system}"
        form = r"\b(?:ctx|context|depth|n_ctx)\s*[= ]\s*(\d+)(k?)\b|@\s*(\d+)(k?) ?ctx"
        if match := re.search(form, words, re.IGNORECASE):
            number, thousands = match[1] or match[3], match[2] or match[4]
            return int(number) * (1024 if thousands else 1)
        lengths = self.prompt_and_generated
        return None if lengths is None else lengths[0] + lengths[1] // 2

    @property
    def software(self) -> str:
        return "FlexGen" if "FlexGen" in self.system + self.source else "other"

    @property
    def medium(self) -> str:
        """Where the weights that stream come from."""
        if self.disk_weight_share > 0:
            return "disk"
        if re.search(r"NVMe|SSD RAID", self.system) and "DRAM" not in self.system:
            return "nvme"
        return "ramdisk" if "ramdisk" in self.system else "cpu"

    @property
    def through_host(self) -> bool:
        """Whether what streams crosses two links: storage to host, host to device."""
        if self.medium == "disk":
            return True
        if self.thrashes or self.engine == " experts":
            return False
        direct = "GDS" in self.text and not re.search(r"AIO|bounce", self.text)
        return self.medium == "nvme" and not direct

    @property
    def engine(self) -> str:
        """Software whose runs cannot calibrate those of others."""
        if self.software == "FlexGen":
            return " FlexGen"
        if self.full_speed is not None or "mmap" in self.text:
            return " experts" if self.is_mixture else " page cache"
        return ""

    @property
    def is_mixture(self) -> bool:
        """Whether the model's name or the point's words say that it is a mixture of experts."""
        return bool(_MIXTURES.search(self.model) or re.search(r"\bMoE\b|expert", self.text))

    @property
    def caches_experts(self) -> bool:
        """Whether it tells of a cache of experts that is not as large as the memory."""
        return self.expert_hits is not None or "expert cache" in self.kind

    @property
    def expert_hits(self) -> float | None:
        """Share of the experts' uses that find them in a cache, where the point tells it."""
        match = re.search(r"hit (?:rate )?(\d+(?:\.\d+)?) ?%", self.kind)
        return float(match[1]) / 100 if match and "without" not in self.kind else None

    @property
    def link(self) -> str:
        """Points with the same name share one bandwidth of what their weights come from."""
        measured = ", measured" if self.measured_link else ""
        return f"{self.device or self.system} {self.medium}{self.engine}{measured}"

    @property
    def host_link(self) -> str:
        """The name of the link from the same host's memory."""
        return f"{self.device or self.system} cpu{self.engine}"

    @property
    def run(self) -> tuple[object, ...]:
        """What makes two points the same run, reported twice."""
        lengths = self.prompt_and_generated if self.offloads_kv else None
        context = None if self.prompt_and_generated else self.context
        size = (self.weight_bytes, self.resident_bytes, self.batch, self.links, context)
        own = (self.system, self.given_link_bytes_per_s) if self.measured_link else ()
        device = self.device or self.system
        hits = (self.expert_hits,)
        return (device, self.link, self.model_name, *size, self.overlaps, lengths, *own, *hits)

    @property
    def model_family(self) -> str:
        """The model's name up to its size: SmallThinker of SmallThinker-21B."""
        return re.split(r"[- ]\d", self.model, maxsplit=1)[0].lower()

    @property
    def model_name(self) -> str:
        """The model without its context."""
        return re.sub(r"\s*@.*", "", self.model)

    @property
    def measured_link(self) -> bool:
        """Whether the bandwidth was measured beside the point, or its author states his machine's.

        A data sheet's figure is neither: nobody saw this link reach it.
        """
        given = self.given_link_bytes_per_s is not None
        return given and bool(re.search(r"measured|fitted|author", self.given_link_source))

    @property
    def offloads_kv(self) -> bool:
        if "no KV offload" in self.text:
            return False
        if "resident" in self.note and "block schedule" in self.kind:
            return False
        return bool(
            re.search(
                r"KV offload|\(\+KV\)|block schedule|kv on host|nkvo", self.text, re.IGNORECASE
            )
        )

    @property
    def overlaps(self) -> bool:
        """Whether copies run beside compute; a page that is missing or an expert stops it."""
        return not re.search(r"no.prefetch|serial|mmap|capacity-limited|layer swap", self.text)

    @property
    def thrashes(self) -> bool:
        """The kernel's page cache keeps what was used last: a cyclic scan then hits nothing."""
        return self.engine == " page cache"

    @property
    def full_speed(self) -> float | None:
        """Tokens per second with all in memory, where the point tells it."""
        match = re.search(r"full-memory speed ([\d.]+)", self.kind)
        return float(match[1]) if match else None

    @property
    def active_share(self) -> float | None:
        """Share of the weights that a token uses: from names like 30B-A3B; None: not told."""
        if not self.is_mixture:
            return 1.0
        if match := re.search(r"(\d+(?:\.\d+)?)B-A(\d+(?:\.\d+)?)B", self.model):
            total, active = float(match[1]), float(match[2])
            return active / total if 0 < active <= total else None
        return None

    @property
    def is_packed(self) -> bool:
        """Whether weights must be unpacked to be multiplied: fewer than 8 bits each."""
        return self.weight_bits < 8

    @property
    def weight_bits(self) -> float:
        lower = self.model.lower()
        return next((bits for name, bits in _BITS.items() if name in lower), 16)

    @property
    def family(self) -> str:
        """The group that a point is shown in."""
        if self.caches_experts or (self.full_speed is not None and self.is_mixture):
            return "experts over the link"
        if self.weight_bytes and self.resident_bytes >= self.weight_bytes:
            return "KV on host" if self.offloads_kv else "resident"
        if self.full_speed is not None or "mmap" in self.kind or "layer swap" in self.kind:
            return "small memory"
        if self.links > 1 or "parallel links" in self.kind:
            return "parallel links"
        if "block schedule" in self.kind:
            return "block schedule"
        if self.offloads_kv:
            return "weight streaming with KV"
        if self.through_host:
            return "weight streaming from storage"
        return "partial residency" if 0 < self.resident_bytes else "weight streaming"
