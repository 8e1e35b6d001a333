"""SQL over a served trace: right answers, and limits that hold whatever is asked."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

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


def test_a_cell_is_as_exact_as_json_allows() -> None:
    whole = "9007199254740991 AS a, 9007199254740992 AS b, -9007199254740991 AS c"
    told = sql_job.answer(
        f"SELECT {whole}, -9007199254740992 AS d, 0.5::DOUBLE AS e, 'inf'::DOUBLE AS f, "
        "'nan'::DOUBLE AS g, NULL AS h, true AS i, DATE '2026-01-02' AS j",
        {},
    )
    assert told == {
        "columns": list("abcdefghij"),
        "rows": [
            [
                *(9007199254740991, "9007199254740992", -9007199254740991, "-9007199254740992"),
                *(0.5, None, None, None, True, "2026-01-02"),
            ]
        ],
        "more": False,
    }


def test_a_text_has_500_letters_and_an_answer_1_000_rows() -> None:
    (row,) = sql_job.answer("SELECT repeat('x', 500) AS a, repeat('x', 501) AS b", {})["rows"]
    assert row == ["x" * 500, "x" * 499 + "…"]
    for asked, rows, more in ((999, 999, False), (1000, 1000, False), (1001, 1000, True)):
        told = sql_job.answer(f"SELECT * FROM range({asked})", {})
        assert (len(told["rows"]), told["rows"][-1], told["more"]) == (rows, [rows - 1], more)


def test_a_question_of_10_000_letters_is_the_longest(tables: SqlTables) -> None:
    asked = "SELECT 1 AS a".ljust(10_000)
    assert tables.answer(asked)["rows"] == [[1]]
    too_long = {"error": "A question has at most 10,000 characters."}
    assert tables.answer(f"{asked} ") == too_long
    assert tables.answer(7) == too_long


def test_a_table_of_more_rows_than_fit_is_not_asked_about(
    tables: SqlTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sql.MOST_ROWS == 20_000_000
    monkeypatch.setattr(sql, "MOST_ROWS", 32)
    assert tables.answer("SELECT count(*) AS n FROM TASKS")["rows"] == [[32]]
    monkeypatch.setattr(sql, "MOST_ROWS", 31)
    assert tables.answer("SELECT count(*) AS n FROM TASKS") == {
        "error": "The table tasks has more than 31 rows; "
        "--since and --until show a part that can be asked about."
    }
    assert tables.answer("SELECT count(*) AS n FROM cores")["rows"] == [[4]]
    both = tables.answer("SELECT count(*) AS n FROM phases, tasks")["error"]
    assert both.startswith("The table tasks has more than 31 rows; ")


def test_bars_need_a_core_and_a_start_or_a_task(tables: SqlTables) -> None:
    def bars(text: str) -> list[list[int]]:
        found: list[list[int]] = tables.answer(text)["bars"]
        return found

    assert bars("SELECT core FROM tasks") == []
    assert bars("SELECT start_ns FROM tasks") == []
    assert bars("SELECT 1 AS n") == []
    pairs = "(2, 7), (NULL, 8), (3, NULL), (1, 9)"
    assert bars(f"SELECT * FROM (VALUES {pairs}) v(core, start_ns)") == [[2, 7], [1, 9]]
    first = 1 << 60
    ids = f"('x'), (NULL), ('-'), ('-5'), ('{first + 9}'), ('{first + 1}')"
    assert bars(f"SELECT * FROM (VALUES {ids}) v(task)") == [[0, 1000], [1, 1100]]


def test_of_the_bars_of_tasks_the_first_10_000_are_told(
    tables: SqlTables, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert sql._MOST_HIGHLIGHTS == 10_000
    monkeypatch.setattr(sql, "_MOST_HIGHLIGHTS", 3)
    assert tables.answer("SELECT task FROM tasks")["bars"] == [[0, 0], [0, 1000], [0, 2000]]


def test_an_answer_that_is_too_long_or_a_process_that_failed_is_too_much(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    told = b'{"columns": [], "rows": []}'
    code = [0]

    def run(command: list[str], **_: object) -> subprocess.CompletedProcess[bytes]:
        return subprocess.CompletedProcess(command, code[0], told, b"")

    monkeypatch.setattr(sql.subprocess, "run", run)
    made = SqlTables(small())
    too_much = {"error": "The question needs too much memory.", "bars": []}
    monkeypatch.setattr(sql, "_MOST_BYTES", len(told))
    assert made.answer("SELECT 1") == {"columns": [], "rows": [], "bars": []}
    monkeypatch.setattr(sql, "_MOST_BYTES", len(told) - 1)
    assert made.answer("SELECT 1") == too_much
    monkeypatch.undo()
    monkeypatch.setattr(sql.subprocess, "run", run)
    code[0] = 1
    assert made.answer("SELECT 1") == too_much
    made.close()


def test_tables_are_written_when_they_are_asked_about_and_again_after_they_went(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files: list[dict[str, str]] = []

    def ask(_: str, given: dict[str, str]) -> dict[str, Any]:
        files.append(given)
        return {"columns": [], "rows": []}

    monkeypatch.setattr(sql, "_ask", ask)
    made = SqlTables(small())
    for text in ("SELECT * FROM tasks, cores", "SELECT * FROM subtasks", "SELECT * FROM Cores"):
        made.answer(text)
    assert [sorted(one) for one in files] == [["cores", "tasks"], [], ["cores"]]
    path = Path(files[0]["cores"])
    assert files[2]["cores"] == str(path)
    assert path.exists()
    made.close()
    assert not path.exists()
    made.answer("SELECT * FROM cores")
    assert Path(files[3]["cores"]).exists()
    made.close()
    made.close()


def test_a_question_has_one_thread_and_half_of_its_memory_for_duckdb() -> None:
    assert sql_job.MEMORY_BYTES == 1 << 30
    asked = "SELECT current_setting('threads') AS threads, current_setting('memory_limit') AS most"
    assert sql_job.answer(asked, {})["rows"] == [[1, "488.2 MiB"]]
