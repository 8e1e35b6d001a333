"""The same mapping on a real Dask cluster of processes, and what Slurm would be asked for."""

from __future__ import annotations

import subprocess
import sys
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

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


@pytest.mark.parametrize(
    ("error", "why"), [(OSError("first\nsecond"), "first"), (ValueError(), "ValueError")]
)
def test_of_a_schedulers_error_the_first_line_is_told(
    error: Exception, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    dask = Dask(monkeypatch, {})
    dask.error = error
    with pytest.raises(InputError) as refused:
        clusters.open_cluster("tcp://host:1", None)
    assert str(refused.value) == (
        f"tcp://host:1: no Dask scheduler answers ({why}); start one with 'dask scheduler' "
        "and 'dask worker', or leave --cluster out"
    )


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


@pytest.mark.parametrize(
    ("cluster", "module", "package", "more"),
    [
        ("local", "distributed", "distributed", ""),
        ("slurm", "dask_jobqueue", "dask-jobqueue", " dask-jobqueue"),
        ("k8s", "dask_kubernetes.operator", "dask-kubernetes", " dask-kubernetes"),
    ],
)
def test_a_package_that_is_not_installed_is_named_with_the_command(
    cluster: str, module: str, package: str, more: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(UsageError) as refused:
        open_pool(cluster)
    assert str(refused.value) == (
        f"this needs the package {package}; install it with: pip install 'lanescope[fleet]'{more}"
    )


class Dask:
    """Packages of Dask that note what they are asked for, and whether it goes on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, jobs: dict[str, object]) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.closed: list[str] = []
        self.threads = {"tcp://a": 1, "tcp://b": 1}
        self.error: Exception | None = None
        executor = SimpleNamespace(name="executor")

        class Client:
            def __init__(client, target: Any, **more: Any) -> None:
                self.require_answer()
                self.note("client", target=getattr(target, "name", target), **more)

            def nthreads(client) -> dict[str, int]:
                self.require_answer()
                return self.threads

            def get_executor(client, **more: Any) -> object:
                self.note("executor", **more)
                return executor

            def close(client) -> None:
                self.closed.append("client")

        self.executor = executor
        config = SimpleNamespace(set=self._set, get=lambda name, other: jobs)
        packages = {
            "dask": SimpleNamespace(config=config),
            "distributed": SimpleNamespace(
                LocalCluster=partial(self._made, "local"), Client=Client
            ),
            "dask_jobqueue": SimpleNamespace(SLURMCluster=partial(self._made, "slurm")),
            "dask_kubernetes.operator": SimpleNamespace(KubeCluster=partial(self._made, "k8s")),
        }
        monkeypatch.setattr(clusters, "import_module", packages.__getitem__)

    def require_answer(self) -> None:
        """Raises the error that a test has put there."""
        if self.error is not None:
            raise self.error

    def note(self, what: str, **more: Any) -> None:
        self.asked.append((what, more))

    def _set(self, values: dict[str, Any]) -> Any:
        self.note("config", **values)
        return nullcontext()

    def _made(self, what: str, **more: Any) -> Any:
        self.note(what, **more)
        return SimpleNamespace(
            name=what,
            scale=lambda **most: self.note("scale", **most),
            close=lambda: self.closed.append(what),
        )


ONE_JOB = {"cores": 1, "processes": 1, "memory": "4GB"}


@pytest.mark.parametrize(
    ("name", "jobs", "made"),
    [
        (
            "local",
            {},
            [("local", {"n_workers": 3, "threads_per_worker": 1, "processes": True,
                        "dashboard_address": None})],
        ),
        ("slurm", {"queue": "q"}, [("slurm", ONE_JOB), ("scale", {"jobs": 3})]),
        (
            "slurm",
            {"cores": 4, "memory": None},
            [("slurm", {"processes": 1, "memory": "4GB"}), ("scale", {"jobs": 3})],
        ),
        ("k8s", {}, [("k8s", {"name": "lanescope", "n_workers": 3})]),
    ],
)  # fmt: skip
def test_a_cluster_that_is_started_here_is_asked_for_and_ended(
    name: str, jobs: dict[str, object], made: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The scheduler does not try again what ended a worker: the mapping does."""
    dask = Dask(monkeypatch, jobs)
    opened = clusters.open_cluster(name, 3)
    assert dask.asked == [
        ("config", {"distributed.scheduler.allowed-failures": 0}),
        *made,
        ("client", {"target": name, "timeout": 15}),
        ("executor", {"pure": False}),
    ]
    assert (opened.executor, opened.workers, opened.present()) == (dask.executor, 3, 2)
    opened.close(False)
    assert dask.closed == ["client", name]


@pytest.mark.parametrize(("asked", "there", "workers"), [(None, 2, 2), (None, 0, 1), (5, 2, 5)])
def test_a_scheduler_that_runs_is_used_with_its_workers_and_goes_on(
    asked: int | None, there: int, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dask = Dask(monkeypatch, {})
    dask.threads = {f"tcp://{k}": 1 for k in range(there)}
    opened = clusters.open_cluster("tcp://host:8786", asked)
    assert dask.asked == [
        ("client", {"target": "tcp://host:8786", "timeout": 15}),
        ("executor", {"pure": False}),
    ]
    assert (opened.workers, opened.present()) == (workers, there)
    opened.close(True)
    assert dask.closed == ["client"]


def test_a_cluster_that_does_not_answer_has_no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    dask = Dask(monkeypatch, {})
    opened = clusters.open_cluster("local", 3)
    dask.error = OSError("gone")
    assert opened.present() == 0


@pytest.mark.parametrize(("cores", "workers"), [(7, 7), (None, 1)])
def test_a_cluster_here_has_a_worker_per_core(
    cores: int | None, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    dask = Dask(monkeypatch, {})
    monkeypatch.setattr(clusters.os, "cpu_count", lambda: cores)
    assert clusters.open_cluster("k8s", None).workers == workers
    assert dask.asked[1] == ("k8s", {"name": "lanescope", "n_workers": workers})


def test_a_pool_on_a_cluster_is_shared_and_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    dask = Dask(monkeypatch, {})
    with open_pool("local", 3) as pool:
        assert pool.present is not None
        told = (pool.executor, pool.workers, pool.present(), pool.is_here, pool.is_shared)
        assert (told, dask.closed) == ((dask.executor, 3, 2, False, True), [])
    assert dask.closed == ["client", "local"]


def test_no_text_names_no_cluster() -> None:
    """An executor of the caller's own is none, either."""
    clusters.require_cluster(None)
    clusters.require_cluster(object())
