"""The same multiplication without a kernel: a `GPUArray` times a number."""

import numpy as np

import pycuda.autoinit
import pycuda.gpuarray


def main() -> None:
    data_size = 1 << 20
    factor = 10 * np.random.random()
    h_array = np.random.uniform(0, 50, data_size).astype(np.float32)

    d_gpuarray = pycuda.gpuarray.to_gpu(h_array)
    d_results = factor * d_gpuarray
    results = d_results.get()

    assert results.dtype == np.float32
    assert np.array_equal(results, h_array * np.float32(factor))
    print(f"{data_size} elements times {factor:.4f}, as one expression")
    print("Success")


if __name__ == "__main__":
    main()
