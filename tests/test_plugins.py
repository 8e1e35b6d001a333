"""Objects of other packages: found by their entry points, left out where they cannot be used."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from lanescope.errors import InputError, PluginError, PluginWarning
from lanescope.plugins import (
    Group,
    Plugin,
    blaming,
    entry_points,
    forget,
    load_plugin,
    load_plugins,
)


@dataclass(frozen=True)
class Thing:
    name: str
    size: int = 1


def _size(thing: Thing) -> str:
    return "" if thing.size > 0 else f"its size is {thing.size}"


THINGS = Group("lanescope.things", Thing, ours=frozenset({"own"}), problem=_size)
Install = Callable[[str, str, str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Installs a package: its name, its entry points, and what its module holds."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def put(package: str, points: str, code: str) -> None:
        module = package.replace("-", "_")
        monkeypatch.delitem(sys.modules, module, raising=False)
        (tmp_path / f"{module}.py").write_text(f"from {__name__} import Thing\n{code}\n")
        folder = tmp_path / f"{module}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (folder / "entry_points.txt").write_text(f"[lanescope.things]\n{points}\n")
        forget()

    yield put
    forget()


def test_nothing_is_offered() -> None:
    assert load_plugins(THINGS) == ()
    assert load_plugin(THINGS, "box") is None


def test_objects_come_with_their_package_in_the_order_of_their_names(install: Install) -> None:
    install(
        "pack-b",
        "pear = pack_b:PEAR\napple = pack_b:APPLE",
        "PEAR, APPLE = Thing('pear'), Thing('apple')",
    )
    assert load_plugins(THINGS) == (
        Plugin(Thing("apple"), "pack-b 1.0"),
        Plugin(Thing("pear"), "pack-b 1.0"),
    )
    assert load_plugin(THINGS, "pear") == Plugin(Thing("pear"), "pack-b 1.0")


def test_one_object_is_loaded_without_the_others(install: Install) -> None:
    install("pack-c", "box = pack_c:BOX", "BOX = Thing('box')")
    install("pack-d", "bad = pack_d:BAD", "raise RuntimeError('loaded')")
    assert load_plugin(THINGS, "box") == Plugin(Thing("box"), "pack-c 1.0")


@pytest.mark.parametrize(
    ("points", "code", "sentence"),
    [
        (
            "own = pack_e:OWN",
            "OWN = Thing('own')",
            "package pack-e 1.0 offers the thing 'own', but that name is lanescope's own, so the "
            "package's is not used; uninstall the package or have it renamed there",
        ),
        (
            "box = pack_e:BOX",
            "import nothing_of_that_name",
            "loading the thing 'box' failed in package pack-e 1.0 (ModuleNotFoundError: No module "
            "named 'nothing_of_that_name'); update or uninstall that package",
        ),
        (
            "box = pack_e:BOX",
            "BOX = 'a text'",
            "package pack-e 1.0 offers the thing 'box', but pack_e:BOX is a str, expected a Thing; "
            "update or uninstall that package",
        ),
        (
            "box = pack_e:BOX",
            "BOX = Thing('bag')",
            "package pack-e 1.0 offers the thing 'box', but pack_e:BOX calls itself 'bag', which "
            "must be the same name; update or uninstall that package",
        ),
        (
            "box = pack_e:BOX",
            "BOX = Thing('box', size=0)",
            "package pack-e 1.0 offers the thing 'box', but its size is 0; update or uninstall "
            "that package",
        ),
    ],
    ids=["our name", "broken", "another class", "another name", "a problem"],
)
def test_a_package_that_cannot_be_used_is_left_out_and_named(
    install: Install, points: str, code: str, sentence: str
) -> None:
    install("pack-e", points, code)
    install("pack-good", "cup = pack_good:CUP", "CUP = Thing('cup')")
    with pytest.warns(PluginWarning) as caught:
        assert load_plugins(THINGS) == (Plugin(Thing("cup"), "pack-good 1.0"),)
        load_plugins(THINGS)
    assert [str(one.message) for one in caught] == [sentence]
    assert caught[0].filename == __file__  # the warning is shown where packages are asked for
    with pytest.raises(PluginError) as stop:
        load_plugin(THINGS, points.split()[0])
    assert str(stop.value) == sentence


def test_a_problem_with_a_package_is_warned_of_again_after_it_was_forgotten(
    install: Install,
) -> None:
    install("pack-e", "box = pack_e:BOX", "BOX = 'a text'")
    for _ in range(2):
        with pytest.warns(PluginWarning, match="pack_e:BOX is a str"):
            load_plugins(THINGS)
        forget()


def test_a_package_in_the_working_folder_is_found_behind_folders_that_are_gone(
    install: Install, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("pack-e", "box = pack_e:BOX", "BOX = Thing('box')")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "gone"), ""])
    forget()
    assert [point.value for point in entry_points("lanescope.things")] == ["pack_e:BOX"]


def test_a_name_that_two_packages_offer_is_refused_for_both(install: Install) -> None:
    for package in ("pack-f", "pack-g"):
        module = package.replace("-", "_")
        install(package, f"box = {module}:BOX", "BOX = Thing('box')")
    with pytest.warns(PluginWarning) as caught:
        assert load_plugins(THINGS) == ()
    assert [str(one.message) for one in caught] == [
        "packages pack-f 1.0 and pack-g 1.0 both offer the thing 'box', so neither is used; "
        "uninstall one of them"
    ]


def test_what_another_packages_code_raises_names_the_package() -> None:
    with (
        pytest.raises(PluginError, match=r"^packing failed in package x 2 \(KeyError: 'a'\); "),
        blaming("x 2", "packing"),
    ):
        {}["a"]


def test_our_own_errors_pass_through() -> None:
    with pytest.raises(InputError, match=r"^a: is wet$"), blaming("x 2", "packing"):
        raise InputError("a", "is wet")


def _asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The groups for which every installed package is parsed from now on."""
    groups: list[str] = []

    def announced(*, group: str) -> tuple[()]:
        groups.append(group)
        return ()

    monkeypatch.setattr("importlib.metadata.entry_points", announced)
    forget()
    return groups


def test_packages_are_not_parsed_where_none_says_anything_for_us(
    install: Install, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = _asked(monkeypatch)
    assert entry_points("lanescope.things") == ()
    assert groups == []
    install("pack-e", "box = pack_e:BOX", "BOX = Thing('box')")
    assert entry_points("lanescope.things") == entry_points("lanescope.others") == ()
    assert groups == ["lanescope.things"]


def test_packages_are_parsed_where_one_may_lie_in_an_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    groups = _asked(monkeypatch)
    (tmp_path / "packages.zip").write_bytes(b"PK")
    monkeypatch.syspath_prepend(str(tmp_path / "packages.zip"))
    assert entry_points("lanescope.things") == ()
    assert groups == ["lanescope.things"]
    forget()


def test_packages_are_parsed_where_somebody_else_finds_some(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Finder:
        def find_spec(self, *words: object) -> None: ...

        def find_distributions(self, *words: object) -> tuple[()]:
            return ()

    groups = _asked(monkeypatch)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path, Finder()])
    assert entry_points("lanescope.things") == ()
    assert groups == ["lanescope.things"]
    forget()
