"""The same multiplication, with `InOut` doing allocation and both copies."""

import numpy as np

import pycuda.autoinit  # noqa: F401
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
    original = h_array.copy()

    multiply = SourceModule(SOURCE).get_function("double_array")
    block = (128, 1, 1)
    grid = ((data_size + block[0] - 1) // block[0], 1, 1)
    multiply(
        cuda.InOut(h_array),
        np.uint32(data_size),
        factor,
        grid=grid,
        block=block,
    )

    assert np.array_equal(h_array, original * factor), "wrong numbers"
    print(f"{data_size} elements times {factor:.4f}, in place")
    print("Success")


if __name__ == "__main__":
    main()
