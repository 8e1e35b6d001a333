"""Options of `make mutate`: which changes are tried, and the exit code."""

from __future__ import annotations

import argparse
import random
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from tools.mutate.change import Change, changed_lines, listed_changes, room_of
from tools.mutate.python_changes import python_changes
from tools.mutate.removals import removals
from tools.mutate.score import Outcome, Scores
from tools.mutate.token_changes import token_changes, token_removals
from tools.mutate.tree import Tree
from tools.mutate.trial import Trials

ROOT = Path(__file__).parents[2]
_Makers = list[Callable[[], Change | None]]


def main() -> int:
    """Tries the changes that were asked for; 1 where too many are not noticed."""
    options = _options()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    changes = [] if options.only_sampled else listed_changes(ROOT, options.room)
    if not options.only_listed:
        changes += _sampled(options)
    if options.list:
        for change in changes:
            print(change.text)
        return 0
    scores = Scores(ROOT)
    with Tree.copied(ROOT, options.place.resolve()) as tree:
        trials = Trials(tree, seconds=options.seconds)
        for number, change in enumerate(changes, 1):
            outcome = scores.equivalent(change) or trials.outcome(change)
            scores.add(change, outcome)
            print(f"{number}/{len(changes)} {outcome.word}: {change.text}", flush=True)
            if outcome.word == Outcome.BROKEN:
                print(outcome.detail, flush=True)
    print(scores.page())
    return scores.exit_code()


def _sampled(options: argparse.Namespace) -> list[Change]:
    lines = changed_lines(ROOT, options.changed_since) if options.changed_since else None
    found = []
    for room, files in sorted(_rooms(lines).items()):
        if not options.room or room in options.room:
            chosen = random.Random(f"{options.seed}:{room}")
            found += _of_room(files, chosen, options.sample, lines)
    return found


def _rooms(lines: dict[str, set[int]] | None) -> dict[str, list[Path]]:
    """Files that may be changed, by room."""
    rooms: dict[str, list[Path]] = {}
    for pattern in ("src/lanescope/**/*.py", "native/**/*.[ch]", "native/**/*.cuh", "viewer/*.js"):
        for file in sorted(ROOT.glob(pattern)):
            name = file.relative_to(ROOT).as_posix()
            if lines is None or name in lines:
                rooms.setdefault(room_of(name), []).append(file)
    return rooms


def _of_room(
    files: list[Path], chosen: random.Random, count: int, lines: dict[str, set[int]] | None
) -> list[Change]:
    """Different changes of one room; a file is as likely as it is long."""
    weights = [file.stat().st_size for file in files]
    made: dict[Path, list[_Makers]] = {}
    found: dict[str, Change] = {}
    for _ in range(20 * count):
        if len(found) == count:
            break
        file = chosen.choices(files, weights)[0]
        if file not in made:
            within = None if lines is None else lines[file.relative_to(ROOT).as_posix()]
            made[file] = _changes(file, within)
        if made[file] and (change := chosen.choice(chosen.choice(made[file]))()):
            found[change.text] = change
    return list(found.values())


def _changes(file: Path, within: set[int] | None) -> list[_Makers]:
    """What makes the changes of a file, or those in some of its lines: exchanges and removals.

    A file has many times more numbers than guards, so the sorts are drawn alike.
    """
    if file.suffix == ".py":
        sorts = [python_changes(ROOT, file), removals(ROOT, file)]
    else:
        both = token_changes(ROOT, file), token_removals(ROOT, file)
        sorts = [[partial(_itself, change) for change in changes] for changes in both]
    if within is not None:
        sorts = [_within(makers, within) for makers in sorts]
    return [makers for makers in sorts if makers]


def _within(makers: _Makers, lines: set[int]) -> _Makers:
    changes = [change for make in makers if (change := make())]
    return [partial(_itself, change) for change in changes if change.line in lines]


def _itself(change: Change) -> Change:
    return change


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make mutate MUTATE=", description=__doc__)
    parser.add_argument("--room", action="append", help="only this room (may be repeated)")
    parser.add_argument("--sample", type=int, default=10, help="changes per room (10)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, other changes (1)")
    parser.add_argument("--changed-since", metavar="REV", help="only lines changed since REV")
    parser.add_argument("--seconds", type=float, default=15.0, help="tests per change, in s (15)")
    parser.add_argument("--only-listed", action="store_true", help="only those of changes.toml")
    parser.add_argument("--only-sampled", action="store_true", help="none of changes.toml")
    place = ROOT / "build" / "mutate"
    parser.add_argument(
        "--place", type=Path, default=place, help="where the copy is (build/mutate)"
    )
    parser.add_argument("--list", action="store_true", help="print the changes, try none")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
