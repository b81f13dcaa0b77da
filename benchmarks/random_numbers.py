"""Random numbers beside NumPy's generator, and on a GPU beside CuPy's.

Usage: ``python benchmarks/random_numbers.py [--log2 10 16 24] [--only TEXT]``.
Each row is timed in turns with NumPy's, in one process; NumPy uses one thread,
the CPU device all that the process may use.  The goal is a ratio of 1.  On a
GPU CuPy replaces NumPy if it is installed, and GB/s count the bytes written.
"""

import argparse
import time

import numpy as np
from common import describe_machine, print_table

F4, F8, I4, I8 = np.float32, np.float64, np.int32, np.int64


def once(call, finish, number: int) -> float:
    """Return the seconds of one of `number` calls."""
    start = time.perf_counter()
    for _ in range(number):
        call()
    finish()
    return (time.perf_counter() - start) / number


def pair(ours, theirs, finish) -> tuple[float, float]:
    """Return the least seconds of both, measured in turns."""
    once(ours, finish, 1)
    number = max(1, int(2e-3 / max(once(theirs, finish, 1), 1e-7)))
    best, rounds = [float("inf")] * 2, 0
    until = time.perf_counter() + 0.25
    while rounds < 3 or time.perf_counter() < until:
        rounds += 1
        best[0] = min(best[0], once(ours, finish, number))
        best[1] = min(best[1], once(theirs, finish, number))
    return best[0], best[1]


def peer(device: str):
    """Return (name, generator) of the peer."""
    if device == "gpu":
        try:
            import cupy

            return "CuPy", cupy.random.default_rng(1)
        except ImportError:
            pass
    return "NumPy", np.random.default_rng(1)


def rows(other) -> dict:
    """Return name -> (bytes of a number, our call, the peer's call)."""
    from pycuda import curandom

    ours = curandom.PhiloxRandomNumberGenerator(1)
    return {
        "rand, float32": (
            4, lambda n: curandom.rand(n), lambda n: other.random(n, F4),
        ),
        "random, float32": (
            4, lambda n: ours.random(n, F4), lambda n: other.random(n, F4),
        ),
        "random, float64": (
            8, lambda n: ours.random(n), lambda n: other.random(n),
        ),
        "standard_normal, float32": (
            4, lambda n: ours.standard_normal(n, F4),
            lambda n: other.standard_normal(n, F4),
        ),
        "standard_normal, float64": (
            8, lambda n: ours.standard_normal(n),
            lambda n: other.standard_normal(n),
        ),
        "lognormal, float64": (
            8, lambda n: ours.lognormal(size=n),
            lambda n: np.exp(other.standard_normal(n)),
        ),
        "standard_exponential, float64": (
            8, lambda n: ours.standard_exponential(n),
            lambda n: other.standard_exponential(n),
        ),
        "integers(1000), int32": (
            4, lambda n: ours.integers(0, 1000, n, I4),
            lambda n: other.integers(0, 1000, n, I4),
        ),
        "integers(1000), int64": (
            8, lambda n: ours.integers(0, 1000, n),
            lambda n: other.integers(0, 1000, n, I8),
        ),
        "integers(10**12), int64": (
            8, lambda n: ours.integers(0, 10**12, n),
            lambda n: other.integers(0, 10**12, n, I8),
        ),
        "poisson(3.5)": (
            8, lambda n: ours.poisson(3.5, n), lambda n: other.poisson(3.5, n),
        ),
        "poisson(50)": (
            8, lambda n: ours.poisson(50, n), lambda n: other.poisson(50, n),
        ),
        "standard_gamma(2.5)": (
            8, lambda n: ours.standard_gamma(2.5, n),
            lambda n: other.standard_gamma(2.5, n),
        ),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--log2", type=int, nargs="+", default=[10, 16, 24])
    parser.add_argument("--only", default="", help="of the rows' names")
    arguments = parser.parse_args()
    import pycuda.autoinit  # noqa: F401
    import pycuda.driver as drv
    from pycuda import _driver

    name, other = peer(_driver._device_kind())
    heads, table = ["operation"], []
    for log2 in arguments.log2:
        heads += [f"2^{log2}, us", f"{name}, us", "ratio", "GB/s"]
    for operation, (size, ours, theirs) in rows(other).items():
        if arguments.only not in operation:
            continue
        row = [operation]
        for log2 in arguments.log2:
            n = 1 << log2
            mine, others = pair(
                lambda n=n, call=ours: call(n),
                lambda n=n, call=theirs: call(n),
                drv.Context.synchronize,
            )
            speed = size * n / mine / 1e9
            row += [f"{mine * 1e6:.1f}", f"{others * 1e6:.1f}"]
            row += [f"{others / mine:.2f}", f"{speed:.1f}"]
        table.append(row)
    describe_machine(drv.Context.get_device().name())
    print_table(heads, table)


if __name__ == "__main__":
    main()
