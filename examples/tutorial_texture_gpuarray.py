"""A `GPUArray` bound to a one-dimensional texture reference."""

import numpy as np

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SOURCE = """
texture<float, 1> MyTexture;

__global__ void reverse(float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch(MyTexture, n - 1 - i);
}
"""


def main() -> None:
    module = SourceModule(SOURCE)
    texture = module.get_texref("MyTexture")
    reverse = module.get_function("reverse")

    x = np.random.randn(1000).astype(np.float32)
    x_gpu = gpuarray.to_gpu(x)
    x_gpu.bind_to_texref_ext(texture)

    out = np.empty_like(x)
    reverse(
        cuda.Out(out),
        np.int32(x.size),
        block=(128, 1, 1),
        grid=(8, 1),
        texrefs=[texture],
    )
    assert np.array_equal(out, x[::-1]), "wrong numbers"

    # Bound, not copied: what is written to the array is seen.
    x_gpu.fill(np.float32(7))
    reverse(
        cuda.Out(out),
        np.int32(x.size),
        block=(128, 1, 1),
        grid=(8, 1),
        texrefs=[texture],
    )
    assert np.all(out == 7), "stale numbers"
    print(f"{x.size} floats fetched through a texture")
    print("Success")


if __name__ == "__main__":
    main()
