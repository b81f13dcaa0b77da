"""Records the numbers that NVIDIA's curand_kernel.h gives on the host.

usage: python tools/record_curand.py INCLUDE OUT

INCLUDE is the folder of a CUDA toolkit that has curand_kernel.h, whose
functions compile for the host, too.  OUT is tests/kernels/curand_numbers.npz.
The host has no erfcinv: it is computed here, from erfcl by Newton's method.
Poisson numbers are not recorded, since the CPU device has its own sequences.
"""

# SPDX-License-Identifier: MIT

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "kernels"))

import curand_calls as calls
import curand_mtgp as mtgp

HEAD = """
#include <cmath>
#include <cstdio>
#include <cuda_runtime.h>
#define HOST_HAVE_ERFCINVF
#define FUNCTION static inline
#define QUALIFIERS static inline
/* Newton's method on log(erfc(x)), for y of (0, 1]. */
static long double inverse(long double y)
{
    long double x = y > 0.9L ? (1 - y) * 0.886L : sqrtl(-logl(y) / 1.2L);
    for (int i = 0; i < 80; i++) {
        long double f = erfcl(x);
        x += (f - y) / (1.1283791670955125738961589031L * expl(-x * x));
    }
    return x;
}
static double erfcinv(double y) { return (double)inverse(y); }
static float erfcinvf(float y) { return (float)inverse(y); }
#include <curand_kernel.h>
"""
MAIN = """
static double out[%d * %d];
int main()
{
    static Tables t;
    tables_fill(&t);
    for (int row = 0; row < %d; row++) draw_row(row, out, &t);
    fwrite(out, sizeof out, 1, stdout);
}
"""


def run(include: Path, source: str) -> np.ndarray:
    """What a program prints, as doubles."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "draw.cpp"
        path.write_text(source)
        program = path.with_suffix("")
        subprocess.run(
            ["g++", "-w", "-O0", f"-I{include}"]
            + ["-ffp-contract=off", "-o", program, path],
            check=True,
        )
        raw = subprocess.run(
            [program], check=True, capture_output=True, timeout=20
        )
    return np.frombuffer(raw.stdout, np.float64)


def main() -> None:
    """Write all numbers."""
    include, out = Path(sys.argv[1]), Path(sys.argv[2])
    tables = {}
    for name in calls.GENERATORS:
        shape = len(calls.rows(name)), calls.WIDTH
        source = HEAD + calls.body(name) + MAIN % (*shape, shape[0])
        tables[name] = run(include, source).reshape(shape)
    tables["Mtgp32"] = run(include, mtgp.host(HEAD))
    np.savez_compressed(out, **tables)


if __name__ == "__main__":
    main()
