"""The agent's end of a connection: who is let in, what is answered, and how long is waited."""

from __future__ import annotations

import mmap
import socket
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType

import numpy as np
import pytest
from tests.device.copies import wait_until

from lanescope.device.agent import server
from lanescope.device.agent.proof import proof_of
from lanescope.device.agent.server import RegionAgent
from lanescope.device.agent.wire import PAIR, WireError, WireKind, receive_frame, send_frame
from lanescope.device.flags import level_features
from lanescope.device.head import Array, Core
from lanescope.device.region import RegionConfig, create_region
from lanescope.device.transport import SharedMapping, word_offset
from lanescope.errors import InputError, TransportError, UsageError

TOKEN = "a token of the tests"
BEAT, GONE = (word_offset("ls_header", name) for name in ("host_beat", "host_gone"))


class Noted(SharedMapping):
    """Notes what is read, written and fenced."""

    def __init__(self, memory: Array) -> None:
        super().__init__(memory)
        self.calls: list[object] = []
        self.lost = ""

    def read(self, *ranges: tuple[int, int]) -> None:
        if self.lost:
            raise TransportError(self.lost)
        self.calls.append(("read", *ranges))

    def write(self, *words: int) -> None:
        self.calls.append(("write", *words, *(int(self.image[at]) for at in words)))

    def fence(self) -> None:
        self.calls.append("fence")


class Served:
    """An agent of a small region, and what it told."""

    def __init__(self, memory: Array, address: tuple[str, int] = ("127.0.0.1", 0)) -> None:
        self.told: list[str] = []
        self.transport = Noted(memory)
        self.agent = RegionAgent(self.transport, address, token=TOKEN, tell=self.told.append)

    def connect(self) -> socket.socket:
        stream = socket.create_connection(self.agent.address, 5)
        stream.settimeout(5)
        return stream


@pytest.fixture
def memory(tmp_path: Path) -> Array:
    config = RegionConfig(flags=level_features(1), cores=(Core("aic"),) * 2, buffer_records=4)
    return create_region(tmp_path / "region", config).memory


@pytest.fixture
def served(memory: Array) -> Iterator[Served]:
    served = Served(memory)
    yield served
    served.agent.close()


def test_the_limits_are_those_of_the_page() -> None:
    assert (server._GREETING_S, server.IDLE_S, server._MOST_STRANGERS) == (5.0, 30.0, 16)


def test_an_agent_that_is_told_nothing_says_that_the_program_runs(memory: Array) -> None:
    agent = RegionAgent(SharedMapping(memory), ("127.0.0.1", 0), token=TOKEN)
    assert (agent.served, agent.is_busy) == (0, False)
    assert agent._answer(WireKind.ENDED, bytearray()) == b"\0"
    agent._tell("nobody hears it")
    agent.close()


def test_memory_without_a_region_is_not_served() -> None:
    with pytest.raises(InputError, match="the first 8 bytes are not L_REGION"):
        Served(np.frombuffer(mmap.mmap(-1, 4096), np.uint8))


def test_an_agent_may_listen_on_ipv6(memory: Array) -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("needs IPv6")
    served = Served(memory, ("::1", 0))
    host, port = served.agent.address
    assert (host, port > 0) == ("::1", True)
    with served.connect() as stream:
        assert receive_frame(stream, limit_s=5)[0] is WireKind.HELLO
    served.agent.close()


@pytest.mark.parametrize(
    ("error", "reason"),
    [(OSError(98, "Address already in use"), "Address already in use"), (OSError("no"), "no")],
)
def test_an_address_that_is_taken_is_a_sentence(
    error: OSError, reason: str, memory: Array, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(address: object, family: int) -> None:
        raise error

    monkeypatch.setattr(server.socket, "create_server", fails)
    with pytest.raises(UsageError) as found:
        Served(memory, ("10.0.0.1", 7070))
    assert str(found.value) == f"nobody can listen on 10.0.0.1:7070 ({reason})"


def test_signs_of_life_reach_the_device(served: Served) -> None:
    served.agent.beat()
    assert served.transport.calls == [("write", BEAT, 1)]


def test_ranges_are_brought_from_the_device_before_they_are_answered(served: Served) -> None:
    served.transport.image[400:420] = np.arange(20)
    asked = PAIR.pack(404, 3) + PAIR.pack(400, 0) + PAIR.pack(410, 2)
    assert served.agent._answer(WireKind.READ, bytearray(asked)) == bytes([4, 5, 6, 10, 11])
    assert served.transport.calls == [("read", (404, 3), (400, 0), (410, 2))]


def test_a_range_may_end_where_the_region_ends(served: Served) -> None:
    size = len(served.transport.image)
    assert served.agent._read([(size - 3, 3), (size, 0)]) == served.transport.image[-3:].tobytes()
    for offset, count in ((size - 3, 4), (size, 1), (size + 1, 0), (0, size + 1)):
        with pytest.raises(ValueError, match="asked") as found:
            served.agent._read([(0, 1), (offset, count)])
        assert str(found.value) == (
            f"bytes {offset} to {offset + count} were asked for, and the region has {size}"
        )


def test_so_many_bytes_may_be_asked_for_at_once_and_no_more(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "MOST_BYTES", 1000)
    assert len(served.agent._read([(0, 600), (100, 400)])) == 1000
    with pytest.raises(ValueError, match=r"^more than 1,000 bytes were asked for at once$"):
        served.agent._read([(0, 600), (100, 401)])


def test_words_of_the_host_are_in_the_image_before_they_are_written(served: Served) -> None:
    image = served.transport.image
    asked = PAIR.pack(BEAT, 0x0102_0304_0506_0708) + PAIR.pack(GONE, (1 << 64) - 1)
    before = image[GONE + 8 : GONE + 16].tolist()
    assert served.agent._answer(WireKind.WRITE, bytearray(asked)) == b""
    assert image[BEAT : BEAT + 8].tolist() == [8, 7, 6, 5, 4, 3, 2, 1]
    assert image[GONE : GONE + 8].tolist() == [0xFF] * 8
    assert image[GONE + 8 : GONE + 16].tolist() == before
    assert served.transport.calls == [("write", BEAT, GONE, 8, 0xFF)]


@pytest.mark.parametrize(
    ("kind", "size", "sentence"),
    [
        (WireKind.READ, 1, "expected a question, found 1 byte of READ"),
        (WireKind.READ, 15, "expected a question, found 15 bytes of READ"),
        (WireKind.WRITE, 17, "expected a question, found 17 bytes of WRITE"),
        (WireKind.DATA, 16, "expected a question, found 16 bytes of DATA"),
        (WireKind.HELLO, 2000, "expected a question, found 2,000 bytes of HELLO"),
    ],
)
def test_only_whole_questions_are_answered(
    kind: WireKind, size: int, sentence: str, served: Served
) -> None:
    with pytest.raises(ValueError, match="question") as found:
        served.agent._answer(kind, bytearray(size))
    assert str(found.value) == sentence
    assert served.transport.calls == []


def proof(hello: bytes, *, token: str = TOKEN, version: int = 1) -> bytes:
    """What shows that a collector knows the token."""
    ours = b"o" * 32
    shown = proof_of(token, b"collector", bytes(hello[4:]), ours)
    return struct.pack("<I", version) + ours + shown


def admitted(served: Served) -> socket.socket:
    """A connection that knows the token."""
    stream = served.connect()
    _, hello = receive_frame(stream, limit_s=5)
    send_frame(stream, WireKind.PROOF, proof(bytes(hello)), limit_s=5)
    kind, welcome = receive_frame(stream, limit_s=5)
    shown = proof_of(TOKEN, b"agent", bytes(hello[4:]), b"o" * 32)
    size = struct.pack("<Q", len(served.transport.image))
    assert (kind, welcome) == (WireKind.WELCOME, shown + size)
    return stream


def name_of(stream: socket.socket) -> str:
    host, port = stream.getsockname()[:2]
    return f"{host}:{port}"


Answered = Callable[[bytes], tuple[WireKind, bytes]]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (lambda hello: (WireKind.READ, proof(hello)), "expected a proof of the token"),
        (lambda hello: (WireKind.PROOF, proof(hello)[:-1]), "expected a proof of the token"),
        (lambda hello: (WireKind.PROOF, proof(hello) + b"x"), "expected a proof of the token"),
        (lambda hello: (WireKind.PROOF, bytes(256)), "expected a proof of the token"),
        (
            lambda hello: (WireKind.PROOF, proof(hello, version=2)),
            "the collector speaks version 2, this agent 1; install the same lanescope on both "
            "machines",
        ),
        (
            lambda hello: (WireKind.PROOF, proof(hello, token="another token")),
            "the token is wrong; it is the one that this agent printed or was given",
        ),
    ],
)
def test_who_does_not_know_the_token_is_told_why(
    answer: Answered, sentence: str, served: Served
) -> None:
    with served.connect() as stream:
        kind, hello = receive_frame(stream, limit_s=5)
        assert (kind, hello[:4], len(hello)) == (WireKind.HELLO, struct.pack("<I", 1), 36)
        send_frame(stream, *answer(bytes(hello)), limit_s=5)
        assert receive_frame(stream, limit_s=5) == (WireKind.REFUSED, sentence.encode())
        with pytest.raises(WireError, match="the connection ended"):
            receive_frame(stream, limit_s=5)
        assert served.told == [f"{name_of(stream)} is refused: {sentence}"]
    assert (served.agent.served, served.agent.is_busy) == (0, False)


def test_a_stranger_may_not_say_much(served: Served) -> None:
    with served.connect() as stream:
        receive_frame(stream, limit_s=5)
        stream.sendall(struct.pack("<4sIII", b"LSAG", 2, 257, 0))
        with pytest.raises(WireError):
            receive_frame(stream, limit_s=5)
        assert served.told == [
            f"{name_of(stream)} leaves: sent a frame of 257 bytes, where 256 are the most"
        ]


def test_a_collector_comes_asks_and_leaves(served: Served) -> None:
    with admitted(served) as stream:
        name = name_of(stream)
        assert served.agent.is_busy
        with served.connect() as other:
            _, hello = receive_frame(other, limit_s=5)
            send_frame(other, WireKind.PROOF, proof(bytes(hello)), limit_s=5)
            assert receive_frame(other, limit_s=5) == (
                WireKind.REFUSED,
                b"another collector is connected",
            )
            refused = f"{name_of(other)} is refused: another collector is connected"
        for _ in range(2):
            send_frame(stream, WireKind.READ, PAIR.pack(0, 8), limit_s=5)
            assert receive_frame(stream, limit_s=5) == (WireKind.DATA, b"L_REGION")
    wait_until(lambda: len(served.told) == 3)
    assert served.told == [f"{name} collects", refused, f"{name} leaves: the connection ended"]
    wait_until(lambda: not served.agent.is_busy)
    assert served.agent.served == 1
    assert served.transport.calls == ["fence", ("read", (0, 8)), "fence"] * 2


def test_memory_that_is_lost_ends_the_connection_with_the_reason(served: Served) -> None:
    served.transport.lost = "the card is gone"
    with admitted(served) as stream:
        send_frame(stream, WireKind.READ, PAIR.pack(0, 8), limit_s=5)
        assert receive_frame(stream, limit_s=5) == (WireKind.REFUSED, b"the card is gone")
    wait_until(lambda: not served.agent.is_busy)
    with admitted(served) as stream:
        send_frame(stream, WireKind.ENDED, b"", limit_s=5)
        assert receive_frame(stream, limit_s=5) == (WireKind.DATA, b"\0")


def test_who_listens_no_more_takes_no_further_connection(memory: Array) -> None:
    served = Served(memory)
    with served.connect() as stream:
        assert receive_frame(stream, limit_s=5)[0] is WireKind.HELLO
        served.agent.close()
        with pytest.raises(ConnectionRefusedError):
            served.connect()


def test_sixteen_strangers_are_heard_and_the_next_when_one_has_left(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "_GREETING_S", 60)
    strangers = [served.connect() for _ in range(16)]
    for one in strangers:
        assert receive_frame(one, limit_s=5)[0] is WireKind.HELLO
    with served.connect() as late, pytest.raises(WireError):
        receive_frame(late, limit_s=5)
    strangers.pop().close()
    wait_until(lambda: len(served.told) >= 1)
    with served.connect() as late:
        assert receive_frame(late, limit_s=5)[0] is WireKind.HELLO
    for one in strangers:
        one.close()


class Plain:
    """A stream that notes its options."""

    def __init__(self) -> None:
        self.options: list[tuple[int, ...]] = []

    def setsockopt(self, *option: int) -> None:
        self.options.append(option)

    def __enter__(self) -> Plain:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        pass


def test_a_stranger_has_a_few_seconds_and_a_collector_more(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A fence stands before and after every answer."""
    hello = b""
    stream, limits = Plain(), list[object]()
    asked = iter([(WireKind.ENDED, bytearray())])

    def send(own: Plain, kind: WireKind, payload: bytes, *, limit_s: float) -> None:
        nonlocal hello
        hello = payload if kind is WireKind.HELLO else hello
        limits.append((kind.name, limit_s))

    def receive(own: Plain, *, limit_s: float, most: int = 0) -> tuple[WireKind, bytearray]:
        limits.append((limit_s, most))
        if most:
            return WireKind.PROOF, bytearray(proof(hello))
        for one in asked:
            return one
        raise WireError("enough")

    monkeypatch.setattr(server, "send_frame", send)
    monkeypatch.setattr(server, "receive_frame", receive)
    served.agent._strangers.acquire()
    served.agent._serve(stream, "somebody")  # type: ignore[arg-type]
    assert limits == [
        *(("HELLO", 5.0), (5.0, 256), ("WELCOME", 5.0)),
        *((30.0, 0), ("DATA", 30.0), (30.0, 0)),
    ]
    assert stream.options == [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
    assert served.told == ["somebody collects", "somebody leaves: enough"]
    assert served.transport.calls == ["fence", "fence"]
    assert served.agent.served == 1


class Listener:
    """Has no file for the first connection, takes the second one, and is closed then."""

    def __init__(self, agent: RegionAgent) -> None:
        self.answers: list[Callable[[], None]] = [agent.close, lambda: None, self.fail]

    def fail(self) -> None:
        raise OSError(24, "Too many open files")

    def accept(self) -> tuple[Plain, tuple[str, int]]:
        self.answers.pop()()
        if not self.answers:
            raise OSError("closed")
        return Plain(), ("there", 5)

    def shutdown(self, how: int) -> None:
        raise OSError(107, "not connected")

    def close(self) -> None:
        pass


def test_its_threads_do_not_keep_the_program(
    memory: Array, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[tuple[object, object]] = []

    class Thread:
        def __init__(self, *, daemon: bool, target: object, name: str = "", args: object = ()):
            made.append((name, daemon))

        def start(self) -> None:
            pass

    monkeypatch.setattr(server.threading, "Thread", Thread)
    monkeypatch.setattr(server, "_AGAIN_S", 0)
    served = Served(memory)
    served.agent._listener.close()
    served.agent._listener = listener = Listener(served.agent)  # type: ignore[assignment]
    served.agent._accept()
    assert listener.answers == []
    assert made == [("lanescope agent", True), ("", True)]
