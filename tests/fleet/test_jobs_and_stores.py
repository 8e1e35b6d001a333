"""Jobs in an index, and traces and jobs that lie on an object store."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.fleet.made import fleet_of
from tests.jobs.hand_made import Made, trace_of
from tests.jobs.test_waits import arriving
from tests.s3_store import Proxy

from lanescope.cli import main
from lanescope.errors import InputError
from lanescope.fleet.indexing import index_fleet
from lanescope.fleet.parts import FleetFolder
from lanescope.trace import load, save

STEPS = [(k, 1_000_000 * (k + 1), 1_000_000 * (k + 1) + 60_000) for k in range(6)]


def save_job(folder: Any, epoch_ns: int = 5_000_000_000) -> None:
    """Three ranks, the second 50 µs late at six collectives; a fourth rank is missing."""
    for number, made in enumerate(arriving([[0, 50_000, 20_000]] * 6)):
        meta = {"world": 4, "epoch_ns": epoch_ns, "host": "n1"}
        trace = trace_of(number, Made(made.rows, [(0, 100)], STEPS, meta))
        save(trace, folder(f"rank{number}.lanes"))


def measures_of(fleet: Path, name: str) -> dict[str, float]:
    rows = FleetFolder(fleet).measures().to_pylist()
    return {row["name"]: row["value"] for row in rows if row["trace"].endswith(name)}


def test_a_job_and_each_of_its_ranks_are_in_the_index(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    save_job(lambda name: runs / "train.job" / name)
    indexed = index_fleet(runs, tmp_path / "fleet")
    assert (indexed.read, indexed.failures) == (4, ())
    figures = measures_of(tmp_path / "fleet", "train.job")
    assert (figures["ranks"], figures["missing ranks"], figures["collectives"]) == (3, 1, 6)
    assert figures["wait"] == pytest.approx(160_000)
    assert figures["transfer"] == pytest.approx(6_000)
    assert figures["step"] == pytest.approx(60_000)
    assert figures["makespan"] == pytest.approx(5_060_000)  # from the first step to the last
    assert "slowest rank" not in figures  # none has work in its steps
    rows = {
        Path(row["trace"]).name: row for row in FleetFolder(tmp_path / "fleet").traces().to_pylist()
    }
    job = rows["train.job"]
    assert (job["kind"], job["name"], job["host"], job["world"]) == ("job", "train", "n1", 4)
    assert str(job["date"]) == "1970-01-01 00:00:05"
    rank = rows["rank1.lanes"]
    assert (rank["kind"], rank["rank"], rank["workload"]) == ("trace", 1, "train")
    assert rank["job"] == job["trace"]


def test_how_much_longer_the_slowest_rank_computes_is_a_measure(tmp_path: Path) -> None:
    for number, ns in enumerate((10_000, 15_000, 10_000)):
        work = [(start + 100, start + 100 + ns) for _, start, _ in STEPS]
        trace = trace_of(number, Made((), work, STEPS, {"world": 3}))
        save(trace, tmp_path / "runs" / "train.job" / f"rank{number}.lanes")
    index_fleet(tmp_path / "runs", tmp_path / "fleet")
    figures = measures_of(tmp_path / "fleet", "train.job")
    assert figures["slowest rank"] == pytest.approx(1.5)


def test_a_job_is_read_again_when_one_of_its_ranks_changes(tmp_path: Path) -> None:
    runs, fleet = tmp_path / "runs", tmp_path / "fleet"
    save_job(lambda name: runs / "train.job" / name)
    index_fleet(runs, fleet)
    changed = runs / "train.job" / "rank0.lanes"
    save(load(changed).with_meta(host="other"), changed)
    indexed = index_fleet(runs, fleet)
    assert (indexed.read, indexed.unchanged) == (2, 2)


def test_a_damaged_rank_is_in_the_ledger_and_the_job_goes_on_without_it(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    save_job(lambda name: runs / "train.job" / name)
    (runs / "train.job" / "rank2.lanes" / "collectives.parquet").write_bytes(b"PAR1")
    indexed = index_fleet(runs, tmp_path / "fleet")
    (failure,) = indexed.failures
    assert failure.key.endswith("rank2.lanes")
    assert measures_of(tmp_path / "fleet", "train.job")["ranks"] == 2


def test_a_fleet_on_a_store_is_listed_once_and_keeps_no_credentials(
    tmp_path: Path, store: Proxy
) -> None:
    for path in fleet_of(tmp_path / "runs", [1000, 2000]).iterdir():
        save(load(path), store.url(f"fleet/{path.name}"))
    save_job(lambda name: store.url(f"fleet/train.job/{name}"))
    root, fleet = store.url("fleet"), tmp_path / "fleet"
    indexed = index_fleet(root, fleet)
    assert (indexed.read, indexed.failures) == (6, ())
    traces = FleetFolder(fleet).traces().to_pylist()
    assert {row["root"] for row in traces} == {"s3://traces/fleet"}
    names = ["t00.lanes", "t01.lanes", "train.job", *(f"train.job/rank{n}.lanes" for n in range(3))]
    assert sorted(row["trace"] for row in traces) == [f"s3://traces/fleet/{one}" for one in names]
    assert all(b"secret" not in file.read_bytes() for file in fleet.rglob("*.parquet"))
    assert measures_of(fleet, "t01.lanes")["makespan"] == 2000
    assert measures_of(fleet, "train.job")["wait"] == pytest.approx(160_000)
    store.asked()
    assert index_fleet(root, fleet).unchanged == 6
    assert [one for one in store.asked() if one.endswith(".parquet")] == []


def test_a_store_that_fails_for_one_trace_is_in_the_ledger(tmp_path: Path, store: Proxy) -> None:
    for path in fleet_of(tmp_path / "runs", [1000, 2000]).iterdir():
        save(load(path), store.url(f"faulty/{path.name}"))
    store.fault = lambda method, path: "403" if "t01.lanes/tasks" in path else ""
    indexed = index_fleet(store.url("faulty"), tmp_path / "fleet")
    (failure,) = indexed.failures
    assert failure.key == "s3://traces/faulty/t01.lanes"
    assert "secret" not in failure.why
    assert measures_of(tmp_path / "fleet", "t00.lanes")["makespan"] == 1000


def test_a_store_that_cannot_be_listed_is_one_sentence(
    tmp_path: Path, store: Proxy, capsys: pytest.CaptureFixture[str]
) -> None:
    store.fault = lambda method, path: "403" if "list-type" in path else ""
    with pytest.raises(InputError, match=r"^s3://traces/fleet: cannot be read \("):
        index_fleet(store.url("fleet"), tmp_path / "fleet")
    assert main(["fleet", "index", store.url("fleet"), "-o", str(tmp_path / "fleet")]) == 1
    assert capsys.readouterr().err.count("\n") == 1
