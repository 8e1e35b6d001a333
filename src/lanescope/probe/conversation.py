"""A conversation with a probe agent: a process that answers one line per request, or is given up.

Whatever happens, the process is gone when the conversation is closed. Its input is closed first, so
that an agent can switch the engine off.
"""

from __future__ import annotations

import os
import select
import shlex
import subprocess
import time
from collections.abc import Callable
from types import TracebackType
from typing import IO, NoReturn, TypeVar

from lanescope.errors import UsageError
from lanescope.probe.device import ProbeStopped
from lanescope.probe.lines import GREETING, LINE_BYTES, WrongLine, read_answer, shown

ANSWER_S = 10.0
"""Seconds that an agent has for an answer, unless told otherwise."""
START_S = 30.0
"""Seconds until its first line: a connection may have to be made before."""
_END_S = 2.0
"""Seconds that it has to end by itself, and then again after a request to end."""

_Value = TypeVar("_Value")


class AgentConversation:
    """A running agent; use it in a `with` statement."""

    def __init__(self, command: str, *, answer_s: float = ANSWER_S) -> None:
        """Start the agent, and read its first line.

        Raises:
            ProbeStopped: it cannot be started, or does not begin as an agent does.
            UsageError: the command cannot be read, or this system cannot wait for pipes.
        """
        if os.name == "nt":
            raise UsageError("--agent needs Linux or macOS: Windows cannot wait for a pipe")
        words = _words(command)
        self._limit_s = START_S
        self._asked = 0
        self._pending = b""
        try:
            self._process = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
            )
        except OSError as error:
            raise ProbeStopped(
                f"the agent {shown(words[0])} cannot be started ({error.strerror})"
            ) from error
        try:
            self._expect("before its first line", self._check_greeting)
            self._limit_s = answer_s
        except BaseException:
            self.close()
            raise

    def ask(self, read: Callable[[list[str]], _Value], *words: str) -> _Value:
        """Send a request; return what `read` makes of the values in its answer.

        Raises:
            ProbeStopped: no answer in time, the agent ended, or the answer is not a right one.
        """
        self._asked += 1
        request = f"{self._asked} {' '.join(words)}\n".encode("ascii")
        if len(request) > LINE_BYTES:
            raise ProbeStopped(f"a request has {len(request)} bytes, above {LINE_BYTES}")
        where = f"when it was asked {shown(' '.join(words))}"
        try:
            _pipe(self._process.stdin).write(request)
        except OSError:
            self._ended(where)
        return self._expect(where, lambda line: read(read_answer(line, self._asked)))

    def _check_greeting(self, line: str) -> None:
        if line != GREETING:
            raise WrongLine(f"expected '{GREETING}', found {shown(line)}")

    def _expect(self, where: str, read: Callable[[str], _Value]) -> _Value:
        """Read one line; a line that `read` does not take ends the conversation."""
        line = self._line(where)
        try:
            return read(line)
        except WrongLine as wrong:
            raise ProbeStopped(f"the agent answered wrongly {where}: {wrong}") from wrong

    def _line(self, where: str) -> str:
        until = time.monotonic() + self._limit_s
        while b"\n" not in self._pending:
            if len(self._pending) >= LINE_BYTES:
                raise ProbeStopped(f"the agent wrote over {LINE_BYTES} bytes on a line {where}")
            self._pending += self._more(until, where)
        line, _, self._pending = self._pending.partition(b"\n")
        if self._pending:
            raise ProbeStopped(f"the agent wrote more than one line {where}")
        return line.decode("ascii", errors="backslashreplace")

    def _more(self, until: float, where: str) -> bytes:
        source = _pipe(self._process.stdout).fileno()
        ready, _, _ = select.select([source], [], [], max(0.0, until - time.monotonic()))
        if not ready:
            raise ProbeStopped(f"the agent did not answer within {self._limit_s:g} s {where}")
        found = os.read(source, LINE_BYTES)
        if not found:
            self._ended(where)
        return found

    def _ended(self, where: str) -> NoReturn:
        try:
            code = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            raise ProbeStopped(f"the agent closed its output {where}") from None
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        raise ProbeStopped(f"the agent ended {how} {where}")

    def close(self) -> None:
        """End the agent: by the end of its input, else by SIGTERM, else by SIGKILL."""
        process = self._process
        _pipe(process.stdin).close()
        _pipe(process.stdout).close()
        for end in (None, process.terminate, process.kill):
            if end is not None:
                end()
            try:
                process.wait(_END_S)
                break
            except subprocess.TimeoutExpired:
                continue
        process.wait()

    def __enter__(self) -> AgentConversation:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        place: TracebackType | None,
    ) -> None:
        self.close()


def _words(command: str) -> list[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"expected --agent COMMAND, found {shown(command)} ({error})") from error
    if not words:
        raise UsageError("expected --agent COMMAND, found nothing")
    return words


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
