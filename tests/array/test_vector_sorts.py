"""SIMD sorts: sizes at register limits, bad pivots, distributions.

Processors without the vector instructions sort the same rows in other ways,
with the same results.
"""

# SPDX-License-Identifier: MIT

import os
import subprocess
import sys

import numpy as np
import pytest
from sorts import sort_in_turn

from pycuda import gpuarray

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("context")]

DTYPES = "fdiIlL"


@pytest.fixture(autouse=True)
def in_turn(monkeypatch):
    sort_in_turn(monkeypatch, 4)


def signed(random, n, dtype):
    """Return numbers around zero, with duplicates in long rows."""
    spread = min(10**6, max(n, 4))
    return random.integers(-spread, spread, n).astype("l").astype(dtype)


def everywhere(random, n, dtype):
    """Return random bits; floats of all magnitudes, without NaN and zero."""
    bits = random.integers(0, 256, n * dtype.itemsize, "u1").view(dtype)
    if dtype.kind == "f":
        bits = np.where(np.isfinite(bits) & (bits != 0), bits, dtype.type(1))
    return bits


def equal(random, n, dtype):
    return np.full(n, 9, dtype)


def greatest(random, n, dtype):
    """Return the greatest values, which also pad the last vector."""
    most = np.inf if dtype.kind == "f" else np.iinfo(dtype).max
    row = np.full(n, most, dtype)
    row[: n // 5] = 1
    return row


def organ_pipe(random, n, dtype):
    return np.minimum(np.arange(n), np.arange(n)[::-1]).astype(dtype)


def saw(random, n, dtype):
    return (np.arange(n) % 19).astype(dtype)


def ascending(random, n, dtype):
    return np.arange(n).astype(dtype)


def falling(random, n, dtype):
    return np.arange(n)[::-1].astype(dtype)


def two_values(random, n, dtype):
    return random.choice(np.array([1, 2], dtype), n)


def bad_pivots(random, n, dtype):
    """Return rows in which the pivot candidates are the smallest values."""
    lanes = 64 // dtype.itemsize
    places, values = np.arange(n), np.full(n, n)
    given = 0
    while len(places) > 16 * lanes:
        step = (len(places) - lanes) // 7
        sample = (np.arange(8)[:, None] * step + np.arange(lanes)).ravel()
        new = places[sample[values[places[sample]] == n]]
        values[new] = given + np.arange(len(new))
        given += len(new)
        known = np.sort(values[places[sample]].reshape(8, lanes), axis=0)
        places = places[values[places] >= np.sort(known[4])[lanes // 2]]
    values[values == n] = given + random.permutation((values == n).sum())
    return values.astype(dtype)


KINDS = [
    signed, everywhere, equal, greatest, organ_pipe, saw, ascending, falling,
    two_values, bad_pivots,
]  # fmt: skip


def check(host, descending=False):
    device = gpuarray.to_gpu(host)
    found = gpuarray.sort(device, descending=descending).get()
    wanted = np.sort(host)
    if descending:
        wanted = wanted[..., ::-1]
    assert found.tobytes() == wanted.tobytes()
    assert device.get().tobytes() == host.tobytes()


@pytest.mark.parametrize("char", DTYPES)
def test_sizes_of_registers(char):
    """All counts of vectors that fit in registers, full and partial."""
    dtype = np.dtype(char)
    lanes = 64 // dtype.itemsize
    random = np.random.default_rng(1)
    sizes = {*range(36, 2 * lanes + 18), *range(15 * lanes, 17 * lanes + 2)}
    for rows in (1, 2, 3, 4, 8, 12, 16, 24, 32, 48):
        sizes |= {rows * lanes + more for more in (-1, 0, 1)}
    for n in sorted(sizes - {0, 1}):
        check(everywhere(random, 2 * n, dtype).reshape(2, n))
        check(signed(random, 2 * n, dtype).reshape(2, n))


@pytest.mark.parametrize("char", DTYPES)
def test_zeros_and_ones(char):
    """A network that sorts zeros and ones sorts everything (Knuth)."""
    dtype = np.dtype(char)
    random = np.random.default_rng(2)
    for n in (41, 64, 100, 128, 200, 256):
        rows = (random.random((500, n)) < random.random((500, 1))) + 1
        check(rows.astype(dtype))


@pytest.mark.sweep
@pytest.mark.parametrize("n", [300, 1000, 5003, 16_000, 16_384, 50_021])
@pytest.mark.parametrize("char", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_rows(kind, char, n):
    check(kind(np.random.default_rng(n), n, np.dtype(char)))


@pytest.mark.parametrize("kind", KINDS)
def test_descending(kind):
    random = np.random.default_rng(4)
    for n in (500, 20_000):
        check(kind(random, n, np.dtype("f")), True)
        check(kind(random, n, np.dtype("l")), True)


@pytest.mark.parametrize("char", "fdil")
def test_few_long_rows(char):
    """All of the rows are distributed together."""
    random = np.random.default_rng(5)
    for kinds in (KINDS[:3], KINDS[3:6], KINDS[6:9]):
        rows = [kind(random, 33_333, np.dtype(char)) for kind in kinds]
        check(np.stack(rows))


@pytest.mark.parametrize("n", [999, 20_001, 131_072])
def test_rows_that_begin_anywhere(n):
    random = np.random.default_rng(6)
    for char in "fl":
        host = everywhere(random, 3 * n, np.dtype(char)).reshape(3, n)
        device = gpuarray.to_gpu(host)
        for part in (np.s_[1], np.s_[1, 1:], np.s_[2, 3:-5], np.s_[0, ::-1]):
            found = gpuarray.sort(device[part]).get()
            assert found.tobytes() == np.sort(host[part]).tobytes()
        device.sort()
        assert device.get().tobytes() == np.sort(host).tobytes()


def test_few_unlike_the_others():
    """A NaN and zeros of both signs, in one row of many."""
    random = np.random.default_rng(7)
    for n in (200, 7000, 40_000):
        host = everywhere(random, n, np.dtype("f"))
        host[[n // 3, n // 2, n // 5, 1]] = [np.nan, -0.0, 0.0, -0.0]
        found = gpuarray.sort(gpuarray.to_gpu(host)).get()
        wanted = host[np.argsort(host, kind="stable")]
        assert found.tobytes() == wanted.tobytes()


@pytest.mark.cpu
def test_processors_without_such_vectors():
    """The code for older processors, which the whole family can run."""
    code = (
        "import numpy as np, pycuda.autoinit\n"
        "from pycuda import gpuarray\n"
        "for n in (100, 5000, 40_000):\n"
        "    a = np.random.default_rng(n).normal(size=n)\n"
        "    for kind in 'fdil':\n"
        "        b = (a * 1000).astype(kind) + 0\n"
        "        got = gpuarray.sort(gpuarray.to_gpu(b)).get()\n"
        "        assert got.tobytes() == np.sort(b).tobytes()\n"
    )
    if os.uname().machine != "x86_64":
        pytest.skip("of x86-64")
    environment = {"PYCUDA_DEVICE": "cpu", "PYCUDA_CPU_TARGET": "x86-64-v3"}
    subprocess.run(
        [sys.executable, "-P", "-c", code], check=True, timeout=300,
        env=os.environ | environment,
    )  # fmt: skip
