"""SQL over a served trace: right answers, and limits that hold whatever is asked."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from tests.viewer.traces import HOSTILE, small

from lanescope.viewer import sql, sql_job
from lanescope.viewer.sql import READY, SqlTables, offered


@pytest.fixture(scope="module")
def made() -> Iterator[SqlTables]:
    tables = SqlTables(small(HOSTILE))
    yield tables
    tables.close()


@pytest.fixture
def tables(made: SqlTables, monkeypatch: pytest.MonkeyPatch) -> SqlTables:
    """Answered in this process, which is quicker."""
    monkeypatch.setattr(sql, "_ask", sql_job.answer)
    return made


def test_a_question_is_answered_by_another_process(made: SqlTables) -> None:
    told = made.answer("SELECT count(*) AS tasks FROM tasks")
    assert told == {"columns": ["tasks"], "rows": [[32]], "more": False, "bars": []}


def test_an_answer_has_columns_rows_and_the_bars_they_are_about(tables: SqlTables) -> None:
    told = tables.answer(
        "SELECT core, start_ns, name FROM tasks JOIN functions USING (func) "
        "WHERE core = 1 ORDER BY start_ns"
    )
    assert told["columns"] == ["core", "start_ns", "name"]
    assert told["rows"][0] == [1, 100, HOSTILE]
    assert told["bars"] == [[1, 100 + 1000 * k] for k in range(8)]
    assert not told["more"]


def test_tasks_alone_name_their_bars_and_large_numbers_stay_exact(tables: SqlTables) -> None:
    told = tables.answer(f"SELECT task FROM tasks WHERE task = {(1 << 60) + 9}")
    assert told["rows"] == [[str((1 << 60) + 9)]]
    assert told["bars"] == [[1, 1100]]


@pytest.mark.parametrize(("question", "text"), READY, ids=[one for one, _ in READY])
def test_a_ready_question_is_answered(question: str, text: str, tables: SqlTables) -> None:
    told = tables.answer(text)
    assert "error" not in told, told
    assert told["columns"]
    if question.startswith("Which functions"):
        trace = small()
        lengths = trace.tasks["end_ns"] - trace.tasks["start_ns"]
        totals = [lengths[trace.tasks["func"] == func].sum() / 1e6 for func in range(3)]
        assert np.allclose([row[2] for row in told["rows"]], sorted(totals, reverse=True))


ATTACKS = {
    "COPY tasks TO '/tmp/lanescope-attack.csv'": "Only one SELECT",
    "INSTALL httpfs": "Only one SELECT",
    "LOAD httpfs": "Only one SELECT",
    "ATTACH '/tmp/lanescope-attack.db'": "Only one SELECT",
    "SET memory_limit = '100GB'": "Only one SELECT",
    "PRAGMA database_list": "Only one SELECT",
    "CREATE TABLE x AS SELECT 1": "Only one SELECT",
    "SELECT 1; SELECT 2": "Only one SELECT",
    "SELECT * FROM read_csv('/etc/passwd')": "disabled by configuration",
    "SELECT * FROM read_text('/proc/self/environ')": "disabled by configuration",
    "SELECT * FROM read_parquet('http://127.0.0.1:1/x')": "disabled by configuration",
    "SELECT * FROM glob('/*')": "disabled by configuration",
    "SELECT * FROM '/etc/passwd'": "does not exist",
    "SELECT * FROM nothing": "does not exist",
    "SELEC 1": "yntax",
    "x" * 20_000: "at most 10,000 characters",
}


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda text: text[:30])
def test_what_is_not_a_question_is_refused(attack: str, tables: SqlTables) -> None:
    told = tables.answer(attack)
    assert ATTACKS[attack] in told["error"]
    assert "\n" not in told["error"]
    assert len(told["error"]) <= 300
    assert not list(Path("/tmp").glob("lanescope-attack*"))


GREEDY = {
    "SELECT count(*) FROM range(1000000) a, range(1000000) b": "took more than 1 s",
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT max(n) FROM r": "1 s",
    "SELECT repeat('x', 2000000000)": "",
    "SELECT list(range(100000000))": "",
    "SELECT unnest(range(1000000000))": "",
}


@pytest.mark.skipif(sys.platform != "linux", reason="the system limits memory on Linux")
@pytest.mark.parametrize("greedy", GREEDY, ids=lambda text: text[:30])
def test_a_greedy_question_is_ended(
    greedy: str, made: SqlTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "SECONDS", 1.0 if GREEDY[greedy] else 10.0)
    begun = time.monotonic()
    told = made.answer(greedy)
    assert GREEDY[greedy] in told["error"]
    assert time.monotonic() - begun < 15


def test_long_answers_are_cut(tables: SqlTables) -> None:
    told = tables.answer("SELECT repeat('x', 2000) AS a FROM range(5000)")
    assert (len(told["rows"]), told["more"], len(told["rows"][0][0])) == (1000, True, 500)


def test_many_at_once_are_refused_and_later_ones_answered(
    tables: SqlTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "_ask", lambda *_: time.sleep(0.5) or {"columns": [], "rows": []})
    with ThreadPoolExecutor(6) as pool:
        told = list(pool.map(tables.answer, ["SELECT 1"] * 6))
    refused = [one for one in told if "error" in one]
    assert len(refused) == 4
    assert "2 questions are being answered" in refused[0]["error"]
    assert "error" not in tables.answer("SELECT 1")


def test_without_duckdb_the_command_to_install_it_is_told(
    tables: SqlTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sql, "find_spec", lambda name: None)
    assert offered() == {"missing": "pip install 'lanescope[sql]'"}
    assert "lanescope[sql]" in tables.answer("SELECT 1")["error"]
