"""Kernels for layouts: transpose tiles, and rows in wide words.

On the CPU device each test also runs the kernels for GPUs.
"""

# SPDX-License-Identifier: MIT

import itertools

import numpy as np
import pytest
from layouts import both, numbers

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda._kernels import building, maps

pytestmark = pytest.mark.usefixtures("context")

DTYPES = ["u1", "i2", "f4", "f8", "c16"]


@pytest.fixture(params=["this device's kernels", "a GPU's kernels"])
def made(request, monkeypatch):
    """Record the layouts and inner loops of a test's kernels."""
    if request.param == "a GPU's kernels":
        monkeypatch.setattr(building, "runs_threads_in_turn", lambda: False)
    context = drv.Context.get_device().make_context()
    found = []
    original = maps.Map.make

    def make(kernel):
        found.append((kernel.layout, kernel.inner))
        return original(kernel)

    monkeypatch.setattr(maps.Map, "make", make)
    yield found
    context.pop()
    context.detach()


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(100, 70), (64, 128), (3, 40, 50),
                                   (20, 3, 33)], ids=str)  # fmt: skip
def test_transposes(made, shape, dtype):
    host, device = both(numbers(shape, dtype))
    for order in itertools.permutations(range(len(shape))):
        turned = host.transpose(order)
        out = gpuarray.empty(turned.shape, dtype)
        out[...] = device.transpose(order)
        assert (out.get() == turned).all()
        out[...] = device.transpose(order)[..., ::-1]
        assert (out.get() == turned[..., ::-1]).all()
        out[::-1] = device.transpose(order)
        assert (out.get() == turned[::-1]).all()
    assert "small_tiles" in {layout for layout, _ in made}


@pytest.mark.parametrize("dtype", ["u1", "f4", "f8"])
def test_transposes_of_many_elements(made, dtype):
    shape = (1030, 1025)
    host, device = both(numbers(shape, dtype))
    out = gpuarray.empty(shape[::-1], dtype)
    out[...] = device.T
    assert (out.get() == host.T).all()
    assert {layout for layout, _ in made} == {"tiles"}
    out[:1000] = device[:, :1000].T
    assert (out.get() == host.T).all()
    assert {layout for layout, _ in made} == {"tiles", "small_tiles"}


@pytest.mark.sweep(most=5)
@pytest.mark.parametrize("dtype", DTYPES)
def test_transposes_in_expressions(made, dtype):
    host, device = both(numbers((90, 90), dtype))
    row, column = device[3], device[:, 5:6]
    assert ((device + device.T).get() == host + host.T).all()
    assert ((device.T + device * 2).get() == host.T + host * 2).all()
    assert ((device + row).get() == host + host[3]).all()
    assert ((device.T + column).get() == host.T + host[:, 5:6]).all()
    out = gpuarray.zeros((90, 90), dtype)
    out += device.T
    out += device.T + column
    expected = host.T + (host.T + host[:, 5:6])
    assert (out.get() == expected.astype(dtype)).all()
    if np.dtype(dtype).kind == "f":
        got = gpuarray.where(device > 0, device, column.T).get()
        assert (got == np.where(host > 0, host, host[:, 5:6].T)).all()
    assert ("small_tiles", (1, 1, 3)) in made


@pytest.mark.sweep(most=5)
@pytest.mark.parametrize("dtype", DTYPES)
def test_rows(made, dtype):
    host, device = both(numbers((40, 1200), dtype))
    for part in (np.s_[:, :400], np.s_[:, 16:515], np.s_[:, 3:777],
                 np.s_[::2, 16:900], np.s_[:, ::2]):  # fmt: skip
        a, b = host[part], device[part]
        assert ((b + b).get() == a + a).all()
        assert ((b + b[:1]).get() == a + a[:1]).all()
        assert ((b + b[:, 5:6]).get() == a + a[:, 5:6]).all()
    layouts = {layout for layout, _ in made}
    assert {"packs", "rows"} <= layouts


def test_axes_that_are_walked_evenly_are_one(made):
    """Reversed or permuted axes with uniform strides need only a flat loop."""
    host, device = both(numbers((2, 3, 4, 5), "i4"))
    back = device[::-1, ::-1, ::-1, ::-1]
    back += back
    turned = device.transpose(2, 0, 3, 1)
    turned *= 3
    single = device.reshape(1, 2, 1, 3, 20)
    single -= 1
    assert (device.get() == 6 * host - 1).all()
    assert {layout for layout, _ in made} == {"contiguous"}
