"""Random array programs, each run by NumPy and on the device.

A case is one operation on arrays of random dtypes, layouts and sizes. It
depends on its seed only, so that the same seeds run the same cases on a GPU.
``check(seed)`` runs one and raises `Difference`, which names the seed and
describes the operation.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import functools
import operator
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from pycuda import cumath, gpuarray
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel
from pycuda.scan import InclusiveScanKernel

try:  # without ml_dtypes the same seeds give other cases
    import ml_dtypes
except ImportError:
    SHORT: list[str] = []
else:
    assert ml_dtypes.bfloat16
    SHORT = ["bfloat16"]

DTYPES = [
    "?",
    "i1",
    "u1",
    "i2",
    "u2",
    "i4",
    "u4",
    "i8",
    "u8",
    "f2",
    "f4",
    "f8",
    "c8",
    "c16",
    *SHORT,
]
PAIRS = [(name, name) for name in DTYPES] + [
    ("i4", "f4"), ("f4", "f8"), ("f4", "i1"), ("u1", "i4"), ("i8", "u8"),
    ("f2", "f4"), ("f4", "c8"), ("?", "i4"), ("u4", "i4"), ("c8", "f8"),
    ("i2", "f2"), ("u8", "f8"),
    *((name, other) for name in SHORT for other in
      ("f4", "f2", "i1", "?", "i4", "c8", "f8", "u2")),
]  # fmt: skip
FLOATS = ["f2", "f4", "f8", *SHORT]

ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow"]
BITS = ["and_", "or_", "xor", "lshift", "rshift"]
COMPARE = ["lt", "le", "eq", "ne", "gt", "ge"]

# CUDA's bound in ulp (float32, float64), plus NumPy's own error of 1.
ULP = {
    "sqrt": (0, 0), "floor": (0, 0), "ceil": (0, 0), "fabs": (0, 0),
    "exp": (3, 2), "log": (2, 2), "log10": (3, 2), "sin": (3, 3),
    "cos": (3, 3), "tan": (5, 3), "sinh": (4, 3), "cosh": (3, 2),
    "tanh": (3, 3), "asin": (5, 3), "acos": (4, 3), "atan": (3, 3),
}  # fmt: skip
NUMPY_NAMES = {"asin": "arcsin", "acos": "arccos", "atan": "arctan"}


class Difference(AssertionError):
    """The device's result differs from NumPy's."""


# --- values --------------------------------------------------------------


def kind_of(dtype: Any) -> str:
    """Return the dtype's kind; bfloat16 (kind V) counts as a float."""
    dtype = np.dtype(dtype)
    return "f" if dtype.name == "bfloat16" else dtype.kind


def finfo(dtype: Any) -> Any:
    return ml_dtypes.finfo(dtype) if dtype.kind == "V" else np.finfo(dtype)


def values(rng: Any, shape: tuple, dtype: Any, kind: str = "any") -> Any:
    """Return random values; `kind` is "any", "small" or "finite"."""
    dtype = np.dtype(dtype)
    if dtype.kind == "b":
        return np.asarray(rng.integers(0, 2, shape)).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        low, high = (max(info.min, -9), 9) if kind == "small" or (
            rng.random() < 0.5
        ) else (info.min, info.max)  # fmt: skip
        return np.asarray(rng.integers(low, high, shape, dtype, endpoint=True))
    if dtype.kind == "c":
        part = f"f{dtype.itemsize // 2}"
        made = np.empty(shape, dtype)
        made.real = values(rng, shape, part, "finite")
        made.imag = values(rng, shape, part, "finite")
        return made
    made = np.asarray(rng.normal(0, 4, shape)).astype(dtype)
    if kind == "any" and made.size and rng.random() < 0.3:
        special = [np.nan, np.inf, -np.inf, 0.0, -0.0, finfo(dtype).max,
                   finfo(dtype).smallest_subnormal]  # fmt: skip
        where = rng.random(made.shape) < 0.3
        made[where] = rng.choice(np.array(special, dtype), where.sum())
    return made


def shape_of(rng: Any, most: int = 4) -> tuple[int, ...]:
    """Return a shape: mostly small, sometimes empty or long."""
    turn = rng.random()
    if turn < 0.06:
        return ()
    if turn < 0.16:
        return (int(rng.integers(1, 9000)),)
    if turn < 0.26:
        return (int(rng.integers(1, 6)), int(rng.integers(60, 700)))
    shape = rng.integers(1, 8, rng.integers(1, most + 1))
    if turn > 0.95:
        shape[rng.integers(len(shape))] = 0
    return tuple(int(length) for length in shape)


def spread(array: Any, axis: int, length: int) -> Any:
    """Broadcast an axis of length 1 to a longer one, with stride 0."""
    shape, strides = list(array.shape), list(array.strides)
    shape[axis], strides[axis] = length, 0
    if isinstance(array, np.ndarray):
        return np.lib.stride_tricks.as_strided(array, shape, strides)
    return gpuarray.GPUArray(
        tuple(shape), array.dtype, base=array, gpudata=array.gpudata,
        strides=tuple(strides),
    )  # fmt: skip


def viewed(rng: Any, host: Any, device: Any, may_spread: bool) -> tuple:
    """Take the same random view of both arrays."""
    for _ in range(int(rng.integers(0, 3))):
        if host.ndim == 0:
            break
        turn = int(rng.integers(0, 4))
        if turn == 0:
            axes = tuple(int(k) for k in rng.permutation(host.ndim))
            host, device = host.transpose(axes), device.transpose(axes)
        elif turn == 3 and may_spread and host.size:
            axis = int(rng.integers(host.ndim))
            key = (slice(None),) * axis + (slice(0, 1),)
            length = host.shape[axis]
            host = spread(host[key], axis, length)
            device = spread(device[key], axis, length)
        else:
            key = tuple(slices(rng, length) for length in host.shape)
            host, device = host[key], device[key]
    return host, device


def slices(rng: Any, length: int) -> slice:
    turn = rng.random()
    if turn < 0.4:
        return slice(None)
    step = int(rng.choice([1, 1, 2, 3, -1, -1, -2]))
    if turn < 0.7:
        return slice(None, None, step)
    ends = [int(rng.integers(-length - 1, length + 2)) for _ in "ab"]
    return slice(*ends, step)


def pair(
    rng: Any, shape: tuple, dtype: str, kind: str = "any", spread: bool = True
) -> tuple:
    """Return a host array and its device copy, in the same random view."""
    order = "C" if rng.random() < 0.7 else "F"
    host = np.asarray(values(rng, shape, dtype, kind), order=order)
    return viewed(rng, host, gpuarray.to_gpu(host), spread)


# --- comparing -----------------------------------------------------------


def quietly(function: Callable, *arguments: Any) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return function(*arguments)


def equal(got: Any, want: Any) -> Any:
    """Compare elements; zeros by sign, any NaN equals NaN."""
    if want.dtype.kind == "c":
        return equal(got.real, want.real) & equal(got.imag, want.imag)
    if kind_of(want.dtype) != "f":
        return got == want
    both_nan = np.isnan(got) & np.isnan(want)
    return both_nan | ((got == want) & (np.signbit(got) == np.signbit(want)))


def close(got: Any, want: Any, allowed: Any) -> Any:
    """Compare elements as `equal`, or allow a difference of `allowed`."""
    with np.errstate(all="ignore"):
        near = np.abs(np.asarray(got, np.clongdouble) - want) <= allowed
    same = np.isfinite(want) & np.isfinite(got)
    return equal(got, want.astype(got.dtype)) | (same & near) | (got == want)


def ulp(dtype: Any, size: Any) -> Any:
    """Return the spacing of floating-point numbers at a magnitude."""
    part = np.empty(0, dtype).real.dtype
    with np.errstate(all="ignore"):
        return np.spacing(np.abs(size).astype(part)).astype(np.longdouble)


def compare(got: Any, want: Any, allowed: Any = None) -> None:
    want = np.asarray(want)
    got = got.get() if isinstance(got, gpuarray.GPUArray) else got
    if got.shape != want.shape:
        raise Difference(f"shape {got.shape}, not {want.shape}")
    if allowed is None and got.dtype != want.dtype:
        raise Difference(f"dtype {got.dtype}, not {want.dtype}")
    right = equal(got, want) if allowed is None else close(got, want, allowed)
    if not np.all(right):
        at = tuple(int(k[0]) for k in np.nonzero(~np.atleast_1d(right)))
        at = at if want.ndim else ()
        raise Difference(f"{got[at]!r} at {at}, not {want[at]!r}")


def compare_values(got: Any, want: Any) -> None:
    """Compare values, for extremes: either zero may be the smaller one."""
    want = np.asarray(want)
    if got.dtype != want.dtype:
        raise Difference(f"dtype {got.dtype}, not {want.dtype}")
    compare(got, want, 0)


def refused(error: Exception, run: Callable) -> None:
    """Assert that the device raises NumPy's exception class or its base."""
    kinds = (TypeError, IndexError, OverflowError, ValueError)
    kind = next(kind for kind in kinds if isinstance(error, kind))
    try:
        run()
    except kind:
        return
    raise Difference(f"no {type(error).__name__}: {error}")


# --- operations ----------------------------------------------------------


def partner(rng: Any, host: Any, dtype: str, kind: str) -> tuple:
    """Return a second operand: of the same shape, broadcast, or a scalar."""
    turn = rng.random()
    if turn < 0.15:
        number = values(rng, (), dtype, "small" if kind == "any" else kind)
        scalar = number[()]
        if rng.random() < 0.5 and kind_of(number.dtype) in "fi":
            scalar = scalar.item()
        return scalar, scalar
    shape = list(host.shape)
    if turn < 0.4:
        shape = [n if rng.random() < 0.5 else 1 for n in shape]
        shape = shape[int(rng.integers(0, len(shape) + 1)) :]
    made = np.asarray(values(rng, tuple(shape), dtype, kind))
    if rng.random() < 0.3:
        made = made.T.copy().T
    device = gpuarray.to_gpu(made)
    if made.ndim and rng.random() < 0.3:
        return made[::-1], device[::-1]
    return made, device


def rounding(name: str, want: Any, operands: list) -> Any:
    """Return the allowed error, 0 except for powers, complex quotients."""
    kind = kind_of(want.dtype)
    if name == "pow" and kind in "fc":
        return 16 * ulp(want.dtype, want)
    if kind == "c" and name in ("mul", "truediv"):
        return 8 * ulp(want.dtype, np.abs(want)) + ulp(want.dtype, 1e-30)
    return None


def binary(rng: Any) -> None:
    name = str(rng.choice(ARITHMETIC + BITS + COMPARE))
    left, right = PAIRS[rng.integers(len(PAIRS))]
    if "c" in left + right and name in (*COMPARE[:2], *COMPARE[4:]):
        name = "eq"
    kind = "any"
    if name == "pow" or "c" in left + right:
        kind = "finite" if "c" in left + right else "small"
    a, ga = pair(rng, shape_of(rng), left, kind)
    b, gb = partner(rng, a, right, kind)
    if name == "pow":
        if "c" in (kind_of(a.dtype), kind_of(np.asarray(b).dtype)):
            name = "mul"
        else:  # only the host rejects negative powers of integers
            a, ga, b, gb = abs(a), abs(ga), abs(b), abs(gb)
    if rng.random() < 0.3:
        a, ga, b, gb = b, gb, a, ga
    if not isinstance(ga, gpuarray.GPUArray) and not isinstance(
        gb, gpuarray.GPUArray
    ):
        return
    function = getattr(operator, name)
    yield f"{name} of {describe(a)} and {describe(b)}"
    try:
        # The operator has a separate path for squares, with another dtype.
        reference = np.power if name == "pow" else function
        want = np.asarray(quietly(reference, a, b))
    except (TypeError, ValueError, OverflowError) as error:
        refused(error, lambda: function(ga, gb))
        return
    compare(function(ga, gb), want, rounding(name, want, [a, b]))


def in_place(rng: Any) -> None:
    name = str(rng.choice(["iadd", "isub", "imul", "iand", "itruediv"]))
    left, right = PAIRS[rng.integers(len(PAIRS))]
    finite = "finite" if "c" in left + right else "any"
    base = np.asarray(values(rng, shape_of(rng), left, finite))
    device = gpuarray.to_gpu(base)
    a, ga = viewed(rng, base, device, False)
    if rng.random() < 0.4 and a.ndim and a.shape[0] > 1:
        a, ga, b, gb = a[1:], ga[1:], a[:-1], ga[:-1]
    else:
        b, gb = partner(rng, a, right, finite)
        if isinstance(b, np.ndarray) and b.ndim > a.ndim:
            return
    function = getattr(operator, name)
    yield f"{name} of {describe(a)} and {describe(b)}"
    try:
        quietly(function, a, b)
    except (TypeError, ValueError, OverflowError) as error:
        refused(error, lambda: function(ga, gb))
        return
    function(ga, gb)
    compare(device, base, rounding(name[1:], base, []))


def unary(rng: Any) -> None:
    name = str(rng.choice(["neg", "pos", "abs", "invert"]))
    a, ga = pair(rng, shape_of(rng), str(rng.choice(DTYPES)))
    function = getattr(operator, name)
    yield f"{name} of {describe(a)}"
    try:
        want = quietly(function, a)
    except TypeError as error:
        refused(error, lambda: function(ga))
        return
    loose = 4 * ulp(want.dtype, want) if a.dtype.kind == "c" else None
    compare(function(ga), want, loose if name == "abs" else None)


def math(rng: Any) -> None:
    name = str(rng.choice(sorted(ULP)))
    dtype = str(rng.choice(FLOATS))
    a, ga = pair(rng, shape_of(rng), dtype)
    # Large arguments have tests of their own.
    if name in ("tan", "sin", "cos"):
        a = np.asarray(np.where(abs(a) < 1e4, a, 1), dtype)
        ga = gpuarray.to_gpu(a)
    yield f"{name} of {describe(a)}"
    wide = a.astype("f8")
    want = quietly(getattr(np, NUMPY_NAMES.get(name, name)), wide)
    rounded = quietly(want.astype, a.dtype)
    bound = 1 if a.itemsize == 2 else ULP[name][dtype == "f8"]
    allowed = bound * ulp(a.dtype, rounded) if bound else None
    compare(getattr(cumath, name)(ga), rounded, allowed)


def casts(rng: Any) -> None:
    source, target = PAIRS[rng.integers(len(PAIRS))]
    if rng.random() < 0.5:
        source, target = target, source
    if np.dtype(source).kind == "c" and np.dtype(target).kind != "c":
        target = source
    kind = "small" if np.dtype(target).kind in "iu" else "any"
    a, ga = pair(rng, shape_of(rng), source, kind)
    if np.dtype(target).kind == "u" and kind_of(source) == "f":
        a, ga = np.abs(a), abs(ga)
    yield f"astype({target}) of {describe(a)}"
    compare(ga.astype(target), quietly(a.astype, target))
    compare(ga.copy(), a)
    compare(ga, a)
    compare(ga.ravel(), a.ravel())


def assign(rng: Any) -> None:
    target, source = PAIRS[rng.integers(len(PAIRS))]
    if np.dtype(source).kind == "c" and np.dtype(target).kind != "c":
        source = target
    both_ints = {np.dtype(target).kind, np.dtype(source).kind} <= set("biu")
    kind = "any" if both_ints or source == target else "small"
    base = np.asarray(values(rng, shape_of(rng), target))
    device = gpuarray.to_gpu(base)
    a, ga = viewed(rng, base, device, False)
    if rng.random() < 0.3 and a.ndim:
        b, gb = a[::-1], ga[::-1]
    else:
        b, gb = partner(rng, a, source, kind)
        if np.dtype(target).kind == "u" and kind_of(source) == "f":
            b, gb = abs(b), abs(gb)
        if isinstance(b, np.ndarray) and rng.random() < 0.3:
            gb = b
    yield f"{describe(a)}[...] = {describe(b)}"
    try:
        quietly(a.__setitem__, ..., b.copy() if hasattr(b, "copy") else b)
    except (OverflowError, ValueError) as error:
        refused(error, lambda: ga.__setitem__(..., gb))
        return
    ga[...] = gb
    compare(device, base)


# --- indexing ------------------------------------------------------------


def entries(rng: Any, shape: tuple) -> list:
    """Return a random key for a shape; its index arrays broadcast together."""
    key: list[Any] = []
    common = tuple(int(n) for n in rng.integers(1, 4, rng.integers(0, 3)))
    axis = 0
    while axis < len(shape) and rng.random() < 0.9:
        length, turn = shape[axis], rng.random()
        if turn < 0.1:
            key.append(None)
            continue
        if turn < 0.2 and Ellipsis not in [k for k in key if k is Ellipsis]:
            key.append(Ellipsis)
            break
        if turn < 0.45 or length == 0:
            key.append(slices(rng, length))
        elif turn < 0.6:
            key.append(int(rng.integers(-length, length)))
        elif turn < 0.7 and not any(isinstance(k, np.ndarray) for k in key):
            taken = int(rng.integers(1, len(shape) - axis + 1))
            key.append(rng.random(shape[axis : axis + taken]) < 0.5)
            axis += taken - 1
            common = (int(key[-1].sum()),)
        else:
            lengths = tuple(n if rng.random() < 0.7 else 1 for n in common)
            index = rng.integers(-length, length, lengths)
            key.append(index.astype(rng.choice(["i1", "i4", "i8"])))
        axis += 1
    return key


def moved(key: list) -> tuple:
    return tuple(
        gpuarray.to_gpu(entry) if isinstance(entry, np.ndarray) else entry
        for entry in key
    )


def get(rng: Any) -> None:
    a, ga = pair(rng, shape_of(rng), str(rng.choice(DTYPES)))
    key = entries(rng, a.shape)
    there = moved(key) if rng.random() < 0.5 else tuple(key)
    yield f"{describe(a)}[{key}]"
    try:
        want = a[tuple(key)]
    except IndexError as error:
        refused(error, lambda: ga[there].get())
        return
    compare(ga[there], want)


def put(rng: Any) -> None:
    base = np.asarray(values(rng, shape_of(rng), str(rng.choice(DTYPES))))
    device = gpuarray.to_gpu(base)
    a, ga = viewed(rng, base, device, False)
    key = entries(rng, a.shape)
    there = moved(key) if rng.random() < 0.5 else tuple(key)
    try:
        shape = a[tuple(key)].shape
        places = np.arange(a.size).reshape(a.shape)[tuple(key)]
    except IndexError:
        return
    repeated = len(np.unique(places)) < places.size
    shape = () if repeated or rng.random() < 0.4 else shape
    b = values(rng, shape, a.dtype)
    yield f"{describe(a)}[{key}] = {describe(b)}"
    a[tuple(key)] = b
    ga[there] = b if rng.random() < 0.5 else gpuarray.to_gpu(b)
    compare(device, base)


# --- along axes ----------------------------------------------------------

REDUCTIONS = [
    "sum",
    "prod",
    "min",
    "max",
    "any",
    "all",
    "argmin",
    "argmax",
    "count_nonzero",
]


def axes_of(rng: Any, ndim: int, many: bool) -> Any:
    if ndim == 0 or rng.random() < 0.2:
        return None
    if many and rng.random() < 0.3:
        chosen = rng.permutation(ndim)[: rng.integers(1, ndim + 1)]
        return tuple(int(axis) for axis in chosen)
    return int(rng.integers(-ndim, ndim))


def steps(a: Any, axis: Any) -> int:
    """Return ceil(log2) of the number of reduced elements, at least 1."""
    axes = range(a.ndim) if axis is None else np.atleast_1d(axis)
    count = np.prod([a.shape[k] for k in axes], dtype=float)
    return max(int(np.ceil(np.log2(max(count, 1)))), 1)


def reduce(rng: Any) -> None:
    name = str(rng.choice(REDUCTIONS))
    dtype = str(rng.choice(DTYPES))
    if "c" in dtype and name in ("min", "max", "argmin", "argmax", "prod"):
        name = "sum"
    added = name in ("sum", "prod")
    kind = "finite" if added else "any"
    # Rounding errors of many equal terms have the same sign, so such values
    # are left out of sums; products include them.
    a, ga = pair(rng, shape_of(rng), dtype, kind, name != "prod")
    axis = axes_of(rng, a.ndim, not name.startswith("arg"))
    keepdims = bool(rng.random() < 0.3)
    yield f"{name}(axis={axis}, keepdims={keepdims}) of {describe(a)}"
    options = {"axis": axis, "keepdims": keepdims}
    own = getattr(gpuarray, name)
    try:
        want = np.asarray(quietly(lambda: getattr(np, name)(a, **options)))
    except ValueError as error:
        refused(error, lambda: own(ga, **options))
        return
    got = own(ga, **options)
    if kind_of(want.dtype) not in "fc" or name in ("min", "max"):
        compare_values(got, want)
        return
    wide = a.astype(np.clongdouble if a.dtype.kind == "c" else np.longdouble)
    exact = quietly(lambda: getattr(np, name)(wide, **options))
    size = quietly(lambda: getattr(np, name)(np.abs(wide), **options))
    turns = steps(a, axis) if name == "sum" else 2 ** steps(a, axis)
    allowed = 2 * turns * ulp(want.dtype, np.asarray(size))
    if got.dtype != want.dtype:
        raise Difference(f"dtype {got.dtype}, not {want.dtype}")
    rounded = quietly(np.asarray(exact).astype, want.dtype)
    limit = np.isfinite(np.abs(rounded)) & np.isfinite(allowed)
    compare(got, np.where(limit, exact, rounded), np.where(limit, allowed, 0))


def scan(rng: Any) -> None:
    name = str(rng.choice(["cumsum", "cumprod"]))
    dtype = str(rng.choice([d for d in DTYPES if d[0] != "c"]))
    a, ga = pair(rng, shape_of(rng), dtype, "small")
    if name == "cumprod" and kind_of(a.dtype) == "f":
        a = np.asarray(np.sign(a), dtype)
        ga = gpuarray.to_gpu(a)
    axis = axes_of(rng, a.ndim, False)
    yield f"{name}(axis={axis}) of {describe(a)}"
    want = quietly(lambda: getattr(np, name)(a, axis=axis))
    got = getattr(gpuarray, name)(ga, axis=axis)
    if kind_of(want.dtype) != "f" or name == "cumprod":
        compare(got, want)
        return
    wide = a.astype(np.longdouble)
    exact = np.cumsum(wide, axis=axis)
    size = np.cumsum(np.abs(wide), axis=axis)
    allowed = 2 * steps(a, axis) * ulp(want.dtype, size)
    rounded = quietly(exact.astype, want.dtype)
    limit = np.isfinite(rounded) & np.isfinite(allowed)
    compare(got, np.where(limit, exact, rounded), np.where(limit, allowed, 0))


def join(rng: Any) -> None:
    dtype, other = PAIRS[rng.integers(len(PAIRS))]
    kind = "any" if dtype == other else "small"
    a, ga = pair(rng, shape_of(rng), dtype, kind)
    b, gb = partner(rng, a, other, kind)
    if not isinstance(b, np.ndarray) or b.shape != a.shape:
        b, gb = a, ga
    try:
        np.result_type(a, b)
    except TypeError:  # bfloat16 with other 16-bit types
        b, gb = a, ga
    mask = np.asarray(rng.random(a.shape) < 0.5)
    yield f"where and concatenate of {describe(a)} and {describe(b)}"
    compare(gpuarray.where(gpuarray.to_gpu(mask), ga, gb),
            np.where(mask, a, b))  # fmt: skip
    if a.ndim:
        axis = int(rng.integers(-a.ndim, a.ndim))
        compare(
            gpuarray.concatenate([ga, gb], axis), np.concatenate([a, b], axis)
        )
    if a.dtype.kind not in "cb" and b.dtype.kind not in "cb":
        compare_values(gpuarray.maximum(ga, gb), quietly(np.maximum, a, b))
        compare_values(gpuarray.minimum(ga, gb), quietly(np.minimum, a, b))


# --- records -------------------------------------------------------------

RECORDS = [
    np.dtype([("x", "f4"), ("y", "f4")]),
    np.dtype([("n", "u1"), ("value", "f8")]),  # packed, and so misaligned
    np.dtype([("n", "i2"), ("part", [("a", "i8"), ("b", "f4")])], align=True),
    np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4")]),
    np.dtype([("a", "c16"), ("b", "i4"), ("c", "u2")]),
]


def filled(rng: Any, shape: tuple, dtype: Any) -> Any:
    """Return an array of random records."""
    made = np.zeros(shape, dtype)
    for name in dtype.names or ():
        field = dtype[name]
        make = filled if field.names else values
        made[name] = make(rng, shape, field)
    return made


def alike(got: Any, want: Any) -> None:
    """Compare the fields only; padding bytes may differ."""
    got = got.get() if isinstance(got, gpuarray.GPUArray) else got
    if got.dtype != want.dtype or got.shape != want.shape:
        raise Difference(f"{got.dtype}{got.shape}, not {describe(want)}")
    for name in want.dtype.names or ():
        if want.dtype[name].names:
            alike(got[name], want[name])
        else:
            compare(got[name], want[name])


def records(rng: Any) -> None:
    dtype = RECORDS[rng.integers(len(RECORDS))]
    base = filled(rng, shape_of(rng, 3), dtype)
    device = gpuarray.to_gpu(base)
    a, ga = viewed(rng, base, device, False)
    key = entries(rng, a.shape)
    there = moved(key) if rng.random() < 0.5 else tuple(key)
    yield f"records {describe(a)}[{key}]"
    alike(ga, a)
    alike(ga.copy("F"), a)
    try:
        part = a[tuple(key)]
    except IndexError as error:
        refused(error, lambda: ga[there].get())
        return
    alike(ga[there], np.asarray(part))
    places = np.arange(a.size).reshape(a.shape)[tuple(key)]
    if len(np.unique(places)) == places.size:
        value = filled(rng, np.shape(part), dtype)
        a[tuple(key)] = value
        ga[there] = value if rng.random() < 0.5 else gpuarray.to_gpu(value)
    name = str(rng.choice([n for n in dtype.names if not dtype[n].names]))
    yield f"field {name} of {describe(a)}"
    if dtype[name].kind != "c":
        quietly(a[name].__iadd__, a[name][..., ::-1] if a.ndim else a[name])
        field = ga[name]
        field += ga[name][..., ::-1] if a.ndim else ga[name]
        alike(device, base)
        compare(ga[name] > 1, quietly(operator.gt, a[name], 1))
    one = filled(rng, (), dtype)
    ga.fill(one)
    a[...] = one
    alike(device, base)


# --- user-defined kernels --------------------------------------------------


@functools.cache
def kernels() -> dict[str, Any]:
    return {
        "apply": ElementwiseKernel(
            "T *x, U *y, T *z", "z[i] = y[i] > (U)0 ? x[i] : (T)3"
        ),
        "sum": ReductionKernel("i8", "0", "a+b", arguments="int *in"),
        "last": InclusiveScanKernel("i4", "b == 0 ? a : b"),
    }


def own(rng: Any) -> None:
    shape = shape_of(rng)
    left = str(rng.choice(["u1", "i2", "i4", "i8", "f4", "f8"]))
    a, ga = pair(rng, shape, left, "small")
    b, gb = pair(rng, a.shape, str(rng.choice(["i1", "i4", "f8"])), "small")
    if b.shape != a.shape:
        b, gb = a, ga
    yield f"kernels on {describe(a)} and {describe(b)}"
    want = np.where(b > 0, a, a.dtype.type(3))
    compare(kernels()["apply"](ga, gb, None), want)
    target = gpuarray.empty_like(ga)
    kernels()["apply"](ga, gb, target)
    compare(target, want)
    a, ga = pair(rng, shape, "i4", "small")
    axis = axes_of(rng, a.ndim, True)
    if a.ndim:
        keep = bool(rng.random() < 0.5)
        options = {"axis": axis, "keepdims": keep}
        got = kernels()["sum"](ga, **options)
        compare(got, np.asarray(a.sum(dtype="i8", **options)))
        axis = int(rng.integers(-a.ndim, a.ndim))
        want = np.array(a)
        for k in range(1, a.shape[axis]):
            here = (slice(None),) * (axis % a.ndim) + (k,)
            before = (*here[:-1], k - 1)
            want[here] = np.where(a[here] == 0, want[before], a[here])
        compare(kernels()["last"](ga, "new", axis=axis), want)


def spreads(rng: Any) -> None:
    """mean, var, std and ptp along axes."""
    name = str(rng.choice(["mean", "var", "std", "ptp"]))
    dtype = str(rng.choice([d for d in DTYPES if d != "?"]))
    if "c" in dtype and name == "ptp":
        dtype = "f4"
    a, ga = pair(rng, shape_of(rng), dtype, "finite", False)
    axis = axes_of(rng, a.ndim, True)
    yield f"{name}(axis={axis}) of {describe(a)}"
    function = getattr(gpuarray, name)
    try:
        want = np.asarray(quietly(lambda: getattr(np, name)(a, axis=axis)))
    except ValueError as error:
        refused(error, lambda: function(ga, axis=axis))
        return
    got = function(ga, axis=axis)
    if name == "ptp":
        compare(got, want)
        return
    if got.dtype != want.dtype:
        raise Difference(f"dtype {got.dtype}, not {want.dtype}")
    wide = a.astype(np.clongdouble if a.dtype.kind == "c" else np.longdouble)
    exact = quietly(lambda: getattr(np, name)(wide, axis=axis))
    size = quietly(lambda: np.mean(np.abs(wide), axis=axis))
    if name != "mean":
        peak = quietly(lambda: np.max(np.abs(wide), axis=axis, initial=0))
        size = peak**2 if name == "var" else peak
        if name == "std":  # an error of the square has more effect near 0
            size = np.asarray(size) + 1e-7 * np.asarray(peak)
    # Each term of a variance is rounded before the addition: a difference, its
    # square and, for complex numbers, the sum of two squares.
    turns = steps(a, axis) + (name != "mean")
    allowed = 2 * turns * ulp(want.dtype, np.asarray(size))
    if name == "std":
        allowed = np.maximum(allowed, 1e-6 * np.asarray(size))
    rounded = quietly(np.asarray(exact).astype, want.dtype)
    limit = np.isfinite(np.abs(rounded)) & np.isfinite(allowed)
    compare(got, np.where(limit, exact, rounded), np.where(limit, allowed, 0))


# --- cases ---------------------------------------------------------------

FAMILIES = [
    *[binary] * 6, *[in_place] * 3, *[get] * 4, *[put] * 4, *[assign] * 2,
    *[reduce] * 4, *[scan] * 2, unary, math, math, casts, join,
    *[records] * 3, *[own] * 2, spreads, spreads,
]  # fmt: skip


def describe(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{list(value.shape)}/{list(value.strides)}"
    return f"{type(value).__name__} {value!r}"


def check(seed: int) -> None:
    """Run the case of a seed."""
    rng = np.random.default_rng(seed)
    family = FAMILIES[rng.integers(len(FAMILIES))]
    told = ["making it"]
    try:
        told.extend(family(rng))
    except Exception as error:
        raise Difference(f"case {seed}, {told[-1]}: {error!r}") from error
