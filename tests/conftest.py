"""What every test run says at its end: the size of the house."""

from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints how many files and rooms there are, and the longest chain of imports."""
    from tests.test_layout import description

    terminalreporter.write_line(description())
