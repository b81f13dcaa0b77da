"""Unique elements and rows, and isin, for `pycuda.gpuarray`; based on sorts.

Slices along an axis are sorted by ranks: the elements of each column are
replaced by their ranks within the column, then the ranks of two columns by the
rank of the pair, until one column is left, which sorts the slices.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pycuda._array.common import check_array, make, normal_axis, using
from pycuda._array.indexing import nonzero_flat
from pycuda._array.reductions import any
from pycuda._array.scans import cumsum
from pycuda._array.selecting import put_along_axis, take
from pycuda._array.shaping import moveaxis
from pycuda._array.sorting import argsort, searchsorted, sort, sorted_rows
from pycuda._driver import _apply

if TYPE_CHECKING:
    import pycuda.driver as drv
    from pycuda.gpuarray import GPUArray

_MOST_ROWS = 3_037_000_499  # largest number whose square fits in an int64


class _Groups(NamedTuple):
    """Sorted elements, and the boundaries between groups of equal ones."""

    # indices that sort the elements; None if not requested
    order: GPUArray | None
    new: GPUArray  # for each sorted element: whether it begins a group
    firsts: GPUArray  # indices of the groups' first elements

    @property
    def index(self) -> GPUArray:
        """Return the index of each group's first element in the array."""
        return take(self.order, self.firsts)

    @property
    def counts(self) -> GPUArray:
        """Return the number of elements in each group."""
        made = make(self.firsts, self.firsts.shape, np.int64)
        if made.size:
            pair = self.firsts[1:], self.firsts[:-1]
            _apply("subtract", pair, made[:-1], None, None)
            rest = self.new.size, self.firsts[-1:]
            _apply("subtract", rest, made[-1:], None, None)
        return made

    @property
    def inverse(self) -> GPUArray:
        """Return the group index of each element."""
        made = make(self.new, self.new.shape, np.int64)
        if made.size:
            put_along_axis(made, self.order, _numbers(self.new))
        return made


def _numbers(new: GPUArray) -> GPUArray:
    """Return each sorted element's group index, along the last axis."""
    ends = cumsum(new, -1, np.int64)
    return _apply("subtract", (ends, 1), ends, None, None)


def _differ(values: GPUArray, equal_nan: bool) -> GPUArray:
    """Return whether each sorted value differs from the previous one.

    Compares along the last axis.
    """
    mask = make(values, values.shape, np.bool_)
    mask[..., :1].fill(np.True_)
    pair = values[..., 1:], values[..., :-1]
    later = mask[..., 1:]
    _apply("not_equal", pair, later, None, None)
    if equal_nan and values.dtype.kind in "fcV":
        nan = [_apply("isnan", (x,), None, None, None) for x in pair]
        both = _apply("logical_and", tuple(nan), None, None, None)
        other = _apply("logical_not", (both,), None, None, None)
        _apply("logical_and", (later, other), later, None, None)
    return mask


# --- elements ------------------------------------------------------------


def _elements(
    flat: GPUArray, ordered: bool, equal_nan: bool
) -> tuple[GPUArray, _Groups]:
    found, order = sorted_rows(flat, -1, ordered, False, None)
    new = _differ(found, equal_nan)
    groups = _Groups(order, new, nonzero_flat(new))
    return take(found, groups.firsts), groups


# --- distinct parts along an axis ----------------------------------------


def _differ_as_sorted(values: GPUArray) -> GPUArray:
    """Run `_differ` with equal NaN, on each part of complex numbers."""
    if values.dtype.kind != "c":
        return _differ(values, True)
    parts = [_differ(part, True) for part in (values.real, values.imag)]
    return _apply("logical_or", tuple(parts), None, None, None)


def _ranks(columns: GPUArray) -> GPUArray:
    """Return the rank of each element within its row."""
    found, order = sorted_rows(columns, -1, True, False, None)
    ranks = make(columns, columns.shape, np.int64)
    put_along_axis(ranks, order, _numbers(_differ_as_sorted(found)))
    return ranks


def _ranks_of_rows(columns: GPUArray) -> GPUArray:
    """Return ranks of the rows: equal ranks for rows that sort as equal."""
    count, n = columns.shape
    if n > _MOST_ROWS:
        raise ValueError(
            f"unique along an axis of length {n}: at most {_MOST_ROWS} "
            "are supported"
        )
    if count == 0 or n == 0:
        made = make(columns, (n,), np.int64)
        return made.fill(np.int64(0))
    ranks = _ranks(columns)
    while len(ranks) > 1:
        pairs = ranks[: len(ranks) // 2 * 2]
        joined = make(ranks, ((len(ranks) + 1) // 2, n), np.int64)
        target = joined[: len(pairs) // 2]
        _apply("multiply", (pairs[::2], n), target, None, None)
        _apply("add", (target, pairs[1::2]), target, None, None)
        if len(ranks) % 2:
            joined[-1:].set(ranks[-1:], True)
        ranks = _ranks(joined)
    return ranks[0]


def _along(ar: GPUArray, axis: int) -> tuple[GPUArray, _Groups]:
    rows = moveaxis(ar, axis, 0)
    columns = rows.reshape(len(rows), -1 if rows.size else 0).T
    ranks = _ranks_of_rows(columns)
    order = argsort(ranks)
    new = _differ(take(ranks, order), False)
    if ar.dtype.kind in "fcV" and columns.size:
        nan = any(_apply("isnan", (columns,), None, None, None), axis=0)
        _apply("logical_or", (new, take(nan, order)), new, None, None)
    groups = _Groups(order, new, nonzero_flat(new))
    found = take(ar, groups.index, axis=axis)
    return found, groups


def unique(
    ar: GPUArray,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
    *,
    equal_nan: bool = True,
    sorted: bool = True,
    stream: drv.Stream | None = None,
) -> Any:
    """Return the unique elements, or unique slices along an axis, sorted.

    Waits for the device, because the host needs their number.

    Parameters
    ----------
    ar
        Array of any shape and strides.
    return_index
        Whether to return the index of the first occurrence of each.
    return_inverse
        Whether to return the index of each element of `ar` in the result.
    return_counts
        Whether to return the number of occurrences of each.
    axis
        None compares elements.  Otherwise the slices at each index of this
        axis are compared, in C order: the rows of a matrix for 0.
    equal_nan
        Whether all NaN count as equal.  Along an axis, slices that hold NaN
        differ from all others, as in NumPy.
    sorted
        For compatibility with NumPy: the result is always sorted.
    stream
        Stream of the launches; default: the current one.

    Returns
    -------
    GPUArray or tuple of GPUArray
        The unique elements, then the requested arrays of int64.
    """
    check_array(ar, "ar")
    if axis is not None:
        axis = normal_axis(axis, ar.ndim)
    with using(stream):
        if axis is None or ar.ndim == 1:
            ordered = return_index or return_inverse
            values, groups = _elements(ar.ravel(), ordered, equal_nan)
        else:
            values, groups = _along(ar, axis)
        results = [values]
        if return_index:
            results.append(groups.index)
        if return_inverse:
            shape = ar.shape if axis is None else (ar.shape[axis],)
            results.append(groups.inverse.reshape(shape))
        if return_counts:
            results.append(groups.counts)
    return results[0] if len(results) == 1 else tuple(results)


class UniqueAllResult(NamedTuple):
    """Result of `unique_all`."""

    values: GPUArray
    indices: GPUArray
    inverse_indices: GPUArray
    counts: GPUArray


class UniqueCountsResult(NamedTuple):
    """Result of `unique_counts`."""

    values: GPUArray
    counts: GPUArray


class UniqueInverseResult(NamedTuple):
    """Result of `unique_inverse`."""

    values: GPUArray
    inverse_indices: GPUArray


def unique_all(
    x: GPUArray, /, *, stream: drv.Stream | None = None
) -> UniqueAllResult:
    """Run `unique` with all results; each NaN is a separate element."""
    return UniqueAllResult(
        *unique(x, True, True, True, equal_nan=False, stream=stream)
    )


def unique_counts(
    x: GPUArray, /, *, stream: drv.Stream | None = None
) -> UniqueCountsResult:
    """Run `unique` with counts; each NaN is a separate element."""
    return UniqueCountsResult(
        *unique(x, return_counts=True, equal_nan=False, stream=stream)
    )


def unique_inverse(
    x: GPUArray, /, *, stream: drv.Stream | None = None
) -> UniqueInverseResult:
    """Run `unique` with inverse indices; each NaN is a separate element."""
    return UniqueInverseResult(
        *unique(x, return_inverse=True, equal_nan=False, stream=stream)
    )


def unique_values(
    x: GPUArray, /, *, stream: drv.Stream | None = None
) -> GPUArray:
    """Run `unique`; each NaN is a separate element."""
    return unique(x, equal_nan=False, stream=stream)


def isin(
    element: GPUArray,
    test_elements: GPUArray,
    assume_unique: bool = False,
    invert: bool = False,
    *,
    kind: str | None = None,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return whether each element is one of `test_elements`, as bool.

    Parameters
    ----------
    element
        The elements to look up, in any shape.
    test_elements
        The elements to compare with.
    invert
        Whether to negate the result.
    assume_unique, kind
        For compatibility with NumPy: `test_elements` are always sorted.
    stream
        Stream of the launches; default: the current one.

    Raises
    ------
    ValueError
        If `kind` is none of None, 'sort' and 'table'.
    """
    if kind not in (None, "sort", "table"):
        raise ValueError(
            f"Invalid kind: {kind!r}. Please use None, 'sort' or 'table'."
        )
    check_array(element, "element")
    check_array(test_elements, "test_elements")
    result = make(element, element.shape, np.bool_)
    with using(stream):
        if test_elements.size == 0 or element.size == 0:
            return result.fill(np.bool_(invert))
        common = np.result_type(element.dtype, test_elements.dtype)
        known = sort(test_elements.astype(common), None)
        wanted = element.astype(common)
        places = searchsorted(known, wanted)
        _apply("minimum", (places, known.size - 1), places, None, None)
        name = "not_equal" if invert else "equal"
        return _apply(name, (take(known, places), wanted), result, None, None)
