"""Published points as they are in the file, and what their words mean.

Nothing here knows an id: placement, link, prompt and schedule are read from the columns.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass, replace
from pathlib import Path

DEVICES = {
    "H200": r"H200",
    "V100": r"V100",
    "A6000": r"A6000",
    "T4": r"\bT4\b",
    "A100": r"A100",
}
_BITS = {"int4": 4.4, "4bit": 4.5, "q4": 4.5, "int8": 8.5, "q8": 8.5, "fp16": 16, "bf16": 16}
COLUMNS = tuple(
    "id system model weights_GB resident_GB batch link_GBps link_src measured unit kind source "
    "note".split()
)
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
    def link(self) -> str:
        """Points with the same name share one bandwidth."""
        if self.measured_link:
            return f"{self.device or self.system} {self.medium}, measured"
        place = f"{self.device or self.system} {self.medium}"
        return f"{place} FlexGen" if self.software == "FlexGen" else place

    @property
    def run(self) -> tuple[object, ...]:
        """What makes two points the same run, reported twice."""
        lengths = self.prompt_and_generated if self.offloads_kv else None
        size = (self.weight_bytes, self.resident_bytes, self.batch, self.links)
        own = (self.system, self.given_link_bytes_per_s) if self.measured_link else ()
        return (self.link, self.model, *size, self.overlaps, lengths, *own)

    @property
    def measured_link(self) -> bool:
        """Whether the link's bandwidth was measured beside the point: nothing to calibrate."""
        given = self.given_link_bytes_per_s is not None
        return given and bool(re.search(r"measured|fitted", self.given_link_source))

    @property
    def memory_bytes_per_s(self) -> float | None:
        """A resident point's column of bandwidth is that of its own memory."""
        return self.given_link_bytes_per_s if self.family == "resident" else None

    @property
    def offloads_kv(self) -> bool:
        if "no KV offload" in self.text:
            return False
        return bool(re.search(r"KV offload|\(\+KV\)|block schedule", self.text))

    @property
    def overlaps(self) -> bool:
        return not re.search(r"no.prefetch|serial", self.text)

    @property
    def thrashes(self) -> bool:
        """The kernel's page cache keeps what was used last: a cyclic scan then hits nothing."""
        return "mmap" in self.text or (self.full_speed is not None and self.active_share == 1.0)

    @property
    def full_speed(self) -> float | None:
        """Tokens per second with all in memory, where the point tells it."""
        match = re.search(r"full-memory speed ([\d.]+)", self.kind)
        return float(match[1]) if match else None

    @property
    def active_share(self) -> float:
        """Share of the weights that a token uses: below 1 for mixtures of experts."""
        if match := re.search(r"SmallThinker-(\d+)B", self.model):
            return {21: 3 / 21, 4: 0.6 / 4}.get(int(match[1]), 1.0)
        return 1.0

    @property
    def weight_bits(self) -> float:
        lower = self.model.lower()
        return next((bits for name, bits in _BITS.items() if name in lower), 16)

    @property
    def family(self) -> str:
        """The group whose errors belong together."""
        if self.weight_bytes and self.resident_bytes >= self.weight_bytes:
            return "KV on host" if "kv on host" in self.kind else "resident"
        if "expert cache" in self.kind:
            return "expert cache"
        if self.links > 1 or "parallel links" in self.kind:
            return "parallel links"
        if "block schedule" in self.kind:
            return "block schedule"
        if self.full_speed is not None or "mmap" in self.kind or "layer swap" in self.kind:
            return "small memory"
        if self.offloads_kv:
            return "weight streaming with KV"
        return "partial residency" if 0 < self.resident_bytes else "weight streaming"


def read_points(path: Path) -> list[Point]:
    """The file's points in order; a point without a placement of its own takes its neighbour's."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    points: list[Point] = []
    for row in rows:
        before = points[-1] if points else None
        if row["system"].startswith("same,") and before is not None:
            row["system"] = before.system + row["system"].removeprefix("same")
            row["note"] = f"{row['note']}; same setting: {before.note}"
        points.append(_placed(_point(row), before))
    return points


_UNITS = {"tok/s": 1.0, "tok/s/GPU": 1.0, "tokens/s": 1.0}
_TIMES = {"s/tok": 1.0, "s/token": 1.0, "ms/tok": 1e-3, "ms/token": 1e-3}


def _measured(row: dict[str, str]) -> float:
    """Tokens per second; a time per token is turned round."""
    value, unit = float(row["measured"]), row["unit"].strip()
    if unit in _TIMES:
        return 1 / (value * _TIMES[unit])
    if unit in _UNITS or not unit:
        return value
    raise ValueError(f"its unit {unit!r} is not known")


def _point(row: dict[str, str]) -> Point:
    try:
        return _read(row)
    except (ValueError, ZeroDivisionError, KeyError, TypeError) as error:
        problem = f"its row cannot be read ({error})"
        numbers = {"weights_GB": "0", "resident_GB": "0", "batch": "1", "measured": "1"}
        readable = {**dict.fromkeys(COLUMNS, ""), **row, **numbers, "link_GBps": "", "unit": ""}
        return replace(_read(readable), problem=problem)


def _read(row: dict[str, str]) -> Point:
    given = row["link_GBps"].strip()
    return Point(
        id=row["id"],
        system=row["system"],
        model=row["model"],
        kind=row["kind"],
        source=row["source"],
        note=row["note"] or "",
        weight_bytes=float(row["weights_GB"] or 0) * 1e9,
        resident_bytes=float(row["resident_GB"] or 0) * 1e9,
        batch=int(row["batch"]),
        measured=_measured(row),
        given_link_bytes_per_s=float(given) * 1e9 if given else None,
        given_link_source=row["link_src"] or "",
    )


def _placed(point: Point, before: Point | None) -> Point:
    """FlexGen's percentages: weights, cache, activations on GPU and CPU; the rest is on disk."""
    if "block schedule" not in point.kind or "resident" in point.note or "all CPU" in point.note:
        return point
    if match := re.search(r"(\d+) (\d+) (\d+) (\d+) \d+ \d+", point.note):
        gpu, cpu, kv_gpu, kv_cpu = (int(match[n]) for n in (1, 2, 3, 4))
        return replace(point, disk_weight_share=1 - (gpu + cpu) / 100, disk_kv=kv_gpu + kv_cpu == 0)
    same = before is not None and (before.system, before.model) == (point.system, point.model)
    if same and before is not None:
        return replace(point, disk_weight_share=before.disk_weight_share, disk_kv=before.disk_kv)
    return point
