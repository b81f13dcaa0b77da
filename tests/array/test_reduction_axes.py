"""ReductionKernel over axes, compared with NumPy."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest
from layouts import both, numbers, same

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.reduction import ReductionKernel

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture(scope="module")
def squares(context):
    return ReductionKernel(
        np.int64, "0", "a+b", "(long long)x[i]*x[i]", "const int *x"
    )


@pytest.mark.parametrize("axis", [0, 1, 2, -1, (0, 2), (2, 1), (0, 1, 2), ()])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("view", ["whole", "transposed", "all reversed"])
@pytest.mark.parametrize("shape", [(3, 4, 5), (2, 70, 300), (3, 0, 2)])
def test_axes(squares, axis, keepdims, view, shape):
    host, device = both(numbers(shape, "i4"), "C", view)
    want = (host.astype(np.int64) ** 2).sum(axis=axis, keepdims=keepdims)
    same(squares(device, axis=axis, keepdims=keepdims), np.asarray(want))


def test_keepdims_alone(squares):
    host, device = both(numbers((3, 4), "i4"))
    want = (host.astype(np.int64) ** 2).sum(keepdims=True)
    same(squares(device, keepdims=True), want)


def test_two_vectors_and_a_number():
    weigh = ReductionKernel(
        np.float64, "0", "a+b", "f*x[i]*y[i]",
        "double f, const double *x, const double *y",
    )  # fmt: skip
    x, gx = both(numbers((6, 40), "f8"), "F")
    y, gy = both(numbers((6, 40), "f8", 1), "C")
    got = weigh(2.0, gx, gy, axis=1)
    np.testing.assert_allclose(got.get(), (2 * x * y).sum(1), rtol=1e-12)


def test_out_stream_and_allocator(squares):
    host, device = both(numbers((4, 50), "i4"))
    want = (host.astype(np.int64) ** 2).sum(1)
    stream = drv.Stream()
    out = gpuarray.zeros((4, 2), np.int64)
    assert squares(device, axis=1, out=out[:, 0], stream=stream) is not None
    stream.synchronize()
    same(out[:, 0], want)
    same(out[:, 1], np.zeros(4, np.int64))
    sizes = []

    def allocator(size):
        sizes.append(size)
        return drv.mem_alloc(size)

    assert squares(device, axis=1, allocator=allocator).allocator is allocator
    assert sizes == [32]


def test_refused(squares):
    device = gpuarray.to_gpu(numbers((4, 5), "i4"))
    with pytest.raises(np.exceptions.AxisError):
        squares(device, axis=2)
    with pytest.raises(ValueError, match=r"shape \(4,\)"):
        squares(device, axis=1, out=gpuarray.zeros(5, np.int64))
    two = ReductionKernel(
        np.int32, "0", "a+b", "x[i]*y[i]", "const int *x, const int *y"
    )
    with pytest.raises(ValueError, match=r"'y' has shape \(5,\)"):
        two(device, device[0], axis=0)
