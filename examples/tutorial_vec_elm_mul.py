"""What the compiler says: `--ptxas-options=-v` becomes a `UserWarning`.

The text names the kernel and what it uses.  A kernel that comes from the
cache was compiled before and has nothing to say, so the cache is off here.
"""

import warnings

import numpy as np

import pycuda.autoinit  # noqa: F401
import pycuda.driver as drv
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void vec_elm_mul(float *dest, float *a, float *b)
{
    const int i = threadIdx.x;
    dest[i] = a[i] * b[i];
}
"""


def main() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        module = SourceModule(
            SOURCE, options=["--ptxas-options=-v"], cache_dir=False
        )
    said = [str(entry.message) for entry in caught]
    said = [text for text in said if "The CUDA compiler succeeded" in text]
    assert len(said) == 1, "the compiler said nothing"
    print(said[0])
    assert "ptxas info" in said[0] and "vec_elm_mul" in said[0]

    vec_elm_mul = module.get_function("vec_elm_mul")
    a = np.random.randn(400).astype(np.float32)
    b = np.random.randn(400).astype(np.float32)
    dest = np.zeros_like(a)
    vec_elm_mul(
        drv.Out(dest), drv.In(a), drv.In(b), block=(400, 1, 1), grid=(1, 1)
    )
    assert np.array_equal(dest, a * b), "wrong numbers"
    print("Success")


if __name__ == "__main__":
    main()
