"""Dask clusters behind the same Executor: a running scheduler, processes here, Slurm, Kubernetes.

`distributed` is needed (`pip install 'lanescope[fleet]'`), and `dask-jobqueue` for Slurm or
`dask-kubernetes` for Kubernetes. What a job asks the queue for is in Dask's own configuration.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from lanescope.errors import InputError, UsageError

CLUSTERS = ("local", "slurm", "k8s")
"""Clusters that are started here; another name is the address of a running scheduler."""
_TIMEOUT_S = 15
_DEFAULT_JOB = {"cores": 1, "processes": 1, "memory": "4GB"}
"""What a Slurm job asks for where `jobqueue.slurm` of Dask's configuration does not say it."""


@dataclass(frozen=True, slots=True)
class OpenCluster:
    """A cluster as an executor."""

    executor: Executor
    workers: int
    close: Callable[[bool], None]
    """Ends what was started here; a scheduler that ran before goes on."""
    present: Callable[[], int]
    """How many workers there are now."""


def require_cluster(name: object) -> None:
    """Raise UsageError where a text names no cluster."""
    if isinstance(name, str) and name not in CLUSTERS and "://" not in name:
        raise UsageError(
            f"expected a cluster (one of {', '.join(CLUSTERS)}, or an address such as "
            f"tcp://host:8786), found {name!r}"
        )


def open_cluster(name: str, workers: int | None) -> OpenCluster:
    """Connect to a cluster, or start one; a missing package or unknown name is a UsageError."""
    require_cluster(name)
    distributed = _package("distributed", "pip install 'lanescope[fleet]'")
    dask = _package("dask", "pip install 'lanescope[fleet]'")
    count = workers or os.cpu_count() or 1
    cluster = None
    if name in CLUSTERS:
        # A task that ends its worker is tried again by `mapping.py`, not by the scheduler.
        with dask.config.set({"distributed.scheduler.allowed-failures": 0}):
            cluster = _MAKERS[name](count)
    try:
        client = distributed.Client(name if cluster is None else cluster, timeout=_TIMEOUT_S)
    except (OSError, ValueError) as error:
        raise InputError(
            name,
            f"no Dask scheduler answers ({_first_line(error)}); start one with 'dask scheduler' "
            "and 'dask worker', or leave --cluster out",
        ) from error
    if cluster is None:
        count = workers or max(len(client.nthreads()), 1)

    def close(now: bool) -> None:
        client.close()
        if cluster is not None:
            cluster.close()

    def present() -> int:
        try:
            return len(client.nthreads())
        except OSError:
            return 0

    return OpenCluster(client.get_executor(pure=False), count, close, present)


def slurm_cluster(count: int) -> Any:
    """A scheduler here and `count` Slurm jobs, as dask-jobqueue asks for them."""
    jobqueue = _package("dask_jobqueue", "pip install 'lanescope[fleet]' dask-jobqueue")
    dask = _package("dask", "pip install 'lanescope[fleet]'")
    said = dask.config.get("jobqueue.slurm", {})
    job = {key: value for key, value in _DEFAULT_JOB.items() if said.get(key) is None}
    cluster = jobqueue.SLURMCluster(**job)
    cluster.scale(jobs=count)
    return cluster


def _local_cluster(count: int) -> Any:
    distributed = _package("distributed", "pip install 'lanescope[fleet]'")
    return distributed.LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, dashboard_address=None
    )


def _kubernetes_cluster(count: int) -> Any:
    operator = _package(
        "dask_kubernetes.operator", "pip install 'lanescope[fleet]' dask-kubernetes"
    )
    return operator.KubeCluster(name="lanescope", n_workers=count)


_MAKERS: dict[str, Callable[[int], Any]] = {
    "local": _local_cluster,
    "slurm": slurm_cluster,
    "k8s": _kubernetes_cluster,
}


def _package(module: str, command: str) -> Any:
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0].replace("_", "-")
        raise UsageError(f"this needs the package {package}; install it with: {command}") from None


def _first_line(error: BaseException) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
