"""A function over many keys: every key has an answer or a named failure, whatever happens."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
)
from contextlib import contextmanager
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest
from tests.workers.deeds import killed_once, length, picky, process, sleepy

from lanescope.errors import InputError, UsageError
from lanescope.workers import mapping
from lanescope.workers.batch import Failure, run_batch
from lanescope.workers.mapping import batch_size, map_over
from lanescope.workers.pool import FEW, Pool, open_pool

ROOT = Path(__file__).parents[2]
KEYS = [f"key {number}" for number in range(200)]


@pytest.fixture(scope="module")
def processes() -> Iterator[Pool]:
    with open_pool(workers=2) as pool:
        yield pool


def test_every_key_has_its_answer(processes: Pool) -> None:
    assert dict(map_over(length, KEYS, pool=processes)) == {key: len(key) for key in KEYS}


def test_no_keys_give_no_answers(processes: Pool) -> None:
    assert list(map_over(length, [], pool=processes)) == []


def test_workers_are_other_processes_with_one_thread_each(processes: Pool) -> None:
    seen = {answer for _, answer in map_over(process, KEYS[:40], pool=processes)}
    assert len(seen) == 2
    assert os.getpid() not in {pid for pid, _ in seen}  # type: ignore[misc]
    assert {threads for _, threads in seen} == {"1"}  # type: ignore[misc]


def test_a_failure_is_a_sentence_and_costs_no_other_answer(processes: Pool) -> None:
    bad = ["a.lanes damaged", "b.lanes missing"]
    answers = dict(map_over(picky, [*KEYS[:50], *bad, *KEYS[50:]], pool=processes))
    assert answers.pop(bad[0]) == Failure(
        bad[0], "a.lanes damaged: is damaged; import the source again", 1
    )
    assert answers.pop(bad[1]) == Failure(bad[1], "b.lanes missing: No such file or directory", 1)
    assert answers == {key: key.upper() for key in KEYS}


def test_an_error_that_nobody_expected_is_the_failure_of_its_key_alone(processes: Pool) -> None:
    answers = dict(map_over(picky, [*KEYS, "bug"], pool=processes))
    assert answers.pop("bug") == Failure(
        "bug", "bug: failed (ZeroDivisionError: division by zero)", 2
    )
    assert answers == {key: key.upper() for key in KEYS}


def test_keys_that_kill_their_worker_twice_are_named_and_the_rest_is_there(
    processes: Pool,
) -> None:
    killers = ["killer 1", "killer 2"]
    answers = dict(map_over(picky, [*killers, *KEYS], pool=processes))
    for key in killers:
        assert answers.pop(key) == Failure(key, f"{key}: ended its worker twice", 2)
    assert answers == {key: key.upper() for key in KEYS}


def test_a_worker_that_is_killed_once_loses_nothing(processes: Pool, tmp_path: Path) -> None:
    function = partial(killed_once, str(tmp_path))
    answers = dict(map_over(function, [*KEYS, "once"], pool=processes))
    assert answers == {key: key.upper() for key in [*KEYS, "once"]}


def test_few_keys_are_done_in_this_process() -> None:
    answers = dict(map_over(process, KEYS[:FEW]))
    assert {pid for pid, _ in answers.values()} == {os.getpid()}  # type: ignore[misc, union-attr]


def test_what_goes_wrong_in_a_batch_is_the_failure_of_its_key_after_one_try() -> None:
    """The file that an error names need not be the key."""

    def failing(key: str) -> str:
        errors = {
            "damaged": InputError("damaged", "is cut off"),
            "missing": FileNotFoundError(2, "No such file", "other"),
            "nameless": OSError("odd"),
            "large": MemoryError(),
        }
        if key in errors:
            raise errors[key]
        return key.upper()

    found = dict(run_batch(failing, ["damaged", "a", "missing", "nameless", "large"]))
    assert found == {
        "a": "A",
        "damaged": Failure("damaged", "damaged: is cut off", 1),
        "missing": Failure("missing", "other: No such file", 1),
        "nameless": Failure("nameless", "nameless: odd", 1),
        "large": Failure("large", "large: the worker's memory does not hold it", 1),
    }


def test_no_workers_is_this_process_with_the_same_failures() -> None:
    with open_pool(workers=0) as pool:
        answers = dict(map_over(picky, ["one", "damaged", "bug"], pool=pool))
    assert answers == {
        "one": "ONE",
        "damaged": Failure("damaged", "damaged: is damaged; import the source again", 1),
        "bug": Failure("bug", "bug: failed (ZeroDivisionError: division by zero)", 1),
    }


def test_an_executor_can_be_handed_in_and_stays_open() -> None:
    with ThreadPoolExecutor(3) as threads:
        with open_pool(threads) as pool:
            answers = dict(map_over(picky, [*KEYS, "bug"], pool=pool))
        assert isinstance(answers.pop("bug"), Failure)
        assert answers == {key: key.upper() for key in KEYS}
        assert threads.submit(length, "still open").result() == 10


def test_an_executor_that_is_gone_leaves_failures_and_no_silence() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as own:
        answers = dict(map_over(picky, ["killer", *KEYS], pool=open_pool(own, workers=1)))
    assert len(answers) == len(KEYS) + 1
    failures = [answer for answer in answers.values() if isinstance(answer, Failure)]
    assert "the executor takes no more work (BrokenProcessPool: " in failures[-1].why


def named(name: str) -> Exception:
    """An error of a package that need not be installed."""
    error: Exception = type(name, (Exception,), {})()
    return error


@pytest.mark.parametrize(
    ("error", "why", "tries"),
    [
        (ValueError("first line\nsecond line"), "failed (ValueError: first line)", 1),
        (ValueError(), "failed (ValueError)", 1),
        (BrokenExecutor(), "ended its worker twice", 2),
        (CancelledError(), "ended its worker twice", 2),
        (named("KilledWorker"), "ended its worker twice", 2),
        (named("WorkerCrashedError"), "ended its worker twice", 2),
        (named("CommClosedError"), "ended its worker twice", 2),
    ],
)
def test_an_ended_worker_is_tried_twice_and_of_another_error_the_first_line_is_the_reason(
    error: Exception, why: str, tries: int
) -> None:
    class Failing(Executor):
        def submit(self, fn: Any, /, *args: Any, **more: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_exception(error)
            return future

    for shared in (False, True):
        answers = dict(map_over(length, ["a"], pool=Pool(Failing(), 1, is_shared=shared)))
        assert answers == {"a": Failure("a", f"a: {why}", tries)}


def test_what_an_executor_does_not_take_is_a_failure_that_was_not_tried() -> None:
    class Gone(Executor):
        def submit(self, fn: Any, /, *args: Any, **more: Any) -> Future[Any]:
            raise RuntimeError("first line\nsecond line")

    why = "the executor takes no more work (RuntimeError: first line); run it again"
    answers = dict(map_over(length, ["a", "b"], pool=Pool(Gone(), 1)))
    assert answers == {key: Failure(key, why, 0) for key in "ab"}


class Noted(Executor):
    """An executor that notes what it is given; the test says what becomes of it."""

    def __init__(self) -> None:
        self.given: list[tuple[str, ...]] = []

    def submit(self, fn: Any, /, *args: Any, **more: Any) -> Future[Any]:
        self.given.append(args[1])
        return Future()


@pytest.mark.parametrize(("shared", "batches"), [(False, 3), (True, 6)])
def test_the_queues_of_shared_workers_are_kept_filled(shared: bool, batches: int) -> None:
    executor = Noted()
    own = mapping._Mapping(length, KEYS, Pool(executor, 3, is_shared=shared))
    assert list(own._submit()) == []
    assert executor.given == [tuple(KEYS[8 * k : 8 * k + 8]) for k in range(batches)]


def ended(own: Any, key: str, error: Exception | None) -> list[Any]:
    """What follows when the call of this key alone ends."""
    (future,) = [future for future, work in own._running.items() if work.keys == (key,)]
    if error is None:
        future.set_result([(key, 1)])
    else:
        future.set_exception(error)
    return [*own._taken(future, own._running.pop(future)), *own._submit()]


def test_a_key_that_ended_a_shared_worker_runs_again_with_nothing_beside_it() -> None:
    executor = Noted()
    own = mapping._Mapping(length, list("abc"), Pool(executor, 2, is_shared=True))
    list(own._submit())
    assert ended(own, "a", BrokenExecutor()) == []
    assert ended(own, "b", None) == [("b", 1)]
    assert executor.given == [("a",), ("b",), ("c",)]
    assert ended(own, "c", BrokenExecutor()) == []
    assert executor.given[3:] == [("a",)]
    assert ended(own, "a", BrokenExecutor()) == [
        ("a", Failure("a", "a: ended its worker twice", 2))
    ]
    assert executor.given[4:] == [("c",)]
    assert ended(own, "c", None) == [("c", 1)]
    assert list(own.answers()) == []


def test_a_key_that_ended_its_own_process_runs_again_beside_others() -> None:
    executor = Noted()
    own = mapping._Mapping(length, list("abc"), Pool(executor, 2))
    list(own._submit())
    assert ended(own, "a", BrokenExecutor()) == []
    assert ended(own, "b", None) == [("b", 1)]
    assert executor.given == [("a",), ("b",), ("c",), ("a",)]


def test_who_gives_up_names_what_waits_and_what_runs_and_leaves_nothing() -> None:
    """`a` waits to run alone, `b` and `c` run, `d` waits."""
    own = mapping._Mapping(length, list("abcd"), Pool(Noted(), 1, is_shared=True))
    own._most_running = 3
    list(own._submit())
    own._most_running = 2
    ended(own, "a", BrokenExecutor())
    running = list(own._running)
    assert dict(own._given_up("nobody is there")) == {
        key: Failure(key, f"{key}: nobody is there", int(key == "a")) for key in "abcd"
    }
    assert [future.cancelled() for future in running] == [True, True]
    assert list(own.answers()) == []


def test_every_answer_is_counted_under_the_label(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[Any] = []

    @contextmanager
    def counting(label: str, total: int) -> Iterator[Any]:
        told.append((label, total))
        yield lambda: told.append("one")

    monkeypatch.setattr(mapping, "counting", counting)
    assert dict(map_over(length, ["a", "bb"], label="reading")) == {"a": 1, "bb": 2}
    assert told == [("reading", 2), "one", "one"]


class Nobody(Executor):
    """An executor whose workers are gone: nothing that is submitted ends."""

    def submit(self, fn: Any, /, *args: Any, **more: Any) -> Future[Any]:
        return Future()


def test_a_cluster_that_lost_its_workers_leaves_failures_and_does_not_hang(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(mapping, "_LOOK_S", 0.01)
    monkeypatch.setattr(mapping, "_PATIENCE_S", 0.05)
    workers = iter([2, 1])
    pool = Pool(Nobody(), 2, present=lambda: next(workers, 0), is_shared=True)
    answers = dict(map_over(length, KEYS, pool=pool))
    assert sorted(answers) == sorted(KEYS)
    assert answers["key 7"] == Failure(
        "key 7", "key 7: the cluster has no workers left; run it again", 0
    )


def test_a_cluster_is_deserted_a_minute_after_it_was_last_seen_with_a_worker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Until the first worker comes there is no limit."""
    now_s = [1000.0]
    there = [0]
    monkeypatch.setattr(mapping.time, "monotonic", lambda: now_s[0])
    own = mapping._Mapping(length, ["a"], Pool(Nobody(), 1, present=lambda: there[0]))
    seen = []
    for at_s, workers in ((1000, 0), (2000, 0), (2100, 3), (2160, 0), (2160.5, 0), (2161, 1)):
        now_s[0], there[0] = at_s, workers
        seen.append(own._is_deserted())
    assert seen == [False, False, False, False, True, False]
    assert not mapping._Mapping(length, ["a"], Pool(Nobody(), 1))._is_deserted()


@pytest.mark.parametrize(
    ("workers", "keys", "here", "count"),
    [
        (0, 100, True, 1),
        (None, FEW, True, 1),
        (None, FEW + 1, False, 7),
        (None, None, False, 7),
        (3, 1, False, 3),
    ],
)
def test_little_work_is_done_here_unless_workers_are_asked_for(
    workers: int | None, keys: int | None, here: bool, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 7)
    with open_pool(workers=workers, keys=keys) as pool:
        assert (pool.is_here, pool.workers, pool.is_shared) == (here, count, False)


def test_where_nobody_knows_the_cores_there_is_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    with open_pool() as pool:
        assert (pool.is_here, pool.workers) == (False, 1)


def test_batches_are_small_enough_to_keep_all_workers_busy() -> None:
    executor = ThreadPoolExecutor(1)
    assert batch_size(10_000, Pool(executor, 2)) == 25
    assert batch_size(200, Pool(executor, 2)) == 12
    assert batch_size(10, Pool(executor, 64)) == 1


def test_in_this_process_every_answer_is_there_at_once() -> None:
    assert batch_size(10_000, Pool(ThreadPoolExecutor(1), 1, is_here=True)) == 1


def test_a_pool_is_closed_at_once_where_the_block_was_left_by_an_error() -> None:
    closed: list[bool] = []
    pool = Pool(Nobody(), 1, close=closed.append)
    with pool:
        assert closed == []
    with pytest.raises(KeyboardInterrupt), pool:
        raise KeyboardInterrupt
    assert closed == [False, True]


@pytest.mark.parametrize(("asked", "workers"), [(None, 64), (3, 3)])
def test_an_executor_that_is_handed_in_is_shared(asked: int | None, workers: int) -> None:
    pool = open_pool(Nobody(), asked, keys=1)
    told = (pool.workers, pool.is_here, pool.is_shared, pool.present)
    assert told == (workers, False, True, None)


def test_a_consumer_that_stops_early_ends_the_workers_in_the_middle_of_their_work(
    tmp_path: Path,
) -> None:
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt), open_pool(workers=2) as pool:
        for _ in map_over(partial(sleepy, str(tmp_path)), ["quick", *"abcdef"], pool=pool):
            raise KeyboardInterrupt
    assert time.monotonic() - started < 30
    require_gone([int(file.stem) for file in tmp_path.glob("*.pid")])


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    program = f"""
        from functools import partial
        from tests.workers.deeds import sleepy
        from lanescope.workers.mapping import map_over
        if __name__ == "__main__":
            list(map_over(partial(sleepy, {str(tmp_path)!r}), list("abcdefgh")))
    """
    (tmp_path / "driver.py").write_text(textwrap.dedent(program))
    driver = subprocess.Popen(
        [sys.executable, tmp_path / "driver.py"], env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    while not list(tmp_path.glob("*.pid")):
        assert driver.poll() is None
        time.sleep(0.05)
    driver.kill()
    driver.wait()
    require_gone([int(file.stem) for file in tmp_path.glob("*.pid")])


def require_gone(pids: list[int]) -> None:
    """These processes end within seconds, long before their work would."""
    assert pids
    deadline = time.monotonic() + 20
    while any(_is_alive(pid) for pid in pids):
        assert time.monotonic() < deadline, "a worker goes on without its parent"
        time.sleep(0.05)


def _is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_script_without_a_guard_is_told_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "from tests.workers.deeds import length\n"
        "from lanescope.workers.mapping import map_over\n"
        "print(dict(map_over(length, list('abcdefgh'))))\n"
    )
    done = subprocess.run(
        [sys.executable, tmp_path / "script.py"],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 1
    assert "UsageError: the worker processes end as soon as they start" in done.stderr


def test_an_unknown_cluster_is_refused() -> None:
    with pytest.raises(UsageError, match=r"expected a cluster \(one of local, slurm, k8s"):
        open_pool("moon")
