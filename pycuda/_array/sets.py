"""What is in an array: unique elements and rows, and isin, on sorts.

For `pycuda.gpuarray`.  What lies along an axis is sorted by ranks: each
column's elements become their ranks among themselves, then the ranks of two
columns the rank of the pair, until one column is left, which orders the whole.
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

_MOST_ROWS = 3_037_000_499  # the rank of a pair is less than its square


class _Groups(NamedTuple):
    """Equal ones beside each other."""

    order: GPUArray | None  # sorts them; None where nobody asked
    new: GPUArray  # of the sorted ones: whether another group begins
    firsts: GPUArray  # where that is

    @property
    def index(self) -> GPUArray:
        """Where each group's first is in the array."""
        return take(self.order, self.firsts)

    @property
    def counts(self) -> GPUArray:
        """How many each group has."""
        made = make(self.firsts, self.firsts.shape, np.int64)
        if made.size:
            pair = self.firsts[1:], self.firsts[:-1]
            _apply("subtract", pair, made[:-1], None, None)
            rest = self.new.size, self.firsts[-1:]
            _apply("subtract", rest, made[-1:], None, None)
        return made

    @property
    def inverse(self) -> GPUArray:
        """Each element's group."""
        made = make(self.new, self.new.shape, np.int64)
        if made.size:
            put_along_axis(made, self.order, _numbers(self.new))
        return made


def _numbers(new: GPUArray) -> GPUArray:
    """The group of each sorted element, from 0 on, along the last axis."""
    ends = cumsum(new, -1, np.int64)
    return _apply("subtract", (ends, 1), ends, None, None)


def _differ(values: GPUArray, equal_nan: bool) -> GPUArray:
    """Whether each of sorted values, along the last axis, is another one."""
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


# --- along an axis -------------------------------------------------------


def _differ_as_sorted(values: GPUArray) -> GPUArray:
    """`_differ`, where NaN equals NaN in either part of complex numbers."""
    if values.dtype.kind != "c":
        return _differ(values, True)
    parts = [_differ(part, True) for part in (values.real, values.imag)]
    return _apply("logical_or", tuple(parts), None, None, None)


def _ranks(columns: GPUArray) -> GPUArray:
    """Of each element among those of its column; columns are rows here."""
    found, order = sorted_rows(columns, -1, True, False, None)
    ranks = make(columns, columns.shape, np.int64)
    put_along_axis(ranks, order, _numbers(_differ_as_sorted(found)))
    return ranks


def _ranks_of_rows(columns: GPUArray) -> GPUArray:
    """Of all columns together: equal ranks for rows that sort alike."""
    count, n = columns.shape
    if n > _MOST_ROWS:
        raise ValueError(
            f"unique along an axis of length {n}: at most {_MOST_ROWS} are "
            "told apart"
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
    """The different elements, or the different ones along an axis, sorted.

    Waits for the device, for their number.

    Parameters
    ----------
    return_index
        Also where each is found first.
    return_inverse
        Also the index of each element of `ar` in the result.
    return_counts
        Also how often each is there.
    axis
        None: elements are compared.  Else what lies at each index of this
        axis, its elements in C order: rows of a matrix for 0.
    equal_nan
        Whether all NaN count as one.  Along an axis, of several, what holds
        NaN differs from all others, as in NumPy.
    sorted
        For numpy's sake: the result is sorted.
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
    """What `unique_all` gives."""

    values: GPUArray
    indices: GPUArray
    inverse_indices: GPUArray
    counts: GPUArray


class UniqueCountsResult(NamedTuple):
    """What `unique_counts` gives."""

    values: GPUArray
    counts: GPUArray


class UniqueInverseResult(NamedTuple):
    """What `unique_inverse` gives."""

    values: GPUArray
    inverse_indices: GPUArray


def unique_all(
    x: GPUArray, /, *, stream: drv.Stream | None = None
) -> UniqueAllResult:
    """`unique` with all its results; each NaN is an element of its own."""
    return UniqueAllResult(
        *unique(x, True, True, True, equal_nan=False, stream=stream)
    )


def unique_counts(
    x: GPUArray, /, *, stream: drv.Stream | None = None
) -> UniqueCountsResult:
    """`unique` with counts; each NaN is an element of its own."""
    return UniqueCountsResult(
        *unique(x, return_counts=True, equal_nan=False, stream=stream)
    )


def unique_inverse(
    x: GPUArray, /, *, stream: drv.Stream | None = None
) -> UniqueInverseResult:
    """`unique` with inverse indices; each NaN is an element of its own."""
    return UniqueInverseResult(
        *unique(x, return_inverse=True, equal_nan=False, stream=stream)
    )


def unique_values(
    x: GPUArray, /, *, stream: drv.Stream | None = None
) -> GPUArray:
    """`unique`; each NaN is an element of its own."""
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
    """Whether each element is one of `test_elements`.

    Parameters
    ----------
    invert
        Whether to tell which elements are none of them.
    assume_unique, kind
        For numpy's sake: `test_elements` are sorted in any case.
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
