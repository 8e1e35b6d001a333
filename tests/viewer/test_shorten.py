"""Scripts in fewer bytes: what people read goes, what a script does stays."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from lanescope import load
from lanescope.cli import main
from lanescope.viewer.shorten import shortened, shortened_style

MOST_BYTES = 250_000
"""The page of a run of 1,024 tasks, with every script of the viewer."""

SCRIPT = r"""
// The opening.
/** Twice
    a number. */
const twice = (n) => n * 2; // twice: "quoted"
const texts = ["a  // b", 'c /* d */', `e  // ${ `f  ${ { g: " } " }.g }  ` }
   h`, "\"  //", `\`  \${ //`];
const patterns = [/a  \/\/ [/*]+ b/g, /[`"'] {2}/, "x" /* why */ .replace(/ x | {1}/, "")];
function divided(a, b) {
  const quotient = a / b / 2   /* no end of a statement here */
  const found = twice(4) / 2 / 1
  return /  \s  /.test("     ") ? quotient : [a] [0] / found
}
let up = 1
let sum = up + +up - -up + ++up - --up
const typed = typeof /  x/ + typeof /y  /;
const nested = `${[1, 2].map((n) => `<${n}  ${ { a: { b: `}` } }.a.b }>`).join(" ,  ")}`;
const braced = `${ { a: 1 }.a + "`" }  // c`;
if (sum) sum /= 2
else /  z/.test(" ")
const numbers = [twice(2), divided(8, 2), sum];
console.log(JSON.stringify([numbers, texts, patterns.map(String), typed, nested, braced]))
"""


def said(script: str) -> object:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed: it runs the script")
    command = [node, "--input-type=module", "--eval", script]
    done = subprocess.run(command, capture_output=True, check=False, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_a_shortened_script_does_the_same() -> None:
    short = shortened(SCRIPT)
    assert said(short) == said(SCRIPT)
    for gone in ("opening", "Twice", "a number", "quoted", "why", "no end"):
        assert gone not in short


def test_only_what_people_read_goes() -> None:
    script = "// A file.\nconst a = b\n  + c; /* d */ return  x;\n  let e = [ 'f  g' ]\n"
    assert shortened(script) == "const a=b\n+c;return x;let e=['f  g']\n"


def test_a_template_without_an_end_is_refused() -> None:
    with pytest.raises(ValueError, match="a template does not end; it goes on with 'b"):
        shortened("const a = `b")


def test_a_shortened_style_keeps_its_texts() -> None:
    style = 'a b,\n.c { /* d */ content: "▸  ; "; }\n@media (x: 1px) {\n  e:f > g { h: i / j }\n}\n'
    short = 'a b,.c{content:"▸  ; ";}@media (x:1px){e:f > g{h:i / j}}'
    assert shortened_style(style) == short


def test_the_page_of_1024_tasks_is_small_and_its_script_shortened(tmp_path: Path) -> None:
    trace, page = tmp_path / "run.lanes", tmp_path / "run.html"
    main(["run", "paged_attention", "--quiet", "--no-perfetto", "-o", str(trace)])
    main(["view", str(trace), "--html", str(page)])
    assert len(load(trace).tasks) == 1024
    assert page.stat().st_size <= MOST_BYTES
    script = re.search(r'<script type="module">(.*?)</script>', page.read_text(), re.DOTALL)
    assert script is not None
    assert not re.search(r"^\s", script[1], re.MULTILINE)
