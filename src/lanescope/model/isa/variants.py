"""Which of the built-in instruction sets know a mnemonic, or the number of an opcode."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from lanescope.model.isa.isa import Isa, isa_names, load_isa
from lanescope.model.isa.words import table_names


@cache
def variants() -> tuple[Isa, ...]:
    """The built-in instruction sets, those with few opcodes and no base first."""
    sets = [load_isa(name) for name in isa_names()]
    return tuple(sorted(sets, key=lambda isa: (len(isa.family), len(isa.forms), isa.name)))


@cache
def known_opcodes() -> frozenset[str]:
    """Every mnemonic of a built-in instruction set."""
    return frozenset(name for isa in variants() for name in isa.forms)


def unknown_opcode(name: str, isa: Isa) -> str:
    """The sentence on a mnemonic that an instruction set does not have."""
    having = [other.name for other in variants() if name in other.forms] if name.isupper() else []
    if not having:
        return f"unknown opcode {name}"
    if len(having) == 1:
        return f"{name} is not in the ISA {isa.name}; {having[0]} has it: give --isa {having[0]}"
    return f"{name} is not in the ISA {isa.name}; {_listed(having)} have it: say which with --isa"


def meanings(code: int) -> dict[str, list[str]]:
    """Name of an opcode to the built-in sets in which it has this number; "" where none has it."""
    names: dict[str, list[str]] = {}
    for isa in variants():
        forms = [form for form in isa.forms.values() if form.opcode.code == code]
        names.setdefault(table_names(forms[0])[0] if forms else "", []).append(isa.name)
    return names


def meanings_text(code: int) -> str:
    """What a number means in each built-in set, in words; empty where no set has it."""
    named = {name: sets for name, sets in meanings(code).items() if name}
    return ", ".join(f"{name} in {_listed(sets)}" for name, sets in named.items())


def knowing(names: Iterable[str]) -> Isa | None:
    """The smallest built-in set that knows all these names of an operation table."""
    wanted = set(names)
    for isa in variants():
        if wanted <= {name for form in isa.forms.values() for name in table_names(form)}:
            return isa
    return None


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
