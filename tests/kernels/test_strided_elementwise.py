"""ElementwiseKernels on arrays of any strides: results equal NumPy's."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from pycuda import elementwise, gpuarray
from pycuda._kernels import elementwise_modules, strided_elementwise
from pycuda._kernels.calls import spread
from pycuda.elementwise import ElementwiseKernel

pytestmark = pytest.mark.usefixtures("context")

View = Callable[[Any], Any]

VIEWS: dict[str, tuple[tuple[int, ...], View]] = {
    "columns": ((70, 90), lambda a: a[:, 3:80]),
    "few columns": ((300, 9), lambda a: a[:, 2:5]),
    "one column": ((700, 5), lambda a: a[:, 2]),
    "column steps": ((40, 200), lambda a: a[:, ::2]),
    "transposed": ((50, 120), lambda a: a.T),
    "transposed part": ((50, 120), lambda a: a[3:49, 1:100].T),
    "step 2": ((9001,), lambda a: a[::2]),
    "step 3": ((9001,), lambda a: a[1::3]),
    "reversed": ((5003,), lambda a: a[::-1]),
    "reversed rows": ((70, 90), lambda a: a[::-1]),
    "reversed columns": ((70, 90), lambda a: a[:, ::-1]),
    "reversed by 3": ((70, 90), lambda a: a[::-2, 80:4:-3]),
    "3-D": ((7, 30, 80), lambda a: a[:, ::2, 5:75]),
    "3-D turned": ((7, 30, 80), lambda a: a.transpose(2, 0, 1)),
    "3-D tiles": ((5, 40, 50), lambda a: a.transpose(0, 2, 1)),
    "4-D": ((3, 5, 20, 19), lambda a: a[:, 1:4, ::3, ::-1]),
    "one element": ((9, 9), lambda a: a[4:5, 4:5]),
}
# Name -> operation, its result in terms of x and the index i.
OPERATIONS: dict[str, tuple[str, Callable[[Any, Any], Any]]] = {
    "plain": ("z[i] = 3 * x[i] + 1", lambda x, i: 3 * x + 1),
    "index": ("z[i] = x[i] - (int)(i % 1000)", lambda x, i: x - i % 1000),
    "pointer": ("size_t k = i; z[k] = x[k] + 1", lambda x, i: x + 1),
    "loop": (
        "if (x[i] % 2) continue; z[i] = x[i]",
        lambda x, i: np.where(x % 2, -7, x),
    ),
    "guarded": (
        "if (x[i] % 2 == 0) z[i] = x[i]",
        lambda x, i: np.where(x % 2, -7, x),
    ),
}


@pytest.fixture(params=["device", "parallel", "wide"])
def form(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[str]:
    """Run the kernels of this device, those of GPUs, those of huge arrays."""
    if request.param == "parallel":
        monkeypatch.setattr(elementwise, "_in_turn", lambda: False)
    if request.param == "wide":
        monkeypatch.setattr(elementwise_modules, "_WIDE", 0)
        monkeypatch.setattr(strided_elementwise, "_GRID_LIMIT", 0)
        strided_elementwise.plan.cache_clear()
        elementwise_modules._layout.cache_clear()
    yield request.param
    if request.param == "wide":
        strided_elementwise.plan.cache_clear()
        elementwise_modules._layout.cache_clear()


def index_of(shape: tuple[int, ...]) -> np.ndarray:
    return np.arange(np.prod(shape)).reshape(shape)


def filled(shape: tuple[int, ...], seed: int = 1) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.integers(0, 1000, shape).astype(np.int32)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.usefixtures("form")
def test_views(operation: str) -> None:
    text, expected = OPERATIONS[operation]
    kernel = ElementwiseKernel("int *x, int *z", text)
    for name, (shape, view) in VIEWS.items():
        host = filled(shape)
        x = view(gpuarray.to_gpu(host))
        want = expected(view(host), index_of(x.shape))
        z = gpuarray.empty(x.shape, np.int32).fill(-7)
        kernel(x, z)
        np.testing.assert_array_equal(z.get(), want, f"{name}, read")
        # The view is written, and nothing around it.
        target = gpuarray.empty(shape, np.int32).fill(-7)
        around = np.full(shape, -7, np.int32)
        view(around)[...] = want
        kernel(gpuarray.to_gpu(np.ascontiguousarray(view(host))), view(target))
        np.testing.assert_array_equal(target.get(), around, f"{name}, written")


def random_view(random: np.random.Generator) -> tuple[Any, ...]:
    """Return a shape, an index and a permutation of axes."""
    ndim = int(random.integers(1, 5))
    longest = {1: 6000, 2: 150, 3: 40, 4: 14}[ndim]
    shape = tuple(int(n) for n in random.integers(1, longest, ndim))
    index = []
    for n in shape:
        begin, end = sorted(int(k) for k in random.integers(0, n + 1, 2))
        if begin == end:
            begin, end = 0, n
        part = slice(begin, end, int(random.integers(1, 4)))
        if random.random() < 0.3:
            part = slice(end - 1, begin - 1 if begin else None, -part.step)
        index.append(part)
    return shape, tuple(index), tuple(random.permutation(ndim).tolist())


@pytest.mark.usefixtures("form")
def test_random_layouts() -> None:
    """Three vectors, each with its own strides, some of them broadcast."""
    kernel = ElementwiseKernel(
        "int *x, int *y, int a, int *z", "z[i] = a * x[i] - y[i]"
    )
    counting = ElementwiseKernel(
        "int *x, int *y, int a, int *z", "z[i] = a * x[i] - y[i] + (int)i"
    )
    random = np.random.default_rng(7)
    for _ in range(20):
        shape, index, axes = random_view(random)
        hosts, arrays = [], []
        for seed in (1, 2):
            host = filled(shape, seed)
            hosts.append(host[index].transpose(axes))
            arrays.append(gpuarray.to_gpu(host)[index].transpose(axes))
        inner = hosts[0].shape
        if random.random() < 0.4:
            # one row for all, by stride 0
            row = filled(inner[-1:], 3)
            hosts[1] = np.broadcast_to(row, inner)
            arrays[1] = spread(gpuarray.to_gpu(row), inner)
        if random.random() < 0.5:
            # another order of the axes in memory
            order = random.permutation(len(inner))
            hosts[0] = filled(tuple(np.array(inner)[order])).transpose(
                np.argsort(order)
            )
            arrays[0] = gpuarray.to_gpu(
                np.ascontiguousarray(hosts[0].transpose(order))
            ).transpose(tuple(int(k) for k in np.argsort(order)))
        for which, extra in ((kernel, 0), (counting, index_of(inner))):
            target = gpuarray.zeros(shape, np.int32)
            which(*arrays, 5, target[index].transpose(axes))
            want = np.zeros(shape, np.int32)
            want[index].transpose(axes)[...] = 5 * hosts[0] - hosts[1] + extra
            np.testing.assert_array_equal(
                target.get(), want, f"{shape} {index} {axes}"
            )


@pytest.mark.usefixtures("form")
def test_shapes_that_differ() -> None:
    """Arrays of other shapes have the same index in C order."""
    kernel = ElementwiseKernel("int *x, int *y, int *z", "z[i] = x[i] - y[i]")
    x, y = filled((60, 70), 1), filled((35, 240), 2)
    device = gpuarray.to_gpu(x)[:, ::2], gpuarray.to_gpu(y)[:, 180:]
    hosts = x[:, ::2], y[:, 180:]
    z = gpuarray.zeros(2100, np.int32)
    kernel(*device, z)
    want = hosts[0].reshape(-1) - hosts[1].reshape(-1)
    np.testing.assert_array_equal(z.get(), want)
    # only one has strides; the others are taken in its shape
    z = gpuarray.zeros((7, 300), np.int32)
    kernel(device[0], gpuarray.to_gpu(want), z)
    np.testing.assert_array_equal(
        z.get().reshape(-1), hosts[0].reshape(-1) - want
    )
    # a longer array is used as far as the first one reaches
    kernel(device[0], gpuarray.to_gpu(np.arange(5000, dtype=np.int32)), z)
    np.testing.assert_array_equal(
        z.get().reshape(-1), hosts[0].reshape(-1) - np.arange(2100)
    )


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8", "c16"])
@pytest.mark.usefixtures("form")
def test_dtypes(dtype: str) -> None:
    kernel = ElementwiseKernel("T *x, T *z", "z[i] = x[i] + x[i]")
    host = (filled((70, 90)) % 50).astype(dtype)
    x = gpuarray.to_gpu(host)
    for view in (lambda a: a[:, 1:], lambda a: a.T, lambda a: a[:, ::-2]):
        z = kernel(view(x), None)
        np.testing.assert_array_equal(z.get(), view(host) + view(host))
        z = gpuarray.zeros(view(host).shape, dtype)
        kernel(view(x), z)
        np.testing.assert_array_equal(z.get(), view(host) + view(host))


@pytest.mark.usefixtures("form")
def test_range_and_slice_of_views() -> None:
    kernel = ElementwiseKernel("int *x, int *z", "z[i] = x[i] + 1")
    host = filled((30, 50))
    for part in (slice(3, 900, 7), slice(900, 3, -11)):
        z = gpuarray.zeros(30 * 25, np.int32)
        kernel(gpuarray.to_gpu(host)[:, ::2], z, slice=part)
        want = np.zeros(750, np.int32)
        want[part] = host[:, ::2].reshape(-1)[part] + 1
        np.testing.assert_array_equal(z.get(), want)


def test_scalars_atomics_and_names_of_the_program() -> None:
    count = gpuarray.zeros((1, 4), np.int32)
    kernel = ElementwiseKernel(
        "double offset, int *x, short s, float *z",
        "int row = x[i], start = s; z[i] = row + start + offset; "
        "float &same = z[i]; same += 1; z[i] += n == 35 * 20",
    )
    host = filled((35, 40))
    z = gpuarray.zeros((35, 20), np.float32)
    kernel(0.5, gpuarray.to_gpu(host)[:, ::2], 3, z)
    np.testing.assert_array_equal(z.get(), host[:, ::2] + np.float32(5.5))
    adds = ElementwiseKernel("int *x, int *c", "atomicAdd(&c[i], x[i])")
    for _ in range(3):
        adds(gpuarray.to_gpu(host)[:1, :8:2], count)
    np.testing.assert_array_equal(count.get(), 3 * host[:1, :8:2])


def test_division_of_indices() -> None:
    random = np.random.default_rng(3)
    lengths = [2, 3, 4, 5, 7, 641, 2**16 - 1, 2**16, 2**30 + 1, 2**31 - 1]
    lengths += random.integers(2, 2**31, 200).tolist()
    values = [0, 1, 2**31 - 1, *random.integers(0, 2**31, 50).tolist()]
    for length in lengths:
        factor, shift = elementwise_modules.division(length)
        assert factor < 1 << 32
        near = [k * length - d for k in (1, 2, 3) for d in (0, 1)]
        for value in values + [v for v in near if v < 1 << 31]:
            assert ((value * factor) >> 32) >> shift == value // length


def test_contiguous_arrays_keep_their_kernel() -> None:
    """No layout is computed, and the source has no strides."""
    kernel = ElementwiseKernel("int *x, int *z", "z[i] = x[i]")
    x = gpuarray.to_gpu(filled((40, 40)))
    kernel(x, gpuarray.zeros_like(x))
    kernel(x.T, gpuarray.zeros_like(x).T)
    ((_, use_range, layout, several),) = kernel._functions
    assert (use_range, layout, several) == (False, (), False)


CHECKED = """
import numpy as np
import pycuda.autoinit
from pycuda import gpuarray
from pycuda.elementwise import ElementwiseKernel

twice = ElementwiseKernel("float *x, float *z", "z[i] = 2 * x[i]")
some = ElementwiseKernel(
    "float *x, int *m, float *z", "if (m[i]) z[i] = x[i]; else z[i] = -1"
)
x = gpuarray.to_gpu(np.ones((60, 70), np.float32))
z = gpuarray.zeros((70, 60), np.float32)
twice(x.T, z)
twice(x[::-1, ::2], z.T[:, ::2])
# Half of the elements are not initialised, and the operation skips them.
half = gpuarray.empty((60, 70), np.float32)
half[:30] = 5
mask = gpuarray.zeros((70, 60), np.int32)
mask[:, :30] = 1
some(half.T, mask, z)
assert (z.get() == np.where(mask.get(), 5, -1)).all()
"""


@pytest.mark.cpu
def test_no_reports_under_checks() -> None:
    """Elements that the operation does not use are not read."""
    done = subprocess.run(
        [sys.executable, "-P", "-c", CHECKED],
        env={
            **os.environ,
            "PYCUDA_DEVICE": "cpu",
            "PYCUDA_CPU_CHECK": "memory,race,sync,init",
        },
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0 and not done.stderr, done.stderr
