"""
A stable fluid
==============

Ink in a fluid, after Stam's method: each step carries the velocity and the
ink backwards along the flow, and then removes the divergence, so that the
fluid keeps its volume.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import pycuda.autoinit
from pycuda import gpuarray
from pycuda.compiler import SourceModule

module = SourceModule("""
#define AT(x, y) ((y + N) % N * N + (x + N) % N)
#define CELL int x = blockIdx.x * 16 + threadIdx.x; \\
             int y = blockIdx.y * 16 + threadIdx.y; int i = y * N + x;

__device__ float between(const float *f, float x, float y)
{
    int x0 = floorf(x), y0 = floorf(y);
    float s = x - x0, t = y - y0;
    return (1 - t) * ((1 - s) * f[AT(x0, y0)] + s * f[AT(x0 + 1, y0)]) +
           t * ((1 - s) * f[AT(x0, y0 + 1)] + s * f[AT(x0 + 1, y0 + 1)]);
}
__global__ void carry(const float *f, float *out, const float *u,
                      const float *v, float dt)
{
    CELL
    out[i] = between(f, x - dt * u[i], y - dt * v[i]);
}
__global__ void divergence(const float *u, const float *v, float *out)
{
    CELL
    out[i] = (u[AT(x + 1, y)] - u[AT(x - 1, y)] + v[AT(x, y + 1)] -
              v[AT(x, y - 1)]) / 2;
}
__global__ void relax(const float *p, const float *div, float *out)
{
    CELL
    out[i] = (p[AT(x - 1, y)] + p[AT(x + 1, y)] + p[AT(x, y - 1)] +
              p[AT(x, y + 1)] - div[i]) / 4;
}
__global__ void subtract(float *u, float *v, const float *p)
{
    CELL
    u[i] -= (p[AT(x + 1, y)] - p[AT(x - 1, y)]) / 2;
    v[i] -= (p[AT(x, y + 1)] - p[AT(x, y - 1)]) / 2;
}
""", options=["-DN=160"])  # fmt: skip
carry, divergence, relax, subtract = map(
    module.get_function, ("carry", "divergence", "relax", "subtract")
)

# %%
# Two jets meet. All arrays stay on the device.

N, launch = 160, {"block": (16, 16, 1), "grid": (10, 10)}
y, x = np.mgrid[:N, :N].astype(np.float32)
jet = np.exp(-((y - 80 + 5 * np.sin(x / 8)) ** 2) / 60)
u = gpuarray.to_gpu((2 * jet - 0.5).astype(np.float32))
v = gpuarray.to_gpu((0.4 * np.sin(x / 160 * 6 * np.pi)).astype(np.float32))
ink = gpuarray.to_gpu(jet.astype(np.float32))
u2, v2, p, p2, ink2, div = (gpuarray.zeros_like(u) for _ in range(6))

figure, axes = plt.subplots(1, 3, figsize=(11, 4))
begin, dt = time.perf_counter(), np.float32(0.5)
for axis, steps in zip(axes, (20, 80, 150), strict=True):
    for _ in range(steps):
        divergence(u, v, div, **launch)
        for _ in range(20):
            relax(p, div, p2, **launch)
            p, p2 = p2, p
        subtract(u, v, p, **launch)
        carry(ink, ink2, u, v, dt, **launch)
        carry(u, u2, u, v, dt, **launch)
        carry(v, v2, u, v, dt, **launch)
        u, u2, v, v2, ink, ink2 = u2, u, v2, v, ink2, ink
    axis.imshow(ink.get(), cmap="magma", vmin=0, vmax=1)
    axis.axis("off")
seconds = time.perf_counter() - begin
print(f"time: {seconds / 250 * 1e3:.2f} ms per step of 25 launches")
figure.tight_layout()
plt.show()

# %%
# Try this: relax 2 or 100 times; push the fluid with the mouse's velocity.
