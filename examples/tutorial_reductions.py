"""One number from a whole array: max, min, sum, dot, and of a subset."""

import numpy as np

import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.curandom import rand
from pycuda.reduction import ReductionKernel


def main() -> None:
    a_gpu = rand((50,))
    b_gpu = rand((50,))
    a, b = a_gpu.get(), b_gpu.get()

    maximum = gpuarray.max(a_gpu).get()
    dot_product = gpuarray.dot(a_gpu, b_gpu).get()
    print("max(a)    = ", maximum)
    print("dot(a, b) = ", dot_product)
    assert maximum == a.max()
    assert np.isclose(dot_product, np.dot(a, b), rtol=1e-5)
    assert gpuarray.min(a_gpu).get() == a.min()
    assert np.isclose(gpuarray.sum(a_gpu).get(), a.sum(), rtol=1e-5)

    subset = np.array([3, 1, 4, 1, 5, 9, 2, 6], np.int32)
    subset_gpu = gpuarray.to_gpu(subset)
    subset_sum = gpuarray.subset_sum(subset_gpu, a_gpu).get()
    assert np.isclose(subset_sum, a[subset].sum(), rtol=1e-5)
    assert gpuarray.subset_max(subset_gpu, a_gpu).get() == a[subset].max()

    squared_norm = ReductionKernel(
        np.float32,
        neutral="0",
        reduce_expr="a+b",
        map_expr="x[i]*x[i]",
        arguments="float *x",
        name="squared_norm",
    )
    assert np.isclose(squared_norm(a_gpu).get(), np.dot(a, a), rtol=1e-5)
    print("Success")


if __name__ == "__main__":
    main()
