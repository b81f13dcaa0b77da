"""A function of one's own for each element: `ElementwiseKernel`."""

import numpy as np

import pycuda.autoinit
import pycuda.gpuarray
from pycuda.curandom import rand
from pycuda.elementwise import ElementwiseKernel


def main() -> None:
    a_gpu = rand((50,))
    b_gpu = rand((50,))

    linear_combination = ElementwiseKernel(
        "float a, float *x, float b, float *y, float *z",
        "z[i] = a*x[i] + b*y[i]",
        "linear_combination",
    )
    c_gpu = pycuda.gpuarray.empty_like(a_gpu)
    linear_combination(5, a_gpu, 6, b_gpu, c_gpu)

    a, b, c = a_gpu.get(), b_gpu.get(), c_gpu.get()
    print(c)
    assert a.dtype == np.float32 and a.min() >= 0 and a.max() <= 1
    assert np.unique(a).size > 40, "rand repeats itself"
    assert np.allclose(c, 5 * a + 6 * b, rtol=1e-6), "wrong numbers"
    print("Success")


if __name__ == "__main__":
    main()
