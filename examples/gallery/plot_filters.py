"""
Image filters
=============

A median removes specks, a Gaussian smooths, Sobel's filter finds edges. The
first two show the difference between a filter that is a sum and one that
sorts.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import pycuda.autoinit
from pycuda import gpuarray
from pycuda.compiler import SourceModule

module = SourceModule("""
#define CELL(x, y) image[min(max(y, 0), side - 1) * side + \\
                         min(max(x, 0), side - 1)]
#define PIXEL int x = blockIdx.x * blockDim.x + threadIdx.x; \\
              int y = blockIdx.y * blockDim.y + threadIdx.y; \\
              if (x >= side || y >= side) return;

__global__ void median(const float *image, float *out, int side)
{
    PIXEL
    float v[9];
    for (int i = 0; i < 9; ++i)
        v[i] = CELL(x + i % 3 - 1, y + i / 3 - 1);
    for (int i = 0; i < 5; ++i)  // sort the smallest five
        for (int j = i + 1; j < 9; ++j) {
            float low = fminf(v[i], v[j]);
            v[j] = fmaxf(v[i], v[j]);
            v[i] = low;
        }
    out[y * side + x] = v[4];
}
__global__ void gauss(const float *image, float *out, int side)
{
    PIXEL
    float sum = 0, weights = 0;
    for (int dy = -4; dy <= 4; ++dy)
        for (int dx = -4; dx <= 4; ++dx) {
            float w = expf(-(dx * dx + dy * dy) / 8.0f);
            sum += w * CELL(x + dx, y + dy), weights += w;
        }
    out[y * side + x] = sum / weights;
}
__global__ void sobel(const float *image, float *out, int side)
{
    PIXEL
    float h = 0, v = 0;
    for (int d = -1; d <= 1; ++d) {
        int w = 2 - abs(d);
        h += w * (CELL(x + 1, y + d) - CELL(x - 1, y + d));
        v += w * (CELL(x + d, y + 1) - CELL(x + d, y - 1));
    }
    out[y * side + x] = hypotf(h, v);
}
""")

# %%
# The test picture has rings, a square, and specks.

side, random = 256, np.random.default_rng(3)
y, x = np.mgrid[:side, :side] / side - 0.5
image = 0.5 + 0.5 * np.cos(60 * (x * x + y * y) * 3)
image[100:156, 100:156] = 0.9
specks = random.random((side, side)) < 0.06
image[specks] = random.integers(0, 2, specks.sum())
image = gpuarray.to_gpu(image.astype(np.float32))

figure, axes = plt.subplots(1, 4, figsize=(13, 3.7))
axes[0].imshow(image.get(), cmap="gray")
axes[0].set_title("original")
begin, out = time.perf_counter(), gpuarray.empty_like(image)
launch = {"block": (16, 16, 1), "grid": (side // 16, side // 16)}
for axis, name in zip(axes[1:], ("median", "gauss", "sobel"), strict=True):
    module.get_function(name)(image, out, np.int32(side), **launch)
    axis.imshow(out.get(), cmap="gray")
    axis.set_title(name)
print(f"time: {(time.perf_counter() - begin) * 1e3:.1f} ms for 3 filters")
for axis in axes:
    axis.axis("off")
figure.tight_layout()
plt.show()

# %%
# Try this: run Sobel's filter on the result of the median.
