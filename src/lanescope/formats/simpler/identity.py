"""Reads dispatch_identity.json and says which ranks ran one dispatch together."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from lanescope.errors import InputError
from lanescope.formats.json_file import Count, JsonFile, decode_span
from lanescope.formats.json_rows import TextSpan

Positive = Annotated[int, msgspec.Meta(gt=0, lt=1 << 61)]
Digest = Annotated[str, msgspec.Meta(pattern="^[0-9a-fA-F]{64}$")]

PairedBy = Literal["parent_dispatch_identity", "local_capture_index"]


class DispatchIdentity(msgspec.Struct, frozen=True, kw_only=True):
    """Which dispatch one rank's run served."""

    schema_version: Literal[1] = 1
    run_id: Positive
    task_slot: Count
    group_index: Count
    group_size: Positive
    host_pid: Positive | None = None
    chip_rank: Count
    local_capture_index: Count
    endpoint_dispatch_id: Positive
    pipeline_slot: Count
    pipeline_generation: Positive
    callable_digest: Digest

    def __post_init__(self) -> None:
        if self.group_index >= self.group_size:
            size = self.group_size
            raise ValueError(f"group_index is {self.group_index} in a group of {size} ranks")

    @property
    def dispatch_id(self) -> str:
        """The dispatch as people ask for it: RUN:SLOT."""
        return f"{self.run_id}:{self.task_slot}"

    @property
    def of_host(self) -> tuple[int, int, int, int]:
        """What the host's log calls run, dispatch, slot and generation."""
        return (
            *(self.run_id, self.endpoint_dispatch_id),
            *(self.pipeline_slot, self.pipeline_generation),
        )


def is_identity(file: JsonFile) -> bool:
    """Whether a JSON object is a dispatch_identity.json."""
    return "endpoint_dispatch_id" in file and "callable_digest" in file


def read_identity(file: JsonFile) -> DispatchIdentity:
    """Read and check a dispatch_identity.json."""
    whole = TextSpan(file.path, file.whole, file.whole)
    return decode_span(whole, DispatchIdentity, what="the dispatch's identity")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankGroup:
    """Ranks whose runs belong together."""

    dispatch_id: str
    """RUN:SLOT, or dN where ranks are paired by the number of their run"""
    paired_by: PairedBy
    ranks: dict[int, Path]
    """chip rank to the identity's file"""
    missing: tuple[int, ...]
    """what is not there: indexes in the group, or chip ranks where paired by `dN`"""

    @property
    def is_complete(self) -> bool:
        """Whether all ranks of the group are there."""
        return not self.missing


@dataclass(frozen=True, slots=True)
class Pairing:
    """All groups, in order of run and slot, then those paired by the number of their run."""

    groups: tuple[RankGroup, ...]

    def group(self, dispatch_id: str) -> RankGroup | None:
        """The group of this name."""
        return next((one for one in self.groups if one.dispatch_id == dispatch_id), None)


def pair_ranks(identities: Mapping[Path, DispatchIdentity]) -> Pairing:
    """Say which runs belong together; `identities` are those of the files of one job.

    A dispatch to several ranks names its group. Where a dispatch went to one rank, ranks are paired
    by the number N of their folder dN. A rank that is missing is named in its group.

    Raises InputError where two files contradict each other.
    """
    parents: dict[tuple[int, int], list[Path]] = defaultdict(list)
    alone: dict[int, list[Path]] = defaultdict(list)
    for path, one in identities.items():
        if one.group_size > 1:
            parents[one.run_id, one.task_slot].append(path)
        else:
            alone[one.local_capture_index].append(path)
    groups = [_of_parent({path: identities[path] for path in parents[k]}) for k in sorted(parents)]
    ranks = {identities[path].chip_rank for paths in alone.values() for path in paths}
    for index in sorted(alone):
        members = {path: identities[path] for path in alone[index]}
        _require_once(members, "chip_rank", f"d{index}")
        of_rank = {one.chip_rank: path for path, one in members.items()}
        groups.append(
            RankGroup(
                dispatch_id=f"d{index}",
                paired_by="local_capture_index",
                ranks=dict(sorted(of_rank.items())),
                missing=tuple(sorted(ranks - set(of_rank))),
            )
        )
    return Pairing(tuple(groups))


def _of_parent(members: dict[Path, DispatchIdentity]) -> RankGroup:
    first_path, first = next(iter(members.items()))
    for path, one in members.items():
        for key in ("group_size", "callable_digest"):
            if getattr(one, key) != getattr(first, key):
                problem = (
                    f"{key!r} of dispatch {one.dispatch_id} is {getattr(one, key)}, and "
                    f"{getattr(first, key)} in {first_path}; one dispatch has one"
                )
                raise InputError(path, problem)
    for key in ("group_index", "chip_rank"):
        _require_once(members, key, f"dispatch {first.dispatch_id}")
    there = {one.group_index for one in members.values()}
    absent = (k for k in range(first.group_size) if k not in there)
    return RankGroup(
        dispatch_id=first.dispatch_id,
        paired_by="parent_dispatch_identity",
        ranks=dict(sorted((one.chip_rank, path) for path, one in members.items())),
        missing=tuple(index for index, _ in zip(absent, range(_MOST_MISSING), strict=False)),
    )


_MOST_MISSING = 4096
"""So many missing indexes are named at most: a group's size is only a number in a file."""


def _require_once(members: dict[Path, DispatchIdentity], key: str, group: str) -> None:
    counts = Counter(getattr(one, key) for one in members.values())
    value, count = counts.most_common(1)[0]
    if count > 1:
        paths = [path for path, one in members.items() if getattr(one, key) == value]
        problem = f"{key!r} {value} of {group} stands in {paths[0]}, too; expected one file with it"
        raise InputError(paths[1], problem)
