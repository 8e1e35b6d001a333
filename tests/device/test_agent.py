"""An agent and the transport to it: records arrive; strangers, garbage and silence are sentences.

Everything is on 127.0.0.1. The device is the thread platform.
"""

from __future__ import annotations

import re
import socket
import struct
import tempfile
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from tests.device.copies import wait_until
from tests.facade.test_sessions import Array, config, memory_for, require_all, run_on

import lanescope
from lanescope.device.agent import proof, server
from lanescope.device.agent.server import RegionAgent
from lanescope.device.agent.wire import (
    MOST_BYTES,
    PAIR,
    WireError,
    WireKind,
    address_of,
    receive_frame,
    send_frame,
)
from lanescope.device.region import Region, place_region
from lanescope.device.transport import SharedMapping, word_offset

TOKEN = "a token of the tests"
KEPT = "; what was drained before is kept"


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Captures that are kept lie in the test's folder."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


class Served:
    """A region in memory, and its agent."""

    def __init__(self) -> None:
        self.told: list[str] = []
        self.closing: list[Callable[[], None]] = []
        region = config(host_lost_s=0.5)
        self.memory = memory_for(region)
        transport = SharedMapping(self.memory)
        place_region(transport, region)
        self.ended = False
        self.agent = RegionAgent(
            transport,
            ("127.0.0.1", 0),
            token=TOKEN,
            has_ended=lambda: self.ended,
            tell=self.told.append,
        )
        self.address = f"127.0.0.1:{self.agent.address[1]}"

    def transport(self, **options: float) -> lanescope.Socket:
        transport = lanescope.Socket(self.address, token=TOKEN, **options)
        self.closing.append(transport.close)
        return transport


@pytest.fixture
def served() -> Iterator[Served]:
    served = Served()
    yield served
    for close in (*served.closing, served.agent.close):
        close()


def opened(served: Served) -> lanescope.Socket:
    transport = served.transport()
    transport.open()
    return transport


def message(call: Callable[[], object]) -> str:
    with pytest.raises(lanescope.TransportError) as error:
        call()
    text = str(error.value)
    assert "\n" not in text
    return text


def test_all_records_arrive_through_an_agent(served: Served) -> None:
    with lanescope.Session(transport=served.transport(), name="far") as session:
        run_on(served.memory)
        assert session.has_stopped()
    require_all(session.trace())
    wait_until(lambda: served.agent.served == 1)
    assert served.told[0].endswith(" collects")
    assert served.told[1].endswith(" leaves: the connection ended")


def test_the_agent_says_whether_the_program_has_ended(served: Served) -> None:
    transport = opened(served)
    assert not transport.has_ended()
    served.ended = True
    assert transport.has_ended()


def test_a_wrong_token_is_refused_and_does_not_travel(served: Served) -> None:
    wrong = lanescope.Socket(served.address, token="another token altogether")
    assert message(wrong.open) == (
        f"agent {served.address}: refuses: the token is wrong; it is the one that this agent "
        "printed or was given"
    )
    assert served.agent.served == 0


def test_without_a_token_nothing_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANESCOPE_TOKEN", raising=False)
    with pytest.raises(lanescope.UsageError, match="expected the agent's token in LANESCOPE_TOKEN"):
        lanescope.Socket("127.0.0.1:1")
    with pytest.raises(lanescope.UsageError, match=r"expected HOST:PORT, .*, found 'here'"):
        lanescope.Socket("here", token=TOKEN)


def test_one_collector_at_a_time_and_the_next_goes_on(served: Served) -> None:
    first = opened(served)
    assert "refuses: another collector is connected" in message(served.transport().open)
    first.close()
    wait_until(lambda: not served.agent.is_busy)
    with lanescope.Session(transport=served.transport()) as session:
        run_on(served.memory)
    require_all(session.trace())


def test_a_region_cannot_be_made_through_an_agent(served: Served) -> None:
    with pytest.raises(lanescope.UsageError, match=r"leave out region=…"):
        lanescope.Session(region=config(), transport=served.transport())


def test_a_port_without_an_agent_is_a_sentence(served: Served) -> None:
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    text = message(lanescope.Socket(f"127.0.0.1:{port}", token=TOKEN).open)
    assert text == (
        f"agent 127.0.0.1:{port}: cannot be reached (Connection refused); is 'lanescope agent' "
        "running there?"
    )


def answer_once(answer: Callable[[socket.socket], None]) -> str:
    """The address of something that answers one connection in its own way."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with listener, listener.accept()[0] as stream, suppress(OSError):
            answer(stream)

    threading.Thread(target=serve, daemon=True).start()
    return f"127.0.0.1:{listener.getsockname()[1]}"


def framed(payload: bytes, *, kind: int = 1, size: int | None = None, crc: int = 0) -> bytes:
    size = len(payload) if size is None else size
    right = zlib.crc32(payload, zlib.crc32(struct.pack("<II", kind, size)))
    return struct.pack("<4sIII", b"LSAG", kind, size, right ^ crc) + payload


HELLO = struct.pack("<I", 1) + bytes(32)


@pytest.mark.parametrize(
    ("sent", "sentence"),
    [
        (
            b"HTTP/1.1 400 Bad Request\r\n",
            "expected a frame, which begins with LSAG, found b'HTTP'",
        ),
        (b"", "the connection ended"),
        (framed(HELLO)[:9], "the connection ended inside a frame, 7 bytes early"),
        (framed(HELLO)[:-6], "the connection ended inside a frame, 6 bytes early"),
        (framed(HELLO, crc=1), "sent a frame of 36 bytes with a wrong checksum"),
        (framed(b"", size=1 << 31), "sent a frame of 2,147,483,648 bytes, where 8,388,608 are the"),
        (framed(b"", kind=99), "sent a frame of the unknown kind 99"),
        (framed(b"", kind=8), "did not greet as an agent does"),
        (
            framed(struct.pack("<I", 7) + bytes(32)),
            "speaks version 7, and this lanescope version 1; install the same lanescope on both",
        ),
        (framed(struct.pack("<I", 9)), "speaks version 9, and this lanescope version 1; install"),
        (framed(b"123"), "did not greet as an agent does"),
        (framed(b"no\x1b[2J\nway", kind=4), "refuses: no?[2J?way"),
        (framed(HELLO) + framed(bytes(40), kind=3), "does not know the token, so it is not the"),
        (framed(HELLO) + framed(bytes(9), kind=3), "expected 40 bytes of WELCOME, found 9 of"),
    ],
)
def test_what_is_no_agent_is_a_sentence(sent: bytes, sentence: str) -> None:
    def answer(stream: socket.socket) -> None:
        stream.sendall(sent)
        stream.shutdown(socket.SHUT_WR)
        stream.recv(1000)

    address = answer_once(answer)
    text = message(lanescope.Socket(address, token=TOKEN).open)
    assert text.startswith(f"agent {address}: {sentence}")


def test_an_agent_that_hangs_is_given_up() -> None:
    done = threading.Event()

    def hang(stream: socket.socket) -> None:
        done.wait(5)

    address = answer_once(hang)
    transport = lanescope.Socket(address, token=TOKEN, limit_s=0.2)
    begin = time.monotonic()
    assert message(transport.open) == f"agent {address}: sent no whole frame within 0.2 s"
    assert time.monotonic() - begin < 2
    done.set()


def test_an_agent_that_sends_a_byte_now_and_then_is_given_up() -> None:
    def drip(stream: socket.socket) -> None:
        for byte in framed(HELLO):
            stream.sendall(bytes([byte]))
            time.sleep(0.05)

    transport = lanescope.Socket(answer_once(drip), token=TOKEN, limit_s=0.3)
    assert "sent no whole frame within 0.3 s" in message(transport.open)


class Between:
    """Passes bytes on between a collector and an agent, until it is told what to do instead."""

    def __init__(self, served: Served, spoil: Callable[[bytes], bytes | None]) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.spoils = False
        self._spoil = spoil
        self._far = socket.create_connection(served.agent.address)
        served.closing += [self.listener.close, self._far.close]
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        near = self.listener.accept()[0]
        threading.Thread(target=self._pass, args=(near, self._far, False), daemon=True).start()
        self._pass(self._far, near, True)

    def _pass(self, source: socket.socket, target: socket.socket, answers: bool) -> None:
        while True:
            try:
                data: bytes | None = source.recv(1 << 16)
                if data and answers and self.spoils:
                    data = self._spoil(data)
                if data is None:
                    continue  # swallowed
                if not data:
                    break
                target.sendall(data)
            except OSError:
                break
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda data: b"", "the connection"),
        (lambda data: None, "sent no whole frame within 0.5 s"),
        (lambda data: bytes(len(data)), "expected a frame, which begins with LSAG, found"),
        (lambda data: data[:-1] + bytes([data[-1] ^ 1]), "with a wrong checksum"),
    ],
)
def test_what_was_drained_before_the_agent_failed_is_kept(
    served: Served, spoil: Callable[[bytes], bytes | None], sentence: str, tmp_path: Path
) -> None:
    between = Between(served, spoil)
    transport = lanescope.Socket(between.address, token=TOKEN, limit_s=0.5)
    folder = tmp_path / "a.capture"
    with lanescope.Session(transport=transport, directory=folder) as session:
        run_on(served.memory)
        wait_until(lambda: session.records > 400)
        between.spoils = True
        wait_until(lambda: session.error is not None)
    assert sentence in str(session.error)
    trace = session.trace()
    assert trace.meta.notes[0] == f"Capturing stopped early: {session.error}."
    assert session.records == sum(entry.total for entry in trace.meta.ledger) > 400
    assert lanescope.recover(folder).trace.tasks["task"].tolist() == trace.tasks["task"].tolist()


def test_a_lane_gone_wild_behind_an_agent_leaves_the_others_alone(served: Served) -> None:
    with lanescope.Session(transport=served.transport()) as session:
        run_on(served.memory)
        wait_until(lambda: session.records > 400)
        Region(Path("memory"), served.memory).lanes["published"][0] = 1 << 60
    trace = session.trace()
    assert session.error is None
    assert [entry.unknown for entry in trace.meta.ledger].count(True) == 1
    assert trace.meta.notes[0].startswith("lane 0 (core 0, kind 0) is damaged, buffer ")
    assert Region(Path("memory"), served.memory).lanes["refused"].tolist().count(1) == 1


def admitted(served: Served) -> socket.socket:
    """A connection that knows the token."""
    transport = opened(served)
    assert transport._stream is not None
    return transport._stream


def refusal(stream: socket.socket) -> str:
    kind, text = receive_frame(stream, limit_s=5)
    assert kind is WireKind.REFUSED
    return text.decode()


@pytest.mark.parametrize("word", ["state", "strays", "magic"])
def test_no_word_of_the_device_is_written_for_a_collector(served: Served, word: str) -> None:
    before = served.memory.copy()
    stream = admitted(served)
    good = PAIR.pack(word_offset("ls_header", "host_beat"), 77)
    bad = PAIR.pack(word_offset("ls_header", word), 77)
    send_frame(stream, WireKind.WRITE, good + bad, limit_s=5)
    assert "belongs to the device; the host may write only host_beat" in refusal(stream)
    assert (served.memory == before).all()


@pytest.mark.parametrize(
    ("kind", "payload", "sentence"),
    [
        (WireKind.READ, PAIR.pack(0, 1 << 40), "more than 8,388,608 bytes were asked for at once"),
        (WireKind.READ, PAIR.pack(2**64 - 1, 8), "were asked for, and the region has"),
        (WireKind.READ, b"abc", "expected a question, found 3 bytes of READ"),
        (WireKind.WELCOME, b"", "expected a question, found 0 bytes of WELCOME"),
    ],
)
def test_a_collector_that_asks_for_nonsense_is_sent_away(
    served: Served, kind: WireKind, payload: bytes, sentence: str
) -> None:
    stream = admitted(served)
    send_frame(stream, kind, payload, limit_s=5)
    assert sentence in refusal(stream)
    with pytest.raises(WireError, match="the connection ended"):
        receive_frame(stream, limit_s=5)
    wait_until(lambda: not served.agent.is_busy)
    opened(served).close()


def test_strangers_do_not_hold_up_the_agent(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Some connect and say nothing, some send garbage; all are gone after the limit."""
    monkeypatch.setattr(server, "_GREETING_S", 0.3)
    silent = [socket.create_connection(served.agent.address) for _ in range(20)]
    garbage = socket.create_connection(served.agent.address)
    garbage.sendall(b"GET / HTTP/1.1\r\n\r\n" * 50)
    time.sleep(0.5)
    with lanescope.Session(transport=served.transport()) as session:
        run_on(served.memory)
    require_all(session.trace())
    for one in (*silent, garbage):
        one.close()


def test_a_collector_that_falls_silent_makes_room(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "IDLE_S", 0.2)
    opened(served)
    wait_until(lambda: not served.agent.is_busy and served.agent.served == 1)
    assert served.told[-1].endswith(" leaves: sent no whole frame within 0.2 s")


def test_a_large_range_is_read_in_parts() -> None:
    from lanescope.device.agent.client import _batches

    parts = list(_batches([(0, 100), (1000, MOST_BYTES), (0, 0), (7, 5)]))
    half = MOST_BYTES // 2
    assert parts == [
        [(0, 100), (1000, half - 100)],
        [(1000 + half - 100, half)],
        [(1000 + MOST_BYTES - 100, 100), (7, 5)],
    ]


def test_the_agent_shows_signs_of_life_until_somebody_collects(served: Served) -> None:
    def beats(memory: Array) -> int:
        at = word_offset("ls_header", "host_beat")
        return int.from_bytes(memory[at : at + 8].tobytes(), "little")

    assert beats(served.memory) == 0
    served.agent.beat()
    assert beats(served.memory) == 1
    assert Region(Path("memory"), served.memory).state == 0


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("127.0.0.1:7070", ("127.0.0.1", 7070)),
        ("[::1]:0", ("::1", 0)),
        ("host:65535", ("host", 65535)),
        ("host:65536", None),
        ("host:", None),
        (":7070", None),
        ("host", None),
        ("host:-1", None),
        ("host:7x", None),
        ("host:٣", None),
    ],
)
def test_an_address_is_a_host_and_a_port(text: str, address: tuple[str, int] | None) -> None:
    if address is not None:
        assert address_of(text) == address
        return
    with pytest.raises(ValueError, match=re.escape(f"found {text!r}")):
        address_of(text)


def test_ranges_come_back_in_their_places(served: Served) -> None:
    """Also one that is not at the start, and several in one call."""
    transport = served.transport()
    transport.open()
    served.memory[100:130] = 7
    transport.image[:] = 1
    transport.read((110, 5), (125, 3), (128, 0))
    assert np.flatnonzero(transport.image == 7).tolist() == [*range(110, 115), *range(125, 128)]
    assert set(transport.image.tolist()) == {1, 7}


def test_a_port_that_is_taken_is_a_sentence(served: Served) -> None:
    port = served.agent.address[1]
    with pytest.raises(lanescope.UsageError, match=f"nobody can listen on 127.0.0.1:{port} "):
        RegionAgent(
            SharedMapping(served.memory),
            ("127.0.0.1", port),
            token=TOKEN,
            has_ended=lambda: False,
            tell=print,
        )


def test_a_token_has_16_characters_or_more_and_a_file_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(proof.VARIABLE, raising=False)
    assert proof.given_token(None) is None
    monkeypatch.setenv(proof.VARIABLE, "x" * 16)
    assert proof.given_token(None) == "x" * 16
    monkeypatch.setenv(proof.VARIABLE, "x" * 15)
    with pytest.raises(lanescope.UsageError, match=f"found a shorter one in {proof.VARIABLE}"):
        proof.given_token(None)
    file = tmp_path / "token"
    file.write_text(f"{'y' * 16}\n")
    file.chmod(0o600)
    assert proof.given_token(file) == "y" * 16
    for mode in (0o640, 0o604):
        file.chmod(mode)
        with pytest.raises(lanescope.InputError, match="others may use the token's file"):
            proof.given_token(file)
    with pytest.raises(lanescope.InputError, match="the token cannot be read"):
        proof.given_token(tmp_path / "none")
    assert len(proof.new_token()) == 32


def test_a_proof_is_of_one_token_one_side_and_one_pair_of_nonces() -> None:
    shown = proof.proof_of("token", b"agent", b"a", b"b")
    assert len(shown) == proof.PROOF_BYTES
    assert proof.is_proof(shown, "token", b"agent", b"a", b"b")
    for other in (("Token", b"agent", b"a", b"b"), ("token", b"collector", b"a", b"b")):
        assert not proof.is_proof(shown, *other)
    assert not proof.is_proof(shown, "token", b"agent", b"b", b"a")
