"""Reads a program of words: text with one 32-bit word in hexadecimal after the other.

Every word becomes a line of text, so that line numbers are numbers of words.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from lanescope.errors import InputError, UsageError
from lanescope.model.isa.isa import Isa, load_isa
from lanescope.model.isa.parse import Problem, Program, program_bytes
from lanescope.model.isa.variants import knowing, meanings, meanings_text
from lanescope.model.isa.words import OPCODES, WordReader, WrongWord

_HEX = frozenset("0123456789abcdefABCDEF")
_INVALID = "INVALID_OPCODE"
"""What operation tables call a number that is no opcode."""
BASE = "plena"
"""The instruction set of a program that no other one is named for."""


def holds_words(path: str | Path) -> bool:
    """Whether a file is a program of words: it is called .mem, or begins with one."""
    if Path(path).suffix == ".mem":
        return True
    try:
        with Path(path).open("rb") as stream:
            start = stream.read(64).split()
    except OSError:
        return False
    token = start[0].decode(errors="replace") if start else ""
    return token[:2] == "0x" and len(token) == 10 and _word(token) is not None


class WordText(NamedTuple):
    """A program of words as text."""

    text: str
    isa: Isa
    problems: Mapping[int, str]
    """Number of a word, from 1, to why it is no instruction."""

    def explained(self, program: Program) -> Program:
        """The program of this text, its problems in the words of words."""
        problems = tuple(
            Problem(p.line, 1, self.problems[p.line]) if p.line in self.problems else p
            for p in program.problems
        )
        return program._replace(problems=problems)


def read_words(
    path: str | Path, isa: Isa | None, operations: Mapping[int, str] | None = None
) -> WordText:
    """Read a program of words; without an instruction set its numbers must have one meaning."""
    tokens = _tokens(path)
    words = [_word(token) for token in tokens]
    if isa is None:
        isa = _chosen(path, words, operations)
    reader = WordReader(isa, operations)
    lines: list[str] = []
    problems: dict[int, str] = {}
    for number, (token, word) in enumerate(zip(tokens, words, strict=True), 1):
        try:
            lines.append(_line(word, reader))
        except WrongWord as wrong:
            shown = token if len(token) <= 40 else token[:39] + "…"
            shown = shown if shown.isprintable() else ascii(shown)
            problems[number] = f"word {number} is {shown}: {wrong}"
            lines.append("?")
    return WordText("\n".join(lines), isa, problems)


def _line(word: int | None, reader: WordReader) -> str:
    if word is None:
        raise WrongWord("expected a word of at most 8 hexadecimal digits")
    try:
        return reader.text(word)
    except WrongWord as wrong:
        asks = reader.operations is None and word % OPCODES not in reader.forms
        known = meanings_text(word % OPCODES) if asks else ""
        raise WrongWord(f"{wrong}; it is {known}: give --isa" if known else str(wrong)) from wrong


def _chosen(path: str | Path, words: list[int | None], operations: Mapping[int, str] | None) -> Isa:
    """The set that a table's names belong to; else the base, if the words mean one thing only."""
    if operations is not None:
        used = {word % OPCODES for word in words if word is not None}
        whole = [name for name in operations.values() if name != _INVALID]
        in_use = [name for code, name in operations.items() if code in used and name != _INVALID]
        return knowing(whole) or knowing(in_use) or load_isa(BASE)
    agreed: set[int] = set()
    for number, word in enumerate(words, 1):
        if word is None or word % OPCODES in agreed:
            continue
        code = word % OPCODES
        if len(meanings(code)) > 1:
            raise UsageError(
                f"{path}: word {number} is 0x{word:08X}, and the opcode {code:#04x} is "
                f"{meanings_text(code)}: say which with --isa, or give its --operations"
            )
        agreed.add(code)
    return load_isa(BASE)


def _tokens(path: str | Path) -> list[str]:
    tokens = program_bytes(path).decode(errors="replace").split()
    if not tokens:
        raise InputError(path, "expected words in hexadecimal, found none")
    return tokens


def _word(token: str) -> int | None:
    """The word that a token writes; None where it writes none."""
    digits = token[2:] if token[:2] in ("0x", "0X") else token
    if not 0 < len(digits) <= 8 or not _HEX.issuperset(digits):
        return None
    return int(digits, 16)
