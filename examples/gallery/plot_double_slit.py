"""
A wave behind a double slit
===========================

The wave equation on a grid: a new value comes from the two before it and the
four neighbours. A wall with two slits makes the interference pattern that
shows the wave nature of light.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import pycuda.autoinit
from pycuda import gpuarray
from pycuda.compiler import SourceModule

wave = SourceModule("""
__global__ void wave(const float *now, float *before, const float *wall,
                     int width, int height, float source)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    int i = y * width + x;
    float curve = now[i - 1] + now[i + 1] + now[i - width] +
                  now[i + width] - 4 * now[i];
    // The array before receives the values after: each is read once.
    float after = 2 * now[i] - before[i] + 0.25f * curve;
    before[i] = x == 2 ? source : wall[i] * after;
}
""").get_function("wave")

# %%
# ``wall`` is 1 in free space, 0 in the wall, and slightly below 1 near the
# edges, where it swallows the wave.

width, height = 400, 300
wall = np.ones((height, width), np.float32)
edge = np.minimum(np.arange(height), np.arange(height)[::-1])
wall *= np.clip(0.93 + 0.07 * edge / 25, 0, 1)[:, None]
wall *= np.clip(0.93 + 0.07 * np.arange(width)[::-1] / 25, 0, 1)
wall[:, 98:102] = 0
for slit in (120, 180):
    wall[slit - 6 : slit + 6, 98:102] = 1
wall = gpuarray.to_gpu(wall.astype(np.float32))
now = gpuarray.zeros((height, width), np.float32)
before = gpuarray.zeros_like(now)
brightness = gpuarray.zeros_like(now)
wave.prepare("PPPiif")
grid = ((width + 15) // 16, (height + 15) // 16)

begin = time.perf_counter()
for step in range(1400):
    source = float(np.sin(step * 0.3))
    wave.prepared_call(
        grid,
        (16, 16, 1),
        now.gpudata,
        before.gpudata,
        wall.gpudata,
        width,
        height,
        source,
    )
    now, before = before, now
    if step > 900:
        brightness += now * now
picture, screen = now.get(), brightness.get()[:, -40]
seconds = time.perf_counter() - begin
print(f"time: {seconds / 1400 * 1e6:.0f} us per step")

figure, axes = plt.subplots(1, 2, figsize=(10, 4.5), width_ratios=(3, 1))
axes[0].imshow(picture, cmap="RdBu", vmin=-0.6, vmax=0.6)
axes[0].axis("off")
axes[1].plot(screen, np.arange(height)[::-1])
axes[1].set(title="brightness at the screen", xticks=[], yticks=[])
figure.tight_layout()
plt.show()

# %%
# Try this: close a slit; bring the slits together; add a third one.
