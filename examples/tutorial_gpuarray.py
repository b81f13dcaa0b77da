"""A session with `GPUArray`: printing, arithmetic, slices, elements.

The last part hands an array's `gpudata` to a kernel of one's own.
"""

import numpy as np

import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void double_array_new(float *b, float *a, int *info)
{
    int datalen = info[0];

    for (int idx = threadIdx.x; idx < datalen; idx += blockDim.x)
    {
        b[idx] = a[idx] * 2;
    }
}
"""


def main() -> None:
    x = np.random.randn(5).astype(np.float32)
    x_gpu = gpuarray.to_gpu(x)

    print(repr(x_gpu))
    assert repr(x_gpu) == repr(x) and str(x_gpu) == str(x)

    print(repr(2 * x_gpu))
    assert np.array_equal((2 * x_gpu).get(), 2 * x)
    assert np.array_equal((x_gpu + x_gpu).get(), x + x)
    assert np.array_equal((x_gpu - 1).get(), x - 1)
    assert np.array_equal((1 / x_gpu).get(), 1 / x)
    assert len(x_gpu) == 5 and x_gpu.shape == (5,)
    assert x_gpu.dtype == np.float32 and x_gpu.nbytes == 20

    print(repr(x_gpu[0:3]))
    assert np.array_equal(x_gpu[0:3].get(), x[0:3])
    assert np.array_equal(x_gpu[::2].get(), x[::2])

    # The tutorial's PyCUDA refused this.
    print("x_gpu[1] =", x_gpu[1])
    assert x_gpu[1].get() == x[1] and x_gpu[-1].get() == x[-1]

    print("gpudata:", x_gpu.gpudata)
    double_array = SourceModule(SOURCE).get_function("double_array_new")
    y_gpu = gpuarray.zeros(5, np.float32)
    info_gpu = gpuarray.to_gpu(np.array([5]).astype(np.int32))
    double_array(
        y_gpu.gpudata,
        x_gpu.gpudata,
        info_gpu.gpudata,
        block=(32, 1, 1),
        grid=(4, 1),
    )
    assert np.array_equal(y_gpu.get(), 2 * x)
    assert np.array_equal(y_gpu.get(), (2 * x_gpu).get())
    # The array itself is an argument too.
    double_array(x_gpu, y_gpu, info_gpu, block=(32, 1, 1))
    assert np.array_equal(x_gpu.get(), 4 * x)
    print("Success")


if __name__ == "__main__":
    main()
