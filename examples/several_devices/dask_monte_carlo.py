"""Monte Carlo over Dask: the price of an Asian option, on all devices.

Each task simulates some paths of a share's price on the device of its worker,
and returns the sum and the sum of squares of the payoffs, as a GPUArray.  Dask
adds the sums up in a tree; those of other workers come by IPC.  To run it on
four virtual CPU devices::

    export PYCUDA_DEVICE=cpu PYCUDA_CPU_DEVICES=4
    python dask_monte_carlo.py
"""

from __future__ import annotations

import argparse
import math
import time
from typing import Any

import numpy as np

SPOT, STRIKE, RATE, VOLATILITY, YEARS = 100.0, 100.0, 0.05, 0.2, 1.0
SOURCE = """
/* The discounted payoff of a path: of the mean price at all its steps. */
__global__ void payoff(const double *normal, double *out, int paths)
{
    double dt = YEARS / STEPS;
    double drift = (RATE - 0.5 * VOLATILITY * VOLATILITY) * dt;
    double scale = VOLATILITY * sqrt(dt);
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < paths;
         i += gridDim.x * blockDim.x) {
        double path = 0, sum = 0;
        for (int step = 0; step < STEPS; ++step) {
            path += drift + scale * normal[step * paths + i];
            sum += SPOT * exp(path);
        }
        out[i] = exp(-RATE * YEARS) * fmax(sum / STEPS - STRIKE, 0.0);
    }
}
"""


def simulate(seed: int, paths: int, steps: int) -> Any:
    """Return the sums of the payoffs and of their squares, on the device."""
    from pycuda import curandom, gpuarray
    from pycuda.compiler import SourceModule

    constants = {
        "SPOT": SPOT, "STRIKE": STRIKE, "RATE": RATE,
        "VOLATILITY": VOLATILITY, "YEARS": YEARS, "STEPS": steps,
    }  # fmt: skip
    defines = [f"-D{name}={value}" for name, value in constants.items()]
    kernel = SourceModule(SOURCE, options=defines).get_function("payoff")
    generator = curandom.PhiloxRandomNumberGenerator(seed)
    normal = generator.standard_normal((steps, paths))
    result = gpuarray.empty(paths, np.float64)
    kernel(
        normal, result, np.int32(paths), block=(128, 1, 1),
        grid=(min(-(-paths // 128), 1024), 1),
    )  # fmt: skip
    return gpuarray.stack([result.sum(), (result * result).sum()])


def add(left: Any, right: Any) -> Any:
    return left + right


def total(client: Any, parts: list[Any]) -> Any:
    """Add futures up in a tree."""
    while len(parts) > 1:
        odd = parts[len(parts) // 2 * 2 :]
        pairs = zip(parts[::2], parts[1::2], strict=False)
        parts = [client.submit(add, *pair) for pair in pairs] + odd
    return parts[0].result()


def main() -> None:
    from dask.distributed import Client, LocalCluster

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--tasks", type=int, default=8)
    parser.add_argument("--paths", type=int, default=20_000)
    parser.add_argument("--steps", type=int, default=50)
    given = parser.parse_args()
    with (
        LocalCluster(
            n_workers=given.workers, threads_per_worker=1,
            dashboard_address=None,
        ) as cluster,
        Client(cluster) as client,
    ):  # fmt: skip
        start = time.perf_counter()
        parts = client.map(
            simulate, range(given.tasks), paths=given.paths, steps=given.steps
        )
        sums = total(client, parts).get()
        seconds = time.perf_counter() - start
    count = given.tasks * given.paths
    mean = sums[0] / count
    error = math.sqrt((sums[1] / count - mean**2) / count)
    print(f"{count} paths in {seconds:.2f} s: {mean:.3f} +- {error:.3f}")


if __name__ == "__main__":
    main()
