"""Sizes read from model files built by hand, and hostile ones refused with a sentence."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.model.manifest import files

from lanescope.errors import InputError, LanescopeError
from lanescope.model.manifest.onnx import read_onnx
from lanescope.model.manifest.source import Dtypes, open_model

CONFIG = {
    "num_hidden_layers": 2,
    "hidden_size": 8,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 32,
    "vocab_size": 100,
    "torch_dtype": "bfloat16",
}


def sizes(path: Path) -> list[tuple[int, int, str]]:
    return [(r.layer, r.size_bytes, r.name) for r in open_model(path).regions]


def test_safetensors_sizes_layers_and_order(tmp_path: Path) -> None:
    file = files.safetensors(
        tmp_path / "m.safetensors",
        {
            "model.embed_tokens.weight": ("BF16", [10, 8], 160),
            "model.layers.0.mlp.up_proj.weight": ("F32", [2, 3], 24),
            "model.layers.11.mlp.up_proj.weight": ("I8", [5], 5),
        },
    )
    assert sizes(file) == [
        (12, 160, "model.embed_tokens.weight"),
        (0, 24, "model.layers.0.mlp.up_proj.weight"),
        (11, 5, "model.layers.11.mlp.up_proj.weight"),
    ]
    assert [r.offset for r in open_model(file).regions] == [0, 160, 184]
    assert open_model(file).regions[0].size_source == "m.safetensors: data_offsets"


def test_a_safetensors_index_reads_its_shards_and_config_gives_the_cache(tmp_path: Path) -> None:
    files.safetensors(tmp_path / "a.safetensors", {"h.0.w": ("F16", [4], 8)})
    files.safetensors(tmp_path / "b.safetensors", {"h.1.w": ("F16", [6], 12)})
    index = tmp_path / "model.safetensors.index.json"
    index.write_text(
        json.dumps({"weight_map": {"h.0.w": "a.safetensors", "h.1.w": "b.safetensors"}})
    )
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    assert sizes(tmp_path) == [(0, 8, "h.0.w"), (1, 12, "h.1.w")]
    manifest = open_model(index).manifest(context=10, batch=3, capacity_bytes=None)
    # 2 layers × (K and V: 2 × 2 heads × 2) × 10 tokens × 3 sequences × 2 bytes.
    assert manifest.footprint().kv == 2 * 8 * 10 * 3 * 2
    assert manifest.footprint().weight == 20


def test_gguf_sizes_come_from_blocks_and_its_keys_give_the_shape(tmp_path: Path) -> None:
    keys: dict[str, int | str | list[str]] = {
        "general.architecture": "llama",
        "llama.block_count": 2,
        "llama.embedding_length": 8,
        "llama.attention.head_count": 4,
        "llama.attention.head_count_kv": 2,
        "llama.feed_forward_length": 32,
        "tokenizer.ggml.tokens": ["a", "bc", "d"],
    }
    file = files.gguf(
        tmp_path / "m.gguf",
        keys,
        [
            ("token_embd.weight", [256, 2], 12, 0),
            ("blk.0.ffn_up.weight", [32, 3], 2, 288),
            ("blk.1.ffn_up.weight", [32, 1], 8, 352),
            ("blk.1.norm.weight", [5], 0, 400),
        ],
    )
    # q4_k: 144 per 256; q4_0: 18 per 32; q8_0: 34 per 32; f32: 4.
    assert [(layer, size) for layer, size, _ in sizes(file)] == [
        (2, 288),
        (0, 54),
        (1, 34),
        (1, 20),
    ]
    shape = open_model(file).shape
    assert shape is not None
    assert (shape.layers, shape.kv_heads, shape.vocabulary) == (2, 2, 3)


def test_a_block_of_gguf_that_is_not_full_has_all_its_bytes(tmp_path: Path) -> None:
    file = files.gguf(tmp_path / "m.gguf", {}, [("a", [33], 2, 0), ("b", [31], 2, 64)])
    assert [size for _, size, _ in sizes(file)] == [2 * 18, 18]


def test_gguf_of_an_unknown_type_takes_the_next_offset(tmp_path: Path) -> None:
    file = files.gguf(tmp_path / "m.gguf", {}, [("a", [8], 99, 0), ("b", [1], 0, 64)])
    first = open_model(file).regions[0]
    assert (first.size_bytes, first.size_source) == (64, "m.gguf: the next tensor's offset")


def test_gguf_without_a_tensor_is_refused(tmp_path: Path) -> None:
    file = files.gguf(tmp_path / "m.gguf", {}, [])
    with pytest.raises(InputError, match="expected a GGUF header, found no tensors near byte 24"):
        open_model(file)


def test_gguf_that_is_cut_short_says_by_how_much(tmp_path: Path) -> None:
    file = files.gguf(tmp_path / "m.gguf", {}, [("a", [1000], 0, 0), ("b", [1], 0, 4000)])
    whole = file.read_bytes()
    start = -(-len(whole) // 32) * 32
    file.write_bytes(whole.ljust(start + 4004, b"\0"))
    assert not any("cut short" in note for note in open_model(file).notes)
    file.write_bytes(whole.ljust(start + 3000, b"\0"))
    assert "m.gguf is cut short by 1,004 bytes" in open_model(file).notes


def test_a_config_of_more_layers_than_any_model_has_is_refused_at_once(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps({**CONFIG, "num_hidden_layers": 10**7}))
    with pytest.raises(LanescopeError, match=r"num_hidden_layers: expected .* from 1 to 10,000"):
        open_model(file).manifest(context=4, batch=1, capacity_bytes=None)


@pytest.mark.parametrize("packed", [True, False])
def test_onnx_sizes_come_from_dims_and_type(tmp_path: Path, packed: bool) -> None:
    file = files.onnx(
        tmp_path / "m.onnx",
        [("layers.0.w", [3, 300], 1), ("layers.1.w", [7], 22), ("scalar", [], 7)],
        packed=packed,
    )
    # float32: 4 bytes; int4: half a byte, rounded up; int64: 8.
    assert sizes(file) == [(0, 3600, "layers.0.w"), (1, 4, "layers.1.w"), (2, 8, "scalar")]


def test_a_config_counts_what_it_describes(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps({**CONFIG, "tie_word_embeddings": True}))
    model = open_model(file)
    # Attention 8 × (8 + 4 + 4 + 8), MLP 3 × 8 × 32, two norms of 8; embedding 100 × 8 and a norm.
    layer = 8 * 24 + 3 * 8 * 32 + 16
    footprint = model.manifest(context=4, batch=1, capacity_bytes=None).footprint()
    assert footprint.weight == 2 * (2 * layer + 800 + 8)
    assert footprint.kv == 2 * 8 * 4 * 2
    # Two hidden vectors, two of the MLP, the logits; 2 bytes each.
    assert footprint.activation == 2 * (16 + 64 + 100)
    mxfp8 = open_model(file, dtypes=Dtypes("mxfp8", "fp8"))
    assert mxfp8.manifest(context=4, batch=1, capacity_bytes=None).footprint().kv == 2 * 8 * 4


def test_experts_all_lie_in_memory_and_few_are_used(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    moe = {"num_local_experts": 4, "num_experts_per_tok": 2}
    file.write_text(json.dumps({**CONFIG, **moe}))
    shape = open_model(file).shape
    assert shape is not None
    assert shape.layer_elements(0) == 8 * 24 + 4 * 768 + 8 * 4 + 16
    assert shape.used_elements(2) == 2 * (8 * 24 + 2 * 768 + 8 * 4 + 16)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"hidden_size": None}, r"expected the model's hidden \(hidden_size or"),
        ({"num_hidden_layers": 0}, "num_hidden_layers: expected a whole number from 1"),
        ({"num_hidden_layers": "many"}, "num_hidden_layers: expected a whole number"),
        ({"torch_dtype": "float7"}, "expected a dtype"),
    ],
)
def test_a_config_that_cannot_be_is_refused(
    tmp_path: Path, change: dict[str, object], sentence: str
) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps({**CONFIG, **change}))
    with pytest.raises(InputError, match=sentence):
        open_model(file)


def test_a_size_that_contradicts_its_shape_is_refused(tmp_path: Path) -> None:
    file = files.safetensors(tmp_path / "m.safetensors", {"w": ("F32", [4], 15)})
    with pytest.raises(InputError, match=r"expected 16 bytes for F32 \[4\], found data of 15"):
        open_model(file)


def test_a_shard_outside_the_folder_is_refused(tmp_path: Path) -> None:
    index = tmp_path / "x.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {"w": "../../etc/passwd"}}))
    with pytest.raises(InputError, match="expected shards beside the index"):
        open_model(index)


def test_weights_alone_have_no_cache_and_say_so(tmp_path: Path) -> None:
    file = files.safetensors(tmp_path / "m.safetensors", {"w": ("F32", [4], 16)})
    with pytest.raises(LanescopeError, match="expected the model's shape for its KV cache"):
        open_model(file).manifest(context=10, batch=1, capacity_bytes=None)
    notes = open_model(file).manifest(context=None, batch=1, capacity_bytes=None).notes
    assert notes == ("no --context: KV cache and activations are not in the manifest",)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"GGUF", b"\x00" * 9, b"\xff" * 40])
def test_files_that_are_no_model_are_refused(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "m.bin"
    file.write_bytes(content)
    with pytest.raises(InputError, match="expected"):
        open_model(file)


def _makers(tmp_path: Path) -> list[Path]:
    return [
        files.safetensors(tmp_path / "m.safetensors", {"layers.0.w": ("F16", [4, 4], 32)}),
        files.gguf(tmp_path / "m.gguf", {"a": 1, "b": "x", "c": ["y"]}, [("w", [32, 2], 2, 0)]),
        files.onnx(tmp_path / "m.onnx", [("w", [3, 4], 1), ("v", [2], 10)], packed=True),
    ]


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(0, 2), st.data())
def test_damaged_files_are_read_or_refused_never_crash(
    tmp_path: Path, which: int, data: st.DataObject
) -> None:
    content = bytearray(_makers(tmp_path)[which].read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(1, len(content)))
    file = tmp_path / "damaged.bin"
    file.write_bytes(bytes(content[:cut]))
    try:
        open_model(file)
    except LanescopeError as error:
        assert "expected" in str(error)


@pytest.mark.parametrize(
    ("dims", "fits"),
    [
        ([1 << 39, (1 << 17) - 1], True),
        ([1 << 39, 1 << 17], False),
        ([(1 << 40) - 1], True),
        ([1 << 40], False),
        ([1] * 16, True),
        ([1] * 17, False),
    ],
)
@pytest.mark.parametrize("packed", [True, False])
def test_onnx_dims_beyond_any_memory_are_refused(
    tmp_path: Path, dims: list[int], fits: bool, packed: bool
) -> None:
    file = files.onnx(tmp_path / "m.onnx", [("w", dims, 2)], packed=packed)
    if fits:
        (tensor,) = read_onnx(file).tensors
        assert tensor.size_bytes == math.prod(dims)
    else:
        with pytest.raises(InputError, match="a tensor of impossible shape at byte"):
            read_onnx(file)
