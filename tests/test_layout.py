"""The shape of the house: no cycles, no long files or functions, doors that can be found."""

from __future__ import annotations

import ast
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "lanescope"
FILES = sorted(SOURCE.rglob("*.py"))
NATIVE = sorted(
    file
    for pattern in ("native/**/*.[ch]", "native/**/*.cuh", "viewer/*.js")
    for file in ROOT.glob(pattern)
)
MOST_LINES = 350
MOST_FUNCTION_LINES = 60


def module_name(file: Path) -> str:
    parts = file.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text())


MODULES = {module_name(file): file for file in FILES}


def imports_of(file: Path) -> set[str]:
    """Modules of ours that must be there before this one: imports at the top of the file."""
    names = set()
    for node in tree(file).body:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            wanted = [f"{node.module}.{alias.name}" for alias in node.names]
            names |= {name if name in MODULES else node.module for name in wanted}
    return {name for name in names if name in MODULES} - {module_name(file)}


def longest_chain() -> list[str]:
    """The longest way from a module through its imports; a cycle is an error."""
    chains: dict[str, list[str]] = {}
    open_modules: list[str] = []

    def chain(module: str) -> list[str]:
        assert module not in open_modules, f"import cycle: {[*open_modules, module]}"
        if module not in chains:
            open_modules.append(module)
            below = [chain(name) for name in sorted(imports_of(MODULES[module]))]
            open_modules.pop()
            chains[module] = [module, *max(below, key=len, default=[])]
        return chains[module]

    return max((chain(module) for module in MODULES), key=len)


def description() -> str:
    """The size of the house in a sentence; the summary of every test run shows it."""
    chain = longest_chain()
    rooms = Counter(file.relative_to(SOURCE).parts[0] for file in FILES if file.parent != SOURCE)
    room, size = rooms.most_common(1)[0]
    lines = sum(len(file.read_text().splitlines()) for file in FILES)
    return (
        f"{len(FILES)} files, {lines:,} lines, {len(rooms)} rooms, the largest {room} with {size} "
        f"files; longest import chain {len(chain)}: {' > '.join(chain)}"
    )


def test_there_are_no_import_cycles() -> None:
    chain = longest_chain()
    assert len(chain) == len(set(chain)) > 1


@pytest.mark.parametrize("file", [*FILES, *NATIVE], ids=lambda file: str(file.relative_to(ROOT)))
def test_no_file_is_long(file: Path) -> None:
    assert len(file.read_text().splitlines()) <= MOST_LINES


def functions_of(file: Path) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree(file)):
        if isinstance(node, ast.FunctionDef):
            yield node


def code_lines(node: ast.FunctionDef) -> int:
    """Lines of a function's body without its docstring."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return (node.end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_no_function_is_long() -> None:
    long = {
        f"{module_name(file)}.{node.name}": length
        for file in FILES
        for node in functions_of(file)
        if (length := code_lines(node)) > MOST_FUNCTION_LINES
    }
    assert long == {}


def public_functions(file: Path) -> Iterator[tuple[str, ast.FunctionDef]]:
    """Functions of the module and methods of its public classes that people call by name."""
    for node in tree(file).body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield node.name, node
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            if any(ast.unparse(base).startswith("Protocol") for base in node.bases):
                continue
            for inner in node.body:
                if isinstance(inner, ast.FunctionDef) and not inner.name.startswith("_"):
                    yield f"{node.name}.{inner.name}", inner


def test_every_public_function_has_a_docstring() -> None:
    bare = sorted(
        f"{module_name(file)}.{name}"
        for file in FILES
        for name, node in public_functions(file)
        if ast.get_docstring(node) is None
    )
    assert bare == []


def test_no_package_exports_a_name_that_hides_one_of_its_modules() -> None:
    hidden = {}
    for file in FILES:
        if file.name != "__init__.py" or file.parent == SOURCE:
            continue
        inside = {one.stem for one in file.parent.iterdir() if not one.name.startswith("_")}
        names = set()
        for node in tree(file).body:
            if isinstance(node, ast.ImportFrom):
                names |= {alias.asname or alias.name for alias in node.names}
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names.add(node.name)
        if names & inside:
            hidden[module_name(file)] = sorted(names & inside)
    assert hidden == {}


def test_a_class_name_stands_for_one_class() -> None:
    homes = defaultdict(list)
    for file in FILES:
        for node in tree(file).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(module_name(file))
    assert {name: files for name, files in homes.items() if len(files) > 1} == {}
