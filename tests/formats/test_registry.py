"""The registry is whole, light, and what is asked of it by name is found."""

from __future__ import annotations

import inspect
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from lanescope.errors import UsageError
from lanescope.formats import Exporter, Importer
from lanescope.formats.available import exporter, exporters, importer, importers
from lanescope.formats.deferred import Deferred
from lanescope.formats.detect import detect
from lanescope.formats.registry import EXPORTERS, IMPORTERS


def test_names_are_used_once() -> None:
    for entries in (IMPORTERS, EXPORTERS):
        names = [one.name for one in entries]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("one", IMPORTERS, ids=lambda one: one.name)
def test_an_importers_functions_exist(one: Importer) -> None:
    assert isinstance(one.read, Deferred)
    assert list(inspect.signature(one.read.resolve()).parameters) == ["bundle"]
    if one.recognises is not None:
        assert isinstance(one.recognises, Deferred)
        assert list(inspect.signature(one.recognises.resolve()).parameters) == ["look"]


@pytest.mark.parametrize("one", EXPORTERS, ids=lambda one: one.name)
def test_an_exporters_function_exists(one: Exporter) -> None:
    assert isinstance(one.write, Deferred)
    parameters = ["trace", "path", "options"]
    assert list(inspect.signature(one.write.resolve()).parameters) == parameters


@pytest.mark.parametrize("one", IMPORTERS, ids=lambda one: one.name)
def test_an_importers_kinds_are_told_apart(one: Importer) -> None:
    kinds = [*one.main_kinds, *one.companions, *one.many]
    assert len(set(kinds)) == len(kinds)
    assert set(one.alone) <= {*one.companions, *one.many}
    assert bool(one.endings) == (one.recognises is not None)


@pytest.mark.parametrize("one", [*IMPORTERS, *EXPORTERS], ids=lambda one: one.name)
def test_texts_fit_into_lists_and_tables(one: Importer | Exporter) -> None:
    texts = (one.reads, one.files) if isinstance(one, Importer) else (one.writes, one.opened)
    for text in texts:
        assert "\n" not in text and "|" not in text and not text.endswith(".")


def test_the_registry_loads_nothing_heavy() -> None:
    code = (
        "import sys\n"
        "from lanescope.formats.available import exporters, importers\n"
        "importers(), exporters()\n"
        "heavy = {'numpy', 'pyarrow', 'rich', 'msgspec'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_an_entry_is_found_by_its_name() -> None:
    assert [importer(one.name) for one in IMPORTERS] == list(importers())
    assert [exporter(one.name) for one in EXPORTERS] == list(exporters())


def test_an_unknown_name_is_told_with_those_that_exist() -> None:
    with pytest.raises(UsageError) as caught:
        importer("chrom")
    names = ", ".join(one.name for one in IMPORTERS)
    assert str(caught.value) == f"no importer for format 'chrom'; there are auto, {names}"
    with pytest.raises(UsageError) as caught:
        exporter("excel")
    names = ", ".join(one.name for one in EXPORTERS)
    assert str(caught.value) == f"no exporter for format 'excel'; there are {names}"


def test_who_reads_no_json_is_not_asked_about_it(tmp_path: Path) -> None:
    """Nor loaded for it."""
    asked: list[str] = []

    def asking(one: Importer) -> Importer:
        return replace(one, recognises=lambda look: asked.append(one.name))

    (tmp_path / "a").write_text('{"a": 1}')
    detect(tmp_path / "a", [asking(one) for one in IMPORTERS if one.recognises is not None])
    assert not {"xplane", "perfetto", "straggler-study", "nsys", "tt-metal", "kanata"} & {*asked}
    assert {"simpler", "ascend", "kineto", "rocprofv3", "chrome", "csv", "plena"} <= {*asked}
