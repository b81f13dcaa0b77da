"""curandom.rand: known answers, ranges, moments, repeatability."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.gpuarray as gpuarray
from pycuda import characterize, curandom

pytestmark = pytest.mark.usefixtures("context")


def philox(counter, key):
    """Philox 4x32-10 in Python integers, from the paper."""
    c, k, mask = list(counter), list(key), 0xFFFFFFFF
    for _ in range(10):
        left, right = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [
            (right >> 32) ^ c[1] ^ k[0],
            right & mask,
            (left >> 32) ^ c[3] ^ k[1],
            left & mask,
        ]
        k = [(k[0] + 0x9E3779B9) & mask, (k[1] + 0xBB67AE85) & mask]
    return c


def test_the_reference_has_the_papers_answer():
    assert philox([0] * 4, [0] * 2) == [
        0x6627E8D5,
        0xE169C58D,
        0xBC57AC4C,
        0x9B00DBD8,
    ]


def test_bits():
    np.random.seed(5)
    got = curandom.rand(103, np.uint32).get()
    np.random.seed(5)
    key = [int(x * 2**32) for x in np.random.random_sample(2)]
    expected = [w for i in range(26) for w in philox([i, 0, 0, 0], key)]
    assert got.tolist() == expected[:103]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_uniform(dtype):
    x = curandom.rand((100, 1001), dtype)
    assert x.shape == (100, 1001) and x.dtype == dtype
    x = x.get()
    assert x.min() >= 0 and x.max() < 1
    # Standard errors are 0.0009 and 0.0003.
    assert abs(x.mean() - 0.5) < 0.006
    assert abs(x.var() - 1 / 12) < 0.002
    assert abs(np.corrcoef(x.ravel()[1:], x.ravel()[:-1])[0, 1]) < 0.02


def test_seed_repeats():
    np.random.seed(7)
    first = curandom.rand(50).get()
    second = curandom.rand(50).get()
    np.random.seed(7)
    assert (curandom.rand(50).get() == first).all()
    assert (first != second).any()


def test_other_types():
    assert curandom.rand(10, np.int32).dtype == np.int32
    assert curandom.rand(0).size == 0
    with pytest.raises(NotImplementedError, match="int64"):
        curandom.rand(10, np.int64)


def test_sizeof():
    assert characterize.sizeof("float4") == 16
    assert characterize.sizeof("pair", "struct pair { char a; int b; };") == 8
    assert isinstance(curandom.seed_getter_unique(3), gpuarray.GPUArray)
