"""The same mapping on a real Dask cluster of processes, and what Slurm would be asked for."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from tests.workers.deeds import killed_once, picky

from lanescope.errors import InputError, UsageError
from lanescope.workers import clusters
from lanescope.workers.batch import Failure
from lanescope.workers.mapping import map_over
from lanescope.workers.pool import open_pool

KEYS = [f"key {number}" for number in range(60)]

pytestmark = pytest.mark.filterwarnings("default")


def test_a_dask_cluster_gives_all_answers_though_workers_are_killed(tmp_path: Path) -> None:
    """Three workers are killed. Dask starts others in their place, but not always: where one is
    killed in its first moments it is gone. So there are four."""
    with open_pool("local", workers=4) as pool:
        first = dict(map_over(partial(killed_once, str(tmp_path)), [*KEYS, "once"], pool=pool))
        second = dict(map_over(picky, [*KEYS[:30], "killer", "damaged", *KEYS[30:]], pool=pool))
    assert first == {key: key.upper() for key in [*KEYS, "once"]}
    assert second.pop("killer") == Failure("killer", "killer: ended its worker twice", 2)
    assert isinstance(second.pop("damaged"), Failure)
    assert second == {key: key.upper() for key in KEYS}


def test_an_address_without_a_scheduler_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "_TIMEOUT_S", 0.5)
    with pytest.raises(InputError, match=r"^tcp://127\.0\.0\.1:9: no Dask scheduler answers \("):
        open_pool("tcp://127.0.0.1:9")


def test_slurm_is_asked_for_one_process_per_job() -> None:
    """In a process of its own, because the cluster's scheduler would outlive the test."""
    code = (
        "from lanescope.workers.clusters import slurm_cluster\n"
        "cluster = slurm_cluster(0)\n"
        "print(cluster.job_script())\n"
        "cluster.close()\n"
    )
    script = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert "#SBATCH --cpus-per-task=1" in script
    assert "#SBATCH --mem=4G" in script
    assert "distributed.cli.dask_worker tcp://" in script
    assert "--nthreads 1" in script


def test_a_package_that_is_not_installed_is_named_with_the_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError) as refused:
        open_pool("local")
    assert str(refused.value) == (
        "this needs the package distributed; install it with: pip install 'lanescope[fleet]'"
    )
