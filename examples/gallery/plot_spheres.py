"""
Ray-traced spheres
==================

Each thread follows one ray through a pixel: it finds the nearest sphere,
tests whether the light is hidden, and follows the reflection.
"""

import time

import matplotlib.pyplot as plt
import numpy as np

import pycuda.autoinit
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

module = SourceModule("""
struct Sphere { float3 centre; float radius; float3 colour; float mirror; };
__constant__ Sphere spheres[6];

__device__ float3 add(float3 a, float3 b, float s)
{
    return make_float3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}
__device__ float dot(float3 a, float3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
__device__ int hit(float3 from, float3 along, float *distance)
{
    int nearest = -1;
    for (int s = 0; s < 6; ++s) {
        float3 to = add(spheres[s].centre, from, -1);
        float b = dot(to, along), r = spheres[s].radius;
        float d = b * b - dot(to, to) + r * r;
        float t = b - sqrtf(fmaxf(d, 0));
        if (d > 0 && t > 1e-3f && t < *distance)
            *distance = t, nearest = s;
    }
    return nearest;
}
__global__ void trace(float3 *out, int side)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= side || y >= side)
        return;
    float3 from = make_float3(0, 1, -6), light = make_float3(.5f, .7f, -.51f);
    float px = 1.4f * x / side - .7f, py = .7f - 1.4f * y / side;
    float3 along = make_float3(px, py, 1);
    along = add(make_float3(0, 0, 0), along, rsqrtf(dot(along, along)));
    float3 sum = make_float3(0, 0, 0);
    float weight = 1;
    for (int bounce = 0; bounce < 4 && weight > .01f; ++bounce) {
        float t = 1e9f;
        int s = hit(from, along, &t);
        if (s < 0) {
            float sky = .5f + .5f * along.y;
            sum = add(sum, make_float3(.5f, .7f, 1), weight * sky);
            break;
        }
        from = add(from, along, t);
        float3 normal = add(from, spheres[s].centre, -1);
        normal = add(make_float3(0, 0, 0), normal, 1 / spheres[s].radius);
        float far = 1e9f, mirror = spheres[s].mirror;
        float bright = hit(from, light, &far) < 0 ? dot(normal, light) : 0;
        bright = .1f + .9f * fmaxf(bright, 0);
        sum = add(sum, spheres[s].colour, weight * (1 - mirror) * bright);
        along = add(along, normal, -2 * dot(along, normal));
        weight *= mirror;
    }
    out[y * side + x] = sum;
}
""")

# %%
# The spheres are in constant memory, which all threads read at once.

rows = [[0, -1000, 0, 1000, 0.6, 0.6, 0.6, 0.2]]  # the floor
rows += [[-2, 1, 1, 1, 0.9, 0.2, 0.2, 0.3], [0, 1, 2, 1, 0.9, 0.9, 0.9, 0.8]]
rows += [[2, 1, 1, 1, 0.2, 0.4, 0.9, 0.3], [0.9, 0.4, -1, 0.4, 1, 0.8, 0, 0.2]]
rows += [[-0.9, 0.3, -1.2, 0.3, 0.2, 0.8, 0.3, 0.2]]
cuda.memcpy_htod(module.get_global("spheres")[0], np.float32(rows))
side = 400
out = gpuarray.zeros((side, side, 3), np.float32)
begin, trace = time.perf_counter(), module.get_function("trace")
trace(out, np.int32(side), block=(16, 16, 1), grid=(25, 25))
picture = out.get()
print(f"time: {(time.perf_counter() - begin) * 1e3:.1f} ms")
plt.figure(figsize=(7, 7))
plt.imshow(np.clip(picture, 0, 1) ** 0.6)
plt.axis("off")
plt.tight_layout()
plt.show()

# %%
# Try this: add a sphere; move the light; shoot four rays through each pixel.
