"""Builds a task graph by hand, one task at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import numpy as np

from lanescope.errors import UsageError
from lanescope.workloads.arguments import Arguments, Compute, TaskArguments
from lanescope.workloads.dependencies import Dependencies
from lanescope.workloads.graph import EDGE_KINDS, NodeKind, TaskGraph, WorkKind
from lanescope.workloads.pipes import PipeKernel
from lanescope.workloads.spread import LengthSpread
from lanescope.workloads.tensors import Data, Tensor, TensorView, views_of

_EXPLICIT = (EDGE_KINDS.index("explicit"), -1)
_TENSORMAP = EDGE_KINDS.index("tensormap")


class GraphBuilder:
    """Collects tasks and edges; `lanescope.run` takes it as it is.

    A task's number is the order in which it was added, from 0.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self._functions: dict[str, int] = {}
        self._kinds: dict[str, int] = {}
        self._kernels: dict[int, PipeKernel] = {}
        self._spreads: dict[int, LengthSpread] = {}
        self._tasks: list[tuple[int, int, int, int]] = []
        self._shapes: list[tuple[int, int, int]] = []
        self._manners: list[tuple[int, int, int]] = []
        self._scopes: list[tuple[int, int]] = []
        self._edges: list[tuple[int, int]] = []
        self._causes: list[tuple[int, int]] = []
        self._dependencies = Dependencies()
        self._arguments: dict[int, TaskArguments] = {}
        self._compute: dict[int, Compute] = {}
        self._data: dict[Tensor, Data] = {}

    def task(
        self,
        function: str,
        *,
        kind: str = "aiv",
        after: Iterable[int] = (),
        reads: Iterable[TensorView | Tensor] = (),
        writes: Iterable[TensorView | Tensor] = (),
        spin_ns: int | None = None,
        work: WorkKind = WorkKind.NONE,
        amount: int = 0,
        kernel: PipeKernel | None = None,
        compute: Compute | None = None,
        blocks: int = 1,
        partners: int = 0,
        node: NodeKind = NodeKind.RUN,
        early: bool = False,
        together: bool = False,
        wait_ns: int = 0,
    ) -> int:
        """Add a task and return its number.

        Args:
            function: Name of the function that the task runs.
            kind: Kind of core that it needs.
            after: Numbers of tasks that it waits for.
            reads: Tensors that it reads; it waits for the tasks that wrote these elements last.
            writes: Tensors that it writes; it waits for the tasks that used these elements.
            spin_ns: Length in ns; short for `work=WorkKind.SPIN, amount=spin_ns`.
            work: What the task does, if neither `spin_ns` nor `kernel` says it.
            amount: How much of that work, in the unit of the WorkKind.
            kernel: The pipe operations of the function; short for `work=WorkKind.PIPES`.
            compute: What the function computes: called with the arrays that are read, then those
                that are written, which it fills. Their tensors need `data`.
            blocks: Number of cores that run the task, a block each (SPMD).
            partners: Vector cores of the same cluster that run each block, too (MIX).
            node: What the node is; all but RUN never reach a core.
            early: The task may be put on a core while its inputs are still being made.
            together: All blocks start at once.
            wait_ns: Time after the end on the core until the task is done: an engine beside the
                core goes on with it.
        """
        if spin_ns is not None:
            work, amount = WorkKind.SPIN, spin_ns
        if kernel is not None:
            work = WorkKind.PIPES
        number = len(self._tasks)
        func = self._function(function, kernel)
        code = self._kinds.setdefault(kind, len(self._kinds))
        self._tasks.append((func, code, int(work), amount))
        self._shapes.append((blocks, partners, int(node)))
        self._manners.append((int(early), int(together), wait_ns))
        for pred in after:
            self.edge(pred, number)
        views = TaskArguments(tuple(views_of(reads)), tuple(views_of(writes)))
        self._argue(number, func, views, compute)
        for pred, arg in self._dependencies.submit(number, *views):
            self._edges.append((pred, number))
            self._causes.append((_TENSORMAP, arg))
        return number

    def _function(self, name: str, kernel: PipeKernel | None) -> int:
        """Return the function's number; refuse a second kernel for it."""
        func = self._functions.setdefault(name, len(self._functions))
        if kernel is not None and self._kernels.setdefault(func, kernel) != kernel:
            raise UsageError(f"function {name} of {self.name} has two different kernels")
        return func

    def _argue(
        self, task: int, func: int, arguments: TaskArguments, compute: Compute | None
    ) -> None:
        """Keep the task's function and arguments, if it computes or uses a tensor with an array."""
        if compute is not None and self._compute.setdefault(func, compute) is not compute:
            name = list(self._functions)[func]
            raise UsageError(f"function {name} of {self.name} computes in two different ways")
        for view in arguments.views:
            tensor, data = view.tensor, view.tensor.data
            if data is not None and self._data.setdefault(tensor, data) is not data:
                raise UsageError(f"tensor {tensor.name} is given two arrays; make it only once")
        if compute is not None or any(view.tensor in self._data for view in arguments.views):
            self._arguments[task] = arguments

    def vary(
        self,
        function: str,
        *,
        sigma_ns: float = 0.0,
        sample_ns: Iterable[int] = (),
        basis: str = "assumed",
        source: str = "",
    ) -> None:
        """Let the lengths of a function's tasks vary; a run's seed decides how.

        Args:
            function: Name of the function; its tasks have a stated length (`spin_ns`).
            sigma_ns: Standard deviation around each task's own length.
            sample_ns: Recorded lengths instead: each run of a block takes one of them.
            basis: Why that is believed: published, measured, fitted or assumed.
            source: The document or the measurement that it comes from.
        """
        spread = LengthSpread(
            sigma_ns=sigma_ns, sample_ns=tuple(map(int, sample_ns)), basis=basis, source=source
        )
        spread.check(function)
        self._spreads[self._function(function, None)] = spread

    def edge(self, pred: int, succ: int) -> None:
        """Make `succ` wait for `pred`; either task may be added later."""
        self._edges.append((pred, succ))
        self._causes.append(_EXPLICIT)

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Open a scope: its tasks keep their places in the chip's window until the scope ends."""
        first = len(self._tasks)
        yield
        if len(self._tasks) > first:
            self._scopes.append((first, len(self._tasks)))

    def graph(self) -> TaskGraph:
        """Return the graph of all tasks added so far; nothing is checked yet."""
        func, kind, work, amount = np.array(self._tasks, np.int64).reshape(-1, 4).T
        blocks, partners, nodes = np.array(self._shapes, np.int32).reshape(-1, 3).T.copy()
        early, together, wait_ns = np.array(self._manners, np.int64).reshape(-1, 3).T
        pred, succ = np.array(self._edges, np.int64).reshape(-1, 2).T
        edge_kind, edge_arg = np.array(self._causes, np.int32).reshape(-1, 2).T.copy()
        return TaskGraph(
            name=self.name,
            functions=tuple(self._functions),
            kinds=tuple(self._kinds),
            func=func.astype(np.int32),
            kind=kind.astype(np.int32),
            work=work.astype(np.int32),
            amount=amount.copy(),
            pred=pred.copy(),
            succ=succ.copy(),
            kernels=tuple(map(self._kernels.get, range(len(self._functions)))),
            spreads=tuple(map(self._spreads.get, range(len(self._functions)))),
            blocks=blocks,
            partners=partners,
            nodes=nodes,
            early=early.astype(np.int32) if early.any() else None,
            together=together.astype(np.int32) if together.any() else None,
            wait_ns=wait_ns.copy() if wait_ns.any() else None,
            scopes=np.array(self._scopes, np.int64) if self._scopes else None,
            edge_kind=edge_kind,
            edge_arg=edge_arg,
            arguments=self._table(),
        )

    def _table(self) -> Arguments | None:
        if not self._arguments:
            return None
        return Arguments(dict(self._arguments), dict(self._compute), dict(self._data))
