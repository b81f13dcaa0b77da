"""Pairs of equal host and device arrays in many layouts, and a comparison.

The tests of this folder share them.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

REAL = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]
NUMBERS = [*REAL, "c8", "c16"]

# Views of an array; each is applied to both sides.
VIEWS: dict[str, Callable[[Any], Any]] = {
    "whole": lambda a: a,
    "transposed": lambda a: a.T,
    "reversed": lambda a: a[..., ::-1],
    "all reversed": lambda a: a[(slice(None, None, -1),) * a.ndim],
    "every second": lambda a: a[..., ::2],
    "offset": lambda a: a[..., 1:],
    "first axis stepped": lambda a: a[::2],
    "new axis": lambda a: a[..., None][..., 0],
}


def numbers(shape: tuple, dtype: Any, seed: int = 0) -> np.ndarray:
    """Return small numbers of either sign, including zeros."""
    random = np.random.default_rng(seed)
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return random.integers(0, 2, shape).astype(bool)
    if dtype.kind == "u":
        return random.integers(0, 12, shape).astype(dtype)
    if dtype.kind == "i":
        return random.integers(-6, 7, shape).astype(dtype)
    values = np.round(random.normal(0, 4, shape), 2)
    if dtype.kind == "c":
        values = values + 1j * np.round(random.normal(0, 4, shape), 2)
    return np.asarray(values).astype(dtype)


def seen(array: Any, view: str) -> Any:
    """Return a view of an array; an array without axes has only one."""
    return VIEWS[view](array) if array.ndim else array


def both(host: np.ndarray, order: str = "C", view: str = "whole") -> tuple:
    """Return a host array and its device copy, in an order and a view."""
    from pycuda import gpuarray

    host = np.asarray(host, order=order)
    device = gpuarray.to_gpu(host)
    return seen(host, view), seen(device, view)


def same(device: Any, host: Any, rtol: float = 0) -> None:
    """Check shape, dtype and elements; zeros by sign, any NaN equals NaN."""
    host = np.asarray(host)
    got = device.get()
    assert device.shape == host.shape
    assert got.shape == host.shape
    assert got.dtype == device.dtype == host.dtype
    if rtol:
        if host.dtype.kind == "c":
            # Complex quotients by zero differ between versions of NumPy.
            finite = np.isfinite(host)
            np.testing.assert_array_equal(np.isfinite(got), finite)
            got, host = got[finite], host[finite]
        np.testing.assert_allclose(got, host, rtol=rtol, atol=0)
        return
    np.testing.assert_array_equal(got, host)
    if host.dtype.kind == "f":
        # The sign of a NaN result differs between devices.
        np.testing.assert_array_equal(
            np.signbit(got) & ~np.isnan(got),
            np.signbit(host) & ~np.isnan(host),
        )


shapes = st.lists(st.integers(0, 7), min_size=0, max_size=4).map(tuple)
orders = st.sampled_from("CF")
views = st.sampled_from(sorted(VIEWS))
