"""Instruction sets as data files, and a reader of programs in them."""
