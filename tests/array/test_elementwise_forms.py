"""ElementwiseKernels with several elements per thread."""

# SPDX-License-Identifier: MIT

from typing import Any

import numpy as np
import pytest

from pycuda import elementwise, gpuarray
from pycuda.elementwise import ElementwiseKernel

pytestmark = pytest.mark.usefixtures("context")

FROM = 2048  # elements; a block processes 1024


@pytest.fixture(autouse=True)
def _several_pay_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(elementwise, "_several_pay", lambda: True)
    monkeypatch.setattr(elementwise, "_SEVERAL_FROM", FROM)


def forms(kernel: ElementwiseKernel) -> list[bool]:
    """Record the compiled forms: with several elements per thread or one."""
    return sorted({key[-1] for key in kernel._functions})


def ramp(n: int, dtype: str) -> np.ndarray:
    return (np.arange(n) % 101).astype(dtype)


@pytest.mark.parametrize("dtype", ["u1", "f4", "f8", "c16"])
def test_all_sizes(dtype: str) -> None:
    kernel = ElementwiseKernel("T *x, T *y, T *z", "z[i] = x[i] + x[i] * y[i]")
    for n in (FROM - 1, FROM, FROM + 1, 3071, 3072, 3073, 4 * 1024, 9999):
        x, y = ramp(n, dtype), ramp(n, dtype)[::-1].copy()
        for _ in range(2):
            z = kernel(gpuarray.to_gpu(x), gpuarray.to_gpu(y), None)
            np.testing.assert_array_equal(z.get(), x + x * y)
    (bound,) = kernel._bound.values()
    assert forms(bound) == [False, True]


@pytest.mark.parametrize("sizes", [(10, 5000, 10), (5000, 10, 5000)])
def test_each_form_is_made_when_it_is_needed(
    sizes: tuple[int, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    kernel = ElementwiseKernel(
        "float a, float *x, float *y", "y[i] = a * x[i] + i"
    )

    def check(n: int) -> None:
        x = gpuarray.to_gpu(ramp(n, "f4"))
        y = gpuarray.zeros_like(x)
        kernel(2, x, y)
        np.testing.assert_array_equal(y.get(), 2 * x.get() + np.arange(n))

    for turn, n in enumerate(sizes):
        check(n)
        assert len(forms(kernel)) == min(turn + 1, 2)

    def refuse(*args: Any, **kwargs: Any) -> None:
        raise AssertionError("a call that has a plan came to Python")

    monkeypatch.setattr(ElementwiseKernel, "_call", refuse)
    for n in sizes:
        check(n)


def test_arrays_that_overlap_take_the_other_form() -> None:
    kernel = ElementwiseKernel("int *x, int *y, int *z", "z[i] = x[i] - y[i]")
    n = 4 * FROM
    base = gpuarray.to_gpu(np.arange(3 * n, dtype=np.int32))
    host = base.get()
    kernel(base[:n], base[:n], base[n : 2 * n])
    kernel(base[:n], base[1 : n + 1], base[2 * n :])
    assert forms(kernel) == [False]
    # Each array begins where the previous one ends.
    kernel(base[:n], base[n : 2 * n], base[2 * n :])
    assert forms(kernel) == [False, True]
    host[n : 2 * n] = 0
    host[2 * n :] = host[:n]
    np.testing.assert_array_equal(base.get(), host)
    for _ in range(2):  # both forms are compiled
        kernel(base[:n], base[n : 2 * n], base[:n])
        np.testing.assert_array_equal(base[:n].get(), host[:n])


def test_a_result_that_is_read_again() -> None:
    kernel = ElementwiseKernel(
        "int *x, int *y, int *z", "x[i] = z[i] + 1; y[i] = z[i]"
    )
    for size in (10, FROM):
        x = gpuarray.zeros(size, np.int32)
        kernel(x, gpuarray.empty_like(x), gpuarray.zeros_like(x))
    x = gpuarray.zeros(FROM, np.int32)
    y = gpuarray.empty_like(x)
    for turn in range(1, 3):
        kernel(x, y, x)
        assert set(x.get()) == set(y.get()) == {turn}


def test_vectors_longer_than_the_first() -> None:
    kernel = ElementwiseKernel("float *z, float *x", "z[i] = x[i]")
    base = gpuarray.to_gpu(ramp(3 * FROM, "f4"))
    for _ in range(2):  # the used part of x ends where z begins
        kernel(base[FROM : 2 * FROM], base[: 2 * FROM])
        np.testing.assert_array_equal(
            base[FROM : 2 * FROM].get(), ramp(FROM, "f4")
        )
    assert forms(kernel) == [True]


@pytest.mark.parametrize(
    ("operation", "texts"),
    [
        ("for (int k = 0; k < 3; k++) z[i] += x[i]", {}),
        ("z[i] = x[i + 1 < n ? i + 1 : i]", {}),
        ("z[i] = helper(x[i])", {"preamble": "__device__ int helper(int a)"
                                             "{ return a + 1; }"}),
        ("z[i] = x[i] + total_threads", {}),
        ("z[i] = x[i]", {"loop_prep": "int k = 0"}),
        ("z[i] = x[i]" + " + 1" * 60, {}),
    ],
)  # fmt: skip
def test_operations_that_keep_to_one(operation: str, texts: dict) -> None:
    kernel = ElementwiseKernel("int *x, int *z", operation, **texts)
    x = gpuarray.to_gpu(ramp(2 * FROM, "i4"))
    kernel(x, gpuarray.zeros_like(x))
    assert forms(kernel) == [False]


def test_layouts_keep_to_one() -> None:
    kernel = ElementwiseKernel("int *x, int *z", "z[i] = x[i]")
    x = gpuarray.to_gpu(ramp(4 * FROM, "i4"))
    z = gpuarray.zeros(2 * FROM, np.int32)
    kernel(x[::2], z)
    assert True not in forms(kernel)
    np.testing.assert_array_equal(z.get(), x.get()[::2])
