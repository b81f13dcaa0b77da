"""
Two galaxies meet
=================

2048 stars attract each other: four million forces in each step. The stars of
a block share their loads: each thread copies one star into shared memory, and
all threads use it.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

module = SourceModule("""
__global__ void accelerate(const float4 *star, float4 *speed, int n, float dt)
{
    __shared__ float4 tile[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 me = star[i];
    float ax = 0, ay = 0, az = 0;
    for (int first = 0; first < n; first += 128) {
        tile[threadIdx.x] = star[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 128; ++j) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y;
            float dz = tile[j].z - me.z;
            float near = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
            float force = tile[j].w * near * near * near;
            ax += dx * force, ay += dy * force, az += dz * force;
        }
        __syncthreads();
    }
    speed[i].x += ax * dt, speed[i].y += ay * dt, speed[i].z += az * dt;
}

__global__ void move(float4 *star, const float4 *speed, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    star[i].x += speed[i].x * dt;
    star[i].y += speed[i].y * dt;
    star[i].z += speed[i].z * dt;
}
""")
accelerate = module.get_function("accelerate")
move = module.get_function("move")

# %%
# Two discs turn around their centres and approach each other. A star is
# ``x, y, z, mass``.

n, random = 2048, np.random.default_rng(2)
star = np.zeros((n, 4), np.float32)
speed = np.zeros((n, 4), np.float32)
for part, side in ((slice(0, n // 2), -1), (slice(n // 2, n), 1)):
    radius = 0.1 + 1.2 * np.sqrt(random.random(n // 2))
    angle = random.uniform(0, 2 * np.pi, n // 2)
    orbit = 0.7 * np.sqrt(radius)
    star[part, 0] = radius * np.cos(angle) + side * 2
    star[part, 1] = radius * np.sin(angle) + side * 0.6
    star[part, 2] = random.normal(0, 0.05, n // 2)
    speed[part, 0] = -orbit * np.sin(angle) - side * 0.35
    speed[part, 1] = orbit * np.cos(angle)
star[:, 3] = 1.5 / n
star, speed = gpuarray.to_gpu(star), gpuarray.to_gpu(speed)

figure, axes = plt.subplots(1, 3, figsize=(11, 4), facecolor="black")
dt, launch = np.float32(0.02), {"block": (128, 1, 1), "grid": (n // 128, 1)}
colour = np.repeat(["gold", "deepskyblue"], n // 2)
begin = time.perf_counter()
for axis, steps in zip(axes, (1, 130, 130), strict=True):
    for _ in range(steps):
        accelerate(star, speed, np.int32(n), dt, **launch)
        move(star, speed, dt, **launch)
    where = star.get()
    axis.scatter(where[:, 0], where[:, 1], s=0.4, c=colour)
    axis.set(xlim=(-4, 4), ylim=(-4, 4), aspect="equal")
    axis.axis("off")
cuda.Context.synchronize()
print(f"time: {(time.perf_counter() - begin) / 261 * 1e3:.2f} ms per step")
figure.tight_layout()
plt.show()

# %%
# Try this: remove one ``__syncthreads()``, and run the program with
# ``PYCUDA_DEVICE=cpu PYCUDA_CPU_CHECK=race``. Change the speed of approach.
