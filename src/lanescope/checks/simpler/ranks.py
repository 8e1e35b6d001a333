"""Ranks side by side: which have records, and whether their dispatches belong together."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from lanescope.checks.finding import CheckFinding
from lanescope.checks.naming import listed
from lanescope.checks.reading import Folder
from lanescope.checks.simpler.folders import no_records
from lanescope.errors import InputError
from lanescope.formats.json_file import storable
from lanescope.formats.simpler.gathering import rank_folders
from lanescope.formats.simpler.hosting import HostLogs
from lanescope.formats.simpler.identity import DispatchIdentity, pair_ranks, read_identity

_CAPTURE = re.compile(r"d\d{1,6}")


def rank_findings(place: Path, folders: Sequence[Folder], logs: HostLogs) -> Iterator[CheckFinding]:
    """What is missing among the ranks of one folder."""
    ranks = rank_folders(place)
    captures: dict[int, set[str]] = {}
    for rank, path in ranks.items():
        own = [one for one in folders if one.path.is_relative_to(path)]
        recorded = [one for one in own if one.of_kind("records")]
        captures[rank] = {one.path.name for one in recorded if _CAPTURE.fullmatch(one.path.name)}
        broken = any("records" in finding.producer for one in own for finding in one.findings)
        if not recorded and not broken:
            yield _silent(rank, path, own, logs)
    yield from _unequal(captures)
    yield from _groups(folders)


def _silent(rank: int, path: Path, own: Sequence[Folder], logs: HostLogs) -> CheckFinding:
    """A rank with a folder and no records."""
    files = tuple(file for one in own for file in one.files)
    finding = no_records(Folder(own[0].path if own else path, files), logs)
    return CheckFinding(
        producer=f"rank {rank}",
        kind="missing",
        count=1,
        sentence=f"Rank {rank} has a folder and no records file"
        + (
            f"; it holds {listed([storable(one.path.name) for one in files])}."
            if files
            else ", nor any other file that is known."
        ),
        cause=finding.cause,
    )


def _unequal(captures: dict[int, set[str]]) -> Iterator[CheckFinding]:
    """Ranks that lack a capture dN which others have; one without any record was named already."""
    every = set().union(*captures.values()) if captures else set()
    for rank, own in captures.items():
        absent = sorted(every - own)
        if own and absent:
            yield CheckFinding(
                producer=f"rank {rank}",
                kind="missing",
                count=len(absent),
                sentence=f"Rank {rank} has no records of {listed(absent)}, which other ranks have.",
                cause="The rank took no part in these, or its records were not collected.",
            )


def _groups(folders: Sequence[Folder]) -> Iterator[CheckFinding]:
    """Dispatches of which a rank is missing, and identities that contradict each other."""
    identities: dict[Path, DispatchIdentity] = {}
    for folder in folders:
        for one in folder.of_kind("identity"):
            try:
                if one.json is not None:
                    identities[one.path] = read_identity(one.json)
            except InputError:
                continue  # The folder's own finding names it.
    try:
        groups = pair_ranks(identities).groups if identities else ()
    except InputError as error:
        yield CheckFinding(
            producer="ranks",
            kind="contradiction",
            sentence=f"The ranks' identities contradict each other: {error.problem} "
            f"({Path(error.path).parent.parent.name}/{Path(error.path).parent.name}).",
            cause="Files of different dispatches or programs lie in one folder; they cannot be "
            "put together.",
        )
        return
    for group in groups:
        if group.missing:
            yield CheckFinding(
                producer="ranks",
                kind="missing",
                count=len(group.missing),
                sentence=f"Dispatch {group.dispatch_id} is not complete: of "
                f"{len(group.ranks) + len(group.missing)} ranks these are missing: "
                f"{listed([str(one) for one in group.missing])}.",
                cause="Their folders were not copied, or these ranks never wrote one.",
            )
