"""The process behind `--view`: when it makes a version, which captures it opens, when it ends."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest
from tests.analyze.hand import make_trace

from lanescope.errors import InputError
from lanescope.facade import live
from lanescope.facade.live import LiveEnd, Watcher, _end, _watch, serve_live
from lanescope.trace import Trace, save
from lanescope.viewer import LiveState


@dataclass
class Clock:
    """Seconds that pass only when somebody waits, and what the process has worked."""

    now_s: float = 100.0
    worked_s: float = 0.0

    def monotonic(self) -> float:
        return self.now_s

    def process_time(self) -> float:
        return self.worked_s


@dataclass
class Server:
    """A server that notes what it is told, and answers as it was set."""

    clock: Clock
    cost_s: float = 0.0
    watched: bool = True
    told_by_s: float = 1e9
    closed_by_s: float = 1e9
    versions: list[tuple[list[str], LiveState]] = field(default_factory=list)
    states: list[LiveState] = field(default_factory=list)
    within_s: list[float] = field(default_factory=list)
    places: list[Sequence[str | None]] = field(default_factory=list)

    def is_watched(self, within_s: float = 90.0) -> bool:
        self.within_s.append(within_s)
        return self.watched

    def show(
        self, traces: Sequence[Trace], state: LiveState, places: Sequence[str | None] = ()
    ) -> None:
        self.versions.append(([trace.meta.name for trace in traces], state))
        self.places.append(places)
        self.clock.worked_s += self.cost_s

    def tell(self, state: LiveState) -> None:
        self.states.append(state)

    def is_told(self) -> bool:
        return self.clock.now_s >= self.told_by_s

    def is_closed(self, since_s: float) -> bool:
        assert since_s == 3.0
        return self.clock.now_s >= self.closed_by_s


class Capture:
    """A capture with as much news as it was given."""

    def __init__(self, path: Path, suffix: str) -> None:
        if path.name.startswith("broken"):
            raise InputError(str(path), "is not whole")
        self.name, self.news, self.left_out = path.name + suffix, [True], 0
        self.counts = SimpleNamespace(recorded=10, lost=1)

    def look(self) -> bool:
        return self.news.pop() if self.news else False

    def trace(self) -> Trace:
        return make_trace(meta={"name": self.name})


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(live, "time", clock)
    monkeypatch.setattr(live, "LiveCapture", Capture)
    return clock


def watching(folder: Path, server: Server, *names: str) -> Watcher:
    """A watcher of a folder with a region of each of these processes."""
    for name in names:
        (folder / name).mkdir()
        (folder / name / "region").touch()
    return Watcher(folder, server)  # type: ignore[arg-type]


def test_a_page_that_looks_gets_what_is_new_at_once_and_nothing_twice(
    tmp_path: Path, clock: Clock
) -> None:
    server = Server(clock)
    watcher = watching(tmp_path, server, "7-a")
    watcher.look()
    state = LiveState(records=10, lost=1)
    assert server.versions == [(["7-a"], state)]
    assert server.within_s == [10.0]
    clock.now_s += 100
    watcher.look()
    assert len(server.versions) == 1
    assert server.states == [state]


@pytest.mark.parametrize(("cost_s", "pause_s"), [(0.0, 0.5), (0.1, 0.5), (0.5, 2.0)])
def test_a_version_that_took_long_is_made_more_seldom(
    tmp_path: Path, clock: Clock, cost_s: float, pause_s: float
) -> None:
    """Half a second between two, or four times what the last one took."""
    server = Server(clock, cost_s=cost_s)
    watcher = watching(tmp_path, server, "7-a")
    watcher.look()
    watcher._captures[tmp_path / "7-a"].news = [True]  # type: ignore[attr-defined]
    clock.now_s = 100 + pause_s - 0.01
    watcher.look()
    assert len(server.versions) == 1
    clock.now_s = 100 + pause_s
    watcher.look()
    assert len(server.versions) == 2


def test_without_a_page_no_version_is_made_until_one_looks(tmp_path: Path, clock: Clock) -> None:
    server = Server(clock, watched=False)
    watcher = watching(tmp_path, server, "7-a")
    watcher.look()
    assert (server.versions, server.states) == ([], [LiveState(records=10, lost=1)])
    server.watched = True
    watcher.look()
    assert len(server.versions) == 1


def test_eight_processes_are_shown_and_their_counts_are_added(tmp_path: Path, clock: Clock) -> None:
    server = Server(clock)
    watcher = watching(tmp_path, server, *(f"{number}-a" for number in range(1, 10)))
    watcher.look()
    names, state = server.versions[0]
    assert len(names) == 8
    assert state == LiveState(records=80, lost=8)


def test_a_capture_that_is_left_out_in_part_is_not_whole(tmp_path: Path, clock: Clock) -> None:
    server = Server(clock, watched=False)
    watcher = watching(tmp_path, server, "7-a", "8-a")
    watcher.look()
    watcher._captures[tmp_path / "8-a"].left_out = 5  # type: ignore[misc]
    watcher.look()
    assert [state.whole for state in server.states] == [True, False]


def test_a_folder_with_a_region_is_the_capture_itself(tmp_path: Path, clock: Clock) -> None:
    (tmp_path / "region").touch()
    server = Server(clock)
    watching(tmp_path, server, "7-a").look()
    assert server.versions[0][0] == [tmp_path.name]


def test_a_capture_that_is_not_whole_yet_is_tried_again_and_others_are_shown(
    tmp_path: Path, clock: Clock
) -> None:
    server = Server(clock)
    watcher = watching(tmp_path, server, "broken", "other")
    watcher.look()
    assert [len(names) for names, _ in server.versions] == [1]
    assert server.versions[0][0][0].startswith("other")


def test_a_folder_that_is_not_there_yet_has_no_records(tmp_path: Path, clock: Clock) -> None:
    server = Server(clock)
    watching(tmp_path / "later", server).look()
    assert (server.versions, server.states) == ([], [LiveState()])


class Waiting(Event):
    """Waiting takes as long as it may on the test's clock, and no time here."""

    clock: Clock

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.clock.now_s += timeout
        return self.is_set()


def end(server: Server, clock: Clock, told: LiveEnd, monkeypatch: pytest.MonkeyPatch) -> float:
    """How long the process goes on after it was told the end, in seconds."""
    Waiting.clock = clock
    monkeypatch.setattr(live, "Event", Waiting)
    monkeypatch.setattr(live, "Thread", lambda **_: SimpleNamespace(start=lambda: None))
    begun = clock.now_s
    _end(server, told, io.StringIO())  # type: ignore[arg-type]
    return clock.now_s - begun


def test_pages_learn_of_an_end_and_two_seconds_are_enough(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(clock)
    assert end(server, clock, LiveEnd(where="here"), monkeypatch) == pytest.approx(2.05)
    assert server.states == [LiveState(state="ended", where="here")]
    quick = Server(clock, told_by_s=clock.now_s + 0.18)
    assert end(quick, clock, LiveEnd(), monkeypatch) == pytest.approx(0.2)


@pytest.fixture
def stored(tmp_path: Path) -> str:
    return str(save(make_trace(meta={"name": "a"}), tmp_path / "run.lanes"))


def test_a_stored_trace_is_shown_until_its_page_is_closed(
    stored: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(clock, told_by_s=0, closed_by_s=clock.now_s + 30)
    told = LiveEnd((stored,), "in run.lanes", stays=True)
    assert end(server, clock, told, monkeypatch) == pytest.approx(30, abs=0.051)
    assert server.versions == [(["a"], LiveState(state="stored", where="in run.lanes"))]
    assert server.places == [[stored]]
    assert server.states == []


@pytest.mark.parametrize("case", ["not asked for", "nobody looks", "not there"])
def test_a_stored_trace_that_is_not_shown_is_named(
    case: str, stored: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(clock, watched=case != "nobody looks", told_by_s=0, closed_by_s=1e9)
    path = stored + ".gone.lanes" if case == "not there" else stored
    told = LiveEnd((path,), "there", stays=case != "not asked for")
    assert end(server, clock, told, monkeypatch) < 1
    assert (server.versions, server.states) == ([], [LiveState(state="ended", where="there")])


def test_what_cannot_be_shown_is_said_and_looking_goes_on(
    capsys: pytest.CaptureFixture[str],
) -> None:
    ended, looks = Event(), []

    def look() -> None:
        looks.append(1)
        if len(looks) == 2:
            ended.set()
        raise MemoryError("too large")

    watcher: Any = SimpleNamespace(look=look)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(live, "_LOOK_S", 0.001)
        _watch(watcher, ended)
    assert capsys.readouterr().err == "--view: this could not be shown (too large)\n" * 2


def test_an_input_that_ends_ends_the_process(tmp_path: Path) -> None:
    output = io.StringIO()
    serve_live(tmp_path, "mine", told=io.StringIO(""), output=output)
    assert output.getvalue().startswith("http://127.0.0.1:")


class LoopServer:
    """A server whose loop ends when it is stopped."""

    url = "http://here"

    def __init__(self, empty: Trace) -> None:
        self.name, self.pauses, self.ended = empty.meta.name, list[float](), Event()

    def serve_forever(self, pause_s: float) -> None:
        self.pauses.append(pause_s)
        self.ended.wait(10)

    def stop(self) -> None:
        self.ended.set()


@pytest.mark.parametrize(
    ("line", "ends"),
    [
        ("", []),
        ('{"where":"there"}\n', [LiveEnd(where="there")]),
        ('{"traces":["a"],"where":"b","stays":true}\n', [LiveEnd(("a",), "b", True)]),
    ],
)
def test_the_process_takes_one_line_about_the_end(
    line: str, ends: list[LiveEnd], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[LoopServer] = []
    told: list[Any] = []

    def serving(empty: Trace) -> LoopServer:
        made.append(LoopServer(empty))
        return made[0]

    def ending(server: LoopServer, end: LiveEnd, rest: io.StringIO) -> None:
        assert not server.ended.is_set()
        told.append((end, rest.read()))

    monkeypatch.setattr(live, "LiveServer", serving)
    monkeypatch.setattr(live, "_end", ending)
    output = io.StringIO()
    serve_live(tmp_path, "mine", told=io.StringIO(line + "more" * bool(line)), output=output)
    assert output.getvalue() == "http://here\n"
    assert (made[0].name, made[0].pauses, made[0].ended.is_set()) == ("mine", [0.25], True)
    assert told == [(end, "more") for end in ends]


def test_what_is_recorded_is_looked_at_until_the_end_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[Path] = []
    looked = Event()

    class Told(io.StringIO):
        def readline(self, _size: int = -1, /) -> str:
            assert looked.wait(10)
            return ""

    def looking(watcher: Watcher) -> None:
        looks.append(watcher._directory)
        looked.set()

    monkeypatch.setattr(live, "LiveServer", LoopServer)
    monkeypatch.setattr(live, "_LOOK_S", 0.001)
    monkeypatch.setattr(Watcher, "look", looking)
    serve_live(tmp_path, "mine", told=Told(), output=io.StringIO())
    assert set(looks) == {tmp_path}


def test_an_input_that_is_gone_ends_the_page_too(
    stored: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Gone(Waiting):
        """Set as soon as somebody waits for it."""

        def wait(self, timeout: float | None = None) -> bool:
            super().wait(timeout)
            return self.is_set()

    Waiting.clock = clock
    monkeypatch.setattr(live, "Event", Gone)
    monkeypatch.setattr(
        live, "Thread", lambda target, args, **_: SimpleNamespace(start=lambda: target(*args))
    )
    begun, server, rest = clock.now_s, Server(clock), io.StringIO("rest")
    _end(server, LiveEnd((stored,), "", True), rest)  # type: ignore[arg-type]
    assert clock.now_s - begun == pytest.approx(0.05)
    assert rest.read() == ""


def test_a_page_may_take_as_long_as_it_may_and_no_longer(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looks are an eighth of a second apart here, so that none is before or behind the limit."""
    monkeypatch.setattr(live, "_LOOK_S", 0.625)
    monkeypatch.setattr(live, "_TOLD_S", 0.25)
    assert end(Server(clock), clock, LiveEnd(), monkeypatch) == 0.375


def test_the_process_is_named_by_its_command_line_and_lets_others_go_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Any] = []
    monkeypatch.setattr(live.sys, "argv", ["live", "a.capture", "mine"])
    monkeypatch.setattr(live.os, "nice", asked.append)
    monkeypatch.setattr(
        live, "serve_live", lambda *words, told, output: asked.append((words, told, output))
    )
    assert live.main() == 0
    assert asked == [10, ((Path("a.capture"), "mine"), live.sys.stdin, live.sys.stdout)]


def test_a_page_that_cannot_show_what_is_stored_says_where_it_is(
    clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(live, "shown", full)
    server = Server(clock, told_by_s=0)
    told = LiveEnd((str(tmp_path),), "there", stays=True)
    assert end(server, clock, told, monkeypatch) < 1
    assert server.states == [LiveState(state="ended", where="there")]


def test_threads_that_go_on_do_not_keep_an_interrupted_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Interrupted(io.StringIO):
        def readline(self, _size: int = -1, /) -> str:
            raise KeyboardInterrupt

    made: list[tuple[Any, bool]] = []

    def thread(*, target: Any, args: Any, daemon: bool) -> Any:
        made.append((target.__name__, daemon))
        return SimpleNamespace(start=lambda: None)

    monkeypatch.setattr(live, "LiveServer", LoopServer)
    monkeypatch.setattr(live, "Thread", thread)
    with pytest.raises(KeyboardInterrupt):
        serve_live(tmp_path, "mine", told=Interrupted(), output=io.StringIO())
    assert made == [("serve_forever", True), ("_watch", True)]
    server: Any = Server(Clock(), told_by_s=0)
    _end(server, LiveEnd(), io.StringIO())
    assert made[2:] == [("_until_end", True)]
