"""
Newton's fractal
================

Newton's method finds a root of z\\ :sup:`3` = 1 from almost every starting
point, but neighbouring points may end at different roots. Each thread follows
one starting point.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import pycuda.autoinit
from pycuda import gpuarray
from pycuda.compiler import SourceModule

newton = SourceModule("""
#include <pycuda-complex.hpp>
typedef pycuda::complex<float> complex;

__global__ void newton(float *root, float *steps, int side)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column >= side || row >= side)
        return;
    complex z(4.0f * column / side - 2 + 1e-6f, 4.0f * row / side - 2);
    int step = 0;
    for (; step < 40; ++step) {
        complex change = (z * z * z - 1.0f) / (3.0f * z * z);
        z -= change;
        if (norm(change) < 1e-10f)
            break;
    }
    root[row * side + column] = arg(z);
    steps[row * side + column] = step;
}
""").get_function("newton")

# %%
# The colour says which root was found, the brightness how fast.

side = 500
root = gpuarray.empty((side, side), np.float32)
steps = gpuarray.empty((side, side), np.float32)
grid = ((side + 15) // 16, (side + 15) // 16)
begin = time.perf_counter()
newton(root, steps, np.int32(side), block=(16, 16, 1), grid=grid)
hue, speed = root.get(), steps.get()
print(f"time: {(time.perf_counter() - begin) * 1e3:.1f} ms")

colours = plt.get_cmap("hsv")((hue + np.pi) / (2 * np.pi))[..., :3]
picture = colours * np.clip(1.1 - speed / 20, 0, 1)[..., None]
plt.figure(figsize=(7, 7))
plt.imshow(picture)
plt.axis("off")
plt.tight_layout()
plt.show()

# %%
# Try this
# --------
#
# - Take another equation: z\ :sup:`5` = 1, or z\ :sup:`3` - 2z + 2 = 0, which
#   has starting points that never end.
# - Multiply ``change`` by 1.5: is the method faster?
# - Count with NumPy how many pixels end at each root.
