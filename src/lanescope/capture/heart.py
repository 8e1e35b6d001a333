"""The host's signs of life, for producers that wait until the host gives a buffer back.

The region has two words for them. `host_beat` grows while the host lives; when it stands still for
`host_lost_cycles`, the host was killed or hangs. `host_gone` says that the host has left in order.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from lanescope.capture.drain import DrainThread
from lanescope.device.transport import Transport, word_offset
from lanescope.errors import TransportError
from lanescope.native import library

BEAT_S = 0.05
"""Time between two beats, in seconds."""


class Heart:
    """A thread that beats as long as all threads that drain a region get on with it.

    It is a thread of its own, because one that drains can be held up by the disk.
    """

    def __init__(self, transport: Transport, threads: Sequence[DrainThread]) -> None:
        self._transport = transport
        self._threads = threads
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="lanescope heart", daemon=True)

    def start(self) -> None:
        """Beat at once, and then again and again."""
        self.beat()
        self._thread.start()

    def beat(self) -> None:
        """Show the device that the host lives.

        Raises:
            TransportError: the device cannot be reached.
        """
        library().ls_host_beats(int(self._transport.image.ctypes.data))
        self._write("host_beat")

    def stop(self) -> None:
        """Show the device that the host leaves: nobody waits for it any more.

        Raises:
            TransportError: the device cannot be reached, so its producers wait until their limit.
        """
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        library().ls_host_leaves(int(self._transport.image.ctypes.data))
        self._write("host_gone")

    def _run(self) -> None:
        while not self._stop.wait(BEAT_S):
            if all(thread.moves for thread in self._threads):
                try:
                    self.beat()
                except TransportError:
                    return  # the threads that drain meet it, too, and say so

    def _write(self, word: str) -> None:
        if self._transport.copies:
            self._transport.write(word_offset("ls_header", word))
