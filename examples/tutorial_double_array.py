"""Multiply an array by a factor: device memory allocated and copied by hand.

Shows `mem_alloc`, `memcpy_htod`, a launch over several blocks, and
`memcpy_dtoh`.
"""

import numpy as np

import pycuda.autoinit  # noqa: F401  (makes a context)
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void double_array(float *d_a, unsigned int n_elements, float factor)
{
    unsigned int idx = threadIdx.x + blockIdx.x * blockDim.x;
    if (idx < n_elements)
        d_a[idx] *= factor;
}
"""


def main() -> None:
    data_size = 1 << 20
    factor = np.float32(10 * np.random.random())
    h_array = np.random.uniform(0, 50, data_size).astype(np.float32)

    multiply = SourceModule(SOURCE).get_function("double_array")
    d_array = cuda.mem_alloc(h_array.nbytes)
    cuda.memcpy_htod(d_array, h_array)

    block = (128, 1, 1)
    grid = ((data_size + block[0] - 1) // block[0], 1, 1)
    multiply(d_array, np.uint32(data_size), factor, grid=grid, block=block)

    results = np.empty_like(h_array)
    cuda.memcpy_dtoh(results, d_array)
    d_array.free()

    # One float multiplication is the same on every device, to the last bit.
    assert np.array_equal(results, h_array * factor), "wrong numbers"
    print(f"{data_size} elements times {factor:.4f}")
    print("Success")


if __name__ == "__main__":
    main()
