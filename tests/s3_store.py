"""A real S3 server (moto) on this machine, and a proxy before it that counts requests and fails."""

from __future__ import annotations

import http.client
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BUCKET = "traces"
_START_S = 60
_SERVER = """
import os, sys, threading
from moto.server import main
threading.Thread(target=lambda: (sys.stdin.read(), os._exit(0)), daemon=True).start()
main(sys.argv[1:])
"""
"""Ends with its parent, also where that is killed: its input ends then."""
_OWN_HEADERS = ("transfer-encoding", "content-length", "expect", "connection")


class Proxy(ThreadingHTTPServer):
    """Passes requests on to the server; `fault` says for which of them it does something else."""

    daemon_threads = True

    def __init__(self, port: int) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.behind = port
        self.requests: list[tuple[str, str]] = []
        """Method and path of what was asked, in order."""
        self.fault: Callable[[str, str], str] = lambda method, path: ""
        """What goes wrong with a request: nothing, `500`, `403`, `cut` or `silent`."""
        self.ended = threading.Event()

    @property
    def options(self) -> str:
        """What a URL has behind its question mark to come here."""
        return f"endpoint_override=http://127.0.0.1:{self.server_port}&region=us-east-1"

    def url(self, key: str) -> str:
        """The URL of a key in the bucket."""
        return f"s3://name:secret@{BUCKET}/{key}?{self.options}"

    def asked(self) -> list[str]:
        """Requests since the last call, such as `GET a.lanes/meta.json`."""
        told = [
            f"{method} {path.split('?')[0].removeprefix(f'/{BUCKET}').removeprefix('/')}".strip()
            for method, path in self.requests
        ]
        self.requests.clear()
        return told


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def _pass_on(self) -> None:
        body = self._body()
        self.server.requests.append((self.command, self.path))
        fault = self.server.fault(self.command, self.path)
        if fault == "silent":
            self.server.ended.wait(_START_S)
            self.close_connection = True
        elif fault.isdigit():
            self._answer(int(fault), [("Content-Length", "0")], b"")
        else:
            connection = http.client.HTTPConnection("127.0.0.1", self.server.behind, timeout=30)
            headers = {k: v for k, v in self.headers.items() if k.lower() not in _OWN_HEADERS}
            connection.request(self.command, self.path, body, headers)
            answer = connection.getresponse()
            content = answer.read()
            connection.close()
            self._answer(answer.status, answer.getheaders(), content, cut=fault == "cut")

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _pass_on

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "") != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline(), 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _answer(
        self, status: int, headers: list[tuple[str, str]], content: bytes, *, cut: bool = False
    ) -> None:
        self.send_response_only(status)
        for name, value in headers:
            if name.lower() not in ("connection", "transfer-encoding", "content-length"):
                self.send_header(name, value)
        length = {name.lower(): value for name, value in headers}.get("content-length")
        self.send_header("Content-Length", length or str(len(content)))
        self.end_headers()
        self.wfile.write(content[: len(content) // 2] if cut else content)
        self.close_connection = self.close_connection or cut


@contextmanager
def s3_server() -> Iterator[int]:
    """The port of an S3 server that lives as long as this."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-c", _SERVER, "-H", "127.0.0.1", "-p", str(port)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        _wait_for(port, server)
        connection = http.client.HTTPConnection("127.0.0.1", port)
        connection.request("PUT", f"/{BUCKET}", headers={"Host": "s3.amazonaws.com"})
        assert connection.getresponse().status == 200
        connection.close()
        yield port
    finally:
        server.kill()
        server.communicate()


def _wait_for(port: int, server: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + _START_S
    while server.poll() is None and time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"the S3 server did not start (exit code {server.poll()})")


@contextmanager
def proxy_before(port: int) -> Iterator[Proxy]:
    """A proxy before the server of a port, in a thread of its own."""
    with Proxy(port) as proxy:
        thread = threading.Thread(target=proxy.serve_forever, daemon=True)
        thread.start()
        try:
            yield proxy
        finally:
            proxy.ended.set()
            proxy.shutdown()
            thread.join()
