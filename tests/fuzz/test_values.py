"""A short run of the random values of `values.py`, also under sanitizers."""

# SPDX-License-Identifier: MIT

import os
import struct

import pytest
from values import (
    CAPSULES,
    PARSERS,
    capsule_call,
    fuzz,
    interface_call,
    kernel,
)

from pycuda import _pvt_struct

SECONDS = float(os.environ.get("PYCUDA_FUZZ_SECONDS", "0.5"))


@pytest.mark.cpu
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PARSERS)
def test_made_up_values_end_as_they_may(name):
    count, outcomes = fuzz(name, SECONDS, seed=1)
    assert count >= len(PARSERS[name][0])
    assert outcomes > 1


@pytest.mark.cpu
def test_an_error_that_is_not_allowed_is_told(monkeypatch):
    def wrong(row):
        raise KeyError("data")

    seeds, mutate, _ = PARSERS["array interface"]
    monkeypatch.setitem(PARSERS, "planted", (seeds, mutate, wrong))
    with pytest.raises(
        AssertionError, match="planted, seed 3, value 1: .*KeyError"
    ):
        fuzz("planted", 0.1, seed=3)


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        (
            "data",
            None,
            r"data of __cuda_array_interface__ must be \(address of",
        ),
        ("data", (1.5, False), "data of __cuda_array_interface__"),
        ("data", (1 << 64, False), "address of 64 bits"),
        ("shape", None, "shape of .* must be a tuple of integers, not None"),
        ("shape", (2, -1), "a tuple of lengths"),
        ("strides", (4,), "strides of .* must be a tuple of 2 integers"),
        ("typestr", 3, "typestr of .* must be a text"),
        ("typestr", "O", "typestr of .* must be a text"),
        ("stream", "x", "stream of .* must be an integer"),
    ],
)
def test_wrong_entries_of_an_array_interface_are_named(entry, value, message):
    row = {**PARSERS["array interface"][0][0], entry: value}
    with pytest.raises(TypeError, match=message):
        interface_call(row)


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("entry", "value", "message"),
    [
        ("ndim", -1, "-1 dimensions; arrays have 0 to 32"),
        ("ndim", 1 << 30, "1073741824 dimensions"),
        ("shape", None, "no shape"),
        ("shape", (-1, 4), "axis 0 .* length -1"),
        ("shape", (1 << 40, 1 << 40), "no memory can have"),
        ("strides", (1 << 62, 1), "stride 4611686018427387904"),
        ("bits", 0, "0 bits"),
        ("lanes", 2, "2 lanes"),
    ],
)
def test_wrong_entries_of_a_dlpack_tensor_are_named(entry, value, message):
    with pytest.raises(BufferError, match=message):
        capsule_call({**CAPSULES[0], entry: value})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("70000i", "at most 65536"),
        ("9" * 5000 + "i", "at most 65536"),
        ("i\0i", "bad char|null"),
    ],
)
def test_formats_are_refused_at_once(text, message):
    with pytest.raises(struct.error, match=message):
        kernel().prepare(text)
    with pytest.raises(struct.error, match=message):
        _pvt_struct.calcsize(text)


def test_many_values_of_a_struct_are_refused():
    with pytest.raises(struct.error, match="more than 65536 values"):
        _pvt_struct.calcsize("40000F40000i")
