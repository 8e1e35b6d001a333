"""The page of the Python functions: every public name, in groups, for mkdocstrings to fill in."""

from __future__ import annotations

import lanescope

GROUPS = {
    "Make a trace": ("run", "collect", "import_trace", "recover", "flight", "GraphBuilder"),
    "Record a runtime of your own": (
        *("Session", "RegionConfig", "Core", "level_features", "Transport", "SharedMapping"),
        *("ShadowCopy", "Socket", "UntestedAscend", "CallConfig"),
    ),
    "Traces": ("Trace", "load", "save", "select", "export", "check", "verify", "read_tensors"),
    "Ask a trace": (
        *("report", "Report", "verdict", "critical_path", "next_steps", "corrected", "what_if"),
        "diff",
    ),
    "See it": ("view", "serve", "plots"),
    "Many traces": ("open_job", "Job", "ranks", "index_fleet", "open_fleet", "Fleet"),
    "Boards and models": ("predict", "fit", "manifest", "list_boards", "show_board", "check_board"),
    "Chips and costs": (
        *("list_platforms", "show_platform", "list_workloads", "bench", "probe_engine"),
        "include_directory",
    ),
    "Adding to it": ("Analysis", "Importer", "Exporter"),
    "Errors": ("LanescopeError", "InputError", "OutputError", "TransportError", "UsageError"),
}
"""Every name of `lanescope.__all__` but the version, once; a test compares."""
_INTRO = """# Python functions

This page is made of the docstrings when the site is built. [python.md](../python.md) is the
introduction: a table of all verbs, tables of a trace, and what stays from version to version.
"""


def python_page() -> str:
    """Markdown with an instruction for mkdocstrings per public name."""
    parts = [_INTRO]
    for title, names in GROUPS.items():
        parts.append(f"## {title}\n")
        for name in names:
            home = f"lanescope.{lanescope._HOMES[name]}.{name}"
            options = f"    options:\n      heading: lanescope.{name}\n      toc_label: {name}\n"
            parts.append(f"::: {home}\n{options}")
    return "\n".join(parts)
