"""No reader lets another exception out than ours, whatever file it is given."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
from tests.formats.samples import FORMATS, OPTIONS, mutated, write_samples

from lanescope.errors import LanescopeError
from lanescope.formats import import_paths
from lanescope.formats.registry import IMPORTERS

FEW, MANY = 20, 2000
"""Mutations of each file."""
NUMBER = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])")
HUGE = (b"1" + b"0" * 30, b"%d" % (1 << 63), b"%d" % -(1 << 63), b"1e300")
PLACES = 40
"""Numbers of a file, drawn at random, that are tried."""


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Path]]:
    return write_samples(tmp_path_factory.mktemp("samples"))


def outcome(path: Path, reader: str = "auto") -> str:
    """Why a file is refused; empty where it is read. Any other exception goes on."""
    options = OPTIONS.get(reader, {})
    try:
        import_paths([path], format=reader, options=options)
    except LanescopeError as error:
        assert "\n" not in str(error)
        return str(error)
    return ""


def test_there_is_a_sample_of_every_format(samples: dict[str, dict[str, Path]]) -> None:
    assert set(FORMATS) == {one.name for one in IMPORTERS}
    for name, files in samples.items():
        assert [path for path in files.values() if not outcome(path, name)], name


@pytest.mark.parametrize("reader", FORMATS)
def test_a_reader_refuses_the_files_of_others_in_a_sentence(
    reader: str, samples: dict[str, dict[str, Path]]
) -> None:
    for name, files in samples.items():
        for path in files.values():
            assert name == reader or outcome(path, reader) or reader in ("chip6", "chrome"), path


@pytest.mark.parametrize("reader", FORMATS)
def test_a_number_that_no_column_holds_ends_no_reader(
    reader: str, samples: dict[str, dict[str, Path]], tmp_path: Path
) -> None:
    rng = random.Random(reader)
    for path in samples[reader].values():
        data, target = path.read_bytes(), tmp_path / path.name
        numbers = list(NUMBER.finditer(data))
        for found in rng.sample(numbers, min(PLACES, len(numbers))):
            for huge in HUGE:
                target.write_bytes(data[: found.start()] + huge + data[found.end() :])
                try:
                    outcome(target, reader)
                except Exception as error:
                    error.add_note(f"{path.name} has {huge!r} at byte {found.start()}")
                    raise


def mutations(place: Path, path: Path, reader: str, count: int) -> None:
    rng, data = random.Random(f"{reader} {path.name}"), path.read_bytes()
    for _ in range(count):
        changed = mutated(data, rng)
        (place / path.name).write_bytes(changed)
        try:
            outcome(place / path.name, reader)
            outcome(place / path.name)
        except Exception as error:
            error.add_note(f"{path.name} was {changed[:3000]!r}")
            raise


@pytest.mark.parametrize("reader", FORMATS)
def test_a_reader_survives_damaged_files(
    reader: str, samples: dict[str, dict[str, Path]], tmp_path: Path
) -> None:
    for path in samples[reader].values():
        mutations(tmp_path, path, reader, FEW)


@pytest.mark.stress
@pytest.mark.parametrize("reader", FORMATS)
def test_a_reader_survives_many_damaged_files(
    reader: str, samples: dict[str, dict[str, Path]], tmp_path: Path
) -> None:
    for path in samples[reader].values():
        mutations(tmp_path, path, reader, MANY)
