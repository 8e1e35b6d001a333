"""What a program or a model costs on a board, before the board exists. Imports only trace."""
