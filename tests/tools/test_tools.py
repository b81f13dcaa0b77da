"""Type names, arguments, device selection, occupancy."""

# SPDX-License-Identifier: MIT

import io

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import tools
from pycuda.compyte import array as layout
from pycuda.compyte.dtypes import DTypeRegistry, parse_c_arg_backend


@pytest.mark.parametrize(
    ("dtype", "name"),
    [
        (bool, "bool"),
        (np.int8, "signed char"),
        (np.uint8, "unsigned char"),
        (np.int16, "short"),
        (np.uint16, "unsigned short"),
        (np.int32, "int"),
        (np.uint32, "unsigned"),
        (np.int64, "long"),
        (np.uint64, "unsigned long"),
        (np.longlong, "long"),
        (np.float32, "float"),
        (np.float64, "double"),
        (np.complex64, "pycuda::complex<float>"),
        (np.complex128, "pycuda::complex<double>"),
    ],
)
def test_names(dtype, name):
    assert tools.dtype_to_ctype(dtype) == name
    assert tools.get_or_register_dtype(name) == np.dtype(dtype)


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("char", np.int8),
        ("signed short", np.int16),
        ("short int", np.int16),
        ("int unsigned short", np.uint16),
        ("signed int", np.int32),
        ("unsigned int", np.uint32),
        ("long signed int", np.int64),
        ("unsigned long int", np.uint64),
        ("long long", np.int64),
        ("unsigned long long", np.uint64),
        ("long unsigned long", np.uint64),
        ("size_t", np.uintp),
        ("int64_t", np.int64),
        ("uint8_t", np.uint8),
    ],
)
def test_spellings(text, dtype):
    argument = tools.parse_c_arg(f"{text} x")
    assert isinstance(argument, tools.ScalarArg)
    assert argument.dtype == dtype


@pytest.mark.parametrize(
    "text",
    [
        "float *x",
        "const float *x",
        "float const * __restrict__ x",
        "float x[3]",
        "float **x",
        "const volatile float* restrict x",
    ],
)
def test_vectors(text):
    argument = tools.parse_c_arg(text)
    assert isinstance(argument, tools.VectorArg)
    assert (argument.name, argument.dtype) == ("x", np.float32)
    assert argument.declarator() == "float *x"
    assert argument.struct_char == "P"


def test_words_that_hold_a_qualifier():
    assert tools.parse_c_arg("int constant").name == "constant"


def test_repr():
    assert repr(tools.parse_c_arg("int x")) == "ScalarArg('x', int32)"
    assert tools.get_arg_type("double x") == "d"


@pytest.mark.parametrize(
    ("text", "reason"),
    [("nothing x", "unknown type 'nothing'"), ("", "couldn't parse")],
)
def test_bad_declarators(text, reason):
    with pytest.raises(ValueError, match=reason):
        tools.parse_c_arg(text)


def test_bad_dtypes():
    with pytest.raises(ValueError, match="may not be None"):
        tools.dtype_to_ctype(None)
    with pytest.raises(ValueError, match=r"unable to map dtype '\|S3'"):
        tools.dtype_to_ctype("S3")


def test_a_registry_of_ones_own():
    registry = DTypeRegistry()
    pair = np.dtype([("a", "f4"), ("b", "f4")])
    registry.get_or_register_dtype(["pair", "couple"], pair)
    assert registry.dtype_to_ctype(pair) == "pair"
    assert registry.get_or_register_dtype("couple") is pair
    with pytest.raises(RuntimeError, match="already registered"):
        registry.get_or_register_dtype("pair", np.int32)
    with pytest.raises(KeyError):
        registry.get_or_register_dtype("stranger")
    found = parse_c_arg_backend(
        "pair *p",
        lambda *a: ("scalar", *a),
        lambda *a: ("vector", *a),
        registry.name_to_dtype.__getitem__,
    )
    assert found == ("vector", pair, "p")


def test_register_dtype_is_deprecated():
    with (
        pytest.warns(DeprecationWarning),
        pytest.raises(RuntimeError, match="alias_ok"),
    ):
        tools.register_dtype(np.int32, "my_int")
    with pytest.warns(DeprecationWarning):
        tools.register_dtype(np.int32, "my_other_int", alias_ok=True)
    assert tools.get_or_register_dtype("my_other_int") == np.int32
    assert tools.dtype_to_ctype(np.int32) == "int"
    assert tools.parse_c_arg("my_other_int x").dtype == np.int32


@pytest.mark.parametrize(
    ("value", "log"), [(17, 4), (0xAFFE, 15), (0x3AFFE, 17), (0xCC3AFFE, 27)]
)
def test_bitlog2(value, log):
    assert tools.bitlog2(value) == log


def test_strides():
    assert layout.c_contiguous_strides(4, (2, 3)) == (12, 4)
    assert layout.f_contiguous_strides(4, (2, 3)) == (4, 8)
    assert layout.is_c_contiguous_strides((99, 4), 4, (1, 3))
    assert not layout.is_f_contiguous_strides((12, 4), 4, (2, 3))
    assert layout.is_f_contiguous_strides((1, 2), 4, (0, 3))


def test_memoise_by_context(context):
    calls = []

    @tools.context_dependent_memoize
    def remember(x, y=0):
        calls.append((x, y))
        return x

    assert remember(1) == remember(1) == 1
    assert remember(1, y=2) == 1
    assert calls == [(1, 0), (1, 2)]
    other = drv.Device(0).make_context()
    try:
        remember(1)
        assert len(calls) == 3
    finally:
        other.pop()
        tools.clear_context_caches()
    remember(1)
    assert len(calls) == 4
    with pytest.raises(TypeError):
        remember([])


def test_a_pool_that_tells(context):
    log = io.StringIO()
    pool = tools.DebugMemoryPool(interactive=False, logfile=log)
    stored = [pool.allocate(1000) for _ in range(2)]
    assert pool.active_blocks == 2
    assert "2000 place 1" in log.getvalue()
    assert "test_a_pool_that_tells" in log.getvalue()
    del stored
    pool.stop_holding()
    assert pool.held_blocks == 0


def test_device_data(context):
    data = tools.DeviceData()
    assert data.warp_size == 32
    assert data.align(65) == 128
    assert data.align_words(8) == 16
    assert data.coalesce(17) == 32
    assert data.make_valid_tex_channel_count(3) == 4
    record = tools.OccupancyRecord(data, 256, 1024, 16)
    assert record.tb_per_mp >= 1
    assert 0 < record.occupancy <= 1
    with pytest.raises(ValueError, match="too many threads"):
        tools.OccupancyRecord(data, data.max_threads + 1)


def test_choice_of_device(context, monkeypatch):
    made = []
    monkeypatch.setenv("CUDA_DEVICE", "0")
    tools.make_default_context(made.append)
    assert made == [drv.Device(0)]
    monkeypatch.setenv("CUDA_DEVICE", "first")
    with pytest.raises(ValueError, match="device number"):
        tools.make_default_context(made.append)
