"""Sorts of values only, by sequential threads, against NumPy.

Long rows are divided into buckets by a sample; so there are rows that a sample
represents well, badly and not at all.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest
from sorts import sort_in_turn

from pycuda import gpuarray

pytestmark = [pytest.mark.cpu, pytest.mark.usefixtures("context")]

DTYPES = "fdilIL"
SIZES = [
    2, 40, 41, 255, 1000, 16383, 16384, 40_000, 131_072, 131_073, 300_001,
    600_000, 1 << 20,
]  # fmt: skip


@pytest.fixture(autouse=True)
def in_turn(monkeypatch):
    sort_in_turn(monkeypatch, 2)


def uniform(random, n, dtype):
    if dtype.kind == "f":
        return random.random(n).astype(dtype)
    info = np.iinfo(dtype)
    return random.integers(info.min, info.max, n, dtype, endpoint=True)


def normal(random, n, dtype):
    spread = 1.0 if dtype.kind == "f" else 1e6
    return np.abs(random.normal(0, spread, n)).astype(dtype)


def signed(random, n, dtype):
    kind = np.int64 if dtype.kind in "iu" else dtype
    return random.normal(0, 1e6, n).astype(kind).astype(dtype)


def ascending(random, n, dtype):
    return np.sort(uniform(random, n, dtype))


def falling(random, n, dtype):
    return np.sort(uniform(random, n, dtype))[::-1].copy()


def equal(random, n, dtype):
    return np.full(n, 77, dtype)


def equal_but_few(random, n, dtype):
    row = np.full(n, 77, dtype)
    row[random.integers(0, n, 3)] = [5, 100, 78]
    return row


def few_values(random, n, dtype):
    return random.choice(np.array([3, 9, 1 << 20], dtype), n)


def small(random, n, dtype):
    return random.integers(0, 1000, n).astype(dtype)


def one_bucket(random, n, dtype):
    """Return many values, nearly all of them close together."""
    row = random.integers(1 << 20, 1 << 21, n).astype(dtype)
    row[random.integers(0, n, n // 50)] = 0
    row[random.integers(0, n, n // 50)] = np.array(2.0e9, dtype)
    return row


def one_value_mostly(random, n, dtype):
    row = uniform(random, n, dtype)
    return np.where(random.random(n) < 0.9, row[0], row)


def close_in_groups(random, n, dtype):
    """Return values with few distinct upper bits, slow for insertion sort."""
    word = np.dtype(f"u{dtype.itemsize}")
    groups = random.integers(1, 200, n).astype(word)
    bits = groups << word.type(8 * dtype.itemsize - 10)
    return (bits | random.integers(0, 4096, n).astype(word)).view(dtype)


def unsampled(random, n, dtype):
    """Return values with extremes that a sample is unlikely to include."""
    row = random.integers(1000, 100_000, n).astype(dtype)
    info = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    row[n // 2], row[n // 3] = info.max, info.min
    return row


def special(random, n, dtype):
    """Return zeros of both signs, infinities, and NaNs of many kinds."""
    row = normal(random, n, dtype)
    if dtype.kind != "f":
        return row
    word = f"u{dtype.itemsize}"
    nan = np.array([np.nan, -np.nan], dtype).view(word)
    nan = np.concatenate([nan, nan + 1, nan + 5]).view(dtype)
    turn = random.random(n)
    row[turn < 0.2] = random.choice(nan, (turn < 0.2).sum())
    others = np.array([0.0, -0.0, np.inf, -np.inf], dtype)
    row[turn > 0.7] = random.choice(others, (turn > 0.7).sum())
    return row


KINDS = [
    uniform, normal, signed, ascending, falling, equal, equal_but_few,
    few_values, small, one_bucket, one_value_mostly, close_in_groups,
    unsampled, special,
]  # fmt: skip


def check(host, descending=False):
    """Compare bits: equal numbers keep their order, NaNs their signs."""
    device = gpuarray.to_gpu(host)
    got = gpuarray.sort(device, descending=descending).get()
    for row, found in zip(
        np.atleast_2d(host), np.atleast_2d(got), strict=True
    ):
        keys = row
        if descending:  # NaN, which is the greatest, comes first
            ranks = np.unique(row, return_inverse=True)[1].astype(np.int64)
            keys = -ranks
        wanted = row[np.argsort(keys, kind="stable")]
        assert found.tobytes() == wanted.tobytes()
    assert device.get().tobytes() == host.tobytes()


@pytest.mark.sweep
@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("char", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_kinds_of_rows(kind, char, n):
    random = np.random.default_rng(n)
    check(kind(random, n, np.dtype(char)))


@pytest.mark.parametrize("char", "fi")
@pytest.mark.parametrize("kind", KINDS)
def test_descending(kind, char):
    random = np.random.default_rng(5)
    for n in (700, 20_000, 140_000):
        check(kind(random, n, np.dtype(char)), True)


@pytest.mark.parametrize("char", "fd")
def test_rows_of_all_kinds(char):
    """Some rows go to other kernels, some do not."""
    for n in (3000, 140_001):
        random = np.random.default_rng(n)
        rows = [kind(random, n, np.dtype(char)) for kind in KINDS]
        check(np.stack(rows))


def test_rows_that_lie_anyhow():
    random = np.random.default_rng(3)
    host = signed(random, 3 * 160_001, np.dtype("f")).reshape(3, -1)
    device = gpuarray.to_gpu(host)
    for part in (np.s_[1], np.s_[1:, 7:], np.s_[:, ::-1], np.s_[0, 1:140_000]):
        got = gpuarray.sort(device[part]).get()
        assert got.tobytes() == np.sort(host[part]).tobytes()
    assert device.get().tobytes() == host.tobytes()
