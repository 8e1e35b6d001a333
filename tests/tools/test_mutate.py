"""`make mutate`: listed changes are still there, those that are made are changes, and the score."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path

import pytest
from tools.mutate.change import HERE, Change, changed_lines, listed_changes, make_change, room_of
from tools.mutate.removals import removals
from tools.mutate.score import Outcome, Scores
from tools.mutate.seen import SeenLines, _called_lines, _statement
from tools.mutate.token_changes import token_changes, token_removals
from tools.mutate.tree import _SITE, Tree
from tools.mutate.trial import Trials, _alternatives, outcome_of

ROOT = Path(__file__).parents[2]


def test_every_listed_change_is_one_and_its_tests_are_there() -> None:
    changes = listed_changes(ROOT)
    assert len({change.text for change in changes}) == len(changes) > 30
    for change in changes:
        assert change.content != (ROOT / change.file).read_text()
        assert all((ROOT / test.split("::")[0]).exists() for test in change.tests), change.text


def test_every_equivalent_change_names_lines_that_are_there() -> None:
    for file, was, _ in Scores(ROOT).reasons:
        lines = [line.strip() for line in (ROOT / file).read_text().splitlines()]
        assert was in lines, f"{file}: {was}"


def test_the_tests_that_a_table_names_are_there() -> None:
    table = tomllib.loads((HERE / "tests.toml").read_text())
    named = [name for names in table["rooms"].values() for name in names]
    named += [name for groups in table["files"].values() for group in groups for name in group]
    assert len(named) > 50
    for name in named:
        file, _, test = name.replace("{stem}", "*").partition("::")
        assert any(ROOT.glob(file)), name
        assert not test or f"def {test}(" in (ROOT / file).read_text(), name


def test_rooms() -> None:
    files = ("src/lanescope/analyze/cores/gaps.py", "src/lanescope/words.py", "native/src/sort.c")
    assert [room_of(file) for file in files] == ["analyze", "house", "C"]
    assert room_of("viewer/times.js") == "scripts"


def changed(file: Path, content: str) -> tuple[int, str, str]:
    change = make_change(file.parent, file, content)
    return change.line, change.was, change.becomes


def test_a_change_says_the_lines_that_differ(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("one\n  two\nthree\n")
    assert changed(file, "one\n  TWO\nthree\n") == (2, "two", "TWO")
    assert changed(file, "one\nthree\n") == (2, "two", "")
    assert changed(file, "one\n  two\nnew\nthree\n") == (3, "", "new")


def test_tokens_are_exchanged_outside_of_texts_and_comments(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text('#include <a.h>\n/* a < b */\nif (a < b && !c) // 1 < 2\n    d("x < y");\n')
    lines = [change.becomes for change in token_changes(tmp_path, file)]
    assert lines == [
        "if (a <= b && !c) // 1 < 2",
        "if (a >= b && !c) // 1 < 2",
        "if (a < b || !c) // 1 < 2",
        "if (a < b && c) // 1 < 2",
    ]


def test_python_is_changed_where_it_runs(tmp_path: Path) -> None:
    pytest.importorskip("cosmic_ray", reason="cosmic-ray is not installed: make mutate does that")
    from tools.mutate.python_changes import python_changes

    file = tmp_path / "a.py"
    head = "@c(1)\ndef f(a: int | None, *, b: int = d) -> int | None:\n"
    file.write_text(f"from b import c\n\n\n{head}    assert a > 0 and b\n    return a + 1\n")
    makers = python_changes(tmp_path, file)
    made = sorted(change.becomes for make in makers if (change := make()))
    assert made == ["return a + 0", "return a + 2", "return a - 1"]


def test_statements_guards_and_parts_of_conditions_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(
        "X = min(1, 2)\n\n\ndef f(a: int | None) -> int:\n"
        "    if a and not g:\n        return 0\n    h['é'] = max(a, 1)\n"
        "    assert a or h\n    h.sort()\n    return sorted(a & 3 if h else g)\n"
        "    b: int | None = 4\n"
    )
    made = [
        (change.line, change.becomes) for make in removals(tmp_path, file) if (change := make())
    ]
    assert made == [
        (5, "pass"),
        (5, "if ((not g)):"),
        (5, "if ((a)):"),
        (7, "pass"),
        (7, "h['é'] = (a)"),
        (7, "h['é'] = (1)"),
        (9, "pass"),
        (10, "return list(a & 3 if h else g)"),
        (10, "return sorted((a & 3))"),
        (10, "return sorted((g))"),
        (10, "return sorted((a) if h else g)"),
        (10, "return sorted((3) if h else g)"),
    ]


def test_lines_of_scripts_and_c_are_left_out(tmp_path: Path) -> None:
    file = tmp_path / "a.c"
    file.write_text(
        "int f(int a) {\n  int b = 0;\n  if (a < 0) return -1;\n  if (a)\n    b += 2;\n"
        "  g(b);\n  at->b[0] = a;\n  /* h(); */\n  return (b);\n}\n"
    )
    assert [(change.line, change.was) for change in token_removals(tmp_path, file)] == [
        (3, "if (a < 0) return -1;"),
        (5, "b += 2;"),
        (6, "g(b);"),
        (7, "at->b[0] = a;"),
    ]


def test_a_statement_is_its_lines_or_its_head(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text("if (\n    a\n    and b\n):\n    x = [\n        1,\n    ]\nelse:\n    y = 2\n")
    found = [_statement(file, line) for line in (1, 3, 6, 9)]
    assert found == [range(1, 5), range(1, 5), range(5, 8), range(9, 10)]


def test_constants_and_defaults_run_at_import_and_bodies_when_called(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_text(
        "A = 1\n\n\nclass B:\n    c = 2\n\n    def d(\n        e=3\n    ):\n        return 4\n"
    )
    assert _called_lines(file) == {10}


def test_lines_of_a_program_that_a_test_starts_are_the_tests(tmp_path: Path) -> None:
    pytest.importorskip("coverage", reason="coverage is not installed: make mutate does that")
    root, site = tmp_path / "tree", tmp_path / "site"
    files = {
        "src/lanescope/__init__.py": "",
        "src/lanescope/part.py": "def used():\n    return 1\n\n\ndef other():\n    return 2\n",
        "tests/house/test_part.py": "import subprocess\nimport sys\n\n\ndef test_part():\n"
        "    code = 'import lanescope.part; lanescope.part.used()'\n"
        "    subprocess.run([sys.executable, '-c', code], check=True)\n",
        "tools/mutate/recording.py": (ROOT / "tools/mutate/recording.py").read_text(),
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    site.mkdir()
    (site / "sitecustomize.py").write_text(_SITE)
    seen = SeenLines(Tree(root, tmp_path), "house", ("tests/house",))
    assert seen.tests_of("src/lanescope/part.py", 2) == ["tests/house/test_part.py::test_part"]
    assert seen.tests_of("src/lanescope/part.py", 6) == []


def test_a_group_may_name_patterns_and_single_tests_of_files_that_are_there() -> None:
    trials = Trials(Tree(ROOT, ROOT), seconds=1)
    group = [
        "tests/tools/test_{stem}.py::test_rooms",
        "tests/no_such.py::test_rooms",
        "tests/{stem}",
    ]
    assert trials._existing(group, "mutate") == ["tests/tools/test_mutate.py::test_rooms"]
    assert trials._existing(["tests/tools/test_m*.py"], "x") == ["tests/tools/test_mutate.py"]


def test_patterns_with_alternatives() -> None:
    assert _alternatives("v/{a,b}.js") == ["v/a.js", "v/b.js"]
    assert _alternatives("v/*.js") == ["v/*.js"]


@pytest.mark.parametrize(
    ("code", "output", "word"),
    [
        (0, "", Outcome.SURVIVED),
        (1, "", Outcome.NOTICED),
        (-1, "", Outcome.NOTICED),
        (4, "ERROR: not found: a.py::test_b", Outcome.BROKEN),
        (4, "ERROR: found no collectors for a.py::test_b", Outcome.NOTICED),
        (5, "", Outcome.BROKEN),
    ],
)
def test_a_test_file_that_cannot_be_imported_has_noticed(code: int, output: str, word: str) -> None:
    assert outcome_of(code, output, ["a.py::test_b"]).word == word


def test_new_lines_are_those_of_the_difference(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=somebody", "-c", "user.email=somebody@example.com")
        subprocess.run(["git", *who, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    for name in ("a.py", "b.py", "same.py"):
        (tmp_path / name).write_text("1\n2\n3\n4\n")
    git("add", ".")
    git("commit", "-m", "first")
    (tmp_path / "a.py").write_text("1\nnew\n2\n3\nother\n")
    (tmp_path / "b.py").write_text("1\n4\n")
    assert changed_lines(tmp_path, "HEAD") == {"a.py": {2, 5}, "b.py": set()}
    with pytest.raises(subprocess.CalledProcessError):
        changed_lines(tmp_path, "no-such-revision")


def scores(**outcomes: dict[str, int]) -> Scores:
    made = Scores(ROOT)
    for room, words in outcomes.items():
        for word, count in words.items():
            change = Change(f"src/lanescope/{room}/x.py", 7, "a", "b", "")
            for _ in range(count):
                made.add(change, Outcome(word))
    return made


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ({"a": {"noticed": 17, "survived": 3}}, 0),
        ({"a": {"noticed": 16, "survived": 4}}, 1),
        ({"a": {"noticed": 90}, "b": {"noticed": 4, "survived": 1}}, 0),
        ({"a": {"noticed": 90}, "b": {"noticed": 7, "no test runs it": 2}}, 1),
        ({"a": {"noticed": 9, "equivalent": 9, "does not compile": 9}}, 0),
        ({"a": {"noticed": 9, "its tests fail unchanged": 1}}, 1),
        ({}, 0),
    ],
)
def test_a_room_needs_80_percent_and_all_85(outcomes: dict[str, dict[str, int]], code: int) -> None:
    assert scores(**outcomes).exit_code() == code


def test_the_page_has_survivors_and_a_line_per_room() -> None:
    page = scores(jobs={"noticed": 3, "survived": 1}, trace={"noticed": 1, "equivalent": 2}).page()
    assert page.splitlines() == [
        "",
        "Not noticed:",
        "  src/lanescope/jobs/x.py:7: a  →  b  (survived)",
        "",
        "room          noticed    of    share  equivalent  broken",
        "jobs                3     4     75 %           0       0",
        "trace               1     1    100 %           2       0",
        "all                 4     5     80 %           2       0",
    ]
