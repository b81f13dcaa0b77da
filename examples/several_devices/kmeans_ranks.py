"""k-means with the points divided among MPI ranks, one device for each.

Each rank assigns its points to the nearest centre, and adds up the points of
each centre. One Allreduce makes the sums of all ranks, from which each rank
computes the same new centres. To run it on four virtual CPU devices::

    export PYCUDA_DEVICE=cpu PYCUDA_CPU_DEVICES=4
    mpirun -n 4 python -m mpi4py kmeans_ranks.py
"""

from __future__ import annotations

import time

import numpy as np
from mpi4py import MPI

import pycuda.mpi
from pycuda import gpuarray
from pycuda.compiler import SourceModule

CENTRES, DIMENSIONS = 8, 4
SOURCE = """
/* Adds the points of each centre, and their number, to `sums`. */
__global__ void assign(const float *points, const float *centres,
                       double *sums, int count)
{
    __shared__ double part[CENTRES][DIMENSIONS + 1];
    double *flat = &part[0][0];
    for (int i = threadIdx.x; i < CENTRES * (DIMENSIONS + 1); i += blockDim.x)
        flat[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += gridDim.x * blockDim.x) {
        int nearest = 0;
        float least = 3e38f;
        for (int k = 0; k < CENTRES; ++k) {
            float distance = 0;
            for (int d = 0; d < DIMENSIONS; ++d) {
                float x = points[i * DIMENSIONS + d] -
                          centres[k * DIMENSIONS + d];
                distance += x * x;
            }
            if (distance < least)
                least = distance, nearest = k;
        }
        for (int d = 0; d < DIMENSIONS; ++d)
            atomicAdd(&part[nearest][d], points[i * DIMENSIONS + d]);
        atomicAdd(&part[nearest][DIMENSIONS], 1.0);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < CENTRES * (DIMENSIONS + 1); i += blockDim.x)
        atomicAdd(&sums[i], flat[i]);
}
"""


def clouds(count: int, seed: int) -> np.ndarray:
    """Return points around as many places as there are centres."""
    random = np.random.default_rng(seed)
    corners = 4 * (np.arange(CENTRES)[:, None] >> np.arange(DIMENSIONS) & 1)
    places = corners[random.integers(CENTRES, size=count)]
    return (places + random.normal(size=places.shape)).astype(np.float32)


def numpy_step(points: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """Return the new centres, computed by NumPy."""
    distances = ((points[:, None] - centres) ** 2).sum(axis=2)
    nearest = distances.argmin(axis=1)
    return np.array(
        [points[nearest == k].mean(axis=0) for k in range(CENTRES)]
    )


class KMeans:
    """The points of one rank, on its device."""

    def __init__(self, comm: MPI.Comm, points: np.ndarray) -> None:
        self.comm = pycuda.mpi.Communicator(comm)
        self.points = gpuarray.to_gpu(points)
        self.sums = gpuarray.zeros((CENTRES, DIMENSIONS + 1), np.float64)
        sizes = [f"-DCENTRES={CENTRES}", f"-DDIMENSIONS={DIMENSIONS}"]
        module = SourceModule(SOURCE, options=sizes)
        self._assign = module.get_function("assign")

    def step(self, centres: gpuarray.GPUArray) -> gpuarray.GPUArray:
        """Return the new centres."""
        self.sums.fill(0)
        self._assign(
            self.points,
            centres,
            self.sums,
            np.int32(len(self.points)),
            block=(128, 1, 1),
            grid=(64, 1),
        )
        self.comm.Allreduce(MPI.IN_PLACE, self.sums)
        means = self.sums[:, :-1] / self.sums[:, -1:]
        return means.astype(np.float32)


def main() -> None:
    """Compare ten steps with NumPy's."""
    comm = MPI.COMM_WORLD
    context = pycuda.mpi.context(comm)
    count = 10_000
    work = KMeans(comm, clouds(count, comm.rank))
    every = np.concatenate([clouds(count, r) for r in range(comm.size)])
    right = every[:CENTRES].copy()
    centres = gpuarray.to_gpu(right)
    begin = time.perf_counter()
    for _ in range(10):
        centres = work.step(centres)
    found = centres.get()
    seconds = time.perf_counter() - begin
    for _ in range(10):
        right = numpy_step(every, right)
    np.testing.assert_allclose(found, right, atol=2e-3)
    comm.Barrier()
    if comm.rank == 0:
        print(f"{comm.size} ranks, {context.get_device().name()}")
        print(f"{seconds * 100:.1f} ms for a step of {len(every)} points")
        print("Success")
    work.comm.Free()


if __name__ == "__main__":
    main()
