"""Instruction sets as data files, and a parser that names what it cannot read by line and column."""
