"""What a plena_settings.toml says of a core, and files that are refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from lanescope.errors import InputError
from lanescope.model.cost.core import core_setup
from lanescope.model.cost.settings import Settings, read_settings
from lanescope.model.predicting import predict

SETTINGS = """\
[TRANSACTIONAL.CONFIG.MLEN]
value = 128
[TRANSACTIONAL.CONFIG.DC_EN]
value = 0
[TRANSACTIONAL.LATENCY.VECTOR_ADD_CYCLES]
dc_lib_en = 1
dc_lib_dis = 2
"""
WEIGHT = "[TRANSACTIONAL.PRECISION.HBM_M_WEIGHT_TYPE]\n"
PLAIN = WEIGHT + 'format = "Plain"\nDATA_TYPE = {}\n'
MX = WEIGHT + 'format = "Mx"\nblock = {}\nELEM = {{type = "Fp", sign = true, exponent = {}, '
MX += 'mantissa = 3}}\nSCALE = {{type = "Fp", sign = false, exponent = 8, mantissa = 0}}\n'
PROFILE = """rtl = 9
[TRANSACTIONAL.CONFIG.LATENCY_PROFILE]
value = "{}"
"""


def read(folder: Path, text: str, dc_en: int | None = None) -> Settings:
    path = folder / "settings.toml"
    path.write_text(text)
    return read_settings(path, dc_en=dc_en)


@pytest.mark.parametrize(
    ("text", "bits"),
    [
        (MX.format(8, 4), (8, 8, 8)),
        (PLAIN.format('{type = "Fp", sign = true, exponent = 8, mantissa = 7}'), (16, 0, 1)),
        (PLAIN.format('{type = "Int", width = 4}'), (4, 0, 1)),
    ],
)
def test_the_format_of_the_weights(text: str, bits: tuple[int, ...], tmp_path: Path) -> None:
    sizes = read(tmp_path, SETTINGS + text).sizes
    assert (sizes["ELEMENT_BITS"], sizes["SCALE_BITS"], sizes["BLOCK"]) == bits


def test_weights_without_scales_move_no_scales(tmp_path: Path) -> None:
    """Four rows of 128 values of 16 bits are 1,024 bytes; with 8 bits and scales 768."""
    program = tmp_path / "one.asm"
    program.write_text("H_PREFETCH_V gp0, gp0, a0, 0, 0\n")
    plain = PLAIN.format('{type = "Fp", sign = true, exponent = 8, mantissa = 7}')
    for text, moved in ((plain, 1024), (MX.format(8, 4), 768)):
        read(tmp_path, SETTINGS + text)
        found = predict(
            program, board="nexys_video", settings=tmp_path / "settings.toml", vlen=128
        ).traffic
        assert found.traffic_bytes == moved >= found.useful_bytes


def test_scales_take_as_many_chunks_as_they_need(tmp_path: Path) -> None:
    """A row of 1,024 values has 128 bytes of scales: what is asked for is never more than moves."""
    program = tmp_path / "one.asm"
    program.write_text("C_SET_ADDR_REG a0, gp0, gp0\nH_PREFETCH_V gp0, gp0, a0, 0, 0\n")
    for dram in (None, "ddr3-800"):
        found = predict(program, board="nexys_video", mlen=1024, dram=dram)
        assert found.traffic.traffic_bytes == found.traffic.useful_bytes == 4 * (1024 + 128)
        assert found.memory is not None and found.memory.statistics.read_bytes == 4608


@pytest.mark.parametrize(("profile", "add"), [("rtl", 9), ("default", 2), ("", 2), ("other", 2)])
def test_a_latency_profile_is_the_profilers(profile: str, add: int, tmp_path: Path) -> None:
    settings = read(tmp_path, SETTINGS + PROFILE.format(profile))
    core = core_setup(None, settings)
    assert core.names_of(profiler=True)["vector_add"] == add
    assert core.names_of(profiler=False)["vector_add"] == 2
    assert ("rtl for the published profiler" in core.origin) == (add == 9)


def test_a_latency_profile_counts_with_dc_en_0_only(tmp_path: Path) -> None:
    settings = read(tmp_path, SETTINGS + PROFILE.format("rtl"), dc_en=1)
    assert core_setup(None, settings).names_of(profiler=True)["vector_add"] == 1


def test_a_profile_changes_the_peers_costs_alone(tmp_path: Path) -> None:
    read(tmp_path, SETTINGS + PROFILE.format("rtl"))
    program = tmp_path / "one.asm"
    program.write_text("V_ADD_VV gp1, gp1, gp1, 0\n")
    options = {"settings": tmp_path / "settings.toml"}
    assert predict(program, cost_source="peer", **options).serial == 9
    assert predict(program, cost_source="emulator", **options).serial == 2


def test_softplus_is_the_columns_where_the_file_does_not_say(tmp_path: Path) -> None:
    assert [read(tmp_path, SETTINGS, n).latencies["vector_softplus"] for n in (0, 1)] == [13, 2]


def test_a_mark_of_the_byte_order_is_no_problem(tmp_path: Path) -> None:
    assert read(tmp_path, "\ufeff" + SETTINGS).sizes["MLEN"] == 128


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[MODE]\nactive = 1\n", "expected [TRANSACTIONAL.CONFIG.…] sections, found none"),
        (SETTINGS.replace("128", "0"), "CONFIG.MLEN: expected a whole number from 1 to 16,777,216"),
        (SETTINGS.replace("128", '"big"'), "16,777,216 as value, found 'big'"),
        (SETTINGS.replace("128", "1_000_000_000"), "as value, found 1000000000"),
        (SETTINGS.replace("= 0", "= 2"), "DC_EN: expected a whole number from 0 to 1 as value"),
        (SETTINGS.replace("dc_lib_dis = 2\n", ""), "as dc_lib_dis, found None"),
        (
            SETTINGS[: SETTINGS.index("[TRANSACTIONAL.LAT")] + "[TRANSACTIONAL]\nLATENCY = 3\n",
            "TRANSACTIONAL.LATENCY: expected keys below it, found 3",
        ),
        (SETTINGS + WEIGHT + 'format = "Fp"\n', "expected the format Plain or Mx, found 'Fp'"),
        (SETTINGS + MX.format(0, 4), "from 1 to 16,777,216 as block, found 0"),
        (SETTINGS + MX.format(8, -9), "from 0 to 64 as exponent, found -9"),
        (SETTINGS + PLAIN.format("{}"), "as exponent, found None"),
        (SETTINGS + PROFILE.format("rtl").replace('"rtl"', "3"), "the name of a column as value"),
        ("= 1", "expected settings in TOML"),
        ("a." * 5000 + "b = 1", "found a key of more than 32 parts"),
        ("'=' . " * 32 + "b = 1", "found a key of more than 32 parts"),
        ("a." * 31 + "b = 1", "sections, found none"),
        (f"a = '{'x' * 5000}...........................................'", "found none"),
    ],
)
def test_settings_that_are_refused(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as found:
        read(tmp_path, text)
    assert problem in str(found.value)


def test_settings_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_settings(tmp_path / "none.toml")


PLACE = "TRANSACTIONAL.CONFIG"


@pytest.mark.parametrize("value", ["true", "1.0", '"1"', "[1]", "-1", "0", "16_777_217"])
def test_a_size_is_a_whole_number_and_no_switch(value: str, tmp_path: Path) -> None:
    with pytest.raises(InputError) as found:
        read(tmp_path, SETTINGS.replace("128", value))
    shown = {"true": "True", '"1"': "'1'", "16_777_217": "16777217"}.get(value, value)
    assert str(found.value) == (
        f"{tmp_path / 'settings.toml'}: {PLACE}.MLEN: expected a whole number from 1 to "
        f"16,777,216 as value, found {shown}"
    )


@pytest.mark.parametrize("value", [1, 1 << 24])
def test_a_size_reaches_from_1_to_2_to_the_24(value: int, tmp_path: Path) -> None:
    assert read(tmp_path, SETTINGS.replace("128", str(value))).sizes == {"MLEN": value}


def test_a_latency_reaches_from_0_to_2_to_the_30(tmp_path: Path) -> None:
    for value in (0, 1 << 30):
        text = SETTINGS.replace("dis = 2", f"dis = {value}")
        assert read(tmp_path, text).latencies["vector_add"] == value
    for value in (-1, (1 << 30) + 1):
        with pytest.raises(InputError, match=r"from 0 to 1,073,741,824 as dc_lib_dis, found"):
            read(tmp_path, SETTINGS.replace("dis = 2", f"dis = {value}"))


def test_everything_that_a_file_says_is_in_its_settings(tmp_path: Path) -> None:
    text = SETTINGS + PROFILE.format("rtl") + MX.format(8, 4)
    path = str(tmp_path / "settings.toml")
    assert read(tmp_path, text) == Settings(
        path,
        {"MLEN": 128, "ELEMENT_BITS": 8, "SCALE_BITS": 8, "BLOCK": 8},
        {"vector_add": 2, "vector_softplus": 13},
        "dc_lib_dis",
        "rtl",
        {"vector_add": 9},
    )
    assert read(tmp_path, text, 1) == Settings(
        path,
        {"MLEN": 128, "ELEMENT_BITS": 8, "SCALE_BITS": 8, "BLOCK": 8},
        {"vector_add": 1, "vector_softplus": 2},
        "dc_lib_en",
    )


def test_the_origin_names_the_column_and_the_profile() -> None:
    assert Settings("s.toml", column="dc_lib_en").origin == "latencies of s.toml, column dc_lib_en"
    assert Settings("s.toml", column="a", profile="rtl", profiler={"x": 1}).origin == (
        "latencies of s.toml, column a (LATENCY_PROFILE: rtl for the published profiler's costs)"
    )


def test_a_file_without_a_column_has_the_fast_librarys(tmp_path: Path) -> None:
    found = read(tmp_path, "[TRANSACTIONAL.CONFIG.MLEN]\nvalue = 64\n")
    assert found == Settings(str(tmp_path / "settings.toml"), {"MLEN": 64}, {}, "dc_lib_en")


@pytest.mark.parametrize("name", ["", "default", "dc_lib_dis"])
def test_a_profile_without_a_column_of_its_own_is_none(name: str, tmp_path: Path) -> None:
    found = read(tmp_path, SETTINGS + PROFILE.format(name))
    assert (found.profile, found.profiler) == ("", {})


FLOAT = '{{type = "Fp", exponent = {}, mantissa = {}{}}}'


@pytest.mark.parametrize(
    ("exponent", "mantissa", "sign", "bits"),
    [
        (5, 10, "", 16),
        (5, 10, ", sign = true", 16),
        (5, 10, ", sign = false", 15),
        (0, 0, "", 1),
        (8, 55, "", 64),
        (64, 0, ", sign = false", 64),
    ],
)
def test_a_float_has_its_parts_and_a_sign_that_is_not_denied(
    exponent: int, mantissa: int, sign: str, bits: int, tmp_path: Path
) -> None:
    text = SETTINGS + PLAIN.format(FLOAT.format(exponent, mantissa, sign))
    assert read(tmp_path, text).sizes["ELEMENT_BITS"] == bits


@pytest.mark.parametrize(
    ("exponent", "mantissa", "sign", "bits"),
    [(8, 56, "", 65), (0, 0, ", sign = false", 0)],
)
def test_a_float_of_no_bits_or_too_many_is_refused(
    exponent: int, mantissa: int, sign: str, bits: int, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as found:
        read(tmp_path, SETTINGS + PLAIN.format(FLOAT.format(exponent, mantissa, sign)))
    place = "TRANSACTIONAL.PRECISION.HBM_M_WEIGHT_TYPE.DATA_TYPE"
    path = tmp_path / "settings.toml"
    assert str(found.value) == f"{path}: {place}: expected 1 to 64 bits, found {bits}"


@pytest.mark.parametrize(("width", "fits"), [(1, True), (64, True), (0, False), (65, False)])
def test_a_whole_number_has_1_to_64_bits(width: int, fits: bool, tmp_path: Path) -> None:
    text = SETTINGS + PLAIN.format(f'{{type = "Int", width = {width}}}')
    if fits:
        assert read(tmp_path, text).sizes["ELEMENT_BITS"] == width
    else:
        with pytest.raises(InputError, match=f"from 1 to 64 as width, found {width}"):
            read(tmp_path, text)


def test_scales_may_have_no_bits(tmp_path: Path) -> None:
    text = MX.format(1, 4).replace(
        '{type = "Fp", sign = false, exponent = 8, mantissa = 0}', '{type = "Int", width = 0}'
    )
    sizes = read(tmp_path, SETTINGS + text).sizes
    assert (sizes["ELEMENT_BITS"], sizes["SCALE_BITS"], sizes["BLOCK"]) == (8, 0, 1)


def test_settings_of_a_mebibyte_are_read_and_no_more(tmp_path: Path) -> None:
    most = 1 << 20
    assert read(tmp_path, SETTINGS.ljust(most, "\n")).sizes == {"MLEN": 128}
    with pytest.raises(InputError, match=r"expected settings of at most 1,048,576 bytes$"):
        read(tmp_path, SETTINGS.ljust(most + 1, "\n"))


def test_every_size_has_a_key_of_its_own(tmp_path: Path) -> None:
    keys = {
        "MLEN": "MLEN",
        "VLEN": "VLEN",
        "BLEN": "BLEN",
        "HLEN": "HLEN",
        "PREFETCH_M_ROWS": "HBM_M_Prefetch_Amount",
        "PREFETCH_V_ROWS": "HBM_V_Prefetch_Amount",
        "STORE_V_ROWS": "HBM_V_Writeback_Amount",
    }
    text = "".join(f"[{PLACE}.{key}]\nvalue = {n}\n" for n, key in enumerate(keys.values(), 3))
    assert read(tmp_path, text).sizes == {name: n for n, name in enumerate(keys, 3)}
