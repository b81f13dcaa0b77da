"""
Warp a picture with a texture
=============================

A texture returns the colour between pixels: the device interpolates. The
kernel computes, for each pixel of the result, the place in the source.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

warp = SourceModule("""
__global__ void warp(cudaTextureObject_t source, float *out, int side,
                     float twist)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= side || row >= side)
        return;
    float x = 2.0f * column / side - 1, y = 2.0f * row / side - 1;
    float radius = hypotf(x, y);
    float angle = atan2f(y, x) + twist * expf(-3 * radius * radius);
    float u = radius * cosf(angle) / 2 + 0.5f;
    float v = radius * sinf(angle) / 2 + 0.5f;
    out[row * side + column] = tex2D<float>(source, u, v);
}
""").get_function("warp")

# %%
# The source is a small chessboard with a gradient. Coordinates from 0 to 1
# are independent of its size, and ``MIRROR`` continues it beyond its edges.

cells = np.indices((64, 64)).sum(0) // 1
board = ((np.indices((64, 64)) // 8).sum(0) % 2).astype(np.float32)
board = np.ascontiguousarray(board * 0.7 + cells / 127 * 0.3, np.float32)
texture = cuda.TextureObject(
    cuda.np_to_array(board, "C"),
    address_mode=cuda.address_mode.MIRROR,
    filter_mode=cuda.filter_mode.LINEAR,
    normalized_coordinates=True,
)

side = 300
out = gpuarray.empty((side, side), np.float32)
grid = ((side + 15) // 16, (side + 15) // 16)
figure, axes = plt.subplots(1, 3, figsize=(11, 4))
begin = time.perf_counter()
for axis, twist in zip(axes, (0, 2, 8), strict=True):
    warp(
        texture,
        out,
        np.int32(side),
        np.float32(twist),
        block=(16, 16, 1),
        grid=grid,
    )
    axis.imshow(out.get(), cmap="viridis")
    axis.set_title(f"twist {twist}")
    axis.axis("off")
print(f"time: {(time.perf_counter() - begin) * 1e3:.1f} ms for 3 pictures")
figure.tight_layout()
plt.show()

# %%
# Try this
# --------
#
# - ``filter_mode.POINT`` shows the pixels of the source.
# - ``address_mode.BORDER`` is black beyond the edges.
# - Replace the formula by a lens: ``radius * radius`` in place of ``radius``.
