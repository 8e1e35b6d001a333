"""What a program or a model costs on a board, before the board exists.

`predicting.predict` is about a program, `fitting.fit` about a model.
"""
