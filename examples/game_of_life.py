"""Conway's game of life on a torus: two arrays, exchanged at each step."""

import numpy as np

import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SOURCE = """
__global__ void life(unsigned char *next, const unsigned char *now, int n)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n)
        return;
    int neighbours = 0;
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
            if (dx || dy)
                neighbours += now[(y + dy + n) % n * n + (x + dx + n) % n];
    next[y * n + x] = neighbours == 3 || (neighbours == 2 && now[y * n + x]);
}
"""
GLIDER = np.array([[0, 1, 0], [0, 0, 1], [1, 1, 1]], np.uint8)


def step_on_host(cells: np.ndarray) -> np.ndarray:
    """One generation, by NumPy."""
    neighbours = sum(
        np.roll(cells, (dy, dx), (0, 1))
        for dy in (-1, 0, 1)
        for dx in (-1, 0, 1)
        if dy or dx
    )
    alive: np.ndarray = (neighbours == 3) | ((neighbours == 2) & (cells == 1))
    return alive.astype(np.uint8)


def main() -> None:
    n, generations = 50, 4 * 50
    cells = np.zeros((n, n), np.uint8)
    cells[:3, :3] = GLIDER
    cells[20:40, 20:40] = np.random.default_rng(7).integers(0, 2, (20, 20))

    life = SourceModule(SOURCE).get_function("life")
    life.prepare("PPi")
    now, after = gpuarray.to_gpu(cells), gpuarray.empty((n, n), np.uint8)
    expected = cells
    for _ in range(generations):
        life.prepared_call((4, 4), (16, 16, 1), after.gpudata, now.gpudata, n)
        now, after = after, now
        expected = step_on_host(expected)

    result = now.get()
    for row in result[::2, ::2]:
        print("".join(".#"[cell] for cell in row))
    assert np.array_equal(result, expected), "wrong cells"
    print("Success")


if __name__ == "__main__":
    main()
