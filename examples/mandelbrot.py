"""The Mandelbrot set: threads that take very different numbers of steps."""

import numpy as np

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void mandelbrot(unsigned char *steps, int width, int height,
                           int limit)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    double cx = -2.25 + 3.0 * px / width;
    double cy = -1.25 + 2.5 * py / height;
    double x = 0, y = 0;
    int step = 0;
    while (step < limit && x * x + y * y <= 4) {
        double t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        ++step;
    }
    steps[py * width + px] = step;
}
"""
WIDTH, HEIGHT, LIMIT = 96, 48, 100


def reference() -> np.ndarray:
    """Steps until escape, by NumPy."""
    cx = -2.25 + 3.0 * np.arange(WIDTH)[None, :] / WIDTH
    cy = -1.25 + 2.5 * np.arange(HEIGHT)[:, None] / HEIGHT
    x, y = np.zeros((HEIGHT, WIDTH)), np.zeros((HEIGHT, WIDTH))
    steps = np.zeros((HEIGHT, WIDTH), np.uint8)
    for _ in range(LIMIT):
        inside = x * x + y * y <= 4
        steps += inside
        next_x = np.where(inside, x * x - y * y + cx, x)
        y = np.where(inside, 2 * x * y + cy, y)
        x = next_x
    return steps


def main() -> None:
    steps = np.empty((HEIGHT, WIDTH), np.uint8)
    SourceModule(SOURCE).get_function("mandelbrot")(
        cuda.Out(steps),
        np.int32(WIDTH),
        np.int32(HEIGHT),
        np.int32(LIMIT),
        block=(16, 8, 1),
        grid=((WIDTH + 15) // 16, (HEIGHT + 7) // 8),
    )
    for row in steps[::2]:
        print("".join(" .:-=+*#%@"[min(s // 4, 9)] for s in row))
    # On the boundary a fused multiply-add may decide one step more or less.
    assert np.mean(steps == reference()) > 0.99, "wrong numbers"
    print("Success")


if __name__ == "__main__":
    main()
