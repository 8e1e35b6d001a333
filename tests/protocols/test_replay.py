"""The C code takes every step of the models: the same accesses to shared words, in the same order.

The code is native/include/lanescope and native/src/drain.c as they are. Each access is compared:
which word, load or store, its memory order, its value.
"""

from __future__ import annotations

import random
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from tests.protocols.replay import PROTOCOLS, ROOT, Driven, build, paths
from tests.protocols.state import Setting
from tests.protocols.test_models import LEAST_BUFFERS, MODES

SMALL = ((3, 1, 1, 1), (3, 2, 1, 1), (3, 2, 2, 0))
"""Tasks, records per buffer, buffers, tasks held in advance."""
LARGER = ((3, 1, 2, 1), (4, 1, 2, 2), (5, 2, 2, 1), (5, 1, 3, 2))


def compiler() -> str:
    found = shutil.which("gcc")
    if found is None:
        pytest.skip("gcc is not installed")
    return found


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("driven"), compiler())


def difference(library: Path, setting: Setting) -> tuple[str, int]:
    """What the code does otherwise on the first path where it does; how many paths there were."""
    driven, count = Driven(library, setting), 0
    for path in paths(setting, random.Random(1)):
        count += 1
        if found := driven.replay(path):
            return f"{setting}: {found}", count
    return "", count


def setting_of(protocol: str, mode: str, numbers: tuple[int, int, int, int]) -> Setting:
    tasks, size, buffers, pre_dispatch = numbers
    buffers = max(buffers, LEAST_BUFFERS.get(protocol, 1))
    return Setting(protocol, tasks, size, buffers, pre_dispatch, *MODES[mode])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_code_takes_every_step_of_the_model(library: Path, protocol: str, mode: str) -> None:
    for numbers in SMALL:
        found, count = difference(library, setting_of(protocol, mode, numbers))
        assert not found
        assert count > 20


@pytest.mark.parametrize("mode", MODES)
def test_so_it_does_where_the_controller_is_told_first(library: Path, mode: str) -> None:
    setting = setting_of("producer-rotated", mode, SMALL[1])
    assert difference(library, replace(setting, tell_first=True))[0] == ""


@pytest.mark.stress
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_the_code_takes_every_step_of_larger_models(
    library: Path, protocol: str, mode: str
) -> None:
    for numbers in LARGER:
        found, count = difference(library, setting_of(protocol, mode, numbers))
        print(f"{protocol}, {mode}, {numbers}: {count:,} paths")
        assert not found


# ---- It notices what is changed -----------------------------------------------------------------

WRITER, CONTROLLER, CORE = (
    f"include/lanescope/{name}.h" for name in ("writer", "controller", "core")
)
DRAIN = "src/drain.c"
COUNT = "    buffer->count = count;\n"
REST = (
    "    LS_FLUSH_LINE(buffer);\n#if !LS_COUNTS_EACH\n"
    "    ls_store_release(&w->lane->recorded, w->recorded);\n#endif\n"
)
PUBLISH = "    ls_store_release(&w->lane->published, ++w->published);\n"
SEGMENT = (
    "    ls_store_release(&w->lane->segment[sequence % LS_OUTSTANDING], ch->dispatched + 1);\n"
)
OPEN = "    (void)ls_buffer_open(w, w->first);\n"
START, END = "    record->start = c->start;\n", "    record->end = c->end;\n"
CHANGES = {
    "published before its count": (WRITER, COUNT + REST + PUBLISH, PUBLISH.replace("++w->published",
        "w->published + 1") + COUNT + "    w->published++;\n"),
    "recorded without release": (WRITER, "    ls_store_release(word, value);\n",
        "    ls_store_relaxed(word, value);\n"),
    "no look for a newer handle": (WRITER, "    if (LS_UNLIKELY(!ls_owns_lane(w))) {\n"
        "        ls_count_strays(w, count);", "    if (0) {\n        ls_count_strays(w, count);"),
    "released read once too little": (WRITER,
        "    w->released = ls_load_acquire(&w->lane->released);\n", ""),
    "a wait that is not noted": (WRITER, "    ls_store_relaxed(&w->lane->wait_end, end);\n", ""),
    "segment before its buffer": (CONTROLLER, OPEN, SEGMENT + OPEN),
    "a finished task that is not counted": (CONTROLLER,
        "    ls_store_release(&w->lane->recorded, ++w->recorded);\n", "    w->recorded++;\n"),
    "segment read without acquire": (CORE, "ls_load_acquire(&lane->segment",
        "ls_load_relaxed(&lane->segment"),
    "records written in another order": (CORE, START + END, END + START),
    "a record that is counted at its finish": (CONTROLLER,
        "ls_channel_written(ch, k);", "ls_channel_written(ch, k + 1);"),
    "an acknowledged task counted as written": (CONTROLLER,
        "        ls_channel_written(ch, tasks - 1);", "        ls_channel_written(ch, tasks);"),
    "given back without release": (DRAIN, "ls_store_release(&lanes[i].released",
        "ls_store_relaxed(&lanes[i].released"),
    "published read without acquire": (DRAIN, "ls_load_acquire(&lanes[i].published",
        "ls_load_relaxed(&lanes[i].published"),
}  # fmt: skip
QUICK = ("published before its count", "recorded without release", "segment before its buffer")


def changed_is_found(name: str, folder: Path) -> None:
    file, old, new = CHANGES[name]
    native = folder / "native"
    shutil.copytree(ROOT / "native", native)
    text = (native / file).read_text()
    assert text.count(old) == 1, f"{file} has another text now: {old}"
    (native / file).write_text(text.replace(old, new))
    library = build(folder, compiler(), native)
    found = [
        difference(library, setting_of(protocol, mode, SMALL[0]))[0]
        for protocol in PROTOCOLS
        for mode in ("block", "drop")
    ]
    assert any(found)


@pytest.mark.parametrize("name", QUICK)
def test_a_change_of_the_code_is_found(name: str, tmp_path: Path) -> None:
    changed_is_found(name, tmp_path)


@pytest.mark.stress
@pytest.mark.parametrize("name", CHANGES)
def test_every_change_of_the_code_is_found(name: str, tmp_path: Path) -> None:
    changed_is_found(name, tmp_path)
