"""The local server: loopback alone, tiles as they are asked for, and clean refusals."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from tests.analyze.hand import make_trace
from tests.viewer.traces import large, small

from lanescope.errors import InputError, UsageError
from lanescope.trace import Trace
from lanescope.viewer import ViewServer, connections, make_server
from lanescope.viewer import book as book_module
from lanescope.viewer import server as server_module
from lanescope.viewer.columns import gzip


@pytest.fixture(params=["small", "tiled"])
def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[ViewServer]:
    trace: Trace = small()
    if request.param == "tiled":
        monkeypatch.setattr(book_module, "TILE_ROWS", 1000)
        monkeypatch.setattr(book_module, "_WHOLE_ROWS", 4000)
        trace = large(5000)
    with serving(trace) as server:
        yield server


@contextmanager
def serving(trace: Trace) -> Iterator[ViewServer]:
    with make_server([trace]) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(server: ViewServer, path: str, body: Any = None, **headers: str) -> tuple[int, bytes]:
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    method = "GET" if body is None else "POST"
    headers = {"Cookie": f"{server.cookie}={server.token}", **headers}
    connection.request(method, path, None if body is None else json.dumps(body), headers)
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def test_it_listens_on_loopback_only(server: ViewServer) -> None:
    assert server.server_address[0] == "127.0.0.1"


def test_the_page_may_ask_this_server_alone(server: ViewServer) -> None:
    status, page = ask(server, "/")
    assert status == 200
    assert b"connect-src &#x27;self&#x27;" in page


def test_another_host_name_is_refused(server: ViewServer) -> None:
    assert ask(server, "/", Host="evil.example")[0] == 403
    assert ask(server, "/data/0/find", {}, Host="evil.example:80")[0] == 403


def test_only_who_has_the_links_token_is_answered(server: ViewServer) -> None:
    for cookie in ("", "x", f"{server.cookie}=x", f"lanescope-1={server.token}", "\x00=;;=é"):
        status, said = ask(server, "/", Cookie=cookie)
        assert (status, b"the whole link" in said) == (403, True)
        assert ask(server, "/data/0/find", {}, Cookie=cookie)[0] == 403
    assert ask(server, "/?token=wrong", Cookie="")[0] == 403
    assert ask(server, "/?token=", Cookie="")[0] == 403
    assert ask(server, f"/?token=wrong&token={server.token}", Cookie="")[0] == 403


def test_the_link_hands_out_a_cookie_and_leads_to_an_address_without_the_token(
    server: ViewServer,
) -> None:
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    connection.request("GET", server.url.partition(str(server.server_address[1]))[2])
    answer = connection.getresponse()
    answer.read()
    assert (answer.status, answer.getheader("Location")) == (303, "/")
    cookie = answer.getheader("Set-Cookie") or ""
    assert "HttpOnly" in cookie
    connection.request("GET", "/", headers={"Cookie": cookie.partition(";")[0]})
    page = connection.getresponse()
    assert page.status == 200
    assert server.token.encode() not in page.read()
    connection.close()


def test_who_has_opened_the_link_is_known(
    server: ViewServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[bool] = []
    monkeypatch.setattr(server.connections, "answer", lambda one, *, known: said.append(known))
    ask(server, f"/?token={server.token}", Cookie="")
    ask(server, "/?token=x", Cookie="")
    assert said == [True, False]


def test_every_answer_forbids_frames_and_keeping(server: ViewServer) -> None:
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    for cookie in (f"{server.cookie}={server.token}", ""):
        connection.request("GET", "/", headers={"Cookie": cookie})
        answer = connection.getresponse()
        answer.read()
        assert answer.getheader("Content-Security-Policy") == "frame-ancestors 'none'"
        assert answer.getheader("Cache-Control") == "no-store"
    connection.close()


def test_another_sites_page_is_refused(server: ViewServer) -> None:
    assert ask(server, "/data/0/find", {}, Origin="http://evil.example")[0] == 403
    assert ask(server, "/data/0/find", {}, Origin="null")[0] == 403
    port = server.server_address[1]
    asked = {"parts": [], "waits": [], "task": None, "least": 0, "most": None, "limit": 1}
    assert ask(server, "/data/0/find", asked, Origin=f"http://127.0.0.1:{port}")[0] == 200


def opened(server: ViewServer, sent: bytes = b"") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", server.server_address[1]), timeout=10)
    connection.sendall(sent)
    return connection


def test_many_half_open_connections_shut_nobody_out(server: ViewServer) -> None:
    half = [opened(server, b"GET / HTTP/1.1\r\nHost: ") for _ in range(200)]
    assert len(server.connections) <= connections.MOST
    assert ask(server, "/")[0] == 200
    # The first of them made room: they were ended.
    assert half[0].recv(1) == b""
    for one in half:
        one.close()


def test_known_clients_are_not_ended_to_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 2)
    with serving(small()) as server:
        head = f"GET / HTTP/1.1\r\nHost: 127.0.0.1:{server.server_address[1]}\r\n"
        head += f"Cookie: {server.cookie}={server.token}\r\n\r\n"
        known = [opened(server, head.encode()) for _ in range(2)]
        assert all(one.recv(9).startswith(b"HTTP/1.1") for one in known)
        refused = opened(server)
        assert refused.recv(1) == b""
        for one in (*known, refused):
            one.close()


@pytest.mark.parametrize("sent", [b"", b"GET / HT", b"POST /data/0/find HTTP/1.1\r\nHost: x\r\n"])
def test_a_request_that_does_not_arrive_in_time_is_ended(
    sent: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "READING_S", 0.05)
    with serving(small()) as server:
        slow = opened(server, sent)
        assert slow.recv(1) == b""
        slow.close()


@pytest.mark.parametrize(
    "body", ["[" * 100_000, '{"least": 1e999}', '{"row": 1e400}', "{", "\x00", '"x"', "7", "null"]
)
def test_hostile_questions_are_refused_and_nothing_breaks(server: ViewServer, body: str) -> None:
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
    for what in ("find", "neighbours"):
        headers = {"Cookie": f"{server.cookie}={server.token}"}
        connection.request("POST", f"/data/0/{what}", body, headers)
        answer = connection.getresponse()
        answer.read()
        assert answer.status in (200, 400, 404)
        connection.close()
    assert ask(server, "/")[0] == 200


def test_every_column_of_a_described_tile_can_be_had(server: ViewServer) -> None:
    tile = server.header["traces"][0]["tiles"][-1]["name"]
    status, described = ask(server, f"/data/0/{tile}")
    assert status == 200
    for name, table in json.loads(described)["tables"].items():
        for column in table["columns"]:
            status, data = ask(server, f"/data/0/{tile}/{name}/{column['name']}")
            assert status == 200
            assert data[:2] == gzip(b"")[:2]


@pytest.mark.parametrize(
    "path",
    ["/data", "/data/7/all", "/data/0/nine", "/data/0/all/tasks/x", "/etc/passwd", "/data/0/-9"],
)
def test_what_is_not_there_is_not_found(server: ViewServer, path: str) -> None:
    assert ask(server, path)[0] == 404


@pytest.mark.parametrize("body", [{"row": 10**9}, {"row": "x"}, [], "text", {"least": "x"}])
def test_a_wrong_question_is_refused(server: ViewServer, body: Any) -> None:
    what = "neighbours" if isinstance(body, dict) and "row" in body else "find"
    assert ask(server, f"/data/0/{what}", body)[0] == 404


def test_neighbours_are_the_tasks_of_the_edges() -> None:
    with make_server([small()]) as server:
        told = server.answer("/data/0/neighbours", {"row": 9})
    assert isinstance(told, dict)
    assert [bar["task"] for bar in told["before"]["bars"]] == [str((1 << 60) + 1)]
    assert [bar["task"] for bar in told["after"]["bars"]] == [str((1 << 60) + 17)]


def test_a_port_in_use_is_one_sentence() -> None:
    with make_server([small()]) as server, pytest.raises(UsageError, match="cannot be used"):
        make_server([small()], port=server.server_address[1])


@pytest.mark.parametrize(
    ("length", "status"), [("x", 400), ("-5", 413), ("0", 413), ("99999999", 413)]
)
def test_a_question_of_no_sensible_length_is_refused(length: str, status: int) -> None:
    with serving(small()) as server:
        connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
        connection.putrequest("POST", "/data/0/find")
        connection.putheader("Cookie", f"other=x; {server.cookie}={server.token}")
        connection.putheader("Content-Length", length)
        connection.endheaders()
        assert connection.getresponse().status == status
        connection.close()


def test_a_column_that_cannot_be_read_is_a_sentence(
    server: ViewServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def damaged(*_: object) -> None:
        raise InputError("edges.parquet", "is damaged")

    monkeypatch.setattr(server, "answer", damaged)
    assert ask(server, "/data/0/neighbours", {"row": 0}) == (500, b"edges.parquet: is damaged\n")
    assert capsys.readouterr().err == ""


def test_a_question_of_one_mebibyte_is_the_longest(monkeypatch: pytest.MonkeyPatch) -> None:
    assert server_module._MOST_BYTES == 1 << 20
    monkeypatch.setattr(server_module, "_MOST_BYTES", 4)
    with serving(small()) as server:
        assert ask(server, "/data/0/find", "xy")[0] == 404
        assert ask(server, "/data/0/find", "xyz") == (
            413,
            b"the question is too long, or has no length\n",
        )


def test_neighbours_are_one_hop_away_unless_another_number_is_asked_for() -> None:
    with make_server([small()]) as server:
        told = [
            server.answer("/data/0/neighbours", {"row": 0, **more}) for more in ({}, {"hops": 2})
        ]
    found = [[bar["hop"] for bar in one["after"]["bars"]] for one in told if isinstance(one, dict)]
    assert found == [[1], [1, 2]]


def test_paths_outliers_and_sql_are_answered_by_name() -> None:
    with make_server([small()]) as server:
        told = server.answer("/data/0/path", {"from": 0, "to": 16})
        assert isinstance(told, dict)
        assert [bar["row"] for bar in told["bars"]] == [0, 8, 16]
        told = server.answer("/data/0/outliers", {"name": 1})
        assert isinstance(told, dict)
        assert [bar["length"] for bar in told["longest"]] == [430, 430, 430]


def test_a_page_of_27_traces_goes_round_the_alphabet() -> None:
    with make_server([make_trace()]) as server:
        book = server.books[0]
        assert server._labels([book]) == [""]
        labels = server._labels([book] * 28)
        assert (labels[0], labels[25:]) == ("trace A", ["trace Z", "trace A", "trace B"])
        server.ranks = [4, 9]
        assert server._labels([book] * 2) == ["Rank 4", "Rank 9"]


def test_each_port_has_a_cookie_of_its_own() -> None:
    with make_server([make_trace()]) as one, make_server([make_trace()]) as other:
        names = [server.cookie for server in (one, other)]
        assert names == [f"lanescope-{server.server_address[1]}" for server in (one, other)]


def test_files_of_questions_go_with_the_server_and_with_their_trace() -> None:
    with make_server([small()]) as server:
        tables = server._tables_of(0)
        assert server._tables_of(0) is tables
        paths = tables._written(["cores"])
        server.books = {7: server.books[0]}
        later = server._tables_of(7)
        assert not Path(paths["cores"]).exists()
        paths = later._written(["cores"])
        assert Path(paths["cores"]).exists()
    assert not Path(paths["cores"]).exists()


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    "wrong", ["Host: evil.example", "Origin: http://evil.example", "Cookie: x"]
)
def test_a_refused_request_has_one_answer_and_the_connection_ends(method: str, wrong: str) -> None:
    with serving(small()) as server:
        name = f"Host: 127.0.0.1:{server.server_address[1]}"
        lines = [f"{method} / HTTP/1.1", *([] if wrong.startswith("Host") else [name]), wrong]
        if not wrong.startswith("Cookie"):
            lines.append(f"Cookie: {server.cookie}={server.token}")
        wire = opened(server, "\r\n".join([*lines, "Content-Length: 0", "", ""]).encode())
        told = b""
        while part := wire.recv(4096):
            told += part
        wire.close()
    assert told.startswith(b"HTTP/1.1 403 ")
    assert told.count(b"HTTP/1.1 ") == 1
    assert b"Connection: close\r\n" in told


def test_a_server_stops_while_a_reader_is_silent() -> None:
    with serving(small()) as server:
        silent = opened(server, b"GET / HT")
        assert ask(server, "/")[0] == 200
    silent.close()


def test_a_connection_that_is_closed_has_no_place(server: ViewServer) -> None:
    one, other = socket.socketpair()
    assert server.connections.add(one)
    server.close_request(one)
    assert (len(server.connections), one.fileno()) == (0, -1)
    other.close()


@pytest.mark.parametrize(
    ("error", "told"), [(ConnectionResetError(), False), (ValueError("odd"), True)]
)
def test_a_reader_who_has_gone_away_is_no_error(
    error: Exception, told: bool, server: ViewServer, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        raise error
    except type(error):
        server.handle_error(None, ("127.0.0.1", 1))
    assert ("ValueError: odd" in capsys.readouterr().err) == told


def test_every_answer_says_what_it_is_and_that_it_is_for_this_page_alone() -> None:
    with serving(small()) as server:
        connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=10)
        connection.request("GET", "/", headers={"Cookie": f"{server.cookie}={server.token}"})
        answer = connection.getresponse()
        size = len(answer.read())
        connection.close()
    found = {name: value for name, value in answer.getheaders() if name != "Date"}
    assert found == {
        "Server": "lanescope ",
        "Content-Type": "text/html; charset=utf-8",
        "Content-Length": str(size),
        "Cache-Control": "no-store",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "frame-ancestors 'none'",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
