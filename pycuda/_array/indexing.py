"""Indexing of a GPUArray by integer arrays and by masks, as in NumPy.

`src/array/basic_indexing.c` makes views for integers, slices, Ellipsis and
None, and calls this module for any other key.  A key is split into a view,
made from its simple entries, and the arrays that index the view's other axes;
one kernel then moves the elements.

Indices from the host are checked before any launch.  Indices on the device are
checked by the kernel: it skips an index that is out of range (a read gives
zero) and records the fault, which the next ``get()`` or the next indexing by
an array raises as IndexError.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

import pycuda.driver as drv
from pycuda import _driver, _registry
from pycuda._array.common import merged_axes
from pycuda._array.constructors import upload
from pycuda._array.layout import apart, is_misaligned, loadable, overlap
from pycuda._array.scans import cumsum
from pycuda._context_cache import by_context
from pycuda._driver import ArrayBase, _apply
from pycuda._kernels import building, moves, operations

if TYPE_CHECKING:
    import pycuda.driver as drv
    from pycuda._array.axes import Log
    from pycuda.gpuarray import GPUArray

_BLOCK = 256
_MOST_AXES = 32
_BY_VALUE = 256  # largest element in bytes that is passed as a kernel argument
_GATHERED = 64  # largest element in bytes for selection in one launch
_COPIES = 16  # maximum number of copies of each element in `repeat_line`
_NOTHING = np.uintp(0)  # a null pointer
# minimum number of flags per block, and maximum number of blocks
_PART, _PARTS = 4096, 1024


# --- understanding a key -------------------------------------------------


class _Index(NamedTuple):
    """Integer array in a key."""

    array: Any  # a host array or an array on the device


class _Truth(NamedTuple):
    """An entry that is True or False: a mask without axes."""

    value: bool


def _host_entry(entry: Any) -> np.ndarray:
    array = np.asarray(entry)
    if array.size == 0 and not isinstance(entry, np.ndarray):
        array = array.astype(np.intp)
    if array.dtype.kind not in "biu":
        raise IndexError(
            "arrays used as indices must be of integer (or boolean) type, "
            f"not {array.dtype}"
        )
    if array.ndim > _MOST_AXES:
        raise ValueError(
            f"an array has at most {_MOST_AXES} axes, an index {array.ndim}"
        )
    return array


_SEQUENCES = (list, tuple, range)


def _understood(entry: Any) -> Any:
    """Convert an entry to a slice, None, Ellipsis, int, _Truth or array."""
    if entry is None or entry is Ellipsis or isinstance(entry, slice):
        return entry
    if isinstance(entry, (bool, np.bool_)):
        return _Truth(bool(entry))
    if isinstance(entry, ArrayBase):
        if entry.dtype.kind not in "biu":
            raise IndexError(
                "arrays used as indices must be of integer (or boolean) "
                f"type, not {entry.dtype}"
            )
        if not entry.dtype.isnative:
            raise TypeError(
                "indices on the device must have the machine's byte order, "
                f"not {entry.dtype.str}"
            )
        if entry.ndim == 0 and entry.dtype.kind == "b":
            return _Truth(bool(entry))
        return entry
    if isinstance(entry, (str, bytes, float, complex)) or (
        not isinstance(entry, (*_SEQUENCES, np.ndarray, np.generic))
        and not hasattr(entry, "__index__")
        and not hasattr(entry, "__array__")
    ):
        raise IndexError(
            "only integers, slices, Ellipsis, None and arrays of integers or "
            f"booleans are indices, not {type(entry).__name__}"
        )
    if not isinstance(entry, (*_SEQUENCES, np.ndarray)):
        try:
            return operator.index(entry)
        except TypeError:
            pass
    array = _host_entry(entry)
    if array.ndim == 0:
        if array.dtype.kind == "b":
            return _Truth(bool(array))
        return int(array)
    return array


def _axes_of(entry: Any) -> int:
    """Return the number of the array's axes that an entry uses."""
    if entry is None or entry is Ellipsis or isinstance(entry, _Truth):
        return 0
    if isinstance(entry, (np.ndarray, ArrayBase)) and entry.dtype.kind == "b":
        return entry.ndim
    return 1


def _completed(entries: list, ndim: int) -> list:
    """Return the entries with slices for Ellipsis and omitted axes."""
    used = sum(map(_axes_of, entries))
    if used > ndim:
        raise IndexError(
            f"too many indices: the array has {ndim} axes, but {used} were "
            "indexed"
        )
    dots = [k for k, entry in enumerate(entries) if entry is Ellipsis]
    if len(dots) > 1:
        raise IndexError("an index can only have a single Ellipsis")
    at = dots[0] if dots else len(entries)
    rest = [slice(None)] * (ndim - used)
    # An Ellipsis separates index arrays even if it covers no axis.
    marker = [Ellipsis] if dots and not rest else rest
    return entries[:at] + marker + entries[at + 1 :]


def _check_mask(mask: Any, shape: tuple[Any, ...], axis: int) -> None:
    for k, length in enumerate(mask.shape):
        if shape[axis + k] != length:
            raise IndexError(
                "boolean index did not match indexed array along axis "
                f"{axis + k}; size of axis is {shape[axis + k]} but size of "
                f"corresponding boolean axis is {length}"
            )


class _Key(NamedTuple):
    """A key, split into a view and index arrays."""

    view: GPUArray  # the user's array, indexed by the key's simple entries
    # for each axis of the view: the position in `arrays` of the index array
    # for this axis; None if no index array selects from the axis
    axes: list[int | None]
    arrays: list[Any]
    # for each index array: the axis of the user's array that it selects from
    names: list[int]
    spread: tuple[int, ...]  # common shape of the index arrays
    position: int  # the axis of the result at which `spread` begins


def _basic(a: GPUArray, key: tuple[Any, ...]) -> GPUArray:
    return ArrayBase.__getitem__(a, key)


def mask_arrays(entry: Any) -> list[Any]:
    """Return the integer arrays that are equivalent to a mask."""
    if isinstance(entry, np.ndarray):
        return list(np.nonzero(entry))
    flat = nonzero_flat(entry)
    arrays = []
    for length in entry.shape[:0:-1]:
        arrays.insert(0, _apply("remainder", (flat, np.int64(length))))
        flat = _apply("floor_divide", (flat, np.int64(length)))
    return [flat, *arrays]


def _checked_host(array: np.ndarray, axis: int, length: int) -> np.ndarray:
    """Return host indices of an axis, checked and made non-negative."""
    if array.size == 0:
        return array.astype(np.int64)
    low, high = int(array.min()), int(array.max())
    if low < -length or high >= length:
        raise IndexError(
            f"index {low if low < -length else high} is out of bounds for "
            f"axis {axis} with size {length}"
        )
    array = array.astype(np.int64)
    return np.where(array < 0, array + length, array) if low < 0 else array


def _split(a: GPUArray, key: Any) -> _Key:
    entries = list(key) if isinstance(key, tuple) else [key]
    entries = _completed([_understood(entry) for entry in entries], a.ndim)
    simple: list[Any] = []
    axes: list[int | None] = []
    arrays: list[Any] = []
    names: list[int] = []
    # indices of the index arrays and integers in `entries`
    fancy: list[int] = []
    dimensions_before = 0
    axis = 0
    for k, entry in enumerate(entries):
        is_fancy = isinstance(entry, (int, _Truth, np.ndarray, ArrayBase))
        if is_fancy:
            if not fancy:
                dimensions_before = sum(which is None for which in axes)
            fancy.append(k)
        if isinstance(entry, _Truth):
            arrays.append(np.zeros(int(entry.value), np.int64))
            names.append(-1)
        elif isinstance(entry, int):
            simple.append(entry)
            axis += 1
        elif is_fancy:
            parts = [entry]
            if entry.dtype.kind == "b":
                _check_mask(entry, a.shape, axis)
                parts = mask_arrays(entry)
            for part in parts:
                if isinstance(part, np.ndarray):
                    part = _checked_host(part, axis, a.shape[axis])
                elif part.size and a.shape[axis] == 0:
                    raise IndexError(
                        f"an index is out of bounds for axis {axis} with "
                        "size 0"
                    )
                simple.append(slice(None))
                axes.append(len(arrays))
                arrays.append(part)
                names.append(axis)
                axis += 1
        elif entry is not Ellipsis:
            simple.append(entry)
            axes.append(None)
            axis += entry is not None
    together = fancy == list(range(fancy[0], fancy[0] + len(fancy)))
    try:
        spread = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise IndexError(
            "shape mismatch: indexing arrays could not be broadcast together "
            f"with shapes {shapes}"
        ) from None
    return _Key(
        _basic(a, tuple(simple)),
        axes,
        arrays,
        names,
        spread,
        dimensions_before if together else 0,
    )


# --- masks ---------------------------------------------------------------


@functools.cache
def _memoised() -> dict[str, Callable[..., Any]]:
    makers = {
        "move": moves.make_move,
        "compact": moves.make_compact,
        "compact in turn": moves.make_compact_in_turn,
        "in turn": building.runs_threads_in_turn,
        "repeat in turn": moves.make_repeat_in_turn,
    }
    return {name: by_context(maker) for name, maker in makers.items()}


def nonzero_flat(mask: GPUArray) -> GPUArray:
    """Return the indices of a mask's true elements in C order.

    Waits for the device, because the host needs their number.
    """
    if mask.size and _memoised()["in turn"]():
        return _chosen_in_turn(mask.ravel(), None)

    if mask.size == 0:
        return _registry.GPUArray((0,), np.int64, mask.allocator)
    flat = mask.ravel()
    ends = cumsum(flat, dtype=np.int64)
    count = int(ends[-1:].get()[0])
    result = _registry.GPUArray((count,), np.int64, mask.allocator)
    if count:
        _memoised()["compact"]()(
            result, ends, np.uint64(flat.size),
            block=(_BLOCK, 1, 1), grid=(-(-flat.size // _BLOCK), 1),
        )  # fmt: skip
    return result


@functools.lru_cache(256)
def _parts(size: int) -> tuple[tuple[np.int64, np.int64], dict[str, Any]]:
    """Return ((flags per block, all flags), launch shape) for a mask."""
    # The number of blocks is limited, since each block sums the counts of all
    # blocks before it.
    part = max(_PART, -(-size // _PARTS))
    launch = {"block": (1, 1, 1), "grid": (-(-size // part), 1)}
    return (np.int64(part), np.int64(size)), launch


def _chosen_in_turn(flags: GPUArray, items: GPUArray | None) -> GPUArray:
    """Return the selected items, or their indices; all arrays in C order."""
    unit, words = 0, 1
    if items is not None:
        unit = _unit(items.itemsize, _driver._address_bits(items))
        words = items.itemsize // unit
    counting, compact = _memoised()["compact in turn"](unit, words)
    sizes, launch = _parts(flags.size)
    counts = _registry.GPUArray(launch["grid"][:1], np.int64, flags.allocator)
    counting(counts, flags, *sizes, **launch)
    found = counts.get()
    total = found.item() if found.size == 1 else int(found.sum())
    if items is None:
        result = _registry.GPUArray((total,), np.int64, flags.allocator)
    else:
        result = _new(items, (total,))
    if total:
        source = _NOTHING if items is None else items
        compact(result, source, counts, flags, *sizes, **launch)
    return result


# --- moving --------------------------------------------------------------


def _fault_words() -> tuple[Any, np.uintp]:
    """Return (owner, address) of the current context's fault record.

    The context owns them; `src/array/advanced_indexing.c` reads them.
    """
    known = _driver._registered_faults()
    if known is not None:
        return known
    words = drv.pagelocked_zeros(
        4, np.int64, mem_flags=drv.host_alloc_flags.DEVICEMAP
    )
    known = words.base, np.uintp(int(words.base.get_device_pointer()))
    _driver._register_faults(words.ctypes.data, int(known[1]), known)
    # If another thread has registered its fault record first, use that one.
    return _driver._registered_faults()


def _unit(itemsize: int, *bits: int) -> int:
    """Return the widest word that divides all of these sizes."""
    together = functools.reduce(operator.or_, bits, itemsize | 8)
    return together & -together


def _address(array: Any) -> Any:
    """Return an array as a kernel argument; null if it has no elements."""
    return array if array.size else np.uintp(0)


def _run(
    key: _Key,
    shape: tuple[int, ...],
    plain: Any,
    plain_strides: tuple[int, ...],
    direction: str,
    stream: drv.Stream | None,
) -> None:
    """Launch the kernel; ``plain`` is an array, or bytes for one element."""
    view = key.view
    lengths, strides = _walk(key, shape, plain_strides)
    size = int(np.prod(shape, dtype=np.int64))
    own = [s for s, which in zip(view.strides, key.axes, strict=True)
           if which is None]  # fmt: skip
    picked = [
        next(
            (
                (view.shape[axis], view.strides[axis])
                for axis, which in enumerate(key.axes)
                if which == k
            ),
            (1, 0),
        )
        for k in range(len(key.arrays))
    ]
    addresses = [_driver._address_bits(view)]
    if direction != "fill":
        addresses.append(_driver._address_bits(plain))
    unit = _unit(
        view.itemsize, *addresses, *own, *plain_strides,
        *(step for _, step in picked),
    )  # fmt: skip
    kernel = _memoised()["move"](
        direction,
        unit,
        view.itemsize // unit,
        len(lengths),
        tuple(array.dtype for array in key.arrays),
        size > 0x7FFFFFFF,
    )
    words = [size]
    words += [length for length, _ in picked]
    words += [step for _, step in picked]
    words += key.names
    words += lengths
    for operand in strides:
        words += operand
    kernel(
        plain, _address(view), *map(_address, key.arrays),
        _fault_words()[1], np.array(words, np.int64),
        block=(_BLOCK, 1, 1), grid=(-(-size // _BLOCK), 1), stream=stream,
    )  # fmt: skip


def _walk(
    key: _Key, shape: tuple[int, ...], plain_strides: tuple[int, ...]
) -> tuple[Any, ...]:
    """Merge axes; return lengths, strides of plain array, view, indices."""
    spread = len(key.spread)
    own = [
        stride
        for stride, which in zip(key.view.strides, key.axes, strict=True)
        if which is None
    ]
    before, after = own[: key.position], own[key.position :]
    strides = [
        list(plain_strides),
        [*before, *([0] * spread), *after],
    ]
    for array in key.arrays:
        missing = spread - array.ndim
        steps = [
            0 if length == 1 else step
            for length, step in zip(array.shape, array.strides, strict=True)
        ]
        strides.append(
            [0] * (len(before) + missing) + steps + [0] * len(after)
        )
    return merged_axes(shape, strides)


def _result_shape(key: _Key) -> tuple[int, ...]:
    own = [
        length
        for length, which in zip(key.view.shape, key.axes, strict=True)
        if which is None
    ]
    return (*own[: key.position], *key.spread, *own[key.position :])


def _loadable(array: Any, stream: drv.Stream | None) -> Any:
    """Return an index array in device memory that kernels can load."""
    if isinstance(array, np.ndarray):
        return upload(np.ascontiguousarray(array))
    return loadable(array, stream)


def _uploaded(key: _Key, stream: drv.Stream | None) -> _Key:
    """Return the key with all its arrays on the device."""
    return key._replace(
        arrays=[_loadable(array, stream) for array in key.arrays]
    )


def _new(model: GPUArray, shape: tuple[int, ...]) -> GPUArray:
    """Create an array of the model's class, dtype and allocator."""
    made = model.__class__.__new__(model.__class__)
    ArrayBase.__init__(made, shape, model.dtype, model.allocator)
    return made


def get(
    a: GPUArray,
    key: Any,
    out: GPUArray | None = None,
    stream: drv.Stream | None = None,
) -> GPUArray:
    """Return ``a[key]`` as a new array, or write it to `out`."""
    _driver._check_faults()
    if out is None and stream is None and _is_choice(a, key):
        return _chosen_in_turn(key, a)
    if out is None and is_simple(a, key):
        result = _new(a, key.shape)
        take_indexed(a, key, 0, result, stream)
        return result
    split = _split(a, key)
    shape = _result_shape(split)
    result = _new(a, shape) if out is None else out
    if result.size and a.itemsize:
        split = _uploaded(split, stream)
        if out is not None:
            own = [apart(out, array, stream) for array in split.arrays]
            split = split._replace(arrays=own)
        if _is_line(split):
            take_indexed(
                split.view, split.arrays[0], split.names[0], result, stream
            )
            return result
        strides = result.strides if out is None else _packed(result, shape)
        _run(split, shape, result, strides, "get", stream)
    return result


def _is_choice(a: GPUArray, key: Any) -> bool:
    """Return whether `key` is a mask with the same memory order as `a`."""
    return (
        isinstance(key, ArrayBase)
        and key.dtype.kind == "b"
        and key.shape == a.shape
        and key.size > 0
        and 0 < a.itemsize <= _GATHERED
        and key.flags.c_contiguous
        and a.flags.c_contiguous
        and _memoised()["in turn"]()
    )


def is_simple(a: GPUArray, indices: Any) -> bool:
    """Return whether contiguous indices select from a contiguous 1-d array."""
    return (
        a.ndim == 1
        and isinstance(indices, ArrayBase)
        and indices.dtype.kind in "iu"
        and indices.dtype.isnative
        and a.size > 0
        and a.itemsize > 0
        and indices.size > 0
        and a.flags.c_contiguous
        and indices.flags.c_contiguous
        and not is_misaligned(indices)
    )


def _is_line(key: _Key) -> bool:
    """Return whether one contiguous index array indexes a contiguous row."""
    view = key.view
    return (
        len(key.arrays) == 1
        and key.axes == [0]
        and view.size > 0
        and view.flags.c_contiguous
        and key.arrays[0].flags.c_contiguous
    )


def _is_line_of(indices: GPUArray, row: GPUArray, values: Any) -> bool:
    """Return whether `values` has one usable element for each index.

    Usable means: equal dtype and shape, contiguous, and no overlap with `row`.
    """
    return (
        isinstance(values, ArrayBase)
        and values.dtype == row.dtype
        and values.shape == indices.shape
        and values.flags.c_contiguous
        and not overlap(row, values)
    )


def take_indexed(
    view: GPUArray,
    indices: GPUArray,
    axis: int,
    result: GPUArray,
    stream: drv.Stream | None,
) -> None:
    """Run ``result = view[indices]`` for contiguous arrays.

    `view` has one axis, which the user knows as `axis`.  Neither `view` nor
    `indices` is empty.
    """
    if not _driver._take_indexed(view, indices, axis, result, stream):
        _fault_words()
        _driver._take_indexed(view, indices, axis, result, stream)


def _put_indexed(
    view: GPUArray,
    indices: GPUArray,
    axis: int,
    values: GPUArray,
    stream: drv.Stream | None,
) -> None:
    """Run ``view[indices] = values``; conditions as for `take_indexed`."""
    if not _driver._put_indexed(view, indices, axis, values, stream):
        _fault_words()
        _driver._put_indexed(view, indices, axis, values, stream)


def repeat_line(
    result: GPUArray, row: GPUArray, copies: int, stream: drv.Stream | None,
    log: Log,
) -> bool:  # fmt: skip
    """Repeat each element of a row, if there is a kernel for it.

    Both arrays are in C order.  The row is the first input of the logged call.
    """
    if (
        copies > _COPIES
        or row.itemsize not in (1, 2, 4, 8, 16)
        or not _memoised()["in turn"]()
    ):
        return False
    unit = _unit(
        row.itemsize, _driver._address_bits(row),
        _driver._address_bits(result),
    )  # fmt: skip
    kernel, each = _memoised()["repeat in turn"](
        unit, row.itemsize // unit, copies
    )
    size, grid = np.int64(row.size), (-(-row.size // each), 1)
    kernel(result, row, size, block=(1, 1, 1), grid=grid, stream=stream)
    log.add(kernel, (1, 1, 1), grid, 0, (result, 0, size.tobytes()))
    return True


def _packed(array: GPUArray, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return C order strides of `shape` for a contiguous array."""
    strides, step = [], array.itemsize
    for length in reversed(shape):
        strides.append(step)
        step *= length
    return tuple(reversed(strides))


def _as_source(a: GPUArray, value: Any) -> Any:
    """Convert an assigned value to a host array of a's dtype or a GPUArray."""
    if not isinstance(value, ArrayBase):
        shape = () if _is_record(a, value) else np.shape(value)
        host = np.empty(shape, a.dtype)
        host[...] = value
        return host
    return value


def _is_record(a: GPUArray, value: Any) -> bool:
    return isinstance(value, tuple) and a.dtype.names is not None


def _on_device(
    a: GPUArray, value: GPUArray, stream: drv.Stream | None
) -> GPUArray:
    """Return a source in a's dtype that shares no memory with `a`."""
    if value.dtype != a.dtype:
        return value.astype(a.dtype, stream)
    return apart(a, value, stream)


def _broadcast(value: Any, shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return the strides of a value that is broadcast to `shape`."""
    extra = value.ndim - len(shape)
    lengths, strides = list(value.shape), list(value.strides)
    while extra > 0 and lengths[0] == 1:
        del lengths[0], strides[0]
        extra -= 1
    missing = len(shape) - len(lengths)
    if extra > 0 or any(
        length not in (1, wanted)
        for length, wanted in zip(lengths, shape[missing:], strict=True)
    ):
        raise ValueError(
            f"shape mismatch: value array of shape {value.shape} could not "
            f"be broadcast to indexing result of shape {shape}"
        )
    return (0,) * missing + tuple(
        0 if length == 1 else stride
        for length, stride in zip(lengths, strides, strict=True)
    )


def _fill_masked(a: GPUArray, key: Any, value: np.ndarray) -> bool:
    """Run ``a[mask] = number`` for a mask on the device, without waiting."""
    if (
        not isinstance(key, ArrayBase)
        or key.dtype.kind != "b"
        or not 0 < key.ndim <= a.ndim
        or a.dtype.char not in operations.ARITHMETIC
        or not a.dtype.isnative
        or any(step == 0 for step in a.strides)
    ):
        return False
    _check_mask(key, a.shape, 0)
    if a.size:
        mask = key[(..., *[None] * (a.ndim - key.ndim))]
        _apply("where", (mask, value[()], a), a)
    return True


def set(
    a: GPUArray,
    key: Any,
    value: Any,
    stream: drv.Stream | None = None,
) -> None:
    """Run ``a[key] = value``.

    If several values are assigned to one element, any of them may remain.
    """
    _driver._check_faults()
    source = _as_source(a, value)
    is_number = isinstance(source, np.ndarray) and source.size == 1
    if is_number and _fill_masked(a, key, source.reshape(())):
        return
    split = _split(a, key)
    shape = _result_shape(split)
    _broadcast(source, shape)
    if 0 in shape or a.itemsize == 0:
        return
    split = _uploaded(split, stream)
    own = [apart(a, array, stream) for array in split.arrays]
    split = split._replace(arrays=own)
    if is_number and a.itemsize <= _BY_VALUE:
        one = np.frombuffer(source.tobytes(), np.uint8)
        _run(split, shape, one, (0,) * len(shape), "fill", stream)
        return
    if isinstance(source, np.ndarray):
        source = upload(np.ascontiguousarray(source))
    else:
        source = _on_device(a, source, stream)
    if _is_line(split) and _is_line_of(split.arrays[0], split.view, source):
        _put_indexed(
            split.view, split.arrays[0], split.names[0], source, stream
        )
        return
    _run(split, shape, source, _broadcast(source, shape), "set", stream)


_driver._set_indexer(get, set)
