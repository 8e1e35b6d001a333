"""The copy of the working tree that changes are made in; it is installed nowhere."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# Run by every Python below the copy: an editable install would lead to the working tree. Where
# lines are recorded, those of a program that a test starts have the test's name.
_SITE = """import os
import sys

sys.meta_path = [one for one in sys.meta_path if "ScikitBuild" not in type(one).__name__]
if "MUTATE_TEST" in os.environ:
    import atexit

    import coverage

    data, source, test = (os.environ["MUTATE_" + name] for name in ("LINES", "SOURCE", "TEST"))
    lines = coverage.Coverage(data_file=data, data_suffix=True, source=[source], context=test)
    lines.start()
    atexit.register(lines.save)
    atexit.register(lines.stop)
"""


@dataclass(frozen=True)
class Tree:
    """A copy of the tracked and new files, with a C library of its own."""

    root: Path
    place: Path

    @classmethod
    @contextmanager
    def copied(cls, source: Path, place: Path) -> Iterator[Tree]:
        """Brings the copy below `place` up to date; files that did not change stay as they are."""
        root = place / "tree"
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(command, cwd=source, capture_output=True, text=True, check=True)
        wanted = {name for name in names.stdout.split("\0") if (source / name).is_file()}
        for name in wanted:
            _copy(source / name, root / name)
        for file in root.rglob("*"):
            name = file.relative_to(root).as_posix()
            made = name.startswith("build/") or "__pycache__" in name or file.is_symlink()
            if file.is_file() and not made and name not in wanted:
                file.unlink()
        tree = cls(root, place)
        tree._link(source)
        tree.compile()
        yield tree

    def _link(self, source: Path) -> None:
        package = self.root / "src" / "lanescope"
        links = {
            package / "native" / "liblanescope.so": self.root / "build" / "c" / "liblanescope.so",
            package / "native" / "include": self.root / "native" / "include",
            package / "viewer" / "page": self.root / "viewer",
            self.place / "shared": source.parent / "shared",
            # Device code is compiled for this processor by it.
            self.root / "build" / "clang18": source / "build" / "clang18",
        }
        for link, target in links.items():
            if not link.is_symlink():
                link.parent.mkdir(parents=True, exist_ok=True)
                link.symlink_to(target)
        site = self.place / "site"
        site.mkdir(exist_ok=True)
        (site / "sitecustomize.py").write_text(_SITE)

    def compile(self) -> bool:
        """Builds the C library; False where a change does not compile."""
        build = self.root / "build" / "c"
        if not (build / "build.ninja").exists():
            setup = ["cmake", "-S", self.root, "-B", build, "-G", "Ninja"]
            subprocess.run([*setup, "-DCMAKE_BUILD_TYPE=Release"], capture_output=True, check=True)
        done = subprocess.run(["ninja", "-C", build], capture_output=True, check=False)
        return done.returncode == 0

    @property
    def environment(self) -> dict[str, str]:
        """Variables under which Python imports the copy."""
        path = os.pathsep.join((str(self.place / "site"), str(self.root / "src")))
        return {**os.environ, "PYTHONPATH": path}

    @contextmanager
    def changed(self, name: str, content: str) -> Iterator[None]:
        """The file with other content; its time differs, so that no compiled copy is taken."""
        file = self.root / name
        old, stat = file.read_bytes(), file.stat()
        # C is built anew where a file is newer than its object.
        builds = name.startswith("native/")
        try:
            file.write_text(content)
            if not builds:
                os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns + 2_000_000_000))
            yield
        finally:
            file.write_bytes(old)
            if not builds:
                os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))

    def command(self, tests: list[str], *, marked: bool = False) -> list[str]:
        """What runs tests up to the first that fails: node for scripts, else pytest.

        Long tests run only where they were named (`marked`).
        """
        if all(test.endswith(".mjs") for test in tests):
            return ["node", *(["--test"] if len(tests) > 1 else []), *tests]
        command = [sys.executable, "-m", "pytest", "-x", "--no-summary", "-p", "no:cacheprovider"]
        marks = [] if marked else ["-m", "not stress and not sanitize and not gpu"]
        return [*command, *marks, *tests]


def _copy(source: Path, target: Path) -> None:
    if target.exists() and target.read_bytes() == source.read_bytes():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)
    shutil.copymode(source, target)
