"""Many pages look at a recording, and some of them do not read what they asked for."""

from __future__ import annotations

import json
import socket
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.viewer.collecting import collecting, paced

from lanescope import load

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="collecting needs Linux")

READERS, SLOW, STUCK = 10, 5, 5
ASKED = 100
"""How often a client asks for the page and does not read it: more than buffers of a socket hold."""
ROUNDS, PAUSE_US, CORES = 2500, 2000, 8
MOST_MIB = 400
"""Most resident memory of the page's process."""


class Reader:
    """A page that takes every version with all its columns, as viewer/live.js does."""

    def __init__(self, link: str, name: str) -> None:
        self._root = link.partition("?")[0]
        self._name = name
        self._opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        self.page_bytes = len(self._opener.open(link, timeout=30).read())
        self.versions: list[int] = []
        self.state = ""

    def _asked(self, path: str) -> bytes:
        with self._opener.open(self._root + path, timeout=30) as answer:
            return bytes(answer.read())

    def look(self) -> None:
        """Take the newest version where it is new."""
        told = json.loads(self._asked(f"live/{self._name}"))
        self.state = told["state"]
        if told["version"] in self.versions:
            return
        header = json.loads(self._asked(f"live/{self._name}/header"))
        for place, trace in enumerate(header["traces"], header["live"]["first"]):
            for name, table in trace["tiles"][0]["tables"].items():
                for column in table["columns"]:
                    self._asked(f"data/{place}/all/{name}/{column['name']}")
        self.versions.append(told["version"])

    def run(self) -> None:
        """Look until the recording is stored, then leave."""
        while self.state != "stored":
            self.look()
            time.sleep(0.3)
        self._asked(f"live/{self._name}/leave")


def asking(link: str) -> socket.socket:
    """A connection that has asked for many pages, with as little room for answers as can be."""
    address = urlsplit(link)
    assert address.port is not None
    cookie = f"lanescope-{address.port}={parse_qs(address.query)['token'][0]}"
    head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{address.port}\r\n"
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.connect(("127.0.0.1", address.port))
    connection.sendall(f"{head}Cookie: {cookie}\r\n\r\n".encode() * ASKED)
    return connection


def drip(connection: socket.socket, over: Event) -> None:
    """Read a little now and then."""
    connection.settimeout(1.0)
    while not over.wait(0.05):
        try:
            connection.recv(512)
        except TimeoutError:
            continue


@contextmanager
def running(*targets: Any) -> Iterator[None]:
    """Functions in threads of their own; all have ended behind the block."""
    threads = [Thread(target=target, daemon=True) for target in targets]
    for thread in threads:
        thread.start()
    yield
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


def page_process(process: int) -> int:
    """The process of the page, among those that a command started."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    lines = {int(one): Path(f"/proc/{one}/cmdline").read_bytes() for one in children}
    return next(one for one, line in lines.items() if b"lanescope.facade.live" in line)


def status_of(process: int, key: str) -> int:
    lines = Path(f"/proc/{process}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key))


def test_clients_that_do_not_read_hold_up_neither_the_recording_nor_others(tmp_path: Path) -> None:
    program = paced(tmp_path)
    command = (program, ROUNDS, PAUSE_US, CORES)
    over = Event()
    with collecting(tmp_path, *command) as (process, link), ExitStack() as opened:
        pages = [Reader(link, f"reader{k}") for k in range(READERS)]
        pages[0].look()
        idle = [opened.enter_context(asking(link)) for _ in range(STUCK + SLOW)]
        slow = [lambda one=one: drip(one, over) for one in idle[:SLOW]]
        with running(*slow):
            with running(*(page.run for page in pages)):
                pass
            page = page_process(process.pid)
            peak, threads = status_of(page, "VmHWM"), status_of(page, "Threads")
            over.set()
        assert process.wait(20) == 0
    trace = load(tmp_path / "live.lanes")
    assert len(trace.tasks) == ROUNDS * CORES
    assert len(trace.stalls) == 0, "the program waited for the recording"
    assert all(entry.closes and entry.delivered == entry.total for entry in trace.meta.ledger)
    assert min(len(one.versions) for one in pages) >= 3
    assert pages[0].page_bytes * ASKED > 8 << 20, "what is not read must not fit into buffers"
    assert peak <= MOST_MIB * 1024
    assert threads >= 2 + STUCK
