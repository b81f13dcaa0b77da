"""
The Ising model: a magnet at its critical temperature
=====================================================

Spins point up or down, and prefer the direction of their neighbours; heat
turns them at random. Black and white cells of a chessboard take turns, so
that no thread reads a spin that another one changes.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import pycuda.autoinit
from pycuda import curandom, gpuarray
from pycuda.compiler import SourceModule

sweep = SourceModule("""
__global__ void sweep(signed char *spin, const float *random, int side,
                      int colour, float beta)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side || (x + y) % 2 != colour)
        return;
    int row = y * side, i = row + x;
    int around = spin[row + (x + 1) % side] +
                 spin[row + (x + side - 1) % side] +
                 spin[(y + 1) % side * side + x] +
                 spin[(y + side - 1) % side * side + x];
    if (random[i] < expf(-2 * beta * spin[i] * around))
        spin[i] = -spin[i];
}
""").get_function("sweep")

# %%
# Three temperatures: below, at and above the critical one, 2.269.

side, sweeps = 256, 200
generator = curandom.PhiloxRandomNumberGenerator(7)
random = gpuarray.empty((side, side), np.float32)
grid = (side // 16, side // 16)
sweep.prepare("PPiif")

figure, axes = plt.subplots(1, 3, figsize=(11, 4))
begin = time.perf_counter()
for axis, temperature in zip(axes, (1.8, 2.269, 3.0), strict=True):
    spin = gpuarray.where(generator.random((side, side)) < 0.6, 1, -1)
    spin = spin.astype(np.int8)
    for _ in range(sweeps):
        generator.random(out=random, dtype=np.float32)
        for colour in (0, 1):
            sweep.prepared_call(
                grid,
                (16, 16, 1),
                spin.gpudata,
                random.gpudata,
                side,
                colour,
                1 / temperature,
            )
    host = spin.get()
    axis.imshow(host, cmap="gray", interpolation="nearest")
    axis.set_title(f"T = {temperature}: magnetisation {host.mean():+.2f}")
    axis.axis("off")
seconds = time.perf_counter() - begin
print(f"time: {seconds / 3 / sweeps * 1e6:.0f} us per sweep")
figure.tight_layout()
plt.show()

# %%
# Try this
# --------
#
# - Plot the magnetisation over the temperature: where does it vanish?
# - Remove the chessboard (all cells at once): what does
#   ``PYCUDA_CPU_CHECK=race`` say, and does the picture change?
# - Add a field: ``- beta * h * spin[i]`` in the exponent.
