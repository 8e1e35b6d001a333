"""What the C code must do at each step of a model: word, kind, order and value of every access.

A model's step stands for a piece of a C function. `Accesses.of` lists what that piece does to
shared memory, and to which call it belongs; driven_hooks.c holds the real code against the list.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tests.protocols.explorer import Step
from tests.protocols.state import OUTSTANDING, ROTATED, Setting, State

from lanescope.device.layouts import layout

ACTORS = ("core", "controller", "host")
KINDS = ("nothing", "load", "store", "add", "read", "write", "copy")
ORDERS = {0: "relaxed", 2: "acquire", 3: "release"}
COMMANDS = (
    *("", "take", "write", "tell", "core close", "dispatch", "finish", "channel close", "drain"),
    *("release", "acknowledge", "acknowledged"),
)
ANY = None
RECORD = 32
CLOCK = 1001
"""What the clock says while task 0 runs; odd, as times of waits are."""


class Access(NamedTuple):
    """One access of the real code; `value` is ANY where the model does not know it."""

    kind: str
    order: str
    offset: int
    bytes: int
    value: int | None


class Listed(NamedTuple):
    """An access and the call that it belongs to."""

    actor: str
    command: str
    clock: int
    access: Access | None
    """None: the piece touches nothing shared."""


class Places:
    """Offsets of the words in the block that the actors share."""

    def __init__(self, setting: Setting, beginnings: list[int]) -> None:
        """`beginnings`: of the lanes, of the staging slots, of the buffers; and the block's end."""
        self._setting = setting
        self._lanes, self._staging, self._buffers, end = beginnings
        self.dispatched, self.told, self.acknowledged = end - 24, end - 16, end - 8

    def lane(self, word: str, index: int = 0) -> int:
        fields = layout("ls_lane").fields
        assert fields is not None
        return int(self._lanes + fields[word][1] + 8 * index)

    def header(self, word: str) -> int:
        fields = layout("ls_header").fields
        assert fields is not None
        return int(fields[word][1])

    def buffer(self, sequence: int, word: str = "sequence") -> int:
        fields = layout("ls_buffer").fields
        assert fields is not None
        stride = 64 + -(-RECORD * self._setting.size // 64) * 64
        index = sequence % self._setting.buffers
        return int(self._buffers + index * stride + fields[word][1])

    def record(self, sequence: int, number: int) -> int:
        return self.buffer(sequence) + 64 + RECORD * number

    def slot(self, task: int) -> int:
        return self._staging + 64 * (task % self._setting.slots)


class Accesses:
    """The list for one path through a model; it remembers what the model leaves out."""

    def __init__(self, setting: Setting, places: Places) -> None:
        self._setting, self._at = setting, places
        self._command = dict.fromkeys(ACTORS, "")
        self._gave_up = False
        """ls_writer.host_lost: a record was dropped since the last buffer was opened."""
        self._waited = False
        """ls_writer.wait_start: a wait was noted since the last buffer was opened."""
        self._published_seen = 0

    def of(self, step: Step, state: State, after: State) -> Iterator[Listed]:
        """What one step does."""
        self._command[step.actor] = self._call(step, state) or self._command[step.actor]
        found = list(self._accesses(step, state, after))
        clock = CLOCK + 2 * state.task
        for access in found or [None]:
            yield Listed(step.actor, self._command[step.actor], clock, access)

    def waits(self, actor: str, state: State) -> Iterator[Listed]:
        """A look at a ring that is full, by a producer that goes on waiting."""
        if self._setting.protocol in ROTATED:
            self._command[actor] = "dispatch"
        elif actor == "core":
            self._command[actor] = "write"
        for access in [*self._look(state), *self._begin_wait()]:
            yield Listed(actor, self._command[actor], CLOCK + 2 * state.task, access)

    def _call(self, step: Step, state: State) -> str:
        """The call that a step begins or belongs to; "": that of the step before."""
        calls = {
            "ls_core_begin": "take", "tells the": "tell", "ls_core_close": "core close",
            "ls_core_place": "write", "ls_core_next_segment": "write", "ls_reserve": "",
            "ls_channel_dispatch": "dispatch", "ls_channel_finish": "finish",
            "ls_channel_count": "finish", "ls_channel_close": "channel close",
            "acknowledges": "acknowledge", "ls_channel_acknowledged": "acknowledged",
            "ls_drain": "drain", "ls_release": "release",
        }  # fmt: skip
        for beginning, call in calls.items():
            if step.does.startswith(beginning) and call:
                return call
        if step.actor == "core" and state.task < self._setting.tasks:
            return "" if step.does.startswith("looks") else "write"
        if step.does.startswith("ls_wait_step") and self._setting.protocol in ROTATED:
            return "dispatch"
        return ""

    def _accesses(self, step: Step, state: State, after: State) -> Iterator[Access]:
        does = step.does
        for beginning, make in {
            "ls_core_begin": self._take,
            "tells the": self._tell,
            "ls_wait_step": self._wait,
            "ls_buffer_open": self._open,
            "ls_core_write": self._write,
            "ls_core_next_segment": self._next_segment,
            "ls_commit": self._commit,
            "ls_buffer_publish: count": self._stamp,
            "ls_buffer_publish: buffer": self._publish,
            "ls_channel_open_segment": self._segment,
            "ls_channel_dispatch": self._dispatch,
            "ls_channel_finish": self._finish,
            "ls_channel_count": self._count,
            "acknowledges": self._acknowledge,
            "ls_channel_acknowledged": self._acknowledged,
            "ls_channel_close: the core": self._acknowledged,
            "ls_channel_written": self._written,
            "ls_channel_copy": self._copy,
            "ls_drain": self._drain,
            "ls_release": self._release,
        }.items():
            if does.startswith(beginning):
                yield from make(does, state, after)
                return

    # ---- The runtime around the protocols ----

    def _take(self, _does: str, state: State, _after: State) -> Iterator[Access]:
        yield load("acquire", self._at.dispatched, state.dispatched)

    def _tell(self, _does: str, state: State, after: State) -> Iterator[Access]:
        yield load("relaxed", self._at.told, state.told)
        yield store("release", self._at.told, after.told)

    def _finish(self, _does: str, state: State, _after: State) -> Iterator[Access]:
        yield load("acquire", self._at.told, state.told)

    def _acknowledge(self, _does: str, state: State, after: State) -> Iterator[Access]:
        yield load("relaxed", self._at.acknowledged, state.acknowledged)
        yield store("release", self._at.acknowledged, after.acknowledged)

    def _acknowledged(self, _does: str, state: State, _after: State) -> Iterator[Access]:
        yield load("acquire", self._at.acknowledged, state.acknowledged)

    def _dispatch(self, _does: str, state: State, after: State) -> Iterator[Access]:
        if after.dropped > state.dropped:
            yield from self._drop(after)
        yield store("release", self._at.dispatched, after.dispatched)

    # ---- ls_writer ----

    def _owns(self) -> Access:
        return load("relaxed", self._at.lane("handles"), 1)

    def _drop(self, after: State) -> Iterator[Access]:
        yield self._owns()
        yield store("relaxed", self._at.lane("dropped"), after.dropped)

    def _look(self, state: State) -> Iterator[Access]:
        """ls_owns_lane, and ls_wait_step up to where it knows whether the host is lost."""
        yield self._owns()
        if state.opened - state.seen < self._setting.buffers:
            return
        yield load("acquire", self._at.lane("released"), state.released)
        if state.opened - state.released < self._setting.buffers:
            return
        yield load("relaxed", self._at.header("host_beat"), 0)
        if self._setting.on_full == "block":
            yield load("relaxed", self._at.lane("refused"), 0)
            yield load("relaxed", self._at.header("host_gone"), 0)
            yield load("relaxed", self._at.header("host_missed"), int(self._gave_up))

    def _begin_wait(self) -> Iterator[Access]:
        if not self._waited:
            yield store("relaxed", self._at.lane("wait_start"), ANY)
            yield store("relaxed", self._at.lane("wait_end"), 0)
        self._waited = True

    def _wait(self, _does: str, state: State, after: State) -> Iterator[Access]:
        yield from self._look(state)
        if state.opened - state.released < self._setting.buffers:
            return
        if not self._gave_up:
            yield from self._begin_wait()
            if self._setting.on_full == "block":
                yield store("relaxed", self._at.header("host_missed"), 1)
            yield store("relaxed", self._at.lane("wait_start"), ANY)
            yield store("relaxed", self._at.lane("wait_end"), ANY)
        self._gave_up = True
        if after.dropped > state.dropped:
            yield from self._drop(after)

    def _open(self, _does: str, state: State, _after: State) -> Iterator[Access]:
        rotated = self._setting.protocol in ROTATED
        times = ANY if self._waited else 0
        for word, size, value in (
            ("sequence", 8, state.opened), ("lane", 4, 0), ("count", 4, 0),
            ("first", 8, state.first if rotated else state.recorded),
            ("dropped", 8, state.dropped), ("wait_start", 8, times), ("wait_end", 8, times),
        ):  # fmt: skip
            yield write(self._at.buffer(state.opened, word), size, value)
        yield store("release", self._at.lane("opened"), state.opened + 1)
        if self._waited:
            yield store("relaxed", self._at.lane("wait_start"), 0)
            yield store("relaxed", self._at.lane("wait_end"), 0)
        if self._gave_up and self._setting.on_full == "block":
            yield store("relaxed", self._at.header("host_missed"), 0)
        self._gave_up = self._waited = False

    def _commit(self, _does: str, _state: State, after: State) -> Iterator[Access]:
        yield store("release", self._at.lane("recorded"), after.recorded)

    def _stamp(self, _does: str, state: State, after: State) -> Iterator[Access]:
        count = after.buffers[state.published % self._setting.buffers].count
        yield self._owns()
        yield write(self._at.buffer(state.published, "count"), 4, count)

    def _publish(self, _does: str, _state: State, after: State) -> Iterator[Access]:
        yield store("release", self._at.lane("published"), after.published)

    # ---- The core's record, the segments, the slots ----

    def _write(self, does: str, state: State, _after: State) -> Iterator[Access]:
        protocol, k = self._setting.protocol, state.task
        if protocol == "staging":
            place = self._at.slot(k)
        elif protocol == "producer-rotated":
            place = self._at.record(state.opened - 1, state.cursor)
        else:
            place = self._at.record(state.core_sequence, state.place // 2)
        if "half a" in does:
            yield write(place, 8, CLOCK + 2 * k)
            yield write(place + 8, 8, CLOCK + 2 * k)
        else:
            yield write(place + 16, 8, k)
            yield write(place + 24, 4, k)
            yield write(place + 28, 4, 0)

    def _next_segment(self, _does: str, state: State, _after: State) -> Iterator[Access]:
        index = (state.core_sequence + 1) % OUTSTANDING
        yield load("acquire", self._at.lane("segment", index), state.segment[index])

    def _segment(self, _does: str, state: State, after: State) -> Iterator[Access]:
        index = (state.opened - 1) % OUTSTANDING
        yield store("release", self._at.lane("segment", index), after.segment[index])

    def _count(self, _does: str, state: State, after: State) -> Iterator[Access]:
        yield load("acquire", self._at.told, state.told)
        yield from self._written("", state, after)

    def _written(self, _does: str, state: State, after: State) -> Iterator[Access]:
        if after.recorded > state.recorded:
            yield store("release", self._at.lane("recorded"), after.recorded)

    def _copy(self, does: str, state: State, _after: State) -> Iterator[Access]:
        """The code copies a slot at once, at the model's second half; gcc says so target first."""
        k = state.finished - 1
        if "looks at" in does:
            yield Access("read", "relaxed", self._at.slot(k) + 24, 4, k)
        elif "half a" in does:
            yield write(self._at.record(state.opened - 1, state.cursor), RECORD, ANY)
        else:
            yield Access("read", "relaxed", self._at.slot(k), RECORD, CLOCK + 2 * k)

    # ---- The host ----

    def _drain(self, does: str, state: State, _after: State) -> Iterator[Access]:
        count = state.buffers[state.taken % self._setting.buffers].count
        if "takes" in does:
            self._published_seen = state.published
            yield load("acquire", self._at.lane("published"), state.published)
            yield Access("copy", "relaxed", self._at.buffer(state.taken), 64, ANY)
            return
        first = self._at.record(state.taken, 0)
        if "halves a" in does:
            yield Access("copy", "relaxed", first, 16 * count, ANY)
            return
        task = state.copied[0] if state.copied else ANY
        yield Access("copy", "relaxed", first + 16, 16 * count, task)
        if self._published_seen > state.taken + 1:  # it looks at the next one, and has no room
            yield Access("copy", "relaxed", self._at.buffer(state.taken + 1), 64, ANY)

    def _release(self, _does: str, state: State, _after: State) -> Iterator[Access]:
        yield load("relaxed", self._at.lane("released"), state.released)
        yield store("release", self._at.lane("released"), state.taken)


def load(order: str, offset: int, value: int | None) -> Access:
    return Access("load", order, offset, 8, value)


def store(order: str, offset: int, value: int | None) -> Access:
    return Access("store", order, offset, 8, value)


def write(offset: int, size: int, value: int | None) -> Access:
    return Access("write", "relaxed", offset, size, value)
