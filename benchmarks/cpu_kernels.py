"""Kernels on the CPU device beside gcc's loops and NumPy (first floor).

Usage: ``python benchmarks/cpu_kernels.py``.  The reference is the faster of
gcc -O3 -march=native -ffast-math -fopenmp and NumPy in the same run.  Every
result is compared with the reference's before its time counts.
"""

import ctypes
import os
import sys

import numpy as np
from common import (
    best_of,
    build_c,
    describe_machine,
    least_seconds,
    print_table,
)

os.environ["PYCUDA_DEVICE"] = "cpu"

SOURCE = """
__global__ void multiply(float *d, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        d[i] = a[i] * b[i];
}

__global__ void sine(float *d, const float *a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        d[i] = sinf(a[i]);
}

__global__ void block_sum(float *sums, const float *a, int n)
{
    __shared__ float partial[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    partial[t] = i < n ? a[i] : 0;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half)
            partial[t] += partial[t + half];
        __syncthreads();
    }
    if (t == 0)
        sums[blockIdx.x] = partial[0];
}

__global__ void matmul(float *c, const float *a, const float *b, int n)
{
    __shared__ float as[16][16], bs[16][16];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * 16 + ty, column = blockIdx.x * 16 + tx;
    float sum = 0;
    for (int start = 0; start < n; start += 16) {
        as[ty][tx] = a[row * n + start + tx];
        bs[ty][tx] = b[(start + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; ++k)
            sum += as[ty][k] * bs[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void mandelbrot(int *steps, int n, int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= n || py >= n)
        return;
    float cx = -2.25f + 3.0f * px / n, cy = -1.5f + 3.0f * py / n;
    float x = 0, y = 0;
    int step = 0;
    while (step < limit && x * x + y * y <= 4) {
        float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        ++step;
    }
    steps[py * n + px] = step;
}

__global__ void nothing() {}
"""
# Least speed wanted, as a multiple of the reference's.
WANTED = {
    "d = a * b, 2^24": 0.95,
    "sin, 2^24": 0.9,
    "block sum, 2^24": 0.5,
    "matmul 1024^3": 2.0,
    "Mandelbrot 1024^2": 1.0,
}


class Workload:
    """Arrays on both sides, and one method a row."""

    def __init__(self) -> None:
        import pycuda.autoinit
        import pycuda.driver as cuda
        from pycuda import gpuarray
        from pycuda.compiler import SourceModule

        self.synchronize = cuda.Context.synchronize
        self.device = pycuda.autoinit.device.name()
        self.module = SourceModule(SOURCE)
        flags = ["-O3", "-march=native", "-ffast-math", "-fopenmp"]
        self.c = ctypes.CDLL(
            str(build_c("cpu_reference.c", *flags, shared=True))
        )
        self.c.sum.restype = ctypes.c_float
        self.n, self.side = 1 << 24, 1024
        rng = np.random.default_rng(1)
        self.a = rng.random(self.n, np.float32)
        self.b = rng.random(self.n, np.float32)
        self.out = np.empty_like(self.a)
        self.a_gpu, self.b_gpu = map(gpuarray.to_gpu, (self.a, self.b))
        self.out_gpu = gpuarray.empty_like(self.a_gpu)
        self.steps = np.empty((self.side, self.side), np.int32)
        self.steps_gpu = gpuarray.empty(self.steps.shape, np.int32)

    def launch(self, name: str, *arguments, block, grid):
        """A call that runs a kernel to its end."""
        function = self.module.get_function(name)

        def call() -> None:
            function(*arguments, block=block, grid=grid)
            self.synchronize()

        return call

    def host(self, name: str, *arguments):
        """A call of the reference's function of this name."""
        function = getattr(self.c, name)
        passed = [
            argument.ctypes.data_as(ctypes.c_void_p)
            if isinstance(argument, np.ndarray)
            else ctypes.c_long(argument)
            for argument in arguments
        ]
        return lambda: function(*passed)

    def rows(self) -> dict:
        """row: (kernel, C loop, NumPy or None, check)."""
        a, b, out, n = self.a, self.b, self.out, self.n
        flat = {"block": (256, 1, 1), "grid": (n // 256, 1)}
        tiles = {"block": (16, 16, 1), "grid": (64, 64)}
        side = self.side
        square = [x[: side * side].reshape(side, side) for x in (a, b, out)]
        on_device = (self.out_gpu, self.a_gpu, self.b_gpu)
        count, edge = np.int32(n), np.int32(side)
        return {
            "d = a * b, 2^24": (
                self.launch("multiply", *on_device, count, **flat),
                self.host("multiply", out, a, b, n),
                lambda: np.multiply(a, b, out=out),
                lambda: np.array_equal(self.out_gpu.get(), a * b),
            ),
            "sin, 2^24": (
                self.launch("sine", *on_device[:2], count, **flat),
                self.host("sine", out, a, n),
                lambda: np.sin(a, out=out),
                lambda: np.allclose(self.out_gpu.get(), np.sin(a), atol=1e-6),
            ),
            "block sum, 2^24": (
                self.launch("block_sum", *on_device[:2], count, **flat),
                self.host("sum", a, n),
                lambda: a.sum(),
                lambda: np.isclose(
                    self.out_gpu.get()[: n // 256].sum(), a.sum(), rtol=1e-5
                ),
            ),
            "matmul 1024^3": (
                self.launch("matmul", *on_device, edge, **tiles),
                self.host("matmul", out, a, b, side),
                # BLAS is another program; the goal is against plain loops.
                None,
                lambda: np.allclose(
                    self.out_gpu.get()[: side * side].reshape(side, side),
                    square[0] @ square[1],
                    rtol=1e-4,
                ),
            ),
            "Mandelbrot 1024^2": (
                self.launch(
                    "mandelbrot", self.steps_gpu, edge, np.int32(256), **tiles
                ),
                self.host("mandelbrot", self.steps, side, 256),
                None,
                lambda: np.mean(self.steps_gpu.get() == self.steps) > 0.99,
            ),
        }


def main() -> None:
    work = Workload()
    table, wrong = [], []
    for row, (kernel, loop, in_numpy, check) in work.rows().items():
        loop()
        kernel()
        if not check():
            wrong.append(row)
        c = least_seconds(loop)
        mine = least_seconds(kernel)
        numpy = least_seconds(in_numpy) if in_numpy else None
        best = min(c, numpy) if numpy else c
        speed, wanted = best / mine, WANTED[row]
        met = "yes" if speed >= wanted else "no"
        table.append(
            [row, c, numpy, mine, f"{speed:.2f}", f">= {wanted}", met]
        )
    describe_machine(work.device)
    print_table(
        ["seconds", "gcc", "NumPy", "kernel", "speed", "goal", "met"], table
    )
    nothing = work.module.get_function("nothing").prepare("")
    issued = best_of(
        lambda: nothing.prepared_call((1, 1), (1, 1, 1)), work.synchronize
    )

    def done() -> None:
        nothing.prepared_call((1, 1), (1, 1, 1))
        work.synchronize()

    finished = best_of(done, work.synchronize)
    print(
        f"\nEmpty kernel: {issued:.2f} us to issue, {finished:.2f} us done "
        "(goal 1.0)."
    )
    if wrong:
        sys.exit(f"wrong numbers: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
