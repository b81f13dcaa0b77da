"""The `out=` argument of element-wise functions: result, place and time.

Calls are repeated: from the second one on they may take a fast path.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pycuda.driver as drv
from pycuda import cumath, gpuarray

pytestmark = pytest.mark.usefixtures("context")

COLUMNS = 6
UNARY = ["sqrt", "negative", "absolute", "square"]
BINARY = ["add", "multiply", "less", "subtract", "maximum"]


def places(module: Any, x: Any, y: Any, dtype: str) -> dict[str, Any]:
    """Return possible targets of a result of x's shape, on device or host."""

    def fresh(shape: tuple[int, ...], order: str = "C") -> Any:
        return module.zeros(shape, dtype, order=order)

    rows = x.shape[0]
    return {
        "another": fresh(x.shape),
        "of F order": fresh(x.shape, "F"),
        "part of a longer one": fresh((rows + 3, COLUMNS))[2:-1],
        "every second": fresh((rows, 2 * COLUMNS))[:, ::2],
        "backwards": fresh(x.shape)[::-1],
        "the first": x,
        "the second": y,
        "the first backwards": x[::-1],
        "of more axes": fresh((2, *x.shape)),
        "too small": fresh((rows, COLUMNS - 1)),
        "of as many elements": fresh((COLUMNS, rows)),
        "of an axis more": fresh((1, *x.shape)),
    }


def arrays_of(rows: int, dtype: str, overlapping: bool) -> Any:
    host = (np.arange((rows + 1) * COLUMNS) % 11).astype(dtype)
    host = host.reshape(rows + 1, COLUMNS)
    device = gpuarray.to_gpu(host)
    if overlapping:
        return (host[:-1], host[1:]), (device[:-1], device[1:])
    return (host[:-1], host[1:].copy()), (device[:-1], device[1:].copy())


def outcome(call: Any) -> Any:
    """Return the result or the exception."""
    try:
        return call()
    except (TypeError, ValueError) as error:
        return error


@given(
    name=st.sampled_from(UNARY + BINARY),
    rows=st.sampled_from([1, 4, 700]),
    dtype=st.sampled_from(["f4", "f8", "i4"]),
    out=st.sampled_from(["f4", "f8", "i4", "?"]),
    where=st.sampled_from(list(places(np, *2 * (np.zeros((2, 6)),), "f4"))),
    other=st.sampled_from(["array", 2, 1.5]),
    overlapping=st.booleans(),
)
@settings(max_examples=250, deadline=None)
def test_as_numpy(
    name: str, rows: int, dtype: str, out: str, where: str, other: Any,
    overlapping: bool,
) -> None:  # fmt: skip
    for _ in range(3):
        host, device = arrays_of(rows, dtype, overlapping)
        results = []
        for module, (x, y) in ((np, host), (gpuarray, device)):
            place = places(module, x, y, out)[where]
            inputs = (x, y if other == "array" else other)
            inputs = inputs[:1] if name in UNARY else inputs
            got = outcome(
                lambda m=module, i=inputs, p=place: getattr(m, name)(*i, out=p)
            )
            assert got is place or isinstance(got, Exception)
            results.append((got, place.copy(), x.copy(), y.copy()))
        (expected, *theirs), (got, *ours) = results
        assert isinstance(got, Exception) == isinstance(expected, Exception)
        for one, another in zip(theirs, ours, strict=True):
            np.testing.assert_allclose(another.get(), one, 1e-6)


def test_a_number_first() -> None:
    x = np.arange(1, 2001, dtype=np.float32)
    a, z = gpuarray.to_gpu(x), gpuarray.empty(x.size, np.float32)
    for turn in range(3):
        assert gpuarray.subtract(turn, a, out=z) is z
        np.testing.assert_array_equal(z.get(), turn - x)
        assert gpuarray.subtract(turn + 0.5, a, z) is z
        np.testing.assert_array_equal(z.get(), np.float32(turn + 0.5) - x)
    gpuarray.subtract(1, a, out=a)
    gpuarray.subtract(1, a, out=a)
    np.testing.assert_array_equal(a.get(), x)


def test_none_is_a_new_one() -> None:
    a = gpuarray.to_gpu(np.ones(5, np.float32))
    for _ in range(2):
        assert gpuarray.add(a, a, out=None, stream=None).get().sum() == 10
        assert gpuarray.sqrt(a, out=None) is not a
        assert cumath.sqrt(a, stream=None).get().sum() == 5


@pytest.mark.parametrize("keyword", ["out", "stream"])
def test_what_is_neither_array_nor_stream(keyword: str) -> None:
    a = gpuarray.to_gpu(np.ones(5, np.float32))
    host = np.ones(5, np.float32)
    for function, inputs in ((gpuarray.add, (a, 1)), (cumath.sin, (a,))):
        for wrong in (host, 3, "x"):
            with pytest.raises(TypeError):
                function(*inputs, **{keyword: wrong})


def test_freed_results_are_refused() -> None:
    a, z = (gpuarray.to_gpu(np.ones(5, np.float32)) for _ in range(2))
    gpuarray.add(a, a, out=z)
    z.gpudata.free()
    with pytest.raises(drv.LogicError):
        gpuarray.add(a, a, out=z)


def test_a_result_of_a_subclass_is_returned() -> None:
    class Mine(gpuarray.GPUArray):
        pass

    a = gpuarray.to_gpu(np.ones(5, np.float32))
    mine = Mine(5, np.float32)
    for _ in range(3):
        assert gpuarray.add(a, a, out=mine) is mine
        assert mine.get().tolist() == [2] * 5


def test_numbers_alone() -> None:
    with pytest.raises(TypeError, match="no GPUArray among"):
        gpuarray.add(2, 3)
