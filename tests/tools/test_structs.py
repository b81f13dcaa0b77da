"""Structured dtypes as C structs."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray, tools
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

PACKED = np.dtype(
    [("flag", "i1"), ("value", "f8"), ("many", "i2", (2, 3)), ("z", "c8")]
)


def test_the_layout_is_c_s():
    matched, declaration = tools.match_dtype_to_c_struct(None, "mix", PACKED)
    assert declaration == (
        "typedef struct {\n  signed char flag;\n  double value;\n"
        "  short many[2][3];\n  pycuda::complex<float> z;\n} mix;\n\n"
    )
    assert matched.names == PACKED.names
    offsets = [matched.fields[name][1] for name in matched.names]
    assert offsets[:3] == [0, 8, 16]
    assert matched.itemsize % 8 == 0 and matched.itemsize > PACKED.itemsize
    tools.get_or_register_dtype("mix", matched)
    source = (
        "#include <pycuda-complex.hpp>\n"
        + declaration
        + """
        extern "C" __global__ void move(mix *x)
        {
            mix &m = x[threadIdx.x];
            m.flag = -m.flag;
            m.value *= 2;
            m.many[1][2] += m.many[0][0];
            m.z = pycuda::complex<float>(m.z.imag(), m.z.real());
        }
        """
    )
    host = np.zeros(3, matched)
    host["flag"], host["value"] = [1, 2, 3], [0.5, 1.5, 2.5]
    host["many"] = np.arange(18).reshape(3, 2, 3)
    host["z"] = [1 + 2j, 3, 4j]
    data = gpuarray.to_gpu(host)
    move = SourceModule(source, no_extern_c=True).get_function("move")
    move(data, block=(3, 1, 1))
    got = data.get()
    assert got["flag"].tolist() == [-1, -2, -3]
    assert got["value"].tolist() == [1, 3, 5]
    assert got["many"][:, 1, 2].tolist() == [5, 17, 29]
    assert got["z"].tolist() == [2 + 1j, 3j, 4]


def test_structs_in_structs():
    inner, _ = tools.match_dtype_to_c_struct(
        drv.Device(0), "inner_one", [("a", "i1"), ("b", "i4")]
    )
    tools.get_or_register_dtype("inner_one", inner)
    outer, declaration = tools.match_dtype_to_c_struct(
        None, "outer_one", [("x", "i1"), ("y", inner), ("w", inner, (2,))]
    )
    assert "inner_one w[2];" in declaration
    assert [outer.fields[name][1] for name in "xyw"] == [0, 4, 12]
    assert outer.itemsize == 28


def test_halves_bring_their_header():
    matched, declaration = tools.match_dtype_to_c_struct(
        None, "half_pair", [("x", "i1"), ("y", "f2"), ("z", "f4")]
    )
    assert "__half y;" in declaration
    assert [matched.fields[name][1] for name in "xyz"] == [0, 2, 4]
    assert matched.itemsize == 8


@pytest.mark.parametrize(
    ("name", "dtype", "reason"),
    [
        ("s", "f4", "structured dtype"),
        ("a b", [("x", "f4")], "'a b' cannot be a name"),
        ("s", [("x-y", "f4")], "'x-y' cannot be"),
        ("s", [("x", "S3")], "unable to map"),
        ("s", [("x", [("unregistered_field", "i1")])], "unable to map"),
    ],
)
def test_what_cannot_be(name, dtype, reason):
    with pytest.raises(ValueError, match=reason):
        tools.match_dtype_to_c_struct(None, name, dtype)
    with pytest.raises(drv.CompileError):
        tools.match_dtype_to_c_struct(None, "class", [("x", "f4")])
