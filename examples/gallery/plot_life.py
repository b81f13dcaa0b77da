"""
Conway's Game of Life
=====================

A cell lives on with two or three living neighbours, and is born with three.
The board is a torus. A single shape of five cells, the R-pentomino, keeps the
board busy for a thousand generations.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import pycuda.autoinit
from pycuda import gpuarray
from pycuda.compiler import SourceModule

life = SourceModule("""
__global__ void life(const unsigned char *now, unsigned char *next,
                     unsigned short *age, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side)
        return;
    int around = 0;
    for (int dy = side - 1; dy <= side + 1; ++dy)
        for (int dx = side - 1; dx <= side + 1; ++dx)
            around += now[(y + dy) % side * side + (x + dx) % side];
    int i = y * side + x;
    around -= now[i];
    next[i] = around == 3 || (around == 2 && now[i]);
    age[i] = next[i] ? 0 : min(age[i] + 1, 1000);
}
""").get_function("life")

# %%
# ``age`` counts the generations since a cell was alive, for the picture.

side = 160
board = np.zeros((side, side), np.uint8)
board[79:82, 79:82] = [[0, 1, 1], [1, 1, 0], [0, 1, 0]]
now, after = gpuarray.to_gpu(board), gpuarray.zeros((side, side), np.uint8)
age = gpuarray.full((side, side), 1000, np.uint16)
life.prepare("PPPi")

figure, axes = plt.subplots(1, 3, figsize=(11, 4))
begin, generation = time.perf_counter(), 0
for axis, count in zip(axes, (100, 300, 700), strict=True):
    for _ in range(count):
        life.prepared_call(
            (side // 16, side // 16),
            (16, 16, 1),
            now.gpudata,
            after.gpudata,
            age.gpudata,
            side,
        )
        now, after = after, now
    generation += count
    axis.imshow(np.exp(age.get() / -40.0), cmap="cividis")
    axis.set_title(f"generation {generation}: {int(now.sum())} cells")
    axis.axis("off")
seconds = time.perf_counter() - begin
print(f"time: {seconds / 1100 * 1e6:.0f} us per generation")
figure.tight_layout()
plt.show()

# %%
# Try this
# --------
#
# - Start from noise: ``np.random.randint(0, 2, (side, side))``.
# - HighLife: a cell with six neighbours is born, too.
# - Read the cells of a block and their border into ``__shared__`` memory
#   first.
