"""A task graph: what each task does, on which kind of core, and after which other tasks.

A task's number is its row. An edge says that `succ` starts after `pred` has finished.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np

from lanescope.errors import UsageError
from lanescope.native import Array, cyclic_nodes
from lanescope.workloads.arguments import Arguments
from lanescope.workloads.pipes import PipeKernel
from lanescope.workloads.spread import LengthSpread

_NAMED_TASKS = 5
"""At most this many tasks are listed in a refusal."""


class WorkKind(IntEnum):
    """What a task does. The codes of threads are those of enum ls_work in native/src/threads.h."""

    NONE = 0
    SPIN = 1
    """Keeps its core busy for `amount` nanoseconds."""
    COPY = 2
    """Copies `amount` bytes."""
    MATMUL = 3
    """Multiplies two square matrices with `amount` rows."""
    CALLBACK = 4
    """Calls the function that the platform was given."""
    PIPES = 5
    """Runs the kernel of its function, pipe by pipe; simulated chips only."""


class NodeKind(IntEnum):
    """What a node of the graph is. All but RUN never reach a core."""

    RUN = 0
    DUMMY = 1
    """A barrier: its successors wait for its predecessors."""
    ALLOC = 2
    """Allocates memory; done as soon as it is submitted."""
    SKIPPED = 3
    """A task whose predicate is false when its turn comes."""


MOST_PARTNERS = 2
"""Vector cores of a cluster that can run a task together with its cube core."""

EDGE_KINDS = ("explicit", "tensormap")
"""Why a task waits for another: the program says so, or both use the same tensor."""


@dataclass(frozen=True, kw_only=True, eq=False)
class TaskGraph:
    """All tasks and edges of one workload, as columns."""

    name: str
    functions: tuple[str, ...]
    kinds: tuple[str, ...]
    func: Array
    """int32: index into `functions`."""
    kind: Array
    """int32: index into `kinds`, the kind of core the task needs."""
    work: Array
    """int32: a WorkKind."""
    amount: Array
    """int64: in the unit of the WorkKind."""
    pred: Array
    """int64: by edge, the task that finishes first."""
    succ: Array
    """int64: by edge, the task that waits for it."""
    kernels: tuple[PipeKernel | None, ...] = ()
    """By function: the kernel that its tasks of work PIPES run."""
    spreads: tuple[LengthSpread | None, ...] = ()
    """By function: how the lengths of its tasks of work SPIN vary; None: they do not."""
    unit_ps: Array | None = None
    """int64: lengths that were drawn (`lengths.drawn`), a task's units after each other, a block's
    own core before its partners; None: nothing was drawn."""
    blocks: Array | None = None
    """int32: how many cores run the task, a block of it each (SPMD); None: one core per task."""
    partners: Array | None = None
    """int32: how many vector cores of the same cluster also run it (MIX); None: none."""
    nodes: Array | None = None
    """int32: a NodeKind; None: all are RUN."""
    early: Array | None = None
    """int32, 0 or 1: whether it may wait on a core while tasks on other cores make its inputs."""
    together: Array | None = None
    """int32, 0 or 1: whether all its blocks start at once, as soon as so many cores are idle."""
    wait_ns: Array | None = None
    """int64: how long after its end on a core an engine beside the core makes its result."""
    scopes: Array | None = None
    """int64, two columns: the first task of each scope, and the task after its last. Scopes are
    sorted by their ends. The memory of a scope's tasks is kept until it ends."""
    edge_kind: Array | None = None
    """int32: by edge, index into EDGE_KINDS; None: all explicit."""
    edge_arg: Array | None = None
    """int32: by edge, the argument of `succ` that causes it; -1: none does. None: all -1."""
    arguments: Arguments | None = None
    """What tasks compute, and with which arrays; None: they compute nothing."""

    def __len__(self) -> int:
        return len(self.func)

    @property
    def is_plain(self) -> bool:
        """Whether every node is a task that one core runs by itself."""
        return not any(
            column is not None and np.any(column != usual)
            for column, usual in (
                *((self.blocks, 1), (self.partners, 0), (self.nodes, 0)),
                *((self.early, 0), (self.together, 0), (self.wait_ns, 0)),
            )
        )

    def successors(self) -> tuple[Array, Array]:
        """Return offsets and successors; those of task t are at [offsets[t]:offsets[t+1]]."""
        offsets = np.zeros(len(self) + 1, np.int64)
        np.cumsum(np.bincount(self.pred, minlength=len(self)), out=offsets[1:])
        return offsets, self.succ[np.argsort(self.pred, kind="stable")].astype(np.int64)

    def predecessors(self) -> tuple[Array, Array]:
        """Return offsets and predecessors; those of task t are at [offsets[t]:offsets[t+1]]."""
        offsets = np.zeros(len(self) + 1, np.int64)
        np.cumsum(np.bincount(self.succ, minlength=len(self)), out=offsets[1:])
        return offsets, self.pred[np.argsort(self.succ, kind="stable")].astype(np.int64)

    def predecessor_counts(self) -> Array:
        """Return how many tasks each task waits for."""
        return np.bincount(self.succ, minlength=len(self)).astype(np.int32)

    def check(self) -> None:
        """Refuse codes without a meaning, edges to tasks that do not exist, and cycles."""
        self._check_columns()
        for end in (self.pred, self.succ):
            missing = end[(end < 0) | (end >= len(self))]
            if len(missing):
                raise UsageError(
                    f"an edge of {self.name} names task {missing[0]}, but there are only tasks "
                    f"0 to {len(self) - 1}"
                )
        self._check_causes()
        if self.arguments is not None:
            self.arguments.check(self)
        cyclic = np.flatnonzero(cyclic_nodes(len(self), self.pred, self.succ))
        if len(cyclic):
            some = ", ".join(map(str, cyclic[:_NAMED_TASKS]))
            more = ", …" if len(cyclic) > _NAMED_TASKS else ""
            raise UsageError(
                f"{self.name} can never finish: tasks {some}{more} wait for each other in a cycle"
            )

    def _check_columns(self) -> None:
        limits = {"func": len(self.functions), "kind": len(self.kinds), "work": len(WorkKind)}
        for column, limit in limits.items():
            codes = getattr(self, column)
            wrong = np.flatnonzero((codes < 0) | (codes >= limit))
            if len(wrong):
                task = wrong[0]
                raise UsageError(
                    f"task {task} of {self.name} has {column} {codes[task]}, "
                    f"which is not below {limit}"
                )
        self._check_kernels()
        self._check_spreads()
        self._check_shapes()
        self._check_manners()
        if len(self) and self.amount.min() < 0:
            task = int(np.argmin(self.amount))
            raise UsageError(f"task {task} of {self.name} has the amount {self.amount[task]}")

    def _check_causes(self) -> None:
        """Refuse an edge whose kind does not exist, or whose argument is below -1."""
        most = {"edge_kind": (0, len(EDGE_KINDS) - 1), "edge_arg": (-1, np.iinfo(np.int32).max)}
        for name, (low, high) in most.items():
            column = getattr(self, name)
            if column is None:
                continue
            if len(column) != len(self.pred):
                raise UsageError(
                    f"{self.name} has {len(self.pred)} edges, but {name} has {len(column)} rows"
                )
            wrong = np.flatnonzero((column < low) | (column > high))
            if len(wrong):
                raise UsageError(
                    f"edge {wrong[0]} of {self.name} has {name} {column[wrong[0]]}, expected "
                    f"{low} to {high}"
                )

    def _check_kernels(self) -> None:
        """Refuse a task of work PIPES without a kernel that its kind of core can run."""
        piped = self.work == WorkKind.PIPES
        for func, kind in sorted(set(zip(self.func[piped], self.kind[piped], strict=True))):
            kernel = self.kernels[func] if func < len(self.kernels) else None
            if kernel is None:
                raise UsageError(f"function {self.functions[func]} of {self.name} has no kernel")
            kernel.check(self.kinds[kind])

    def _check_spreads(self) -> None:
        """Refuse a spread of a function that does not exist or whose kernel says its length."""
        if len(self.spreads) > len(self.functions):
            raise UsageError(
                f"{self.name} has {len(self.spreads)} spreads for {len(self.functions)} functions"
            )
        piped = set(self.func[self.work == WorkKind.PIPES].tolist())
        for func, spread in enumerate(self.spreads):
            if spread is None:
                continue
            if func in piped:
                raise UsageError(
                    f"function {self.functions[func]} of {self.name} has a spread and a kernel; "
                    "the kernel says how long its tasks take"
                )
            spread.check(self.functions[func])

    def _check_shapes(self) -> None:
        """Refuse values out of range, and partners of a task that no cube core runs."""
        for name, low, high in (
            ("blocks", 1, 1 << 20),
            ("partners", 0, MOST_PARTNERS),
            ("nodes", 0, len(NodeKind) - 1),
            ("early", 0, 1),
            ("together", 0, 1),
            ("wait_ns", 0, np.iinfo(np.int64).max),
        ):
            column = getattr(self, name)
            if column is None:
                continue
            wrong = np.flatnonzero((column < low) | (column > high))
            if len(wrong):
                raise UsageError(
                    f"task {wrong[0]} of {self.name} has {name} {column[wrong[0]]}, expected "
                    f"{low} to {high}"
                )
        if self.partners is not None:
            kinds = np.array([kind == "aic" for kind in self.kinds], bool)[self.kind]
            alone = np.flatnonzero((self.partners > 0) & ~kinds)
            if len(alone):
                raise UsageError(
                    f"task {alone[0]} of {self.name} has partners, but only a task of kind aic can"
                )

    def _check_manners(self) -> None:
        """Refuse combinations that no chip runs.

        Only a task on one core can be early. Only blocks without partners start together.
        """
        single = np.ones(len(self), bool)
        for column, usual in ((self.blocks, 1), (self.partners, 0), (self.nodes, 0)):
            if column is not None:
                single &= column == usual
        self._refuse_where(self.early, ~single, "is early, but only a task on one core can be")
        spread = np.zeros(len(self), bool)
        for column in (self.partners, self.nodes, self.early):
            if column is not None:
                spread |= column != 0
        self._refuse_where(
            self.together, spread, "starts together, but has partners, is early or runs nowhere"
        )
        if self.nodes is not None:
            nowhere = self.nodes != NodeKind.RUN
            self._refuse_where(self.wait_ns, nowhere, "has wait_ns, but runs on no core")
        if self.scopes is not None:
            self._check_scopes(self.scopes)

    def _refuse_where(self, column: Array | None, wrong: Array, sentence: str) -> None:
        if column is None:
            return
        refused = np.flatnonzero((column != 0) & wrong)
        if len(refused):
            raise UsageError(f"task {refused[0]} of {self.name} {sentence}")

    def _check_scopes(self, scopes: Array) -> None:
        """Refuse a scope that holds no task, or that overlaps another without lying inside it."""
        open_ends: list[tuple[int, int]] = []
        for first, end in sorted(scopes.tolist(), key=lambda scope: (scope[0], -scope[1])):
            while open_ends and open_ends[-1][1] <= first:
                open_ends.pop()
            if not 0 <= first < end <= len(self) or (open_ends and end > open_ends[-1][1]):
                raise UsageError(
                    f"a scope of {self.name} has tasks {first} to {end - 1}; expected tasks that "
                    "there are, and scopes inside or beside each other"
                )
            open_ends.append((first, end))
