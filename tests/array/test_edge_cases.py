"""Empty arrays, arrays without axes, float16, vector types, structs.

The last part has indices beyond 32 bits.
"""

# SPDX-License-Identifier: MIT

import copy
import pickle

import numpy as np
import pytest
from layouts import numbers, same

from pycuda import cumath, gpuarray
from pycuda._driver import _apply
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.tools import get_or_register_dtype

pytestmark = pytest.mark.usefixtures("context")

vec = gpuarray.vec

# --- empty arrays and single elements --------------------------------------

# name -> the same operation for NumPy and for us
SAME = {
    "add": lambda x, m: x + x,
    "add number": lambda x, m: x + 1,
    "reflected": lambda x, m: 1 - x,
    "negative": lambda x, m: -x,
    "abs": lambda x, m: abs(x),
    "compare": lambda x, m: x > 0,
    "power": lambda x, m: x**2,
    "floor divide": lambda x, m: x // 2,
    "sum": lambda x, m: m.sum(x),
    "any": lambda x, m: m.any(x),
    "all": lambda x, m: m.all(x),
    "prod": lambda x, m: m.prod(x),
    "count": lambda x, m: m.count_nonzero(x),
    "sum of last": lambda x, m: m.sum(x, axis=-1) if x.ndim else x,
    "kept": lambda x, m: m.sum(x, axis=0, keepdims=True) if x.ndim else x,
    "cumsum": lambda x, m: m.cumsum(x),
    "maximum": lambda x, m: m.maximum(x, 1),
    "where": lambda x, m: m.where(x > 0, x, x),
    "logical": lambda x, m: m.logical_and(x, x),
    "transposed": lambda x, m: x.T + 0,
    "reshaped": lambda x, m: x.reshape(-1) if x.size else x,
    "raveled": lambda x, m: x.ravel(),
    "squeezed": lambda x, m: x.squeeze(),
    "viewed": lambda x, m: x.view(np.int32),
    "cast": lambda x, m: x.astype(np.float64),
    "copied": lambda x, m: x.copy(),
    "real": lambda x, m: x.real,
    "new axis": lambda x, m: x[None],
    "dots": lambda x, m: x[...],
    "mask": lambda x, m: x[x > 0],
    "stacked": lambda x, m: m.stack([x, x], 0),
    "joined": lambda x, m: m.concatenate([x, x]) if x.ndim else x,
    "zeros_like": lambda x, m: m.zeros_like(x),
}


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (0, 3), (1,), (1, 1)])
@pytest.mark.parametrize("name", sorted(SAME))
def test_empty_and_single(name, shape):
    host = numbers(shape, "f4", 3)
    got = SAME[name](gpuarray.to_gpu(host), gpuarray)
    same(got, np.asarray(SAME[name](host, np)))


@pytest.mark.parametrize("shape", [(), (0,), (3, 0)])
def test_empty_and_single_methods(shape):
    host = numbers(shape, "f4", 3)
    a = gpuarray.to_gpu(host)
    same(a.copy().fill(5), np.full_like(host, 5))
    same(a.reverse(), host[(slice(None, None, -1),) * host.ndim])
    same(cumath.floor(a), np.asarray(np.floor(host)))
    same(copy.deepcopy(a), host)
    same(pickle.loads(pickle.dumps(a)), host)
    assert str(a) == str(host)
    a += 1
    same(a, host + np.float32(1))
    a[...] = 2
    same(a, np.full_like(host, 2))
    kernel = ElementwiseKernel("float *x, float *z", "z[i] = x[i] + 1")
    same(kernel(a, None), np.full_like(host, 3))
    total = ReductionKernel(np.float32, "0", "a+b", "x[i]", "const float *x")
    assert total(a).get() == 2 * host.size


def test_extremes_of_nothing():
    a = gpuarray.empty((0, 3), np.float32)
    for function in (gpuarray.max, gpuarray.min):
        with pytest.raises(ValueError):
            function(a)
        same(function(a, axis=1), np.zeros(0, np.float32))


# --- float16 -------------------------------------------------------------


@pytest.mark.sweep(most=12)
@pytest.mark.parametrize("name", sorted(SAME))
def test_float16(name):
    host = numbers((3, 5), "f2", 3)
    if name == "viewed":
        host = numbers((3, 4), "f2", 3)
    want = np.asarray(SAME[name](host, np))
    got = SAME[name](gpuarray.to_gpu(host), gpuarray)
    if name in ("prod", "sum", "sum of last", "kept", "cumsum"):
        with np.errstate(over="ignore"):
            wide = np.asarray(SAME[name](host.astype("f8"), np)).astype("f2")
        np.testing.assert_allclose(got.get(), wide, rtol=2e-3, atol=2e-2)
        assert got.dtype == want.dtype
    else:
        same(got, want)


@pytest.mark.sweep(most=12)
@pytest.mark.parametrize("name", cumath.__all__)
def test_float16_functions(name):
    host = np.linspace(0.1, 0.9, 9).astype("f2") + (name == "acosh")
    a = gpuarray.to_gpu(host)
    numpy_name = {"acos": "arccos", "asin": "arcsin", "atan": "arctan"}
    function = getattr(np, numpy_name.get(name, name))
    if name in ("fmod", "ldexp"):
        two = np.full(9, 2, "f2" if name == "fmod" else "i4")
        got = getattr(cumath, name)(a, gpuarray.to_gpu(two))
        want = function(host, two)
    else:
        got = getattr(cumath, name)(a)
        want = function(host)
    if isinstance(got, tuple):
        got, want = got[0], want[0]
    np.testing.assert_allclose(got.get(), want, rtol=2e-3)


# --- vectors and structs -------------------------------------------------


@pytest.mark.parametrize(
    "name", ["char4", "short2", "int3", "float2", "float3", "float4",
             "double2", "ulonglong2"],
)  # fmt: skip
def test_vector_types(name):
    dtype = getattr(vec, name)
    host = np.zeros((4, 3), dtype)
    for k, field in enumerate(dtype.names):
        host[field] = np.arange(12).reshape(4, 3) + k
    device = gpuarray.to_gpu(host)
    same(device, host)
    same(device[::-2, 1:], host[::-2, 1:])
    same(device.T.copy(), host.T)
    same(device[[3, 0]], host[[3, 0]])
    same(device["y"], host["y"])
    one = getattr(vec, f"make_{name}")(*range(len(dtype.names)))
    host[1] = one
    device[1] = one
    same(device, host)
    host[...] = one
    same(device.fill(one), host)
    double = ElementwiseKernel(f"{name} *v", "v[i].x += v[i].y")
    double(device)
    host["x"] += host["y"]
    same(device, host)
    same(gpuarray.zeros_like(device), np.zeros_like(host))
    same(gpuarray.concatenate([device, device]), np.concatenate([host, host]))
    assert pickle.loads(pickle.dumps(device)).dtype == dtype


def test_structs_in_kernels():
    dtype = np.dtype([("at", "f4"), ("count", "i4")], align=True)
    get_or_register_dtype("extreme_particle", dtype)
    host = np.zeros(10, dtype)
    host["at"] = np.arange(10) / 4
    device = gpuarray.to_gpu(host)
    kernel = ElementwiseKernel(
        "extreme_particle *p", "p[i].count += 2; p[i].at *= 2",
        preamble="struct extreme_particle { float at; int count; };",
    )  # fmt: skip
    kernel(device[::2])
    host["count"][::2] += 2
    host["at"][::2] *= 2
    same(device, host)
    assert gpuarray.sum(device["count"]).get() == 10
    device["at"] = gpuarray.arange(10, dtype=np.float32)
    host["at"] = np.arange(10)
    same(device, host)


# --- beyond 32 bits ------------------------------------------------------

HUGE = 2**32 + 7


def huge(array, length=HUGE):
    """Return one element broadcast to `length`."""
    return gpuarray.GPUArray(
        (length,), array.dtype, base=array, gpudata=array.gpudata, strides=(0,)
    )


def test_huge_views():
    one = gpuarray.to_gpu(np.array([5], np.uint8))
    a = huge(one)
    assert a.size == HUGE
    assert a[::2].size == HUGE // 2 + 1
    assert a[HUGE - 1].get() == 5
    same(a[[HUGE - 1, -HUGE]], np.array([5, 5], np.uint8))
    with pytest.raises(IndexError, match=f"index {HUGE}"):
        a[[HUGE]]
    far = gpuarray.to_gpu(np.array([2**31, HUGE - 1, 2**32]))
    same(a[far], np.full(3, 5, np.uint8))


@pytest.mark.slow
def test_huge_operations():
    """Results are also broadcast from one element, so memory suffices."""
    length = 2**31 + 7
    one = gpuarray.to_gpu(np.array([5], np.uint8))
    out = gpuarray.zeros(1, np.uint8)
    _apply("add", (huge(one, length), huge(one, length)), huge(out, length))
    assert out.get() == 10
    last = gpuarray.zeros(1, np.uint64)
    note = ElementwiseKernel(
        "unsigned char *x, unsigned long long *last",
        "if (i + 1 == n) last[0] = i",
    )
    note(huge(one), last)
    assert last.get()[0] == HUGE - 1
    total = gpuarray.sum(huge(one), axis=0, dtype=np.uint64)
    assert total.get() == 5 * HUGE
