"""The memory models on small manifests whose costs are added up by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lanescope.errors import LanescopeError, UsageError
from lanescope.model.manifest import Manifest, ManifestError, ManifestRegion
from lanescope.model.memory import Access, Charge, MemoryModel, MemorySystem, Piece
from lanescope.model.memory.statistics import HostStatistics
from lanescope.model.memory.timing import Service

GB = 1_000_000_000
# Link: 1 GB/s = 1000 ps per byte. Memory: 10 GB/s = 100 ps per byte after 5 ns.
MEMORY = Service(10 * GB, latency_ps=5000)
THREE = Manifest(
    (
        ManifestRegion(0, 0, 1000, "weight"),
        ManifestRegion(1, 1000, 1000, "weight"),
        ManifestRegion(0, 2000, 600, "kv"),
        ManifestRegion(1, 2600, 600, "kv"),
        ManifestRegion(0, 3200, 100, "activation"),
    )
)


def model(name: str, **given: object) -> MemorySystem:
    settings: dict[str, object] = {"manifest": THREE, "link": GB, **given}
    return MemoryModel(name, MEMORY, **settings).build()  # type: ignore[arg-type]


def host(memory: MemorySystem) -> HostStatistics:
    assert memory.statistics.host is not None
    return memory.statistics.host


def read(memory: MemorySystem, address: int, size: int) -> Charge:
    return memory.read([Piece(address, size)])


def test_hbm_costs_latency_and_bytes_and_nothing_else() -> None:
    memory = MemoryModel("hbm", MEMORY).build()
    assert read(memory, 0, 1000) == Charge(0, 105_000, 105_000)
    counts = memory.statistics
    assert (counts.read_bytes, counts.accesses, counts.host) == (1000, 1, None)


@given(st.lists(st.tuples(st.integers(0, 4000), st.integers(1, 500)), max_size=20))
def test_hbm_is_the_timing_alone_whatever_else_is_given(accesses: list[tuple[int, int]]) -> None:
    plain, dressed = MemoryModel("hbm", MEMORY).build(), model("hbm", capacity_bytes=1)
    for address, size in accesses:
        charge = read(plain, address, size)
        assert charge == read(dressed, address, size)
        assert charge.total_ps == MEMORY.read_ps([Piece(address, size)], None)
    assert plain.statistics == dressed.statistics


def test_a_weight_that_streams_pays_the_link_and_not_the_memory() -> None:
    # The peer also charges the memory's read for the same bytes.
    memory = model("host-stream")
    assert read(memory, 0, 64) == Charge(64_000, 0, 64_000)
    assert read(memory, 3200, 64) == Charge(0, 11_400, 11_400)
    counts = host(memory)
    assert counts.streamed_bytes == 64
    assert (counts.weight_reads, counts.weight_bytes) == (1, 64)
    assert (counts.activation_reads, counts.activation_bytes) == (1, 64)


def test_link_and_memory_work_at_once_for_one_access() -> None:
    # 1000 bytes of weight over the link, 100 of activation from memory: the longer of both.
    memory = model("host-stream")
    charge = memory.read([Piece(0, 1000), Piece(3200, 100)])
    assert charge == Charge(1_000_000, 15_000, 1_000_000)


def test_layer_swap_loads_a_layer_once_and_then_hits() -> None:
    # Layer 0: 1000 + 600 + 100 bytes.
    memory = model("layer-swap", capacity_bytes=1700)
    assert read(memory, 0, 64) == Charge(1_700_000, 11_400, 1_711_400)
    assert read(memory, 2000, 64) == Charge(0, 11_400, 11_400)
    # Layer 1 (1600 bytes) pushes it out; then it must come again.
    assert read(memory, 1000, 64).link_ps == 1_600_000
    assert read(memory, 0, 64).link_ps == 1_700_000
    counts = host(memory)
    assert (counts.swaps, counts.hits, counts.swapped_bytes) == (3, 1, 5000)
    assert counts.swap_ps == 5_000_000


def test_a_layer_larger_than_capacity_warns_and_reloads_on_every_access() -> None:
    asked = MemoryModel("layer-swap", MEMORY, manifest=THREE, capacity_bytes=1650, link=GB)
    assert asked.warnings() == [
        "layer 0 has 1,700 bytes, more than the capacity of 1,650: it is reloaded on every access"
    ]
    memory = asked.build()
    assert [read(memory, 0, 64).link_ps for _ in range(3)] == [1_700_000] * 3
    # Layer 1 fits; the oversized one passes through the memory and pushes it out.
    assert [read(memory, 1000, 64).link_ps for _ in range(2)] == [1_600_000, 0]
    assert read(memory, 0, 64).link_ps == 1_700_000
    assert read(memory, 1000, 64).link_ps == 1_600_000
    assert host(memory).resident_bytes <= 1650


def test_kv_that_does_not_fit_beside_streaming_weights_is_said() -> None:
    asked = MemoryModel("weight-stream", MEMORY, manifest=THREE, capacity_bytes=1299, link=GB)
    (warning,) = asked.warnings()
    assert warning.startswith("KV cache and activations have 1,300 bytes, more than the capacity")


def test_a_prefetch_costs_its_bytes_and_no_rounded_constant() -> None:
    # The peer's board charges 400 and 25 cycles of 10 ns for 4096 and 256 bytes at 1 GB/s.
    memory = MemoryModel("hbm", Service(GB)).build()
    assert read(memory, 0, 4096).total_ps == 4_096_000
    assert read(memory, 0, 256).total_ps == 256_000


def test_a_memory_slower_than_the_link_bounds_the_swap() -> None:
    slow = MemoryModel(
        "layer-swap", Service(GB // 2), manifest=THREE, capacity_bytes=4000, link=GB
    ).build()
    # 1700 bytes: 1.7 µs on the link, 3.4 µs into the memory, both at once; then 64 bytes out.
    assert read(slow, 0, 64) == Charge(1_700_000, 128_000, 3_400_000 + 128_000)


def test_kv_swap_leaves_weights_and_activations_alone() -> None:
    # 2000 weights + 100 activations + room for one KV region of 600.
    memory = model("kv-swap", capacity_bytes=2700)
    # The peer swaps activations, too.
    assert read(memory, 3200, 64).link_ps == 0
    assert read(memory, 0, 64).link_ps == 0
    assert read(memory, 2000, 64).link_ps == 600_000
    assert read(memory, 2600, 64).link_ps == 600_000


@pytest.mark.parametrize(("capacity", "again_ps"), [(3299, 600_000), (3300, 0)])
def test_kv_has_what_weights_and_activations_leave(capacity: int, again_ps: int) -> None:
    """2000 and 100 bytes beside two KV regions of 600."""
    memory = model("kv-swap", capacity_bytes=capacity)
    charges = [read(memory, address, 64).link_ps for address in (2000, 2600, 2000)]
    assert charges == [600_000, 600_000, again_ps]


def test_evicting_written_kv_costs_the_way_back() -> None:
    # The peer's eviction is free and its writes never touch the link.
    memory = model("kv-swap", capacity_bytes=2700)
    assert memory.write([Piece(2000, 64)]).link_ps == 600_000
    assert read(memory, 2600, 64).link_ps == 1_200_000
    assert read(memory, 2000, 64).link_ps == 600_000
    assert host(memory).written_back_bytes == 600


def test_activations_that_do_not_fit_beside_the_weights_swap_with_kv() -> None:
    memory = model("kv-swap", capacity_bytes=2050)
    assert read(memory, 3200, 64).link_ps == 100_000


def test_weights_that_do_not_fit_stay_in_part() -> None:
    # 3200 less 1200 of KV and 100 of activations: 1900 of the 2000 weight bytes are resident.
    memory = model("weight-stream", capacity_bytes=3200)
    assert read(memory, 0, 1000).link_ps == 0
    # Bytes 900 to 999 of the second region stream, the rest is read beside them.
    assert read(memory, 1000, 1000) == Charge(100_000, 95_000, 100_000)
    assert host(memory).streamed_bytes == 100


@given(st.integers(1, 3400))
def test_a_pass_changes_by_one_byte_per_byte_of_capacity(capacity: int) -> None:
    def pass_ps(capacity_bytes: int) -> int:
        memory = model("weight-stream", capacity_bytes=capacity_bytes)
        return read(memory, 0, 2000).link_ps

    assert 0 <= pass_ps(capacity) - pass_ps(capacity + 1) <= 1000
    assert pass_ps(3300) == 0
    assert pass_ps(3299) == 1000


def test_auto_takes_the_regime_and_says_which() -> None:
    regimes = {3300: "resident", 3299: "kv-swap", 2000: "kv-swap", 1999: "weight-stream"}
    for capacity, regime in regimes.items():
        memory = model("auto", capacity_bytes=capacity)
        assert memory.statistics.model == f"auto → {regime}"


def test_resident_is_refused_when_it_does_not_fit() -> None:
    # The peer takes the word for it.
    model("resident", capacity_bytes=3300)
    with pytest.raises(UsageError, match=r"regions of at most 3,299 bytes, found 3,300"):
        model("resident", capacity_bytes=3299)


def test_the_flag_goes_before_the_manifest() -> None:
    # In the peer the manifest's capacity cannot be overridden.
    manifest = Manifest(THREE.regions, capacity_bytes=1)
    memory = model("auto", manifest=manifest, capacity_bytes=3300)
    assert memory.statistics.model == "auto → resident"
    assert model("auto", manifest=manifest).statistics.model == "auto → weight-stream"


def test_bytes_outside_the_manifest_are_in_memory_and_counted() -> None:
    memory = model("host-stream")
    assert read(memory, 3290, 20) == Charge(0, 7000, 7000)
    assert host(memory).unlisted_bytes == 10


def test_belady_is_told_the_accesses() -> None:
    asked = MemoryModel(
        "layer-swap", MEMORY, manifest=THREE, capacity_bytes=1700, link=GB, policy="belady"
    )
    trace = [Access([Piece(0, 64)]), Access([Piece(1000, 64)]), Access([Piece(0, 64)])]
    memory = asked.build(trace)
    # Layer 1 is never used again: it passes, and layer 0 stays.
    assert [memory.read(one.pieces).link_ps for one in trace] == [1_700_000, 1_600_000, 0]


NAMES = ("layer-swap", "host-stream", "auto", "kv-swap", "weight-stream", "resident", "hbm")


@pytest.mark.parametrize("name", NAMES)
def test_statistics_have_the_same_words_for_every_model(name: str) -> None:
    memory = model(name, capacity_bytes=4000)
    charge = read(memory, 0, 640)
    found = memory.statistics.to_dict(charge.total_ps)
    assert found["read_bytes"] == 640
    assert found["total_ps"] == charge.total_ps
    assert found.keys() == MemoryModel("hbm", Service(10**9)).build().statistics.to_dict(1).keys()
    lines = memory.statistics.lines(charge.total_ps)
    # An outer model's lines stand behind its inner one's.
    assert lines[0].startswith("memory (10 GB/s + 5 ns): read 640 bytes, written 0 bytes in 1 ")
    assert len(lines) == (1 if found["host"] is None else 4)
    assert (found["host"] is None) == (name in ("hbm", "resident", "auto"))


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("auto", {"capacity_bytes": 0}, r"capacity \(bytes\): expected more than 0, found 0"),
        ("auto", {"capacity_bytes": -5}, r"capacity \(bytes\): expected more than 0, found -5"),
        ("auto", {}, "memory model auto needs a capacity"),
        ("host-stream", {"link": 0}, r"host bandwidth \(bytes/s\): expected more than 0"),
        ("host-stream", {"link": None}, "needs the host's bandwidth"),
        ("layer-swap", {"manifest": None}, "memory model layer-swap needs a manifest"),
        ("kv-swap", {"capacity_bytes": 1999}, "expected weights of at most 1,999 bytes"),
        ("hbm", {"policy": "lru"}, "keeps nothing to choose from"),
        ("layer-swap", {"policy": "mru", "capacity_bytes": 1}, "expected a policy"),
        ("dram", {}, r"expected a memory model \(hbm, layer-swap"),
        ("auto", {"capacity_bytes": 9, "memory_bytes": 3299}, "within the memory of 3,299 bytes"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence(
    name: str, given: dict[str, object], sentence: str
) -> None:
    with pytest.raises(LanescopeError, match=sentence):
        model(name, **given)


@pytest.mark.parametrize(
    ("regions", "sentence"),
    [
        ((), "expected at least one region, found none"),
        (
            (ManifestRegion(0, 0, 10, "weight"), ManifestRegion(0, 9, 5, "kv")),
            "regions that do not overlap",
        ),
        ((ManifestRegion(0, 0, 10, "cache"),), r"expected a kind \(weight, kv, activation\)"),
        ((ManifestRegion(0, 0, 0, "weight"),), "expected a size above 0"),
        ((ManifestRegion(0, -1, 5, "weight"),), "expected a size above 0 and no negative offset"),
    ],
)
def test_manifests_that_cannot_be_are_refused(
    regions: tuple[ManifestRegion, ...], sentence: str
) -> None:
    with pytest.raises(ManifestError, match=sentence):
        Manifest(regions)


def test_a_lookup_does_not_walk_the_regions() -> None:
    # The peer scans all regions for every 64 bytes: here, 100 million steps.
    regions = tuple(ManifestRegion(n, n * 100, 64, "weight") for n in range(100_000))
    manifest = Manifest(regions)
    for n in range(0, 100_000, 100):
        assert manifest.find(n * 100 + 63) == n
        assert manifest.find(n * 100 + 64) is None
