"""Runs commands as on Windows, as far as that can be had on Linux: a program that a test starts.

`python tests/elsewhere.py '[["report", "a.lanes"], …]'` runs the commands one after the other, with
the modules and functions hidden that Windows does not have. The library is the one that
LANESCOPE_LIBRARY names. What is opened as text must say its encoding.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import sys
import types
from importlib import import_module

FIRST = (
    *("concurrent.futures.thread", "ctypes", "email.message", "gzip", "http.server", "sqlite3"),
    *("importlib.metadata", "multiprocessing.spawn", "secrets", "shutil", "subprocess", "zipfile"),
    *("multiprocessing.connection", "socketserver", "tarfile", "tempfile", "webbrowser", "yaml"),
    *("msgspec", "numpy.ma", "numpy.random", "pyarrow.compute", "pyarrow.csv", "pyarrow.fs"),
    *("pyarrow.parquet", "rich.console"),
)
"""What is not lanescope's is loaded before: it would ask for more of Windows than is there."""
MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "pty", "tty", "posix", "readline")
FUNCTIONS = {
    os: (
        *("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NOCTTY", "posix_fallocate", "writev"),
        *("fstatvfs", "statvfs", "sched_getaffinity", "memfd_create", "getuid", "geteuid"),
        *("fork", "killpg", "getpgrp", "tcgetpgrp", "setsid", "mkfifo", "pread", "uname"),
    ),
    signal: ("SIGHUP", "SIGKILL", "SIGUSR1", "SIGALRM", "alarm", "setitimer"),
    mmap: (
        "MADV_DONTNEED",
        "MADV_WILLNEED",
        "MAP_SHARED",
        "MAP_PRIVATE",
        "PROT_READ",
        "PROT_WRITE",
    ),
}


def locking(handle: int, mode: int, count: int) -> None:
    """Stands for msvcrt.locking, which nobody else holds here."""


def pretend() -> None:
    """Hide what Windows does not have, and let this system call itself Windows."""
    for name in FIRST:
        import_module(name)
    for module, names in FUNCTIONS.items():
        for name in names:
            vars(module).pop(name, None)
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]
    windows = types.ModuleType("msvcrt")
    windows.locking, windows.LK_NBLCK = locking, 2  # type: ignore[attr-defined]
    sys.modules["msvcrt"] = windows
    sys.platform = "win32"


if __name__ == "__main__":
    pretend()
    from lanescope.cli import main

    for words in json.loads(sys.argv[1]):
        code = main(words)
        print(f"exit {code}", flush=True)
