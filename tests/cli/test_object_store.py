"""Commands that take a URL say what they say of a path; a store that fails is one sentence."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from tests.s3_store import Proxy, proxy_before

from lanescope.cli import main
from lanescope.trace import load, stores

SMALL = Path(__file__).parents[2] / "examples" / "small_run"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("here") / "small_run.lanes"
    assert main(["import", str(SMALL), "-o", str(path)]) == 0
    return path


@pytest.fixture
def url(store: Proxy) -> str:
    """The small run, imported into a folder of the store."""
    assert main(["import", str(SMALL), "-o", store.url("runs")]) == 0
    return store.url("runs/small_run.lanes")


def test_an_import_goes_to_the_store(
    store: Proxy, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", str(SMALL), "-o", store.url("imported")]) == 0
    told = capsys.readouterr().out
    assert told.startswith("s3://traces/imported/small_run.lanes  level 4: ")
    assert load(store.url("imported/small_run.lanes")).meta == load(here).meta


@pytest.mark.parametrize(
    "words",
    [
        ["report", "TRACE", "--full"],
        ["report", "TRACE", "--json", "--core", "0-3"],
        ["diff", "TRACE", "TRACE"],
        ["what-if", "TRACE", "--scale", "QK=0.5"],
    ],
    ids=lambda words: words[0],
)
def test_a_command_says_the_same_of_a_url(
    words: list[str], url: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    told = []
    for trace in (url, str(here)):
        assert main([trace if word == "TRACE" else word for word in words]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1] != ""


def test_the_commands_of_a_report_hold_no_credentials(
    url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(["report", url]) == 0
    out = capsys.readouterr().out
    assert "lanescope what-if s3://traces/runs/small_run.lanes --" in " ".join(out.split())
    assert "secret" not in out and "endpoint" not in out


def test_a_url_is_viewed_exported_and_verified(
    url: str, here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for trace, name in ((url, "far"), (str(here), "near")):
        assert main(["view", trace, "--html", str(tmp_path / f"{name}.html")]) == 0
        assert main(["export", trace, "--to", "chrome", "-o", str(tmp_path / f"{name}.json")]) == 0
    for ending in ("html", "json"):
        far, near = (tmp_path / f"{name}.{ending}" for name in ("far", "near"))
        assert far.read_bytes() == near.read_bytes()
    capsys.readouterr()
    assert main(["verify", url]) == 0
    assert capsys.readouterr().out == (
        "s3://traces/runs/small_run.lanes: all 16 files are as they were written\n"
    )


def test_a_changed_replay_is_stored_there(
    url: str, store: Proxy, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    target = store.url("replays/half.lanes")
    assert main(["what-if", url, "--scale", "QK=0.5", "-o", target]) == 0
    assert "\ns3://traces/replays/half.lanes  the changed" in capsys.readouterr().out
    assert load(target).meta.name == "half"


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limits are the same code, only shorter."""
    monkeypatch.setattr(stores, "_SILENCE_S", 1.0)
    monkeypatch.setattr(stores, "_ATTEMPTS", 2)


@pytest.mark.parametrize(
    ("fault", "verbs", "reason"),
    [
        ("500", ("HEAD",), "AWS Error UNKNOWN (HTTP status 500) during HeadObject operation"),
        ("503", ("GET",), "AWS Error "),
        ("403", ("HEAD",), "AWS Error ACCESS_DENIED during HeadObject operation"),
        ("cut", ("GET",), "AWS Error NETWORK_CONNECTION during GetObject operation: curlCode: 18"),
        ("silent", ("HEAD", "GET"), "AWS Error NETWORK_CONNECTION during HeadObject operation"),
    ],
)
@pytest.mark.parametrize("file", ["meta.json", "tasks.parquet"])
@pytest.mark.usefixtures("impatient")
def test_a_store_that_fails_is_one_sentence(
    fault: str,
    verbs: tuple[str, ...],
    reason: str,
    file: str,
    s3_port: int,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with proxy_before(s3_port) as proxy:
        url = proxy.url("faults/small_run.lanes")
        assert main(["import", str(SMALL), "-o", proxy.url("faults")]) == 0
        capsys.readouterr()
        proxy.fault = lambda method, path: fault if method in verbs and file in path else ""
        began = time.monotonic()
        assert main(["report", url]) == 1
        assert time.monotonic() - began < 60
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(
        f"lanescope: s3://traces/faults/small_run.lanes/{file}: cannot be read ({reason}"
    )
    assert told.err.endswith(
        "; check the address, the credentials and the network, then try again\n"
    )
    assert told.err.count("\n") == 1
    assert "secret" not in told.err


@pytest.mark.usefixtures("impatient")
def test_a_store_that_is_not_there_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    url = "s3://a:b@traces/x.lanes?endpoint_override=http://127.0.0.1:9&region=us-east-1"
    assert main(["report", url]) == 1
    told = capsys.readouterr().err
    assert told.startswith("lanescope: s3://traces/x.lanes/checksums.json: cannot be read (AWS")
    assert told.count("\n") == 1
