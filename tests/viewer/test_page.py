"""The page as a file: one script, a policy that allows nothing else, no text as HTML."""

from __future__ import annotations

import base64
import gzip
import hashlib
import io
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.viewer.traces import HOSTILE, small

from lanescope import load
from lanescope.cli import main
from lanescope.viewer import write_page
from lanescope.viewer.book import WHOLE, Book
from lanescope.viewer.page import bundle
from lanescope.viewer.write import PageSummary

BOOT = Path(__file__).parents[2] / "viewer" / "boot.js"
MODULES = sorted(set(BOOT.parent.glob("*.js")) - {BOOT})
MOST_BYTES = 250_000
"""The page of a run of 1,024 tasks, with every script of the viewer."""


def written(name: str = "small") -> str:
    stream = io.BytesIO()
    summary = write_page([small(name)], stream)
    assert summary.bytes == len(stream.getvalue())
    return stream.getvalue().decode()


def test_a_page_has_the_columns_of_every_trace() -> None:
    stream = io.BytesIO()
    traces = [small("a", cores=2), small("b", cores=3)]
    summary = write_page(traces, stream)
    found = re.findall(r'octet-stream" id="([^"]+)">([^<]*)</script>', stream.getvalue().decode())
    columns = [
        (f"{number}/{name}", base64.b64encode(data).decode())
        for number, trace in enumerate(traces)
        for name, data in Book(trace).blocks(WHOLE)
    ]
    assert [one for one in found if "/" in one[0]] == columns
    header = json.loads(gzip.decompress(base64.b64decode(dict(found)["header"])))
    assert (header["served"], [trace["name"] for trace in header["traces"]]) == (False, ["a", "b"])
    assert summary == PageSummary(
        traces=2,
        slices=sum(sum(trace["counts"].values()) for trace in header["traces"]),
        lanes=1 + 2 * 2 + 1 + 3 * 2,
        edges=8 + 16,
        bytes=len(stream.getvalue()),
    )


def test_a_hostile_name_is_nowhere_in_the_page() -> None:
    text = written(HOSTILE)
    assert HOSTILE not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt; · lanescope</title>" in text


def test_the_policy_allows_this_script_and_what_unpacks_it_alone() -> None:
    text = written()
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', text)
    boot = re.search(r'<script type="module">(.*?)</script>', text, re.DOTALL)
    packed = re.search(r'octet-stream" id="script">(.*?)</script>', text)
    assert policy is not None
    assert boot is not None
    assert packed is not None
    script = gzip.decompress(base64.b64decode(packed[1]))
    assert script.decode() == bundle("main")
    digests = [
        base64.b64encode(hashlib.sha256(one).digest()).decode()
        for one in (boot[1].encode(), script)
    ]
    hashes = " ".join(f"&#x27;sha256-{digest}&#x27;" for digest in digests)
    assert f"script-src {hashes};" in policy[1]
    assert "default-src &#x27;none&#x27;;" in policy[1]
    assert "connect-src &#x27;none&#x27;;" in policy[1]
    assert "unsafe" not in policy[1]


def test_nothing_in_the_page_points_outside() -> None:
    page = re.sub(r'<script type="application/octet-stream".*?</script>', "", written())
    address = r"""(?:https?:)?//[\w.-]+\.\w+[^\s"'`)]*"""
    assert re.findall(address, page) == []
    assert set(re.findall(address, bundle("main"))) == {"http://www.w3.org/2000/svg"}


def test_what_unpacks_the_script_does_not_end_itself() -> None:
    assert not re.search("</script|<!--", BOOT.read_text(), re.IGNORECASE)


def test_the_page_of_1024_tasks_is_small(tmp_path: Path) -> None:
    trace, page = tmp_path / "run.lanes", tmp_path / "run.html"
    main(["run", "paged_attention", "--quiet", "--no-perfetto", "-o", str(trace)])
    main(["view", str(trace), "--html", str(page)])
    assert len(load(trace).tasks) == 1024
    assert page.stat().st_size <= MOST_BYTES


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
