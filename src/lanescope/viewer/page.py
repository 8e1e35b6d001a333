"""Assembles the page: the modules of the repository's viewer/ as one packed script, with its data.

Nothing of a trace is written as HTML but its escaped name: everything else is packed and becomes
text by the script. The policy in the page allows this script, the few lines that unpack it
(boot.js) and this style alone, by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Iterable, Iterator
from importlib import resources
from typing import Any

from lanescope.viewer.columns import gzip

_IMPORT = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(async )?(function|const|class)\b)", re.MULTILINE)


def page(header: dict[str, Any], blocks: Iterable[tuple[str, bytes]]) -> Iterator[bytes]:
    """The page in pieces; `blocks` are the name and the bytes of each binary datum in it."""
    top, bottom = frame(header, connect="'none'").split("<!-- data -->")
    yield top.encode()
    yield block("header", gzip(json.dumps(header).encode()))
    for name, data in blocks:
        yield block(name, data)
    yield bottom.encode()


def block(name: str, data: bytes) -> bytes:
    """Binary data as an element that no browser runs."""
    start = f'<script type="application/octet-stream" id="{html.escape(name)}">'
    return b"".join((start.encode(), base64.b64encode(data), b"</script>\n"))


def frame(header: dict[str, Any], *, connect: str) -> str:
    """The page without data; `connect` says where its script may ask for more."""
    script, boot, style = bundle("main"), _read("boot.js"), _read("style.css")
    policy = (
        f"default-src 'none'; script-src {_hash(boot)} {_hash(script)}; style-src {_hash(style)}; "
        f"img-src data: blob:; connect-src {connect}; base-uri 'none'; form-action 'none'"
    )
    names = [header["job"]["name"]] if "job" in header else [t["label"] for t in header["traces"]]
    parts = {
        "policy": html.escape(policy, quote=True),
        "title": html.escape(f"{' and '.join(names)} · lanescope"),
        "style": style,
        "packed": block("script", gzip(script.encode())).decode(),
        "boot": boot,
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], _read("page.html"))


def bundle(name: str) -> str:
    """A module and all that it imports as one script; a module stands after what it imports."""
    done: dict[str, str] = {}

    def add(module: str) -> None:
        if module in done:
            return
        done[module] = ""
        text = _read(f"{module}.js")
        for imported in _IMPORT.findall(text):
            add(imported)
        del done[module]
        done[module] = _EXPORT.sub("", _IMPORT.sub("", text))

    add(name)
    return "\n".join(done.values())


def _read(name: str) -> str:
    return resources.files("lanescope.viewer").joinpath("page", name).read_text("utf-8")


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"
