"""The page as a file: one script, a policy that allows nothing else, no text as HTML."""

from __future__ import annotations

import base64
import hashlib
import io
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.viewer.traces import HOSTILE, small

from lanescope.viewer import write_page
from lanescope.viewer.page import bundle

MODULES = sorted((Path(__file__).parents[2] / "viewer").glob("*.js"))


def written(name: str = "small") -> str:
    stream = io.BytesIO()
    summary = write_page([small(name)], stream)
    assert summary.bytes == len(stream.getvalue())
    return stream.getvalue().decode()


def test_a_hostile_name_is_nowhere_in_the_page() -> None:
    text = written(HOSTILE)
    assert HOSTILE not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; · lanescope</title>" in text


def test_the_policy_allows_this_script_alone() -> None:
    text = written()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    script = re.search(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    assert policy is not None
    assert script is not None
    digest = base64.b64encode(hashlib.sha256(script[1].encode()).digest()).decode()
    assert f"script-src &#x27;sha256-{digest}&#x27;;" in policy[1]
    assert "default-src &#x27;none&#x27;;" in policy[1]
    assert "connect-src &#x27;none&#x27;;" in policy[1]
    assert "unsafe" not in policy[1]


def test_nothing_in_the_page_points_outside() -> None:
    text = re.sub(r'<script type="application/octet-stream".*?</script>', "", written())
    addresses = set(re.findall(r"""(?:https?:)?//[\w.-]+\.\w+[^\s"'`)]*""", text))
    assert addresses == {"http://www.w3.org/2000/svg"}


def test_the_script_does_not_end_itself() -> None:
    assert not re.search("</script|<!--", bundle("main"), re.IGNORECASE)


def test_every_module_is_in_the_bundle_once() -> None:
    script = bundle("main")
    assert not re.search(r"^(import|export) ", script, re.MULTILINE)
    for module in MODULES:
        first = module.read_text().splitlines()[0]
        assert script.count(first) == 1, module.name


def test_no_two_modules_use_the_same_name(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: it checks the script")
    file = tmp_path / "bundle.mjs"
    file.write_text(bundle("main"))
    done = subprocess.run([node, "--check", file], capture_output=True, check=False, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_names_become_text_and_never_html(module: Path) -> None:
    assert not re.search(
        r"innerHTML|outerHTML\s*=|insertAdjacentHTML|document\.write|eval\(", module.read_text()
    )


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.name)
def test_a_module_opens_with_what_lives_there(module: Path) -> None:
    assert module.read_text().startswith("// ")


def test_the_docs_and_the_help_name_the_same_keys() -> None:
    root = Path(__file__).parents[2]
    help_page = (root / "viewer" / "page.html").read_text().split("<tbody>")[1].split("</tbody>")[0]
    table = (root / "docs" / "viewer.md").read_text().split("## Keys")[1].split("##")[0]
    assert set(re.findall(r"<kbd>(.*?)</kbd>", help_page)) == set(re.findall(r"`(.*?)`", table))


IMPORT = re.compile(r'^import \{ (.*?) \} from "\./(\w+)\.js";$', re.MULTILINE)


def imports(text: str) -> list[tuple[str, str]]:
    """Each imported name with its module."""
    found = IMPORT.findall(text)
    return [(name, module) for names, module in found for name in names.split(", ")]


def test_modules_import_what_exists_and_use_it() -> None:
    texts = {module.stem: module.read_text() for module in MODULES}
    exported = re.compile(r"^export (?:async )?(?:function|const|class) (\w+)", re.MULTILINE)
    offered = {(name, module) for module, text in texts.items() for name in exported.findall(text)}
    wanted = set()
    for text in texts.values():
        body = IMPORT.sub("", text)
        assert [name for name, _ in imports(text) if not re.search(rf"\b{name}\b", body)] == []
        wanted |= set(imports(text))
    assert wanted == offered


def test_modules_do_not_import_each_other_in_a_circle() -> None:
    left = {m.stem: {module for _, module in imports(m.read_text())} for m in MODULES}
    while free := {module for module, needs in left.items() if not needs & left.keys()}:
        left = {module: needs for module, needs in left.items() if module not in free}
    assert left == {}
