"""A texture reference, `texture<float, 2>`, bound to a matrix and sampled.

CUDA 12 removed texture references from the toolkit; here they work on every
CUDA version and on the CPU device.
"""

import numpy as np

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
texture<float, 2> MyTexture;

__global__ void transpose(float *out, int rows, int columns)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < columns && y < rows)
        out[x * rows + y] = tex2D(MyTexture, x + 0.5f, y + 0.5f);
}

__global__ void halfway(float *out, int columns)
{
    /* Between the texels x and x + 1 of the first row. */
    int x = threadIdx.x;
    if (x < columns - 1)
        out[x] = tex2D(MyTexture, x + 1.0f, 0.5f);
}
"""


def main() -> None:
    module = SourceModule(SOURCE)
    texture = module.get_texref("MyTexture")
    matrix = np.random.randn(33, 50).astype(np.float32)
    rows, columns = matrix.shape

    cuda.matrix_to_texref(matrix, texture, order="C")
    out = np.empty((columns, rows), np.float32)
    module.get_function("transpose")(
        cuda.Out(out),
        np.int32(rows),
        np.int32(columns),
        block=(16, 16, 1),
        grid=(4, 3),
        texrefs=[texture],
    )
    assert np.array_equal(out, matrix.T), "wrong texels"

    texture.set_filter_mode(cuda.filter_mode.LINEAR)
    between = np.empty(columns - 1, np.float32)
    module.get_function("halfway")(
        cuda.Out(between),
        np.int32(columns),
        block=(64, 1, 1),
        texrefs=[texture],
    )
    # Texture units blend with 8 bits of fraction; one half is exact in it.
    expected = (matrix[0, :-1] + matrix[0, 1:]) / 2
    assert np.allclose(between, expected, atol=1e-5)

    # Outside the matrix the nearest texel answers: mode CLAMP.
    texture.set_filter_mode(cuda.filter_mode.POINT)
    wide = np.empty((columns + 5, rows), np.float32)
    module.get_function("transpose")(
        cuda.Out(wide),
        np.int32(rows),
        np.int32(columns + 5),
        block=(16, 16, 1),
        grid=(4, 3),
        texrefs=[texture],
    )
    assert np.array_equal(wide[:columns], matrix.T)
    assert np.array_equal(wide[columns:], np.tile(matrix[:, -1], (5, 1)))
    print(f"{rows} x {columns} texels read, blended and clamped")
    print("Success")


if __name__ == "__main__":
    main()
