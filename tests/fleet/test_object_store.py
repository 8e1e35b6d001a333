"""A fleet on an S3 server: found by one listing, and measured as one on this machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fleet.made import stored
from tests.s3_store import Proxy

from lanescope.errors import InputError
from lanescope.fleet.finding import find_traces
from lanescope.fleet.measuring import measure
from lanescope.trace import load, save


def test_a_fleet_of_a_store_is_one_listing(store: Proxy, tmp_path: Path) -> None:
    here = stored(tmp_path / "a.lanes", 1000)
    for name in ("a.lanes", "deep/b.lanes", "train.job/rank0.lanes"):
        save(load(here), store.url(f"all/{name}"))
    store.asked()
    listing = find_traces(store.url("all"))
    assert store.asked() == ["GET"]
    assert [(one.kind, one.trace, one.job) for one in listing.found] == [
        ("trace", store.url("all/a.lanes"), ""),
        ("trace", store.url("all/deep/b.lanes"), ""),
        ("trace", store.url("all/train.job/rank0.lanes"), store.url("all/train.job")),
        ("job", store.url("all/train.job"), ""),
    ]
    assert measure(listing.found[0].trace) == measure(str(here))


def test_a_store_without_traces_is_one_sentence(store: Proxy) -> None:
    with pytest.raises(InputError, match=r"^s3://traces/nowhere: no such folder"):
        find_traces(store.url("nowhere"))
