"""Random calls of NumPy's functions, each made by NumPy and on the device.

The arrays and comparisons are those of `fuzzing.py`; here too a case depends
on its seed only.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import fuzzing
import numpy as np
from fuzzing import (
    DTYPES,
    PAIRS,
    Difference,
    axes_of,
    compare,
    compare_values,
    describe,
    pair,
    partner,
    quietly,
    refused,
    shape_of,
    ulp,
    values,
)

from pycuda import gpuarray
from pycuda._array.mathematics import BINARY, UNARY

NO_COMPLEX_ORDER = {"less", "less_equal", "greater", "greater_equal", "sign"}
# In ulp: CUDA's bound, NumPy's own 1, and the error of formulas with several
# steps.
LOOSE = {
    "arctan2": 5, "hypot": 4, "float_power": 16, "power": 16, "logaddexp": 8,
    "logaddexp2": 8, "cbrt": 3, "exp": 4, "exp2": 4, "expm1": 4, "log": 4,
    "log2": 4, "log10": 4, "log1p": 4, "sin": 4, "cos": 4, "tan": 6,
    "sinh": 5, "cosh": 5, "tanh": 5, "arcsin": 6, "arccos": 6, "arctan": 4,
    "arcsinh": 5, "arccosh": 6, "arctanh": 5, "deg2rad": 2, "rad2deg": 2,
    "floor_divide": 0,
}  # fmt: skip


def run(name: str, *arrays: Any, **options: Any) -> Iterator[str]:
    """Compare NumPy's function with ours; `arrays` are pairs of arguments."""
    hosts = [a[0] for a in arrays]
    yield (
        f"{name} of {', '.join(describe(host) for host in hosts)} with "
        f"{options}"
    )
    reference, own = getattr(np, name), getattr(gpuarray, name)
    devices = [a[1] for a in arrays]
    try:
        want = quietly(lambda: reference(*hosts, **options))
    # A division by a length, which is a ValueError here.
    except ZeroDivisionError as error:
        refused(ValueError(error), lambda: _fetched(own(*devices, **options)))
        return
    except (ValueError, TypeError, IndexError, OverflowError) as error:
        refused(error, lambda: _fetched(own(*devices, **options)))
        return
    got = own(*devices, **options)
    same(got, want)


def _fetched(result: Any) -> None:
    for part in result if isinstance(result, (tuple, list)) else [result]:
        if part is not None:
            part.get()


def same(got: Any, want: Any) -> None:
    if isinstance(want, (tuple, list)):
        if len(got) != len(want):
            raise Difference(f"{len(got)} results, not {len(want)}")
        for ours, theirs in zip(got, want, strict=True):
            compare(ours, theirs)
    else:
        compare(got, want)


def some(rng: Any, most: int = 4, dtype: str | None = None) -> tuple:
    """Return an array with at least one axis."""
    dtype = dtype or str(rng.choice(DTYPES))
    return pair(rng, shape_of(rng, most), dtype)


# --- shapes --------------------------------------------------------------


def views(rng: Any) -> Iterator[str]:
    a = some(rng)
    ndim = a[0].ndim
    name = str(rng.choice([
        "flip", "moveaxis", "swapaxes", "expand_dims", "squeeze", "diagonal",
        "broadcast_to", "array_split", "split", "atleast_1d", "atleast_2d",
        "atleast_3d", "unstack", "matrix_transpose",
    ]))  # fmt: skip
    options: dict[str, Any] = {}
    if name == "flip":
        options["axis"] = axes_of(rng, ndim, True)
    elif name in ("moveaxis", "swapaxes"):
        keys = {"moveaxis": ("source", "destination")}
        for key in keys.get(name, ("axis1", "axis2")):
            options[key] = int(rng.integers(-ndim - 1, ndim + 1))
    elif name == "expand_dims":
        options["axis"] = int(rng.integers(-ndim - 2, ndim + 2))
    elif name == "squeeze":
        options["axis"] = axes_of(rng, ndim, True)
    elif name == "diagonal":
        options["offset"] = int(rng.integers(-3, 4))
        if rng.random() < 0.5:
            options["axis1"], options["axis2"] = (
                int(k) for k in rng.integers(-ndim - 1, ndim + 1, 2)
            )
    elif name == "broadcast_to":
        grown = [int(rng.integers(0, 4)) if n == 1 else n for n in a[0].shape]
        options["shape"] = (*rng.integers(1, 3, rng.integers(0, 3)), *grown)
        if rng.random() < 0.1:
            options["shape"] = options["shape"][1:]
    elif name in ("array_split", "split"):
        options["axis"] = int(rng.integers(-ndim, ndim)) if ndim else 0
        options["indices_or_sections"] = int(rng.integers(0, 5))
        if rng.random() < 0.5:
            options["indices_or_sections"] = [
                int(k) for k in rng.integers(-5, 9, rng.integers(0, 4))
            ]
    elif name == "unstack":
        options["axis"] = int(rng.integers(-ndim - 1, ndim + 1))
        if a[0].size > 500:
            return
    yield from run(name, a, **options)


def copies(rng: Any) -> Iterator[str]:
    a = some(rng)
    ndim = a[0].ndim
    name = str(rng.choice(["roll", "tile", "repeat", "tril", "triu", "diff"]))
    options: dict[str, Any] = {}
    if name == "roll":
        options["axis"] = axes_of(rng, ndim, True)
        options["shift"] = int(rng.integers(-9, 10))
        if isinstance(options["axis"], tuple) and rng.random() < 0.5:
            options["shift"] = tuple(
                int(k) for k in rng.integers(-9, 10, len(options["axis"]))
            )
    elif name == "tile":
        options["reps"] = tuple(
            int(k) for k in rng.integers(0, 4, rng.integers(0, 4))
        )
    elif name == "repeat":
        options["axis"] = axes_of(rng, ndim, False)
        options["repeats"] = int(rng.integers(-1, 4))
        if rng.random() < 0.5:
            axis = options["axis"]
            count = a[0].size if axis is None else a[0].shape[axis]
            options["repeats"] = rng.integers(0, 3, count)
    elif name in ("tril", "triu"):
        if ndim == 0:
            return
        options["k"] = int(rng.integers(-4, 5))
    else:
        options["axis"] = int(rng.integers(-ndim - 1, ndim + 1))
        options["n"] = int(rng.integers(0, 4))
    yield from run(name, a, **options)


def defined(host: Any, target: Any) -> Any:
    """Return values with the same cast result on every processor."""
    target = np.dtype(target)
    if target.kind not in "iu" or fuzzing.kind_of(host.dtype) not in "fc":
        return np.ones(host.shape, bool)
    whole = np.trunc(host.real.astype("f8"))
    info = np.iinfo(target)  # 2.0**63 is not an int64
    return (whole >= info.min) & (whole < float(info.max) + (info.max < 2**53))


def joins(rng: Any) -> Iterator[str]:
    left, right = PAIRS[rng.integers(len(PAIRS))]
    kind = "any" if left == right else "small"
    shape = shape_of(rng)
    parts = []
    name = str(rng.choice([
        "concatenate", "stack", "vstack", "hstack", "dstack", "column_stack",
    ]))  # fmt: skip
    for dtype in (left, right, left)[: rng.integers(1, 4)]:
        lengths = list(shape)
        if name == "concatenate" and lengths and rng.random() < 0.4:
            lengths[rng.integers(len(lengths))] = int(rng.integers(0, 5))
        parts.append(pair(rng, tuple(lengths), dtype, kind))
    options = {}
    if name in ("concatenate", "stack"):
        options["axis"] = int(rng.integers(-len(shape) - 1, len(shape) + 2))
        if name == "concatenate" and rng.random() < 0.2:
            options["axis"] = None
    if name not in ("dstack", "column_stack") and rng.random() < 0.2:
        options["dtype"] = str(rng.choice(DTYPES))
        options["casting"] = str(rng.choice([
            "unsafe", "unsafe", "same_kind", "safe",
        ]))  # fmt: skip
    hosts, devices = ([p[k] for p in parts] for k in (0, 1))
    yield f"{name} of {[describe(host) for host in hosts]} with {options}"
    own = getattr(gpuarray, name)
    try:
        want = quietly(lambda: getattr(np, name)(hosts, **options))
    except (ValueError, TypeError) as error:
        refused(error, lambda: own(devices, **options))
        return
    got = own(devices, **options).get()
    places = {"axis": options["axis"]} if "axis" in options else {}
    masks = [defined(host, want.dtype) for host in hosts]
    compare(np.where(getattr(np, name)(masks, **places), got, want), want)


# --- selections ----------------------------------------------------------


def indices_in(rng: Any, length: int, shape: Any, mode: str) -> tuple:
    low, high = (-length, length) if mode == "raise" else (-20, 20)
    host = rng.integers(low, max(high, low + 1), shape)
    if length and rng.random() < 0.5:
        host = np.abs(host) % length
    host = np.asarray(host).astype(str(rng.choice(["i4", "i8", "i2"])))
    return host, gpuarray.to_gpu(host)


def takes(rng: Any) -> Iterator[str]:
    a = some(rng)
    axis = axes_of(rng, a[0].ndim, False)
    length = a[0].size if axis is None else a[0].shape[axis]
    mode = str(rng.choice(["raise", "raise", "wrap", "clip"]))
    shape = tuple(int(n) for n in rng.integers(0, 5, rng.integers(0, 3)))
    if length == 0:
        return
    indices = indices_in(rng, length, shape, mode)
    if rng.random() < 0.3:
        indices = (indices[0], indices[0])
    yield from run("take", a, indices, axis=axis, mode=mode)


def puts(rng: Any) -> Iterator[str]:
    dtype = str(rng.choice(DTYPES))
    base = np.asarray(values(rng, shape_of(rng), dtype))
    device = gpuarray.to_gpu(base)
    a, ga = fuzzing.viewed(rng, base, device, False)
    if a.size == 0:
        return
    mode = str(rng.choice(["raise", "wrap"]))
    count = int(rng.integers(0, min(a.size, 6) + 1))
    places = rng.permutation(a.size)[:count]
    if mode == "wrap":
        places = places + a.size * rng.integers(-2, 3)
    v = values(rng, (int(rng.integers(1, 5)),), dtype)
    yield f"put of {describe(a)} at {places}, {mode}"
    np.put(a, places, v, mode)
    own = gpuarray.to_gpu(places) if rng.random() < 0.6 else places
    gpuarray.put(ga, own, gpuarray.to_gpu(v) if rng.random() < 0.6 else v,
                 mode)  # fmt: skip
    compare(device, base)


def chooses(rng: Any) -> Iterator[str]:
    shape = tuple(int(n) for n in rng.integers(0, 5, rng.integers(0, 4)))
    dtype = str(rng.choice(DTYPES))
    parts = [pair(rng, shape, dtype) for _ in range(rng.integers(1, 5))]
    parts = [p for p in parts if p[0].shape == shape] or [
        (np.zeros(shape, dtype), gpuarray.zeros(shape, dtype))
    ]
    mode = str(rng.choice(["raise", "wrap", "clip"]))
    high = len(parts) if mode == "raise" else 9
    host = rng.integers(0 if mode == "raise" else -9, high, shape)
    host = np.asarray(host)
    hosts, devices = ([p[k] for p in parts] for k in (0, 1))
    yield f"choose by {describe(host)} of {len(parts)}, {mode}"
    want = np.choose(host, hosts, mode=mode)
    compare(gpuarray.choose(gpuarray.to_gpu(host), devices, mode=mode), want)


def masks(rng: Any) -> Iterator[str]:
    a = some(rng)
    name = str(rng.choice(["nonzero", "flatnonzero", "argwhere"]))
    yield from run(name, a)


def along(rng: Any) -> Iterator[str]:
    a = some(rng)
    if a[0].ndim == 0 or a[0].size == 0:
        return
    axis = int(rng.integers(-a[0].ndim, a[0].ndim))
    shape = list(a[0].shape)
    shape[axis] = int(rng.integers(0, 5))
    indices = indices_in(rng, a[0].shape[axis], shape, "raise")
    yield from run("take_along_axis", a, indices, axis=axis)


def clipped(a: Any, low: Any, high: Any) -> Any:
    """Call numpy.clip in the dtype that operators use, also for bfloat16.

    NumPy has no bfloat16 loop for it and returns float32, which represents the
    values exactly.
    """
    want = np.clip(a, low, high)
    kind = a.dtype
    if kind.name != "bfloat16":
        return want
    for part in (low, high):
        if part is not None:
            kind = np.add(np.zeros_like(part, kind), part).dtype
    return want.astype(kind) if kind.name == "bfloat16" else want


def clips(rng: Any) -> Iterator[str]:
    left, right = PAIRS[rng.integers(len(PAIRS))]
    a = pair(rng, shape_of(rng), left)
    low = partner(rng, a[0], right, "small")
    high = partner(rng, a[0], right, "small")
    turn = rng.random()
    low = (None, None) if turn < 0.2 else low
    high = (None, None) if turn > 0.8 else high
    yield (
        f"clip of {describe(a[0])} to {describe(low[0])} and "
        f"{describe(high[0])}"
    )
    try:
        want = quietly(clipped, a[0], low[0], high[0])
    except (ValueError, TypeError, OverflowError) as error:
        refused(error, lambda: gpuarray.clip(a[1], low[1], high[1]))
        return
    if want.dtype.kind == "c":
        compare(gpuarray.clip(a[1], low[1], high[1]), want)
    else:
        compare_values(gpuarray.clip(a[1], low[1], high[1]), want)


def creates(rng: Any) -> Iterator[str]:
    name = str(rng.choice(["full", "linspace", "eye", "full_like", "diag"]))
    dtype = str(rng.choice(DTYPES))
    if name == "full":
        shape = shape_of(rng)
        value = values(rng, (), dtype, "small")[()]
        yield from run(name, (shape, shape), (value, value), dtype=dtype)
    elif name == "full_like":
        value = values(rng, (), dtype, "small")[()]
        yield from run(name, pair(rng, shape_of(rng), dtype), (value, value))
    elif name == "eye":
        rows, columns = (int(n) for n in rng.integers(0, 40, 2))
        k = int(rng.integers(-45, 46))
        yield from run(name, (rows, rows), M=columns, k=k, dtype=dtype)
    elif name == "diag":
        a = pair(rng, shape_of(rng, 3), dtype)
        if a[0].size > 3000:
            return
        yield from run(name, a, k=int(rng.integers(-4, 5)))
    else:
        ends = [float(rng.normal(0, 9)), float(rng.normal(0, 9))]
        if rng.random() < 0.3:
            ends = [int(end) for end in ends]
        dtype = str(rng.choice(["f4", "f8", "i4", "i8"]))
        options = {
            "num": int(rng.integers(0, 60)),
            "endpoint": bool(rng.random() < 0.7),
            "dtype": None if rng.random() < 0.5 else dtype,
        }
        yield from run(name, *((end, end) for end in ends), **options)


# --- order ---------------------------------------------------------------


def orderly(host: Any) -> Any:
    """Return the same values in a dtype that NumPy sorts correctly.

    Comparisons of bfloat16 do not order NaN, so NumPy's sorts and searches of
    it leave an arbitrary order; float32 represents the same values.
    (Comparisons of float16 do not order NaN either in a composite key, as
    along an axis.)
    """
    return host.astype("f4") if host.dtype.name == "bfloat16" else host


def sorts(rng: Any) -> Iterator[str]:
    dtype = str(rng.choice(DTYPES))
    a = pair(rng, shape_of(rng), dtype)
    if rng.random() < 0.4:  # many equal values
        host = np.asarray(np.round(values(rng, a[0].shape, dtype, "small")))
        a = host, gpuarray.to_gpu(host)
    name = str(rng.choice(["sort", "argsort", "argsort", "unique"]))
    host = orderly(a[0])
    if name == "unique":
        flags = {
            f"return_{part}": bool(rng.random() < 0.5)
            for part in ("index", "inverse", "counts")
        }
        if rng.random() < 0.3 and a[0].ndim:
            flags["axis"] = int(rng.integers(-a[0].ndim, a[0].ndim))
            flags["equal_nan"] = bool(rng.random() < 0.5)
            host = host.astype("f4") if dtype == "f2" else host
        yield f"unique of {describe(a[0])} with {flags}"
        # NumPy's sort is stable only if it returns indices; otherwise NaNs
        # that count as distinct are in arbitrary order.
        want = np.unique(host, **flags | {"return_index": True})
        if not flags["return_index"]:
            want = want[:1] + want[2:]
        got = gpuarray.unique(a[1], **flags)
        if not isinstance(got, tuple):
            got = (got,)
        compare_values(got[0], want[0].astype(a[0].dtype))
        same(got[1:], want[1:])
        return
    axis = axes_of(rng, a[0].ndim, False)
    if a[0].ndim == 0:
        return
    yield f"{name}(axis={axis}) of {describe(a[0])}"
    want = getattr(np, name)(host, axis=axis, kind="stable")
    got = getattr(gpuarray, name)(a[1], axis=axis)
    if name == "argsort":
        compare(got, want)
    else:
        compare_values(got, want.astype(a[0].dtype))


def searches(rng: Any) -> Iterator[str]:
    real = [d for d in DTYPES if d[0] != "c"]
    dtype = str(rng.choice(real))
    row = values(rng, (int(rng.integers(0, 50)),), dtype, "any")
    if rng.random() < 0.5 and fuzzing.kind_of(row.dtype) == "f":
        row = np.round(row)
    v = pair(rng, shape_of(rng), dtype)
    side = str(rng.choice(["left", "right"]))
    sorter = np.argsort(orderly(row), kind="stable")
    sought = orderly(v[0])
    yield f"searchsorted of {describe(v[0])} in {row}, {side}"
    if rng.random() < 0.4:
        want = np.searchsorted(orderly(row), sought, side, sorter)
        got = gpuarray.searchsorted(
            gpuarray.to_gpu(row), v[1], side, gpuarray.to_gpu(sorter)
        )
    else:
        row = row[sorter]
        want = np.searchsorted(orderly(row), sought, side)
        got = gpuarray.searchsorted(gpuarray.to_gpu(row), v[1], side)
    compare(got, want)


# --- products ------------------------------------------------------------


def multiplies(rng: Any) -> Iterator[str]:
    left, right = PAIRS[rng.integers(len(PAIRS))]
    m, k, n = (int(x) for x in rng.integers(0, 40, 3))
    batch = [int(x) for x in rng.integers(1, 4, rng.integers(0, 3))]
    thin = [x if rng.random() < 0.6 else 1 for x in batch]
    shapes = [(*batch, m, k), (*thin[rng.integers(0, len(thin) + 1) :], k, n)]
    if rng.random() < 0.2:
        shapes[0] = (k,)
    if rng.random() < 0.2:
        shapes[1] = (k,)
    operands = []
    for shape, dtype in zip(shapes, (left, right), strict=True):
        host = np.asarray(values(rng, shape, dtype, "small"))
        turned = len(shape) > 1 and rng.random() < 0.4
        if turned:
            host = np.ascontiguousarray(host.swapaxes(-1, -2))
        device = gpuarray.to_gpu(host)
        if turned:
            host = host.swapaxes(-1, -2)
            device = gpuarray.swapaxes(device, -1, -2)
        if rng.random() < 0.3:
            host, device = host[..., ::-1], device[..., ::-1]
        operands.append((host, device))
    (a, ga), (b, gb) = operands
    yield f"{describe(a)} @ {describe(b)}"
    try:
        want = quietly(lambda: np.matmul(a, b))
    except ValueError as error:
        refused(error, lambda: gpuarray.matmul(ga, gb))
        return
    got = gpuarray.matmul(ga, gb)
    if want.dtype.kind not in "fc":
        compare(got, want)
        return
    if got.dtype != want.dtype:
        raise Difference(f"dtype {got.dtype}, not {want.dtype}")
    wide = "c16" if want.dtype.kind == "c" else "f8"
    exact = np.matmul(a.astype(wide), b.astype(wide))
    size = np.matmul(np.abs(a).astype("f8"), np.abs(b).astype("f8"))
    rounded = exact.astype(want.dtype)
    compare(got, rounded, (k + 4) * ulp(want.dtype, np.asarray(size)))


# --- element-wise ----------------------------------------------------------


def _tame(name: str, a: np.ndarray) -> np.ndarray:
    """Leave out arguments that have tests of their own."""
    if name in ("sin", "cos", "tan") and a.dtype.kind in "iuf":
        a = np.where(np.abs(a.astype("f8")) < 1e4, a, 1).astype(a.dtype)
    if name == "reciprocal" and a.dtype.kind in "biu":
        a = np.where(a == 0, 1, a).astype(a.dtype)
    return np.asarray(a)


def _floats(
    name: str, want: Any, got: Any, wide: Callable, inputs: tuple = ()
) -> None:
    """Compare with a value in higher precision, within CUDA's bounds.

    A sum of `inputs` and a correction is as accurate as the largest of them.
    """
    if want.dtype.kind not in "fc" or name not in LOOSE or not LOOSE[name]:
        compare_values(got, want)
        return
    if got.dtype != want.dtype:
        raise Difference(f"dtype {got.dtype}, not {want.dtype}")
    exact = np.asarray(quietly(wide))
    exact = exact if exact.dtype.itemsize > want.dtype.itemsize else want
    rounded = quietly(exact.astype, want.dtype)
    bound = LOOSE[name] + (2 if want.dtype.itemsize == 2 else 0)
    size = np.abs(rounded)
    for part in inputs:
        finite = np.where(np.isfinite(part), np.abs(part), 0)
        size = np.fmax(size, quietly(finite.astype, want.dtype))
    compare(got, rounded, bound * ulp(want.dtype, size))


def half_spacing(a: Any) -> Any:
    """Return half the spacing, with a sign, also for float16."""
    away = np.where(a < 0, -np.inf, np.inf).astype("f2")
    beyond = quietly(np.nextafter, a, away)
    wide = quietly(np.subtract, beyond.astype("f4"), a.astype("f4"))
    return quietly(wide.astype, "f2")


def unary(rng: Any) -> Iterator[str]:
    name = str(rng.choice(sorted(UNARY)))
    dtype = str(rng.choice([d for d in DTYPES if d[0] != "c"]))
    a, ga = pair(rng, shape_of(rng), dtype)
    tamed = _tame(name, a)
    if not np.array_equal(tamed, a, equal_nan=True):
        a, ga = tamed, gpuarray.to_gpu(tamed)
    yield f"{name} of {describe(a)}"
    reference, own = getattr(np, name), getattr(gpuarray, name)
    try:
        want = np.asarray(quietly(reference, a))
    except (TypeError, ValueError) as error:
        refused(error, lambda: own(ga))
        return
    if want.dtype == np.float16 and a.dtype != np.float16:
        want = np.asarray(quietly(reference, a.astype("f4")))
    if name == "spacing" and a.dtype == np.float16:
        want = half_spacing(a)
    wide = a.astype("f4" if want.dtype == np.float16 else "f8")
    _floats(name, want, own(ga), lambda: reference(wide))


def binary(rng: Any) -> Iterator[str]:
    name = str(rng.choice(sorted(BINARY)))
    left, right = PAIRS[rng.integers(len(PAIRS))]
    if "c" in left + right or name in ("power", "float_power"):
        left = right = str(rng.choice(["f4", "f8", "i4", "u1"]))
    if name == "ldexp":
        left, right = str(rng.choice(fuzzing.FLOATS)), "i4"
    kind = "small" if name in ("power", "float_power", "ldexp") else "any"
    a, ga = pair(rng, shape_of(rng), left, kind)
    b, gb = partner(rng, a, right, kind)
    if name in ("power", "float_power"):
        a, ga, b, gb = abs(a), abs(ga), abs(b), abs(gb)
    yield f"{name} of {describe(a)} and {describe(b)}"
    reference, own = getattr(np, name), getattr(gpuarray, name)
    try:
        want = np.asarray(quietly(reference, a, b))
    except (TypeError, ValueError, OverflowError) as error:
        refused(error, lambda: own(ga, gb))
        return
    inputs = (np.asarray(a), np.asarray(b))
    if want.dtype == np.float16 and all(
        x.dtype != np.float16 or np.isscalar(y)
        for x, y in zip(inputs, (a, b), strict=True)
    ):
        a, b = (
            x.astype("f4") if x.dtype.kind in "biu" else y
            for x, y in zip(inputs, (a, b), strict=True)
        )
        want = np.asarray(quietly(reference, a, b))
    wide = "f4" if want.dtype == np.float16 else "f8"
    _floats(
        name, want, own(ga, gb),
        lambda: reference(*(x.astype(wide) for x in inputs)),
        inputs if name.startswith("logaddexp") else (),
    )  # fmt: skip


def rounds(rng: Any) -> Iterator[str]:
    dtype = str(rng.choice([d for d in DTYPES if d != "?"]))
    a = pair(rng, shape_of(rng), dtype, "small")
    decimals = int(rng.integers(-2, 4))
    yield f"round of {describe(a[0])} to {decimals}"
    # NumPy rounds bfloat16 at each step, which loses a digit.
    want = quietly(np.round, orderly(a[0]), decimals)
    compare_values(gpuarray.round(a[1], decimals), want.astype(a[0].dtype))


FAMILIES = [
    *[views] * 3, *[copies] * 4, *[joins] * 3, *[takes] * 3, *[puts] * 2,
    chooses, *[masks] * 2, along, *[clips] * 2, *[creates] * 2, *[unary] * 5,
    *[binary] * 5, rounds,
    *[sorts] * 4, searches, *[multiplies] * 2,
]  # fmt: skip


def check(seed: int, families: list | None = None) -> None:
    """Run the case of a seed."""
    rng = np.random.default_rng([seed, 6])
    families = families or FAMILIES
    family = families[rng.integers(len(families))]
    told = ["making it"]
    try:
        told.extend(family(rng))
    except Exception as error:
        raise Difference(f"case {seed}, {told[-1]}: {error!r}") from error
