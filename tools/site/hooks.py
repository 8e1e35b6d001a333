"""What MkDocs calls while it builds the site: adds the generated pages and turns links."""

from __future__ import annotations

from typing import Any

from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from tools.site.commands import commands_page
from tools.site.headers import headers_page
from tools.site.outside import outside_pages, turned_links
from tools.site.python_api import python_page

ALONE = ("index.md", "tutorial.md")
"""Pages that are a tab by themselves."""


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of the reference and those of files outside docs/."""
    pages = {
        "reference/commands.md": commands_page(),
        "reference/python.md": python_page(),
        "reference/c.md": headers_page(),
        **outside_pages(),
    }
    for place, text in pages.items():
        files.append(File.generated(config, place, content=text))
    return files


def on_page_markdown(markdown: str, page: Page, **rest: Any) -> str:
    """Links of a page lead to where the site has their targets; pages alone have no menu."""
    if page.file.src_uri in ALONE:
        page.meta["hide"] = ["navigation"]
    return turned_links(page.file.src_uri, markdown)
