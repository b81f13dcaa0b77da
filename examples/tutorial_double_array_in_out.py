"""Separate input and output: `In` copies there, `Out` copies back."""

import numpy as np

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void double_array(float *input, float *output,
                             unsigned int n_elements, float factor)
{
    unsigned int idx = threadIdx.x + blockIdx.x * blockDim.x;
    if (idx < n_elements)
        output[idx] = input[idx] * factor;
}
"""


def main() -> None:
    data_size = 1 << 20
    factor = np.float32(10 * np.random.random())
    h_array = np.random.uniform(0, 50, data_size).astype(np.float32)
    results = np.empty_like(h_array)

    multiply = SourceModule(SOURCE).get_function("double_array")
    block = (128, 1, 1)
    grid = ((data_size + block[0] - 1) // block[0], 1, 1)
    multiply(
        cuda.In(h_array),
        cuda.Out(results),
        np.uint32(data_size),
        factor,
        grid=grid,
        block=block,
    )

    assert np.array_equal(results, h_array * factor), "wrong numbers"
    print(f"{data_size} elements times {factor:.4f}, into a second array")
    print("Success")


if __name__ == "__main__":
    main()
