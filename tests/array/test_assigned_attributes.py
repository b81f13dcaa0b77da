"""Attributes that programs assign to arrays, one by one, in any order.

An array is usable whenever its attributes agree; until then its use raises a
ValueError that names the conflict, before any memory access.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import cumath, gpuarray
from pycuda.compiler import SourceModule
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel

pytestmark = pytest.mark.usefixtures("context")

X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def usable(array: Any, expected: np.ndarray) -> None:
    """Assert that all ways to read the array agree."""
    assert array.shape == expected.shape
    assert array.ndim == expected.ndim and array.dtype == expected.dtype
    assert array.size == array.mem_size == expected.size
    assert array.nbytes == expected.nbytes
    np.testing.assert_array_equal(array.get(), expected)
    np.testing.assert_array_equal((array + 1).get(), expected + 1)
    np.testing.assert_array_equal(array.copy("C").get(), expected)
    assert gpuarray.sum(array).get() == expected.sum()


# Attributes of a view of X[:, 1:, 0], assigned in all orders.
VIEW = X[:, 1:, 0]
PARTS = ("shape", "strides", "gpudata")


@pytest.mark.parametrize("order", list(itertools.permutations(PARTS)))
@pytest.mark.parametrize("start", [(1,), (0,), (2, 2), (50, 1, 1), ()])
def test_any_order(order: tuple[str, ...], start: tuple[int, ...]) -> None:
    whole = gpuarray.to_gpu(X)
    values: dict[str, Any] = {
        "shape": VIEW.shape,
        "strides": VIEW.strides,
        "gpudata": whole[:, 1:, 0].gpudata,
    }
    array = gpuarray.zeros(start, np.float32)
    for name in order:
        setattr(array, name, values[name])
        assert getattr(array, name) == values[name]
    usable(array, VIEW)
    array.fill(-1)
    changed = X.copy()
    changed[:, 1:, 0] = -1
    np.testing.assert_array_equal(whole.get(), changed)


def test_shape_alone() -> None:
    """Strides follow the shape; a smaller shape selects the first elements."""
    array = gpuarray.to_gpu(X)
    for shape in ((6, 4), (24,), [2, 12], (4, 5), 7, (), (0, 3), (2, 3, 4)):
        array.shape = shape
        size = np.prod(shape, dtype=int)
        usable(array, X.ravel()[:size].reshape(shape))
        assert array.flags.c_contiguous
    flat = gpuarray.to_gpu(np.asfortranarray(X[0]))
    flat.shape = (3, 2)
    usable(flat, X[0][:, :2])
    assert flat.flags.f_contiguous


def test_strides_that_were_assigned_stay() -> None:
    array = gpuarray.to_gpu(X.reshape(4, 6))
    array.strides = (8, 48)
    array.shape = (3, 2)
    assert array.strides == (8, 48)
    usable(array, np.array([[0, 12], [2, 14], [4, 16]], np.float32))


@pytest.mark.parametrize("order", [("dtype", "shape"), ("shape", "dtype")])
@pytest.mark.parametrize("dtype", ["c8", "f8", "i2", "u1"])
def test_dtype_of_another_size(order: tuple[str, ...], dtype: str) -> None:
    array = gpuarray.to_gpu(X.ravel().astype("i4").view("f4"))
    expected = X.ravel().astype("i4").view(dtype)
    for name in order:
        setattr(array, name, getattr(expected, name))
    assert array.dtype == expected.dtype and array.shape == expected.shape
    assert array.flags.c_contiguous
    np.testing.assert_array_equal(array.get().view("u1"), expected.view("u1"))


USES = {
    "get": lambda a: a.get(),
    "set": lambda a: a.set(np.zeros(a.shape, a.dtype)),
    "fill": lambda a: a.fill(1),
    "copy": lambda a: a.copy(),
    "operator": lambda a: a + a,
    "in place": lambda a: a.__iadd__(1),
    "function": lambda a: cumath.sin(a),
    "sum": lambda a: gpuarray.sum(a),
    "index": lambda a: a[0].get(),
    "assignment": lambda a: a.__setitem__(slice(None), 0),
    "launch": lambda a: KERNELS["launch"](a, block=(1, 1, 1)),
    "prepared": lambda a: KERNELS["launch"].prepared_call(
        (1, 1), (1, 1, 1), a
    ),
    "elementwise": lambda a: KERNELS["elementwise"](a),
    "range": lambda a: KERNELS["elementwise"](a, range=slice(0, 3, 1)),
    "reduction": lambda a: KERNELS["reduction"](a),
    "interface": lambda a: a.__cuda_array_interface__,
    "dlpack": lambda a: a.__dlpack__(),
    "repr": repr,
}
KERNELS: dict[str, Any] = {}


@pytest.fixture(scope="module", autouse=True)
def _kernels(context: Any) -> Any:
    module = SourceModule("__global__ void k(float *x) { x[0] = 1; }")
    KERNELS["launch"] = module.get_function("k").prepare("P")
    KERNELS["elementwise"] = ElementwiseKernel("float *x", "x[i] = 1")
    KERNELS["reduction"] = ReductionKernel(
        np.float32, "0", "a+b", "x[i]", "float *x"
    )
    yield
    KERNELS.clear()


def too_many(array: Any) -> None:
    array.shape = (4096,)


def too_far(array: Any) -> None:
    array.strides = (4096,)


def too_little_memory(array: Any) -> None:
    array.gpudata = drv.mem_alloc(8)


def no_memory(array: Any) -> None:
    array.gpudata = None


def other_axes(array: Any) -> None:
    array.strides = (16, 4)


def wider(array: Any) -> None:
    array.dtype = np.dtype(np.float64)


CONTRADICTIONS = {
    too_many: "16384 of an allocation of 96 bytes",
    too_far: "reach from byte 0 to byte",
    too_little_memory: "an allocation of 8 bytes",
    no_memory: "gpudata is None",
    other_axes: "strides has 2 entries, shape has 1",
    wider: "192 of an allocation of 96 bytes",
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("contradict", CONTRADICTIONS)
def test_contradictions_are_told_at_the_use(contradict: Any, use: str) -> None:
    array = gpuarray.to_gpu(X.ravel())
    memory, was = array.gpudata, (array.shape, array.strides)
    USES[use](array)  # cached calls must not hide the conflict
    contradict(array)
    # These check the dtype first.
    typed = ("elementwise", "range", "reduction")
    if contradict is not wider or use not in typed:
        with pytest.raises(ValueError, match=CONTRADICTIONS[contradict]):
            USES[use](array)
    array.dtype = np.dtype(np.float32)
    array.gpudata = memory
    array.shape, array.strides = was
    array.set(X.ravel())
    usable(array, X.ravel())


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("shape", (-1,), ValueError),
        ("shape", (2**62, 4), ValueError),
        ("shape", "x", AssertionError),
        ("shape", 1.5, AssertionError),
        ("strides", "x", AssertionError),
        ("strides", (2**63 - 1,), ValueError),
        ("dtype", "O", TypeError),
        ("dtype", "no type", TypeError),
        ("gpudata", "x", TypeError),
        ("gpudata", X, TypeError),
        ("allocator", 3, TypeError),
    ],
)
def test_wrong_values(name: str, value: Any, error: Any) -> None:
    array = gpuarray.to_gpu(X.ravel())
    with pytest.raises(error):
        setattr(array, name, value)
    usable(array, X.ravel())


def test_memory_that_is_deleted() -> None:
    array = gpuarray.to_gpu(X)
    memory = array.gpudata
    del array.gpudata
    assert array.gpudata is None
    with pytest.raises(ValueError, match="gpudata is None"):
        array.get()
    array.gpudata = memory
    usable(array, X)


class Bare(gpuarray.GPUArray):
    """An array that only has its attributes."""

    def __init__(self, shape: Any, dtype: Any, memory: Any) -> None:
        self.shape = shape
        self.dtype = np.dtype(dtype)
        self.gpudata = memory
        self.base = None
        self.allocator = drv.mem_alloc
        self._grid, self._block = (7, 1), (32, 1, 1)


def test_a_class_that_sets_its_attributes() -> None:
    whole = gpuarray.to_gpu(X)
    usable(made := Bare((6, 4), np.float32, whole.gpudata), X.reshape(6, 4))
    assert type(made + made) is Bare
    assert made._grid == (7, 1) and made._block == (32, 1, 1)


def test_all_that_are_plain_in_pycuda() -> None:
    array = gpuarray.to_gpu(X)
    for name in (
        "shape", "dtype", "strides", "size", "mem_size", "nbytes", "itemsize",
        "allocator", "gpudata", "base", "flags", "_grid", "_block",
    ):  # fmt: skip
        setattr(array, name, getattr(array, name))
    usable(array, X)
    array.allocator = None
    assert array.allocator is drv.mem_alloc
    array.flags = gpuarray.to_gpu(np.asfortranarray(X)).flags
    # The flag follows from the strides in any case.
    assert array.flags.c_contiguous
