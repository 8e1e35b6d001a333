"""Boards as data files: `load_board(name or path)` reads one, every value has its source."""

from lanescope.model.boards.board import Board, Given, values
from lanescope.model.boards.load import board_names, load_board, load_boards

__all__ = ["Board", "Given", "board_names", "load_board", "load_boards", "values"]
