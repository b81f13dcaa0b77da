"""Python ints with arrays: values and errors equal NumPy's."""

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
from pycuda import gpuarray

DTYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8"]
VALUES = [0, 1, -1, 127, 128, -128, -129, 255, 256, 2**15, 2**16, 2**24 + 1]
VALUES += [2**31 - 1, 2**31, -(2**31), 2**32, 2**53, 2**53 + 1, -(2**53) - 1]
VALUES += [2**62 + 1, 2**63 - 1, 2**63, -(2**63), 2**64 - 1, 2**64, 2**70]


def attempt(work):
    try:
        with np.errstate(all="ignore"):
            return work()
    except OverflowError:
        return OverflowError


@pytest.mark.parametrize("dtype", DTYPES)
def test_each_value(dtype: str) -> None:
    host = np.array([0, 1, 2, 100], dtype)
    array = gpuarray.to_gpu(host)
    for value in VALUES:
        for name in ("__add__", "__mul__", "__rsub__"):
            expected = attempt(lambda n=name, v=value: getattr(host, n)(v))
            got = attempt(lambda n=name, v=value: getattr(array, n)(v))
            if expected is OverflowError:
                assert got is OverflowError, (name, value)
                continue
            assert got.dtype == expected.dtype, (name, value)
            assert np.array_equal(got.get(), expected), (name, value)
