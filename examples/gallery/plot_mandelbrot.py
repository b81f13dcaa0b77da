"""
Zoom into the Mandelbrot set
============================

Each thread iterates z*z + c for one pixel, until z escapes. Threads of one
block take very different numbers of steps, and need no data from each other.
"""

# %%
# The kernel computes in double, because the last picture is 1e-4 wide.

import time

import matplotlib.pyplot as plt
import numpy as np

import pycuda.autoinit
from pycuda import gpuarray
from pycuda.compiler import SourceModule

mandelbrot = SourceModule("""
__global__ void mandelbrot(float *out, int side, double cx, double cy,
                           double width, int limit)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= side || row >= side)
        return;
    double x0 = cx + width * (column - side / 2) / side;
    double y0 = cy + width * (row - side / 2) / side;
    double x = 0, y = 0;
    int step = 0;
    while (step < limit && x * x + y * y < 100) {
        double t = x * x - y * y + x0;
        y = 2 * x * y + y0;
        x = t;
        ++step;
    }
    // A fraction of a step, so that the colours have no edges.
    float fine = step - log2f(logf(x * x + y * y) / 2 / logf(10.0f));
    out[row * side + column] = step < limit ? fine : 0;
}
""").get_function("mandelbrot")

# %%
# Four pictures of the same point, each 30 times as wide as the next one.

side = 300
picture = gpuarray.empty((side, side), np.float32)
figure, axes = plt.subplots(2, 2, figsize=(8, 8))
begin = time.perf_counter()
for axis, width in zip(axes.flat, (3.0, 0.1, 3e-3, 1e-4), strict=True):
    mandelbrot(
        picture,
        np.int32(side),
        np.float64(-0.743643887),
        np.float64(0.131825904),
        np.float64(width),
        np.int32(1000),
        block=(16, 16, 1),
        grid=((side + 15) // 16, (side + 15) // 16),
    )
    axis.imshow(np.log(1 + picture.get()), cmap="inferno")
    axis.set_title(f"width {width:g}")
    axis.axis("off")
print(f"time: {(time.perf_counter() - begin) * 1e3:.1f} ms for 4 pictures")
figure.tight_layout()
plt.show()

# %%
# Try this
# --------
#
# - Replace ``double`` by ``float``: where do the pixels become blocks?
# - Change z*z + c to z*z*z + c.
# - Raise the limit to 10,000: which of the four pictures changes?
