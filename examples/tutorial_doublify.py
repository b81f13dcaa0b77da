"""Double every element of a 4 x 4 matrix: one block of 4 x 4 threads."""

import numpy as np

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void doublify(float *a)
{
    int idx = threadIdx.x + threadIdx.y*4;
    a[idx] *= 2;
}
"""


def main() -> None:
    a = np.random.randn(4, 4).astype(np.float32)
    a_gpu = cuda.mem_alloc(a.size * a.dtype.itemsize)
    cuda.memcpy_htod(a_gpu, a)

    doublify = SourceModule(SOURCE).get_function("doublify")
    doublify(a_gpu, block=(4, 4, 1))

    a_doubled = np.empty_like(a)
    cuda.memcpy_dtoh(a_doubled, a_gpu)
    print("original array:")
    print(a)
    print("doubled with kernel:")
    print(a_doubled)
    assert np.array_equal(a_doubled, 2 * a), "wrong numbers"
    print("Success")


if __name__ == "__main__":
    main()
