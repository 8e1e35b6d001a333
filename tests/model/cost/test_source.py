"""Cost sources by name and by path."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from lanescope.errors import InputError, UsageError
from lanescope.model.cost.source import OpcodeTiming, is_builtin, load_cost_source

MINE = """\
name: mine
isa: plena
summary: by hand
source: this test
memory: free
costs: { M_MM: 7, V_ADD_VV: { done: MLEN, ready: 2, basis: assumed } }
"""


@pytest.mark.parametrize("name", ["mine.yaml", "mine.yml", "mine", "mine.txt"])
def test_a_file_is_a_cost_source_whatever_its_name_ends_in(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(MINE)
    found = load_cost_source(tmp_path / name)
    assert (found.name, found.isa, found.summary, found.memory) == (
        *("mine", "plena"),
        *("by hand", "free"),
    )
    assert found.costs == {
        "M_MM": 7,
        "V_ADD_VV": OpcodeTiming(done="MLEN", ready=2, basis="assumed"),
    }
    assert not is_builtin(found)


@pytest.mark.parametrize("name", ["none.yaml", "none.yml"])
def test_a_yaml_file_that_is_not_there_is_no_name(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a YAML file, found none there"):
        load_cost_source(tmp_path / name)


def test_another_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(UsageError) as refused:
        load_cost_source("none.txt")
    assert str(refused.value) == (
        "no cost source 'none.txt'; there are emulator, peer, peer-charged, rtl, or name a YAML "
        "file"
    )


def test_a_source_is_built_in_only_as_it_came() -> None:
    rtl = load_cost_source("rtl")
    assert is_builtin(rtl)
    assert not is_builtin(msgspec.structs.replace(rtl, summary="ours"))
    assert not is_builtin(msgspec.structs.replace(rtl, name="mine"))
