"""Arrays of foreign byte order.

They can be stored, moved and filled from the host; kernels neither compute
with them nor write results to them.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

from pycuda import cumath, curandom, gpuarray

pytestmark = pytest.mark.usefixtures("context")

DTYPE = np.dtype("f4").newbyteorder()
INTEGER = np.dtype("i4").newbyteorder()


def other():
    return gpuarray.to_gpu(np.arange(4).astype(DTYPE))


def ones():
    return gpuarray.ones(4, np.float32)


def mask():
    return gpuarray.to_gpu(np.array([True, False, True, True]))


@pytest.mark.parametrize(
    "write",
    [
        lambda: ones().astype(DTYPE),
        lambda: gpuarray.arange(3, dtype=INTEGER),
        lambda: gpuarray.arange(0, 3, dtype=INTEGER, stream=None),
        lambda: gpuarray.linspace(0, 1, 3, dtype=DTYPE),
        lambda: gpuarray.eye(3, dtype=DTYPE),
        lambda: gpuarray.asarray(ones(), dtype=DTYPE),
        lambda: gpuarray.full((4,), ones()[0], dtype=DTYPE),
        lambda: gpuarray.sum(ones(), dtype=DTYPE),
        lambda: gpuarray.sum(ones().reshape(2, 2), axis=0, dtype=DTYPE),
        lambda: gpuarray.mean(ones(), dtype=DTYPE),
        lambda: gpuarray.cumsum(ones(), dtype=DTYPE),
        lambda: gpuarray.concatenate([ones(), ones()], dtype=DTYPE),
        lambda: other().__setitem__(0, ones()[0]),
        lambda: other().__setitem__([1, 2], ones()[:2]),
        lambda: other().__setitem__(mask(), ones()[:3]),
        lambda: other().__setitem__(..., ones()),
        lambda: other().fill(ones()[0]),
        lambda: gpuarray.add(ones(), ones(), out=other()),
        lambda: gpuarray.maximum(ones(), ones(), out=other()),
        lambda: gpuarray.where(mask(), ones(), ones(), out=other()),
        lambda: gpuarray.sum(ones(), out=gpuarray.zeros((), DTYPE)),
        lambda: gpuarray.cumsum(ones(), out=other()),
        lambda: gpuarray.concatenate([ones()], out=other()),
        lambda: cumath.sin(ones(), out=other()),
        lambda: cumath.floor(ones(), out=other()),
    ],
)
def test_no_results(write):
    with pytest.raises(TypeError, match="byte order is not the machine's"):
        write()


def test_no_draws():
    draw = curandom.PhiloxRandomNumberGenerator(1)
    with pytest.raises(TypeError, match="no numbers of"):
        draw.random(3, DTYPE)
    with pytest.raises(TypeError, match="no numbers of"):
        draw.integers(0, 5, 3, INTEGER)
    with pytest.raises(NotImplementedError, match="no uniform numbers of"):
        draw.fill_uniform(other())


def test_what_is_moved_keeps_its_bytes():
    host = np.arange(4).astype(DTYPE)
    device = gpuarray.to_gpu(host)
    device[0] = 7
    device[[1, 2]] = [8, 9]
    device[mask()] = gpuarray.to_gpu(np.array([5, 6, 4], DTYPE))
    device[0:2] = device[2:]
    assert device.get().tolist() == [6, 4, 6, 4]
    assert device.copy().get().dtype == DTYPE
    assert device[[3, 0]].get().tolist() == [4, 6]
    device.fill(2.5)
    assert device.get().tolist() == [2.5] * 4
    assert gpuarray.ones(2, INTEGER).get().tolist() == [1, 1]
    assert gpuarray.zeros(2, INTEGER).get().tolist() == [0, 0]
