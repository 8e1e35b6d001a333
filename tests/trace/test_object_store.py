"""Traces on an S3 server: the same as here, in few requests, and what is seen while one changes."""

from __future__ import annotations

import errno
import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.s3_store import Proxy, proxy_before
from tests.trace.test_store import assert_same

import lanescope
from lanescope.errors import InputError, OutputError
from lanescope.trace import SCHEMA, Table, Trace, filling, load, open_lazily, parquet, save
from lanescope.trace.listing import traces_in
from lanescope.trace.places import Place, place_of

TABLES = ("tasks", "phases", "marks", "counters", "edges", "cores", "functions")
"""Those of the small trace that have rows."""


def changed(trace: Trace) -> Trace:
    """Another trace with the same shape."""
    columns = {name: trace.tasks[name] for name in trace.tasks.columns}
    tasks = Table.build("tasks", {**columns, "task": trace.tasks["task"] + 1})
    return replace(trace, tasks=tasks).with_meta(level=1)


def file_of(url: str, name: str) -> tuple[object, str]:
    place = place_of(url) / name
    assert place.store is not None
    return place.store.filesystem, place.store.path(place.key)


def test_a_trace_comes_back_from_a_store_whole(trace: Trace, store: Proxy) -> None:
    saved = save(trace, store.url("whole.lanes"))
    assert isinstance(saved, Place) and str(saved) == "s3://traces/whole.lanes"
    assert_same(load(store.url("whole.lanes")), trace)
    assert_same(open_lazily(saved), trace)


def test_the_address_may_come_from_the_environment(
    trace: Trace, store: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    save(trace, store.url("environment.lanes"))
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{store.server_port}")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "name")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    store.asked()
    assert load("s3://traces/environment.lanes?region=us-east-1").meta == trace.meta
    assert store.asked()


def test_reading_takes_two_requests_per_file_and_none_for_empty_tables(
    trace: Trace, store: Proxy
) -> None:
    url = store.url("counted.lanes")
    save(trace, url)
    store.asked()
    load(url)
    asked = store.asked()
    files = ["checksums.json", "meta.json", *(f"{name}.parquet" for name in TABLES)]
    wanted = [f"{verb} counted.lanes/{name}" for name in files for verb in ("HEAD", "GET")]
    assert sorted(asked) == sorted(wanted)
    assert asked[:4] == wanted[:4]
    assert len(asked) == 18
    load(url, tables=("edges", "collectives", "steps"))
    assert len(store.asked()) == 6
    lazy = open_lazily(url)
    assert len(store.asked()) == 18
    assert lazy.tasks["start_ns"].tolist()[0] == 10
    assert store.asked() == []


def test_a_trace_of_an_earlier_version_is_read(trace: Trace, store: Proxy) -> None:
    """Its checksums.json does not say how many rows a table has."""
    url = store.url("earlier.lanes")
    save(trace, url)
    place = place_of(url) / "checksums.json"
    checksums = json.loads(place.read_bytes())
    for file in checksums["files"].values():
        del file["rows"]
    filesystem, path = file_of(url, "checksums.json")
    with filesystem.open_output_stream(path) as stream:  # type: ignore[attr-defined]
        stream.write(json.dumps(checksums).encode())
    store.asked()
    assert_same(load(url), trace)
    assert len(store.asked()) == 2 * (2 + len(SCHEMA))


def test_a_new_trace_is_one_listing_and_a_request_per_file(trace: Trace, store: Proxy) -> None:
    save(trace, store.url("new.lanes"))
    asked = store.asked()
    assert asked[0] == "GET"
    assert sorted(asked[1:-2]) == sorted(f"PUT new.lanes/{name}.parquet" for name in SCHEMA)
    assert asked[-2:] == ["PUT new.lanes/checksums.json", "PUT new.lanes/meta.json"]


def test_replacing_deletes_meta_json_first_and_writes_it_last(trace: Trace, store: Proxy) -> None:
    url = store.url("again.lanes")
    save(trace, url)
    store.asked()
    save(changed(trace), url)
    asked = [one for one in store.asked() if not one.startswith(("GET", "HEAD"))]
    assert asked[0] == "DELETE again.lanes/meta.json"
    assert asked[-2:] == ["PUT again.lanes/checksums.json", "PUT again.lanes/meta.json"]
    assert load(url).meta.level == 1
    assert load(url).tasks["task"].tolist() == [11, 12, 13, 14]


def test_a_large_table_is_read_in_parts(
    trace: Trace, store: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = store.url("large.lanes")
    save(trace, url)
    monkeypatch.setattr(parquet, "_READ_AT_ONCE_BYTES", 0)
    assert_same(load(url), trace)
    lazy = open_lazily(url)
    store.asked()
    assert lazy.tasks["start_ns"].tolist()[:3] == [10, 100, 60]
    assert {one.partition(" ")[2] for one in store.asked()} == {"large.lanes/tasks.parquet"}


def test_a_stopped_writer_leaves_no_trace_and_may_write_again(trace: Trace, store: Proxy) -> None:
    url = store.url("stopped.lanes")
    save(trace, url)
    store.fault = lambda method, path: "403" if method == "PUT" and "checksums" in path else ""
    with pytest.raises(OutputError, match=r"s3://traces/stopped\.lanes could not be written \(AWS"):
        save(changed(trace), url)
    with pytest.raises(InputError, match=r"stopped\.lanes: no such trace"):
        load(url)
    assert traces_in(store.url("stopped.lanes")) == []
    with pytest.raises(OutputError, match=r"could not be written \(AWS Error ACCESS_DENIED .*\);"):
        save(trace, url)
    store.fault = lambda method, path: ""
    save(trace, url)
    assert_same(load(url), trace)


def test_a_replaced_trace_that_is_gone_is_told(trace: Trace, store: Proxy) -> None:
    url = store.url("gone.lanes")
    save(trace, url)
    store.fault = lambda method, path: "403" if method == "PUT" else ""
    with pytest.raises(OutputError, match="; the trace that was there may be gone; check"):
        save(trace, url)


def test_a_full_disk_here_leaves_the_trace_of_the_store(
    trace: Trace, store: Proxy, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = store.url("full.lanes")
    save(trace, url)
    store.asked()

    def full(*_args: object, **_options: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(filling.pq.ParquetWriter, "write_table", full)
    with pytest.raises(OutputError, match=r"\(No space left on device\); .* set TMPDIR"):
        save(changed(trace), url)
    assert store.asked() == []
    assert_same(load(url), trace)


def test_a_folder_that_is_no_trace_is_left_alone(trace: Trace, store: Proxy) -> None:
    filesystem, path = file_of(store.url("mine"), "thesis.tex")
    with filesystem.open_output_stream(path) as stream:  # type: ignore[attr-defined]
        stream.write(b"dear")
    with pytest.raises(OutputError, match=r"s3://traces/mine exists and is no lanescope trace"):
        save(trace, store.url("mine"))


@pytest.mark.parametrize("moment", ["meta.json", "tasks.parquet", "functions.parquet"])
def test_a_trace_replaced_while_it_is_read_is_never_mixed(
    trace: Trace, store: Proxy, s3_port: int, moment: str
) -> None:
    """Another process replaces it just before this file is asked for."""
    url = store.url(f"moved-{moment.partition('.')[0]}.lanes")
    save(trace, url)
    with proxy_before(s3_port) as other:
        target = place_of(other.url(f"moved-{moment.partition('.')[0]}.lanes"))
        pending = [1]

        def replace_now(method: str, path: str) -> str:
            if path.endswith(f"/{moment}") and method == "HEAD" and pending:
                pending.clear()
                save(changed(trace), target)
            return ""

        store.fault = replace_now
        try:
            found = load(url)
        except InputError as error:
            assert "if it was just replaced, read it again" in str(error)
        else:
            assert_same(found, trace)
        assert not pending
    assert_same(load(url), changed(trace))


@pytest.mark.parametrize("at", [50, -20])
def test_damage_on_a_store_is_refused_and_named(trace: Trace, store: Proxy, at: int) -> None:
    url = store.url("damaged.lanes")
    save(trace, url)
    assert lanescope.verify(url).whole
    filesystem, path = file_of(url, "tasks.parquet")
    data = bytearray(filesystem.open_input_file(path).read())  # type: ignore[attr-defined]
    data[at] ^= 1
    with filesystem.open_output_stream(path) as stream:  # type: ignore[attr-defined]
        stream.write(bytes(data))
    with pytest.raises(InputError, match=r"s3://traces/damaged\.lanes/tasks\.parquet: is damaged"):
        load(url)
    assert lanescope.verify(url).text() == (
        "s3://traces/damaged.lanes: tasks.parquet has the right size and another content\n"
    )


def test_a_missing_table_is_named(trace: Trace, store: Proxy) -> None:
    url = store.url("missing.lanes")
    save(trace, url)
    filesystem, path = file_of(url, "edges.parquet")
    filesystem.delete_file(path)  # type: ignore[attr-defined]
    for read in (load, open_lazily):
        with pytest.raises(InputError, match=r"edges\.parquet: is missing from the trace"):
            read(url)
    assert not lanescope.verify(url).whole
    with pytest.raises(InputError, match=r"s3://traces/none\.lanes: is no trace"):
        lanescope.verify(store.url("none.lanes"))


def test_traces_below_a_url_are_one_listing(trace: Trace, store: Proxy, tmp_path: Path) -> None:
    for name in ("b.lanes", "deep/er/a.lanes", "b.lanes/inner.lanes"):
        save(trace, store.url(f"listed/{name}"))
    store.asked()
    found = traces_in(store.url("listed"))
    assert store.asked() == ["GET"]
    assert [str(one) for one in found] == [
        "s3://traces/listed/b.lanes",
        "s3://traces/listed/deep/er/a.lanes",
    ]
    assert load(found[1].url).meta == trace.meta
    assert traces_in(found[0]) == found[:1]
    with pytest.raises(InputError, match=r"s3://traces/nothing: no such folder"):
        traces_in(store.url("nothing"))
