"""numpy.linalg of device arrays.

QR is computed on the device.  Other decompositions and solvers are LAPACK's,
by NumPy on the host: the arrays are copied there, and the results back.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda._array.constructors import upload, zeros
from pycuda._driver import ArrayBase

if TYPE_CHECKING:
    from pycuda.gpuarray import GPUArray

# Functions that NumPy computes on the host.
_ON_HOST = """
cholesky cond det eig eigh eigvals eigvalsh inv lstsq matrix_rank pinv slogdet
solve svd svdvals tensorinv tensorsolve
""".split()  # noqa: SIM905


# --- QR by Householder's reflections -------------------------------------


def _reflection(column: Any) -> tuple[Any, Any]:
    """Return (v, tau): I - tau v v^H maps the columns to multiples of e_1.

    As LAPACK's xLARFG does: v begins with 1, and tau is 0 if there is nothing
    to eliminate.
    """
    head, tail = column[..., :1], column[..., 1:]
    if column.dtype.kind == "c":
        squares = tail.real**2 + tail.imag**2
        rest = np.sum(squares, axis=-1, keepdims=True) + head.imag**2
    else:
        rest = np.sum(tail * tail, axis=-1, keepdims=True)
    length = np.sqrt(head.real**2 + rest)
    beta = -np.copysign(length, head.real)
    is_trivial = rest == 0
    divisor = np.where(is_trivial, column.dtype.type(1), head - beta)
    vector = column / divisor
    vector[..., :1] = 1
    safe = np.where(is_trivial, beta.dtype.type(1), beta)
    tau = np.where(is_trivial, column.dtype.type(0), (safe - head) / safe)
    return vector, tau


def _reflect(a: Any, vector: Any, tau: Any) -> None:
    """Subtract ``tau v (v^H a)`` in place."""
    product = np.matmul(vector.conj()[..., None, :], a)
    a -= (tau * vector)[..., None] * product


def _identity(shape: tuple[int, ...], dtype: np.dtype) -> Any:
    result = zeros(shape, dtype)
    at = np.arange(min(shape[-2:]))
    result[..., at, at] = 1
    return result


def qr(a: GPUArray, mode: str = "reduced") -> Any:
    """Return ``numpy.linalg.qr``, with the signs that LAPACK chooses.

    Each column takes about 20 launches, and nothing waits for the device.
    Stacks of matrices are supported.
    """
    if mode not in ("reduced", "complete", "r"):
        raise ValueError(
            f"mode {mode!r} is not implemented for GPUArrays: use 'reduced', "
            "'complete' or 'r'"
        )
    if a.ndim < 2:
        raise np.linalg.LinAlgError(
            f"{a.ndim}-dimensional array given. Array must be at least "
            "two-dimensional"
        )
    if a.dtype.kind not in "fcbiu" or a.dtype == np.float16:
        raise TypeError(f"array type {a.dtype} is unsupported in linalg")
    dtype = a.dtype if a.dtype.kind in "fc" else np.dtype(np.float64)
    *stack, m, n = a.shape
    k = min(m, n)
    if 0 in a.shape:
        columns = m if mode == "complete" else k
        r = zeros((*stack, columns, n), dtype)
        q = _identity((*stack, m, columns), dtype)
        return r if mode == "r" else _result("qr", np.eye(1))(q, r)
    scale = np.max(abs(a).astype(dtype.type(0).real.dtype))
    scale = np.where(scale == 0, scale.dtype.type(1), scale)
    # Squares of scaled elements do not overflow.
    work = a.astype(dtype) / scale
    reflections = []
    for j in range(k):
        if j == m - 1 and dtype.kind == "f":
            break
        vector, tau = _reflection(work[..., j:, j])
        _reflect(work[..., j:, j:], vector, tau.conj())
        reflections.append((vector, tau))
    rows = m if mode == "complete" else k
    r = np.triu(work[..., :rows, :]) * scale
    if mode == "r":
        return r
    q = _identity((*stack, m, rows), dtype)
    for j, (vector, tau) in reversed(list(enumerate(reflections))):
        _reflect(q[..., j:, j:], vector, tau)
    return _result("qr", np.eye(1))(q, r)


def _result(name: str, sample: np.ndarray) -> Any:
    """Return the class of a function's results, a named tuple in NumPy 2."""
    return type(getattr(np.linalg, name)(sample))


# --- NumPy on the host ---------------------------------------------------


def _fetched(value: Any) -> Any:
    return value.get() if isinstance(value, ArrayBase) else value  # type: ignore[attr-defined]


def _returned(value: Any) -> Any:
    """Return NumPy's result with its arrays on the device."""
    if isinstance(value, tuple):
        parts = [_returned(part) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else (
            tuple(parts)
        )  # fmt: skip
    if isinstance(value, (np.ndarray, np.generic)):
        return upload(np.asarray(value))
    return value


def _on_host(name: str) -> Callable[..., Any]:
    function = getattr(np.linalg, name)

    def run(*args: Any, **options: Any) -> Any:
        return _returned(function(
            *map(_fetched, args),
            **{key: _fetched(value) for key, value in options.items()},
        ))  # fmt: skip

    run.__name__ = name
    return run


# --- norms ---------------------------------------------------------------


def _vector_norm(x: Any, ord: Any, axis: Any, keepdims: bool) -> Any:
    size = abs(x)
    options = {"axis": axis, "keepdims": keepdims}
    if ord is None or ord == 2:
        return np.sqrt(np.sum(size * size, **options))
    if ord == np.inf:
        return np.max(size, **options)
    if ord == -np.inf:
        return np.min(size, **options)
    if ord == 0:
        return np.sum(x != 0, **options).astype(size.dtype)
    if ord == 1:
        return np.sum(size, **options)
    return np.sum(size**ord, **options) ** (1 / ord)


def _matrix_norm(x: Any, ord: Any, axes: Any, keepdims: bool) -> Any:
    rows, columns = (axis % x.ndim for axis in axes)
    if ord in (1, -1, np.inf, -np.inf):
        along, over = (rows, columns) if abs(ord) == 1 else (columns, rows)
        sums = np.sum(abs(x), axis=along, keepdims=True)
        extreme = np.max if ord > 0 else np.min
        result = extreme(sums, axis=over, keepdims=True)
        return result if keepdims else np.squeeze(result, axis=(rows, columns))
    return _on_host("norm")(x, ord, axes, keepdims)


def norm(
    x: GPUArray, ord: Any = None, axis: Any = None, keepdims: bool = False
) -> Any:
    """Return ``numpy.linalg.norm``; singular values come from the host."""
    if x.dtype.kind in "biu":
        x = x.astype(np.float64)
    if axis is None and (ord is None or (ord in ("f", "fro") and x.ndim == 2)):
        result = _vector_norm(x.reshape(-1), None, None, False)
        return result.reshape((1,) * x.ndim) if keepdims else result
    if axis is None:
        axis = tuple(range(x.ndim))
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    if len(axes) == 1:
        return _vector_norm(x, ord, axes[0], keepdims)
    if len(axes) != 2:
        raise ValueError("Improper number of dimensions to norm.")
    if ord is None or ord in ("f", "fro"):
        return _vector_norm(x, None, axes, keepdims)
    return _matrix_norm(x, ord, axes, keepdims)


def _trace(x: GPUArray, /, *, offset: int = 0, dtype: Any = None) -> Any:
    return np.trace(x, offset, -2, -1, dtype)  # type: ignore[call-overload]


def _diagonal(x: GPUArray, /, *, offset: int = 0) -> Any:
    return np.diagonal(x, offset, -2, -1)  # type: ignore[arg-type]


def _vector(
    x: GPUArray, /, *, axis: Any = None, keepdims: bool = False, ord: Any = 2
) -> Any:
    if x.dtype.kind in "biu":
        x = x.astype(np.float64)
    if axis is None:
        result = _vector_norm(x.reshape(-1), ord, None, False)
        return result.reshape((1,) * x.ndim) if keepdims else result
    return _vector_norm(x, ord, axis, keepdims)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "linalg.qr": qr,
    "linalg.norm": norm,
    "linalg.vector_norm": _vector,
    "linalg.trace": _trace,
    "linalg.diagonal": _diagonal,
    "linalg.matrix_transpose": lambda x, /: x.swapaxes(-1, -2),
    **{
        f"linalg.{name}": _on_host(name)
        for name in _ON_HOST
        if hasattr(np.linalg, name)
    },
}
