"""The verbs of the command line as functions: what `import lanescope` offers.

Each module holds the verbs of one subject; `lanescope/__init__.py` finds them by name.
"""
