"""
Buddhabrot
==========

The points of all orbits that escape from the Mandelbrot set, counted per
pixel. Many threads count in the same pixel, so they add atomically.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import pycuda.autoinit
from pycuda import gpuarray
from pycuda.compiler import SourceModule

buddha = SourceModule("""
#include <pycuda-random/generators.h>

__global__ void buddha(unsigned *count, int side, int orbits, int limit)
{
    int id = blockIdx.x * blockDim.x + threadIdx.x;
    curandStatePhilox4_32_10_t state;
    curand_init(1, id, 0, &state);
    for (int orbit = 0; orbit < orbits; ++orbit) {
        float cx = 3 * curand_uniform(&state) - 2;
        float cy = 3 * curand_uniform(&state) - 1.5f;
        float x = 0, y = 0;
        int steps = 0;
        for (; steps < limit && x * x + y * y < 4; ++steps) {
            float t = x * x - y * y + cx;
            y = 2 * x * y + cy, x = t;
        }
        if (steps == limit)
            continue;
        x = y = 0;
        for (int step = 0; step < steps; ++step) {
            float t = x * x - y * y + cx;
            y = 2 * x * y + cy, x = t;
            int column = (y + 1.5f) / 3 * side, row = (x + 2) / 3 * side;
            if (row >= 0 && row < side && column >= 0 && column < side)
                atomicAdd(&count[row * side + column], 1);
        }
    }
}
""").get_function("buddha")

# %%
# One million starting points, for three lengths of orbits: they become the
# three colours.

side, threads, orbits = 300, 8192, 128
picture = np.zeros((side, side, 3))
begin = time.perf_counter()
for channel, limit in enumerate((400, 80, 20)):
    count = gpuarray.zeros((side, side), np.uint32)
    buddha(
        count,
        np.int32(side),
        np.int32(orbits),
        np.int32(limit),
        block=(128, 1, 1),
        grid=(threads // 128, 1),
    )
    bright = np.sqrt(count.get().astype(float))
    picture[..., channel] = bright / np.percentile(bright, 99.7)
print(f"time: {(time.perf_counter() - begin):.2f} s for 3 million orbits")

plt.figure(figsize=(7, 7))
plt.imshow(np.clip(picture, 0, 1))
plt.axis("off")
plt.tight_layout()
plt.show()

# %%
# Try this
# --------
#
# - Replace ``atomicAdd(&count[...], 1)`` by ``count[...] += 1``: how many
#   counts are lost? ``PYCUDA_CPU_CHECK=race`` shows the line.
# - More orbits make less noise.
# - The anti-Buddhabrot shows the orbits that do not escape.
