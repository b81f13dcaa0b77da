"""Lengths handed to a kernel in an array; blocks that share the work.

Every block does the whole array here, as in the tutorial: all of them write
the same numbers, so the result is well defined.
"""

import numpy as np

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
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
    double_array = SourceModule(SOURCE).get_function("double_array_new")

    n = 128
    a = np.arange(n).astype(np.float32)
    info = np.array([n]).astype(np.int32)
    b = np.zeros_like(a)

    a_gpu = cuda.mem_alloc(a.nbytes)
    cuda.memcpy_htod(a_gpu, a)
    b_gpu = cuda.mem_alloc(b.nbytes)
    cuda.memcpy_htod(b_gpu, b)
    info_gpu = cuda.mem_alloc(info.nbytes)
    cuda.memcpy_htod(info_gpu, info)

    double_array(b_gpu, a_gpu, info_gpu, block=(32, 1, 1), grid=(4, 1))

    a_doubled = np.empty_like(a)
    cuda.memcpy_dtoh(a_doubled, b_gpu)
    print("result:", a_doubled)

    a_gpu.free()
    b_gpu.free()
    info_gpu.free()

    assert np.array_equal(a_doubled, 2 * a), "wrong numbers"
    print("Success")


if __name__ == "__main__":
    main()
