"""The options that name a model, as `fit` and `manifest` read them."""

from __future__ import annotations

import argparse
from pathlib import Path

from lanescope.cli.options import model


def test_the_words_of_the_options_are_those_of_the_functions() -> None:
    parser = argparse.ArgumentParser()
    model.configure(parser)
    options = ["m.gguf", "--config", "c.json", "--weight-dtype", "int4", "--kv-dtype", "fp8"]
    assert vars(parser.parse_args(options)) == {
        "model": "m.gguf",
        "config": Path("c.json"),
        "weight_dtype": "int4",
        "kv_dtype": "fp8",
    }
    alone = vars(parser.parse_args(["m.gguf"]))
    assert alone == {"model": "m.gguf", "config": None, "weight_dtype": None, "kv_dtype": None}
