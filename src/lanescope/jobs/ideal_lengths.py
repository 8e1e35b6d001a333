"""Ideal lengths of tasks: what they would be if no rank were slower than the others."""

from __future__ import annotations

import numpy as np

from lanescope.jobs.job_tasks import JobTasks
from lanescope.trace.numbering import nth, numbered
from lanescope.trace.table import Array


def lengths_of_job(tasks: JobTasks, length: Array) -> Array:
    """Every task at what its function takes over all ranks and steps.

    That is the mean of what computes and the median of what communicates: a few transfers that
    took very long say nothing about the others.
    """
    ideal = length.copy()
    for function in np.unique(tasks.function).tolist():
        own = np.flatnonzero(tasks.function == function)
        middle = np.median if tasks.communicates[function] else np.mean
        ideal[own] = round(float(middle(length[own])))
    return ideal


def lengths_of_peers(tasks: JobTasks, length: Array, role: Array) -> Array:
    """Every task at the median of the same task on the ranks that play the same role.

    The same task is the n-th of its function in the same step. A rank without peers keeps its own
    lengths.

    Args:
        tasks: The tasks of the job.
        length: By task: its length as recorded.
        role: By rank: its role.
    """
    step = tasks.step
    by_time = np.lexsort((tasks.start, tasks.rank, step))
    turn = np.empty(len(length), np.int64)
    turn[by_time] = nth(same(tasks.function, tasks.rank, step)[by_time])
    return medians(same(role[tasks.rank], step, tasks.function, turn), length)


def same(*columns: Array) -> Array:
    """A number for each row, from 0; rows that are equal in all columns have the same one."""
    code = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        values, place = numbered(column)
        code = numbered(code * len(values) + place)[1]
    return code


def medians(key: Array, values: Array) -> Array:
    """By value: the median of all values with its key, rounded down."""
    place = numbered(key)[1]
    order = np.lexsort((values, place))
    first = np.searchsorted(place[order], np.arange(int(place.max(initial=-1)) + 2))
    low, high = (first[:-1] + first[1:] - 1) // 2, (first[:-1] + first[1:]) // 2
    ordered = values[order]
    middle: Array = (ordered[low] + ordered[high]) // 2
    return middle[place]
