"""The collector's end of a connection to an agent, with answers that lie ready in a socket pair."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from lanescope.device.agent import client
from lanescope.device.agent.client import Socket
from lanescope.device.agent.proof import proof_of
from lanescope.device.agent.wire import PAIR, WireKind, receive_frame, send_frame
from lanescope.device.flags import level_features
from lanescope.device.head import Array, Core
from lanescope.device.region import RegionConfig, create_region
from lanescope.errors import InputError, TransportError, UsageError

TOKEN = "a token of the tests"
NAME = "agent there:7070"
KEPT = "; what was drained before is kept"


class Far:
    """The agent's end: what it says lies ready, and what it was asked can be read.

    The other end has greeted, so that something may have been drained.
    """

    def __init__(self, near: Socket) -> None:
        near._stream, self.stream = socket.socketpair()
        near._is_open = True
        self.near = near

    def say(self, kind: WireKind, payload: bytes) -> None:
        send_frame(self.stream, kind, payload, limit_s=5)

    def asked(self) -> tuple[WireKind, bytes]:
        kind, payload = receive_frame(self.stream, limit_s=5)
        return kind, bytes(payload)


@pytest.fixture
def far() -> Iterator[Far]:
    near = Socket("there:7070", token=TOKEN, limit_s=5)
    far = Far(near)
    yield far
    near.close()
    far.stream.close()


def refusal(call: Callable[[], object]) -> str:
    with pytest.raises(TransportError) as found:
        call()
    return str(found.value)


def test_before_it_is_opened_it_has_a_name_and_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANESCOPE_TOKEN", "of the environment")
    own, given = Socket("there:7070"), Socket("[::1]:80", token=TOKEN)
    assert (own.name, own.size, own.pointer, own._limit_s) == (NAME, 0, 0, 10.0)
    assert (own._token, given._token) == ("of the environment", TOKEN)
    assert (own._address, given._address) == (("there", 7070), ("::1", 80))
    own.close()
    own.fence()


@pytest.mark.parametrize(("token", "place"), [(None, "LANESCOPE_TOKEN"), ("", "token=")])
def test_a_token_is_needed(token: str | None, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANESCOPE_TOKEN", "" if token is None else TOKEN)
    with pytest.raises(UsageError) as found:
        Socket("there:7070", token=token)
    assert str(found.value) == (
        f"expected the agent's token in {place}, found none; 'lanescope agent' prints it"
    )


def test_a_region_is_made_by_the_other_program(far: Far) -> None:
    with pytest.raises(UsageError) as found:
        far.near.place(np.zeros(64, np.uint8), 64)
    assert str(found.value) == (
        f"{NAME}: the region is made by the program on its machine; leave out region=…"
    )


@pytest.mark.parametrize(
    ("error", "reason"),
    [(OSError(113, "No route to host"), "No route to host"), (OSError("timed out"), "timed out")],
)
def test_who_cannot_be_reached_is_told_with_the_reason(
    error: OSError, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried: list[object] = []

    def fails(address: object, limit_s: float) -> None:
        tried.append((address, limit_s))
        raise error

    own = Socket("there:7070", token=TOKEN, limit_s=3)
    monkeypatch.setattr(client.socket, "create_connection", fails)
    assert refusal(own.open) == (
        f"{NAME}: cannot be reached ({reason}); is 'lanescope agent' running there?"
    )
    assert tried == [(("there", 7070), 3)]


HELLO = struct.pack("<I", 1) + b"t" * 32
OURS = b"o" * 32
SHOWN = proof_of(TOKEN, b"agent", b"t" * 32, OURS)


def greeted(far: Far, hello: bytes, welcome: bytes, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(client.secrets, "token_bytes", lambda size: b"o" * size)
    far.near._is_open = False
    far.say(WireKind.HELLO, hello)
    far.say(WireKind.WELCOME, welcome)
    return far.near._greet()


@pytest.mark.parametrize("size", [0, 1, (1 << 36) - 1, 1 << 36])
def test_both_ends_show_that_they_know_the_token(
    size: int, far: Far, monkeypatch: pytest.MonkeyPatch
) -> None:
    welcome = SHOWN + struct.pack("<Q", size)
    assert greeted(far, HELLO, welcome, monkeypatch) == size
    proof = proof_of(TOKEN, b"collector", b"t" * 32, OURS)
    assert far.asked() == (WireKind.PROOF, struct.pack("<I", 1) + OURS + proof)


VERSIONS = "and this lanescope version 1; install the same lanescope on both machines"


@pytest.mark.parametrize(
    ("hello", "welcome", "sentence"),
    [
        (HELLO[:3], b"", "did not greet as an agent does"),
        (HELLO[:4], b"", "did not greet as an agent does"),
        (HELLO[:-1], b"", "did not greet as an agent does"),
        (HELLO + b"t", b"", "did not greet as an agent does"),
        (struct.pack("<I", 2), b"", f"speaks version 2, {VERSIONS}"),
        (struct.pack("<I", 2) + HELLO[4:], b"", f"speaks version 2, {VERSIONS}"),
        (
            HELLO,
            SHOWN + struct.pack("<Q", (1 << 36) + 1),
            "has a region of 68,719,476,737 bytes, where 68,719,476,736 are the most",
        ),
        (
            HELLO,
            SHOWN[::-1] + bytes(8),
            "does not know the token, so it is not the agent that printed it",
        ),
        (HELLO, SHOWN + bytes(7), "expected 40 bytes of WELCOME, found 39 of WELCOME"),
        (HELLO, SHOWN + bytes(9), "expected 40 bytes of WELCOME, found 41 of WELCOME"),
    ],
)
def test_who_greets_in_another_way_is_left(
    hello: bytes, welcome: bytes, sentence: str, far: Far, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = refusal(lambda: greeted(far, hello, welcome, monkeypatch))
    assert said == f"{NAME}: {sentence}"
    assert far.near._stream is not None and far.near._stream.fileno() == -1


def test_a_greeting_of_another_kind_is_none(far: Far) -> None:
    far.near._is_open = False
    far.say(WireKind.DATA, HELLO)
    assert refusal(far.near._greet) == f"{NAME}: did not greet as an agent does"


@pytest.mark.parametrize(
    ("kind", "answer", "found"),
    [
        (WireKind.DATA, b"12", "found 2 of DATA"),
        (WireKind.DATA, b"", "found 0 of DATA"),
        (WireKind.WELCOME, b"1", "found 1 of WELCOME"),
    ],
)
def test_an_answer_has_the_size_and_the_kind_that_were_asked_for(
    kind: WireKind, answer: bytes, found: str, far: Far
) -> None:
    far.say(kind, answer)
    sentence = f"{NAME}: expected 1 byte of DATA, {found}{KEPT}"
    assert refusal(far.near.has_ended) == sentence
    assert refusal(far.near.has_ended) == sentence, "every further call says the same"


@pytest.mark.parametrize(("answer", "ended"), [(b"\0", False), (b"\1", True)])
def test_the_agent_is_asked_whether_the_program_has_ended(
    answer: bytes, ended: bool, far: Far
) -> None:
    far.say(WireKind.DATA, answer)
    assert far.near.has_ended() is ended
    assert far.asked() == (WireKind.ENDED, b"")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"no", "no"),
        (b"a\nb\x1b\xff", "a?b?�"),
        (b"x" * 300, "x" * 300),
        (b"x" * 299 + b"yz", "x" * 299 + "y"),
    ],
)
def test_a_refusal_is_shown_without_what_moves_the_cursor(text: bytes, said: str, far: Far) -> None:
    far.say(WireKind.REFUSED, text)
    assert refusal(far.near.has_ended) == f"{NAME}: refuses: {said}{KEPT}"


def test_an_agent_that_left_may_have_said_why(far: Far) -> None:
    far.say(WireKind.REFUSED, b"it is late")
    far.stream.close()
    assert refusal(far.near.has_ended) == f"{NAME}: refuses: it is late{KEPT}"


@pytest.mark.parametrize("said", [b"", b"12"])
def test_an_agent_that_left_without_a_word_is_a_broken_connection(said: bytes, far: Far) -> None:
    """What it had answered before is no reason."""
    if said:
        far.say(WireKind.DATA, said)
    far.stream.close()
    assert refusal(far.near.has_ended) == f"{NAME}: the connection is broken (Broken pipe){KEPT}"


@pytest.fixture
def region(tmp_path: Path) -> Array:
    config = RegionConfig(flags=level_features(1), cores=(Core("aic"),), buffer_records=4)
    return create_region(tmp_path / "region", config).memory.copy()


def test_opening_copies_the_head_of_the_region(
    far: Far, region: Array, monkeypatch: pytest.MonkeyPatch
) -> None:
    options: list[object] = []
    stream = far.near._stream
    assert stream is not None
    monkeypatch.setattr(
        client.socket, "create_connection", lambda address, limit_s: Fast(stream, options)
    )
    monkeypatch.setattr(client.secrets, "token_bytes", lambda size: b"o" * size)
    far.near._is_open = False
    prefix = int(region[24:32].view(np.uint64)[0])
    far.say(WireKind.HELLO, HELLO)
    far.say(WireKind.WELCOME, SHOWN + struct.pack("<Q", len(region)))
    far.say(WireKind.DATA, region[:384].tobytes())
    far.say(WireKind.DATA, region[:prefix].tobytes())
    far.near.open()
    assert far.near.size == len(far.near.image) == len(region)
    assert far.near.image[:prefix].tolist() == region[:prefix].tolist()
    assert far.asked()[0] is WireKind.PROOF
    assert [far.asked() for _ in range(2)] == [
        (WireKind.READ, PAIR.pack(0, 384)),
        (WireKind.READ, PAIR.pack(0, prefix)),
    ]
    assert options == [(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)]
    assert far.near._is_open


class Fast:
    """A stream that notes its options; a pair of sockets has none of TCP."""

    def __init__(self, stream: socket.socket, options: list[object]) -> None:
        self._stream, self._options = stream, options

    def setsockopt(self, *option: int) -> None:
        self._options.append(option)

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def test_a_region_without_room_for_a_header_is_none(
    far: Far, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = far.near._stream
    assert stream is not None
    monkeypatch.setattr(
        client.socket, "create_connection", lambda address, limit_s: Fast(stream, [])
    )
    monkeypatch.setattr(client.secrets, "token_bytes", lambda size: b"o" * size)
    far.say(WireKind.HELLO, HELLO)
    far.say(WireKind.WELCOME, SHOWN + struct.pack("<Q", 383))
    with pytest.raises(InputError, match="the first 8 bytes are not L_REGION"):
        far.near.open()


def with_image(far: Far, size: int = 4096) -> Socket:
    """A collector whose image is there; its header has one lane at 1024."""
    far.near.image = np.zeros(size, np.uint8)
    far.near._header = {"lanes": 1024, "lane_count": 1}
    return far.near


def test_words_are_written_whole_and_no_more_at_once_than_fit(
    far: Far, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client._MOST_PAIRS == 524_288
    monkeypatch.setattr(client, "_MOST_PAIRS", 2)
    near, value = with_image(far), 0x8877_6655_4433_2211
    near.image[320:344] = [*value.to_bytes(8, "little"), *range(1, 9), *[0xFF] * 8]
    for _ in range(2):
        far.say(WireKind.DATA, b"")
    near.write(320, 328, 1024 + 192)
    second = int.from_bytes(bytes(range(1, 9)), "little")
    assert [far.asked() for _ in range(2)] == [
        (WireKind.WRITE, PAIR.pack(320, value) + PAIR.pack(328, second)),
        (WireKind.WRITE, PAIR.pack(1024 + 192, 0)),
    ]


def test_a_word_of_the_device_is_not_even_sent(far: Far) -> None:
    near = with_image(far)
    with pytest.raises(ValueError, match="byte 336 of the region belongs to the device"):
        near.write(320, 336)
    near.write()
    far.stream.setblocking(False)
    with pytest.raises(BlockingIOError):
        far.stream.recv(1)
    with pytest.raises(AssertionError, match="a word is written by an agent"):
        near._push_none(320, memoryview(b""))


def test_ranges_come_in_parts_and_into_their_places(
    far: Far, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert client._PART == 4_194_304
    monkeypatch.setattr(client, "_PART", 10)
    near = with_image(far)
    for answer in (b"abcdefghij", b"klmn"):
        far.say(WireKind.DATA, answer)
    near.read((100, 4), (0, 0), (200, 8), (50, 2))
    assert [far.asked()[1] for _ in range(2)] == [
        PAIR.pack(100, 4) + PAIR.pack(200, 6),
        PAIR.pack(206, 2) + PAIR.pack(50, 2),
    ]
    assert bytes(near.image[100:105]) == b"abcd\0"
    assert bytes(near.image[199:209]) == b"\0efghijkl\0"
    assert bytes(near.image[49:53]) == b"\0mn\0"


def test_a_range_is_pulled_into_a_target_of_its_own(
    far: Far, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_PART", 4)
    for answer in (b"abcd", b"efgh", b"ij"):
        far.say(WireKind.DATA, answer)
    target = bytearray(10)
    far.near._pull_one(1000, memoryview(target))
    assert target == b"abcdefghij"
    assert [far.asked()[1] for _ in range(3)] == [
        PAIR.pack(1000, 4),
        PAIR.pack(1004, 4),
        PAIR.pack(1008, 2),
    ]


@pytest.mark.parametrize(
    ("ranges", "batches"),
    [
        ([], []),
        ([(5, 0)], []),
        ([(0, 10)], [[(0, 10)]]),
        ([(0, 11)], [[(0, 10)], [(10, 1)]]),
        ([(0, 4), (9, 6), (20, 1)], [[(0, 4), (9, 6)], [(20, 1)]]),
        ([(n, 1) for n in range(3)], [[(0, 1), (1, 1), (2, 1)]]),
        ([(n, 1) for n in range(4)], [[(0, 1), (1, 1), (2, 1)], [(3, 1)]]),
        ([(0, 25)], [[(0, 10)], [(10, 10)], [(20, 5)]]),
    ],
)
def test_a_batch_has_so_many_bytes_and_so_many_ranges(
    ranges: list[tuple[int, int]],
    batches: list[list[tuple[int, int]]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ten bytes and three ranges."""
    monkeypatch.setattr(client, "_PART", 10)
    monkeypatch.setattr(client, "_MOST_PAIRS", 3)
    assert list(client._batches(ranges)) == batches


def test_a_turn_is_taken_for_every_question(far: Far) -> None:
    turns: list[str] = []

    class Turns:
        def __enter__(self) -> None:
            turns.append("begin")

        def __exit__(self, *_: object) -> None:
            turns.append("end")

    far.near._turns = Turns()  # type: ignore[assignment]
    far.say(WireKind.DATA, b"\0")
    far.near.has_ended()
    assert turns == ["begin", "end"]
