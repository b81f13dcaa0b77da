"""
Gray-Scott: patterns from two chemicals
=======================================

Two substances diffuse and react. From a few seeds, spots grow and divide.
Each thread updates one cell from its four neighbours.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import pycuda.autoinit
from pycuda import gpuarray
from pycuda.compiler import SourceModule

step = SourceModule("""
__device__ float spread(const float *f, int i, int left, int right, int up,
                        int down)
{
    return f[left] + f[right] + f[up] + f[down] - 4 * f[i];
}

__global__ void step(const float *u, const float *v, float *next_u,
                     float *next_v, int side, float feed, float kill)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side)
        return;
    int row = y * side, i = row + x;
    int left = row + (x + side - 1) % side, right = row + (x + 1) % side;
    int up = (y + side - 1) % side * side + x;
    int down = (y + 1) % side * side + x;
    float reaction = u[i] * v[i] * v[i];
    next_u[i] = u[i] + 0.16f * spread(u, i, left, right, up, down) -
                reaction + feed * (1 - u[i]);
    next_v[i] = v[i] + 0.08f * spread(v, i, left, right, up, down) +
                reaction - (feed + kill) * v[i];
}
""").get_function("step")

# %%
# Two pairs of arrays take turns: the kernel must not overwrite cells that
# other threads still read.

side = 192
random = np.random.default_rng(1)
u = np.ones((side, side), np.float32)
v = np.zeros((side, side), np.float32)
for x, y in random.integers(10, side - 10, (20, 2)):
    u[y - 4 : y + 4, x - 4 : x + 4] = 0.5
    v[y - 4 : y + 4, x - 4 : x + 4] = 0.25
now = [gpuarray.to_gpu(u), gpuarray.to_gpu(v)]
after = [gpuarray.empty_like(now[0]), gpuarray.empty_like(now[1])]
step.prepare("PPPPiff")
grid = ((side + 15) // 16, (side + 15) // 16)

figure, axes = plt.subplots(1, 3, figsize=(11, 4))
begin = time.perf_counter()
for axis, count in zip(axes, (300, 1500, 3000), strict=True):
    for _ in range(count):
        addresses = [a.gpudata for a in (*now, *after)]
        step.prepared_call(grid, (16, 16, 1), *addresses, side, 0.035, 0.062)
        now, after = after, now
    axis.imshow(now[1].get(), cmap="magma")
    axis.set_title(f"{count} more steps")
    axis.axis("off")
seconds = time.perf_counter() - begin
print(f"time: {seconds / 4800 * 1e6:.0f} us per step of {side} x {side} cells")
figure.tight_layout()
plt.show()

# %%
# Try this
# --------
#
# - ``feed=0.025, kill=0.06`` gives dots that divide, ``feed=0.055,
#   kill=0.062`` a labyrinth.
# - Pass ``now`` for ``after``, too: what does
#   ``PYCUDA_CPU_CHECK=race`` report?
# - Let ``feed`` change from left to right.
