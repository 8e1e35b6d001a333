"""Instruction sets as data files, and a parser that names problems by line and column."""
