"""How every test run begins and what it says at its end; and an S3 server for who asks."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.s3_store import Proxy


def pytest_configure() -> None:
    """What a shell starts in its background ignores Ctrl-C, and so would programs of tests."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def s3_port() -> Iterator[int]:
    """The port of an S3 server."""
    from tests.s3_store import s3_server

    with s3_server() as port:
        yield port


@pytest.fixture
def store(s3_port: int) -> Iterator[Proxy]:
    """A proxy before the S3 server: `store.url(key)` is a URL that comes by it."""
    from tests.s3_store import proxy_before

    with proxy_before(s3_port) as proxy:
        yield proxy


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Prints how many files and rooms there are, and the longest chain of imports."""
    if terminalreporter.config.getoption("no_summary"):
        return
    from tests.test_layout import description

    terminalreporter.write_line(description())
