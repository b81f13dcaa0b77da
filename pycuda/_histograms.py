"""NumPy's bincount and histograms of device arrays.

Elements are counted by sorting; weights are summed in the order of the
elements, so that results are the same in every run.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda._array.constructors import arange, upload, zeros
from pycuda._context_cache import by_context
from pycuda._driver import ArrayBase
from pycuda.elementwise import ElementwiseKernel
from pycuda.tools import dtype_to_ctype

if TYPE_CHECKING:
    from pycuda.gpuarray import GPUArray

# Maximum number of partial sums, in all bins together. If there are few bins,
# each has several partial sums, so that the whole device is used.
_SUMS = 1 << 15
_LEAST_PART = 64  # minimum of the average number of elements per partial sum


@by_context
def _segments_kernel(dtype: np.dtype) -> ElementwiseKernel:
    """Compile sums over equal parts of the segments between `bounds`."""
    name = dtype_to_ctype(dtype)
    return ElementwiseKernel(
        f"{name} *sums, long long *bounds, {name} *x, long long parts",
        f"""
        long long bin = i / parts, part = i % parts;
        long long first = bounds[bin], count = bounds[bin + 1] - first;
        long long stop = first + count * (part + 1) / parts;
        {name} sum = 0;
        for (long long k = first + count * part / parts; k < stop; ++k)
            sum += x[k];
        sums[i] = sum;
        """,
        name="segment_sums",
    )


def _segment_sums(x: Any, bounds: Any) -> Any:
    """Return the sum of ``x[bounds[k]:bounds[k + 1]]`` for every k."""
    if x.dtype.kind == "c":
        real = _segment_sums(x.real, bounds)
        imag = _segment_sums(x.imag, bounds)
        return real + imag * np.complex128(1j)
    wide = np.dtype(np.int64 if x.dtype.kind in "biu" else np.float64)
    x = x.astype(wide)
    bins = bounds.size - 1
    most = max(1, _SUMS // max(bins, 1))
    parts = max(1, min(most, x.size // (max(bins, 1) * _LEAST_PART)))
    sums = zeros((bins, parts), wide)
    if sums.size and x.size:
        _segments_kernel(wide)(sums, bounds, x, parts)
    return np.sum(sums, axis=1)


def _counts(ordered: Any, edges: Any) -> Any:
    """Return how many sorted elements are before each edge.

    The last edge belongs to the last bin.
    """
    before = np.searchsorted(ordered, edges[:-1], "left")
    all_of_it = np.searchsorted(ordered, edges[-1:], "right")
    return np.concatenate([before, all_of_it])


def _count(x: Any, edges: Any, weights: Any) -> Any:
    """Return the number or weight of elements in each bin."""
    if weights is None:
        return np.diff(_counts(np.sort(x), edges))
    order = np.argsort(x)
    bounds = _counts(np.take(x, order), edges)
    return _segment_sums(np.take(weights, order), bounds)


def _weights_like(weights: Any, a: Any) -> Any:
    """Return the weights flattened on the device, or None."""
    if weights is None:
        return None
    if not isinstance(weights, ArrayBase):
        weights = upload(np.asarray(weights))
    if weights.shape != a.shape:
        raise ValueError("weights should have the same shape as a.")
    return weights.reshape(-1)


def bincount(
    x: GPUArray, /, weights: Any = None, minlength: int = 0
) -> Any:  # fmt: skip
    """Return ``numpy.bincount``; waits for the largest element."""
    if x.ndim != 1:
        raise ValueError("object too deep for desired array")
    if x.dtype.kind not in "bui":
        raise TypeError(
            f"Cannot cast array data from {x.dtype!r} to dtype('int64') "
            "according to the rule 'safe'"
        )
    length = operator.index(minlength)
    if length < 0:
        raise ValueError("'minlength' must not be negative")
    x = x.astype(np.int64)
    if weights is not None and weights.shape != x.shape:
        raise ValueError("The weights and list don't have the same length.")
    if x.size:
        if int(np.min(x)) < 0:
            raise ValueError("'list' argument must have no negative elements")
        length = max(length, int(np.max(x)) + 1)
    if x.size == 0 or length == 0:
        return zeros(length, np.int64 if weights is None else np.float64)
    edges = arange(length + 1, dtype=np.int64)
    if weights is None:
        ordered = np.sort(x)
        return np.diff(np.searchsorted(ordered, edges, "left"))
    weights = _weights_like(weights, x).astype(np.float64)
    order = np.argsort(x)
    bounds = np.searchsorted(np.take(x, order), edges, "left")
    return _segment_sums(np.take(weights, order), bounds)


# --- edges ---------------------------------------------------------------


def _limits(a: Any, limits: Any) -> tuple[Any, Any]:
    """Return the least and the greatest element, or the given range."""
    if limits is not None:
        return limits[0], limits[1]
    if a.size == 0:
        return 0, 1
    low, high = np.min(a).get()[()], np.max(a).get()[()]
    if not (np.isfinite(low) and np.isfinite(high)):
        raise ValueError(
            f"autodetected range of [{low}, {high}] is not finite"
        )
    return low, high


def _edges(a: Any, bins: Any, limits: Any) -> np.ndarray:
    """Return the edges of the bins on the host, as NumPy computes them."""
    if isinstance(bins, ArrayBase):
        bins = bins.get()  # type: ignore[attr-defined]
    if isinstance(bins, str):
        raise TypeError(
            f"bins={bins!r}: the number of bins is not estimated from "
            "GPUArrays; pass a number or the edges"
        )
    if np.ndim(bins):
        return np.histogram_bin_edges(np.zeros(0, a.dtype), bins)
    low, high = _limits(a, limits)
    sample = np.array([low, high]).astype(a.dtype)
    return np.histogram_bin_edges(sample, bins, (low, high))


def histogram_bin_edges(
    a: GPUArray, bins: Any = 10, range: Any = None, weights: Any = None
) -> Any:
    """Return the edges of the bins, on the device."""
    return upload(_edges(a.reshape(-1), bins, range))


def histogram(
    a: GPUArray,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> Any:
    """Return ``numpy.histogram``: (counts, edges), both on the device."""
    weights = _weights_like(weights, a)
    kind = None if weights is None else weights.dtype
    flat: Any = a.reshape(-1)
    if flat.dtype.kind == "b":
        flat = flat.astype(np.uint8)
    host = _edges(flat, bins, range)
    edges = upload(host)
    result = _count(flat, edges, weights)
    if kind is not None and result.dtype != kind:
        result = result.astype(kind)
    if density:
        result = result / upload(np.diff(host)) / np.sum(result)
    return result, edges


def _columns(sample: Any) -> list[Any]:
    """Return the coordinates of a sample, one array each."""
    if isinstance(sample, ArrayBase):
        rows = sample.reshape(-1, 1) if sample.ndim == 1 else sample  # type: ignore[attr-defined]
        return [rows[:, k] for k in range(rows.shape[1])]
    return list(sample)


def histogramdd(
    sample: Any,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> Any:
    """Return ``numpy.histogramdd``: (counts, list of edges)."""
    columns = _columns(sample)
    count = len(columns)
    if not isinstance(bins, (list, tuple)) and np.ndim(bins) == 0:
        bins = [bins] * count
    if len(bins) != count:
        raise ValueError(
            "The dimension of bins must be equal to the dimension of the "
            "sample x."
        )
    limits = [None] * count if range is None else list(range)
    hosts = [
        _edges(column, edges, limit)
        for column, edges, limit in zip(columns, bins, limits, strict=True)
    ]
    flat: Any = None
    for column, host in zip(columns, hosts, strict=True):
        inner = upload(host)
        at = np.searchsorted(inner, column, "right")
        at = np.where(column == host[-1], len(host) - 1, at)
        flat = at if flat is None else flat * (len(host) + 1) + at
    shape = [len(host) + 1 for host in hosts]
    weights = _weights_like(weights, columns[0])
    result = bincount(flat, weights, int(np.prod(shape))).reshape(shape)
    result = result[(slice(1, -1),) * count].astype(np.float64)
    if density:
        total = np.sum(result)
        for axis, host in enumerate(hosts):
            width = [1] * count
            width[axis] = -1
            result = result / upload(np.diff(host).reshape(width))
        result = result / total
    return result, [upload(host) for host in hosts]


def histogram2d(
    x: GPUArray,
    y: GPUArray,
    bins: Any = 10,
    range: Any = None,
    density: bool | None = None,
    weights: Any = None,
) -> Any:
    """Return ``numpy.histogram2d``: (counts, edges of x, edges of y)."""
    if not hasattr(bins, "__len__") or len(bins) not in (1, 2):
        bins = [bins, bins]
    result, edges = histogramdd([x, y], bins, range, density, weights)
    return result, edges[0], edges[1]


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "bincount": bincount,
    "histogram": histogram,
    "histogram_bin_edges": histogram_bin_edges,
    "histogramdd": histogramdd,
    "histogram2d": histogram2d,
}
