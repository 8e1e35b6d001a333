"""Chips as data: the built-in ones, and every way in which a file can be wrong."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from lanescope.errors import InputError, UsageError
from lanescope.platforms.sim.chip import Provenance, built_in_chips, load_chip, values_of
from lanescope.platforms.sim.chip_file import built_in_file

DOCUMENT = re.compile(r"PR #\d+|\.md\b|\.py\b|\.[hc]pp\b|\.h\b|README|simpler src/\w+:")
A2A3 = Path(str(built_in_file("a2a3"))).read_text()


def cell(value: str) -> str:
    return f'{{ value = {value}, basis = "assumed", source = "a test" }}'


def written(folder: Path, text: str) -> str:
    path = folder / "mine.toml"
    path.write_text(text)
    return str(path)


def changed(folder: Path, section: str, line: str) -> str:
    """A file that changes one value of a2a3."""
    return written(folder, f'base = "a2a3"\n[{section}]\n{line}\n')


def without(key: str) -> str:
    lines = A2A3.splitlines()
    assert sum(line.startswith(f"{key} = ") for line in lines) == 1
    return "\n".join(line for line in lines if not line.startswith(f"{key} = "))


def refused(path: str) -> str:
    """The sentence with which a file is refused, without the file's name in front."""
    with pytest.raises(InputError) as error:
        load_chip(path)
    assert "\n" not in str(error.value)
    start, problem = str(error.value)[: len(path) + 2], str(error.value)[len(path) + 2 :]
    assert start == f"{path}: "
    return problem


def test_the_built_in_chips() -> None:
    assert built_in_chips() == ("a2a3", "a2a3-hbg", "a5")


@pytest.mark.parametrize(
    ("name", "cores", "threads", "counter_hz", "aic_hz"),
    [
        ("a2a3", 72, (1, 3), 50_000_000, 1_800_000_000),
        ("a2a3-hbg", 72, (0, 4), 50_000_000, 1_800_000_000),
        ("a5", 108, (1, 4), 1_000_000_000, 1_650_000_000),
    ],
)
def test_a_built_in_chip_has_its_published_shape(
    name: str, cores: int, threads: tuple[int, int], counter_hz: int, aic_hz: int
) -> None:
    chip = load_chip(name)
    assert chip.name == name
    assert len(chip.core_kinds()) == len(chip.clusters_of()) == cores
    assert (chip.orchestrators, chip.schedulers) == threads
    assert (chip.clock.counter_hz, chip.kind_hz("aic")) == (counter_hz, aic_hz)
    assert chip.memory.hbm_bytes_per_s is None


@pytest.mark.parametrize("name", built_in_chips())
def test_every_built_in_value_says_where_it_comes_from(name: str) -> None:
    chip = load_chip(name)
    values = list(values_of(chip))
    assert sorted(f"{value.section}.{value.key}" for value in values) == sorted(chip.provenance)
    for value in values:
        assert value.meaning and len(value.source) > 20, value
        if value.basis == "published":
            assert DOCUMENT.search(value.source), value


@pytest.mark.parametrize("name", built_in_chips())
def test_every_fitted_value_says_what_it_was_fitted_to(name: str) -> None:
    for value in values_of(load_chip(name)):
        assert bool(value.to) == (value.basis == "fitted"), value


def test_costs_that_were_chosen_to_meet_one_sum_are_fitted_to_it() -> None:
    """1003 ns of scheduler time per task; a task has one successor here."""
    values = {value.key: value for value in values_of(load_chip("a2a3"))}
    keys = ("complete_ns", "resolve_edge_ns", "pop_ns", "dispatch_ns", "release_ns")
    shares = [values[key] for key in keys]
    assert {share.to for share in shares} == {shares[0].to} and "1003 ns" in shares[0].to
    assert sum(float(share.value) for share in shares) == 1000


def test_a_chip_whose_graph_the_host_builds_takes_its_costs_from_latencies() -> None:
    """The arithmetic of its sources; 81,664 edges of 65,536 tasks."""
    costs = load_chip("a2a3-hbg").scheduler
    assert costs.complete_ps == round(60 + 0.95 * (195 - 92)) * 1000
    assert costs.resolve_edge_ps == round(94 / (23_601 / 11_085)) * 1000
    found = costs.pop_ps + costs.dispatch_ps + 3 * costs.contention_ps
    assert found == round(940 - 60 - 44 * 81_664 / 65_536) * 1000
    assert (costs.pop_ps, costs.contention_ps, costs.loop_ps) == (128_000, 128_000, 6 * 64_000)


def test_nothing_that_was_not_measured_on_a5_is_given_as_known() -> None:
    values = [value for value in values_of(load_chip("a5")) if value.basis != "assumed"]
    assert {value.section for value in values} == {"chip", "clock", "pmu"}
    assert [value.key for value in values if value.section == "pmu"] == ["block"]


def test_the_published_totals_come_back() -> None:
    """hw-native-sys/simpler PR #878: 1024 tasks, as many edges, 256 scopes of 4 tasks."""
    chip = load_chip("a2a3")
    costs, recording = chip.orchestrator, chip.recording
    submits = 1024 * (costs.submit_ps + costs.submit_edge_ps + costs.scope_end_ps)
    assert submits / 1e6 == pytest.approx(815.30, abs=0.1)
    records = 1280 * recording.orchestrator_phase_ps
    assert records / 1e6 == pytest.approx(927.81 - 815.30, abs=0.1)
    dearer = 1024 / 3 * (recording.staging_copy_ps - recording.count_ps)
    assert dearer / 1e6 == pytest.approx(1178.14 - 1173.80, abs=0.1)


@pytest.mark.parametrize(
    ("basis", "to", "found"),
    [
        ("fitted", "", "none with fitted"),
        ("fitted", ', to = " "', "' ' with fitted"),
        ("assumed", ', to = "a total"', "'a total' with assumed"),
        ("fitted", ", to = 3", "3 with fitted"),
    ],
)
def test_only_a_fitted_value_says_what_it_was_fitted_to(
    tmp_path: Path, basis: str, to: str, found: str
) -> None:
    line = f'pop_ns = {{ value = 1, basis = "{basis}", source = "a test"{to} }}'
    assert refused(changed(tmp_path, "scheduler", line)) == (
        '[scheduler] pop_ns: expected to = "…", the figure that it was fitted to, with the basis '
        f"fitted and with no other, found {found}"
    )


def test_times_become_whole_picoseconds(tmp_path: Path) -> None:
    chip = load_chip(changed(tmp_path, "core", f"setup_ns = {cell('12.345')}"))
    assert chip.core.setup_ps == 12_345
    assert load_chip("a2a3").orchestrator.submit_ps == 736_200


def test_cores_are_numbered_by_kind_and_share_clusters_with_their_neighbours(
    tmp_path: Path,
) -> None:
    chip = load_chip(changed(tmp_path, "chip", f"clusters = {cell('2')}"))
    assert chip.core_kinds() == ("aic", "aic", "aiv", "aiv", "aiv", "aiv")
    assert chip.clusters_of() == (0, 1, 0, 0, 1, 1)


def test_a_chip_may_have_cores_of_one_kind_only(tmp_path: Path) -> None:
    lines = f"clusters = {cell('2')}\naic_per_cluster = {cell('0')}"
    chip = load_chip(changed(tmp_path, "chip", lines))
    assert (chip.core_kinds(), chip.clusters_of()) == (("aiv",) * 4, (0, 0, 1, 1))


def test_each_kind_has_its_clock(tmp_path: Path) -> None:
    chip = load_chip(changed(tmp_path, "clock", f"aiv_hz = {cell('7')}"))
    assert (chip.kind_hz("aic"), chip.kind_hz("aiv")) == (1_800_000_000, 7)
    with pytest.raises(UsageError, match=r"^expected a core kind \(aic, aiv\), found 'sm'$"):
        chip.kind_hz("sm")


def test_a_base_gives_what_the_file_does_not(tmp_path: Path) -> None:
    base = load_chip("a2a3")
    chip = load_chip(changed(tmp_path, "memory", f"hbm_bytes_per_s = {cell('1_000')}"))
    assert chip.memory.hbm_bytes_per_s == 1000
    assert chip.provenance["memory.hbm_bytes_per_s"] == Provenance("assumed", "a test")
    assert (chip.scheduler, chip.clock) == (base.scheduler, base.clock)
    assert chip.provenance["link.finish_latency_ns"] == base.provenance["link.finish_latency_ns"]


def test_a_base_alone_is_that_chip(tmp_path: Path) -> None:
    assert load_chip(written(tmp_path, 'base = "a5"')) == load_chip("a5")


def test_a_complete_file_needs_no_base(tmp_path: Path) -> None:
    assert load_chip(written(tmp_path, A2A3)) == load_chip("a2a3")


def test_a_chip_cannot_be_changed_but_can_be_a_key() -> None:
    chip = load_chip("a2a3")
    with pytest.raises(FrozenInstanceError):
        chip.clock.aic_hz = 1  # type: ignore[misc]
    assert hash(chip) == hash(load_chip("a2a3"))


def test_a_built_in_name_wins_over_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a5").write_text("not TOML")
    assert load_chip("a5").clusters == 36


@pytest.mark.parametrize("name", ["a9", "none.toml", "a5.toml", "file/a2a3"])
def test_an_unknown_name_lists_the_known_ones(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    with pytest.raises(UsageError) as error:
        load_chip(name)
    near = "; did you mean a2a3?" if name == "file/a2a3" else ""
    assert str(error.value) == (
        "expected a chip (a2a3, a2a3-hbg, a5) or a TOML file that describes one, "
        f"found {name!r}{near}"
    )


@pytest.mark.parametrize(
    ("section", "line", "problem"),
    [
        ("chip", f"clusters = {cell('0')}", "a whole number from 1 to 4,096, found 0"),
        ("chip", f"clusters = {cell('-1')}", "a whole number from 1 to 4,096, found -1"),
        ("chip", f"clusters = {cell('5000')}", "a whole number from 1 to 4,096, found 5000"),
        ("chip", f"clusters = {cell('24.0')}", "a whole number from 1 to 4,096, found 24.0"),
        ("chip", f"clusters = {cell('true')}", "a whole number from 1 to 4,096, found True"),
        ("chip", f"schedulers = {cell('0')}", "a whole number from 1 to 4,096, found 0"),
        ("scheduler", f"sweeps = {cell('2')}", "a whole number from 0 to 1, found 2"),
        ("chip", f"orchestrators = {cell('-1')}", "a whole number from 0 to 4,096, found -1"),
        ("chip", f"aiv_per_cluster = {cell('-1')}", "a whole number from 0 to 4,096, found -1"),
        ("chip", f"name = {cell('3')}", "a printable name of 1 to 80 characters, found 3"),
        ("chip", f"name = {cell(chr(34) * 2)}", "a printable name of 1 to 80 characters, found ''"),
        (
            "clock",
            f"aic_hz = {cell('0')}",
            "a whole number of Hz from 1 to 1,000,000,000,000, found 0",
        ),
        (
            "clock",
            f"counter_hz = {cell(chr(39) + '50 MHz' + chr(39))}",
            "a whole number of Hz from 1 to 1,000,000,000,000, found '50 MHz'",
        ),
        (
            "memory",
            f"gm_to_ub_bytes_per_s = {cell('0')}",
            "a whole number of bytes/s from 1 to 1,000,000,000,000,000,000, found 0",
        ),
        *(
            (
                "core",
                f"setup_ns = {cell(value)}",
                "nanoseconds from 0 to 1,000,000,000,000 with at most 3 decimals, found " + found,
            )
            for value, found in [
                ("-0.5", "-0.5"),
                ("true", "True"),
                ("false", "False"),
                ("'12'", "'12'"),
                ("nan", "NaN"),
                ("inf", "Infinity"),
                ("1e999999999", "1E+999999999"),
                ("1e-999999999", "1E-999999999"),
                ("0.0001", "0.0001"),
                ("123456789012.0000000000000000000001", "123456789012.0000000000000000000001"),
                ("[1]", "[1]"),
                ("1979-05-27", "datetime.date(1979, 5, 27)"),
            ]
        ),
        (
            "scheduler",
            f"loop_ns = {cell('0')}",
            "nanoseconds from 0.001 to 1,000,000,000,000 with at most 3 decimals, found 0",
        ),
        ("core", "setup_ns = 12", "{ value = …, basis = …, source = … }, found 12"),
        (
            "core",
            'setup_ns = { value = 1, source = "x" }',
            "{ value = …, basis = …, source = … }, found no basis",
        ),
        (
            "core",
            'setup_ns = { value = 1, basis = "assumed" }',
            "{ value = …, basis = …, source = … }, found no source",
        ),
        (
            "core",
            'setup_ns = { basis = "assumed", source = "x" }',
            "{ value = …, basis = …, source = … }, found no value",
        ),
        (
            "core",
            'setup_ns = { value = 1, basis = "assumed", source = "x", unit = "ns" }',
            "{ value = …, basis = …, source = … }, found 'unit', too",
        ),
        (
            "core",
            'setup_ns = { value = 1, basis = "known", source = "x" }',
            "a basis (published, measured, fitted, assumed), found 'known'",
        ),
        (
            "core",
            'setup_ns = { value = 1, basis = ["assumed"], source = "x" }',
            "a basis (published, measured, fitted, assumed), found ['assumed']",
        ),
        (
            "core",
            'setup_ns = { value = 1, basis = "assumed", source = " " }',
            "a source, a text of 1 to 2000 characters, found ' '",
        ),
        (
            "core",
            'setup_ns = { value = 1, basis = "assumed", source = 878 }',
            "a source, a text of 1 to 2000 characters, found 878",
        ),
    ],
)
def test_a_wrong_value_is_named(tmp_path: Path, section: str, line: str, problem: str) -> None:
    key = line.split(" = ")[0]
    assert refused(changed(tmp_path, section, line)) == f"[{section}] {key}: expected {problem}"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            'base = "a9"',
            "base: expected a built-in chip (a2a3, a2a3-hbg, a5), found 'a9'",
        ),
        ("base = 3", "base: expected a built-in chip (a2a3, a2a3-hbg, a5), found 3"),
        ("base = {}", "base: expected a built-in chip (a2a3, a2a3-hbg, a5), found {}"),
        (
            'base = "a2a3"\n[caches]',
            "expected base or a section (chip, clock, memory, orchestrator, scheduler, link, core, "
            "recording, pmu, perfmon), found 'caches'",
        ),
        ('base = "a2a3"\ncore = 3', "[core]: expected a section, found 3"),
        ('base = "a2a3"\n[[core]]', "[core]: expected a section, found [{}]"),
        (
            'base = "a2a3"\n[core]\nsetup_us = 3',
            "[core]: expected one of setup_ns, found 'setup_us'",
        ),
        (
            'base = "a2a3"\n[orchestrator]\n"' + "k" * 90 + '" = 3',
            "[orchestrator]: expected one of submit_ns, submit_edge_ns, scope_end_ns, "
            "window_tasks, found '" + "k" * 58 + "…",
        ),
        (
            f'base = "a2a3"\n[chip]\naic_per_cluster = {cell("0")}\naiv_per_cluster = {cell("0")}',
            "[chip] aic_per_cluster and aiv_per_cluster: expected at least one core in a cluster, "
            "found 0 and 0",
        ),
    ],
)
def test_a_wrong_structure_is_named(tmp_path: Path, text: str, problem: str) -> None:
    assert refused(written(tmp_path, text)) == problem


@pytest.mark.parametrize("place", [f"{v.section}.{v.key}" for v in values_of(load_chip("a2a3"))])
def test_a_missing_value_is_named(tmp_path: Path, place: str) -> None:
    section, key = place.split(".")
    problem = refused(written(tmp_path, without(key)))
    assert problem.startswith(f"[{section}] {key}: expected ")
    assert problem.endswith(
        ", found nothing; give it, or start from a built-in chip with a first line like "
        'base = "a2a3"'
    )


def test_a_chip_may_have_no_counters_but_not_half_of_them(tmp_path: Path) -> None:
    assert load_chip(written(tmp_path, A2A3.partition("[pmu]")[0])).pmu is None
    assert refused(changed(tmp_path, "pmu", f"block = {cell(chr(34) + 'mine' + chr(34))}")) == (
        "[pmu] block: expected one of dav_2201, dav_3510, found 'mine'"
    )


def test_a_chip_that_starts_from_another_has_its_counters(tmp_path: Path) -> None:
    chip = load_chip(changed(tmp_path, "pmu", f"register_read_ns = {cell('7')}"))
    assert chip.pmu is not None
    assert (chip.pmu.block, chip.pmu.register_read_ps) == ("dav_2201", 7000)


def test_an_empty_file_lacks_the_first_value(tmp_path: Path) -> None:
    assert refused(written(tmp_path, "")).startswith("[chip] name: expected a printable name")


@pytest.mark.parametrize(
    "content",
    [
        b"[chip",
        b"\xff\xfe",
        b"base = 1\nbase = 2",
        b"base = " + b"9" * 5000,
        b"base = " + b"[" * 5000 + b"]" * 5000,
        b"base = 1e99999999999999999999",
        b"a." * 5000 + b"b = 1",
        b"[" + b'"\\"".' * 40 + b"b]",
    ],
)
def test_what_is_not_toml_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(content)
    assert refused(str(path)).startswith("expected a chip in TOML, found")


def test_a_file_too_large_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    with path.open("wb") as file:
        file.truncate(1 << 33)
    assert refused(str(path)) == ("expected a chip of at most 1,048,576 bytes, found a larger file")


def test_a_folder_is_no_chip(tmp_path: Path) -> None:
    assert refused(str(tmp_path)) == "cannot be read (Is a directory)"
