"""Calls of dask.array, each with the same computation in NumPy.

A row is (name, call, reference).  `call` gets the dask.array module and the
inputs as Dask arrays whose chunks are GPUArrays; `reference` gets the numpy
module and the inputs on the host.  A row without a reference uses `call` for
both.  `REFUSED` gives the reason for each call that raises an exception.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np


def inputs() -> SimpleNamespace:
    """Return the inputs on the host: 24 x 18, some with NaN or ties."""
    rng = np.random.default_rng(36)
    x = rng.normal(size=(24, 18))
    nans = x.copy()
    nans[::5, ::3] = np.nan
    return SimpleNamespace(
        x=x,
        y=rng.uniform(0.5, 2.0, (24, 18)),
        nans=nans,
        f=x.astype(np.float32),
        row=rng.normal(size=18),
        flat=rng.normal(size=40),
        n=rng.integers(0, 7, 40),
        w=rng.uniform(size=40),
        square=rng.normal(size=(12, 12)) + 12 * np.eye(12),
        tall=rng.normal(size=(24, 4)),
    )


#: Name of an input -> chunks of the Dask array.
CHUNKS: dict[str, Any] = {
    "x": (10, 7),
    "y": (10, 7),
    "nans": (10, 7),
    "f": (10, 7),
    "row": (7,),
    "flat": (15,),
    "n": (15,),
    "w": (15,),
    "square": (6, 6),
    "tall": (8, 4),
}


def _signs(q: Any, r: Any) -> Any:
    """Return R with a positive diagonal: QR is unique up to signs."""
    return abs(r)


def _smooth(a: Any) -> Any:
    """Average each element with its four neighbours; the rim is dropped."""
    return 0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])


def _stencil(block: Any) -> Any:
    result = block.copy()
    result[1:-1, 1:-1] = _smooth(block)
    return result


def _overlapped(boundary: Any) -> Callable[..., Any]:
    return lambda da, v: v.x.map_overlap(_stencil, depth=1, boundary=boundary)


def _padded_stencil(mode: str) -> Callable[..., Any]:
    modes = {"periodic": "wrap", "reflect": "symmetric", "nearest": "edge"}
    if mode == "0":
        return lambda np, v: _smooth(np.pad(v.x, 1))
    return lambda np, v: _smooth(np.pad(v.x, 1, mode=modes[mode]))


def _assigned(da: Any, v: Any) -> Any:
    a = v.x.copy()
    a[2:9, ::2] = 5
    a[a < -1] = 0
    return a


def _stored(da: Any, v: Any) -> Any:
    from pycuda import gpuarray

    target = gpuarray.zeros(v.x.shape, v.x.dtype)
    da.store(v.x * 2, target, lock=True)
    return da.from_array(target, chunks=v.x.chunks, asarray=False)


def _pairs(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return (a * a).sum(axis=axis, keepdims=keepdims)


def _pairs_total(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return a.sum(axis=axis, keepdims=keepdims)


def _double(block: Any) -> Any:
    return 2 * block


Row = tuple[str, Callable[..., Any], Callable[..., Any] | None]

CALLS: list[Row] = [
    # --- creation
    ("from_array", lambda da, v: v.x, None),
    ("map_blocks", lambda da, v: v.x.map_blocks(_double),
     lambda np, v: 2 * v.x),
    ("zeros_like", lambda da, v: da.zeros_like(v.x) + 3,
     lambda np, v: np.zeros_like(v.x) + 3),
    ("full_like", lambda da, v: da.full_like(v.f, 7), None),
    # --- elementwise
    ("arithmetic", lambda da, v: (v.x + 2 * v.y) / v.y - v.x**2, None),
    ("ufuncs", lambda da, v: da.exp(da.sin(v.x)) + da.hypot(v.x, v.y), None),
    ("comparisons", lambda da, v: (v.x > 0) & ~(v.y <= 1), None),
    ("broadcasting", lambda da, v: v.x + v.row, None),
    ("astype", lambda da, v: v.x.astype("f4"), None),
    ("where", lambda da, v: da.where(v.x > 0, v.x, v.y), None),
    ("clip", lambda da, v: da.clip(v.x, -0.5, 0.5), None),
    ("round", lambda da, v: da.round(v.x, 1), None),
    ("isnan", lambda da, v: da.isnan(v.nans), None),
    ("nan_to_num", lambda da, v: da.nan_to_num(v.nans), None),
    ("angle", lambda da, v: da.angle(v.x + 1j * v.y), None),
    ("fix", lambda da, v: da.fix(3 * v.x), None),
    ("isclose", lambda da, v: da.isclose(v.x, v.x + 1e-9), None),
    ("digitize", lambda da, v: da.digitize(v.x, np.array([-1.0, 0.0, 1.0])),
     None),
    ("searchsorted",
     lambda da, v: da.searchsorted(v.w.cumsum(axis=0), v.flat), None),
    ("frompyfunc-free ufunc: divmod",
     lambda da, v: da.divmod(v.x, v.y)[1], None),
    # --- reductions
    ("sum", lambda da, v: da.sum(v.x, axis=0), None),
    ("sum of all", lambda da, v: v.x.sum(), None),
    ("mean", lambda da, v: v.x.mean(axis=1), None),
    ("std", lambda da, v: v.x.std(axis=0, ddof=1), None),
    ("var", lambda da, v: v.x.var(keepdims=True), None),
    ("min and max", lambda da, v: v.x.max(axis=0) - v.x.min(), None),
    ("ptp", lambda da, v: da.ptp(v.x, axis=1), None),
    ("argmax", lambda da, v: v.x.argmax(axis=1), None),
    ("argmin of all", lambda da, v: v.x.argmin(), None),
    ("any and all", lambda da, v: (v.x > 2).any(axis=0) | (v.y > 0).all(),
     None),
    ("prod", lambda da, v: v.y.prod(axis=0), None),
    ("count_nonzero", lambda da, v: da.count_nonzero(v.x > 0, axis=0), None),
    ("nansum", lambda da, v: da.nansum(v.nans, axis=0), None),
    ("nanprod", lambda da, v: da.nanprod(v.nans, axis=1), None),
    ("nanmean", lambda da, v: da.nanmean(v.nans, axis=1), None),
    ("nanstd", lambda da, v: da.nanstd(v.nans, axis=0), None),
    ("nanvar", lambda da, v: da.nanvar(v.nans), None),
    ("nanmax", lambda da, v: da.nanmax(v.nans, axis=0) + da.nanmin(v.nans),
     None),
    ("nanargmax", lambda da, v: da.nanargmax(v.nans, axis=0), None),
    ("nancumsum", lambda da, v: da.nancumsum(v.nans, axis=1), None),
    ("median", lambda da, v: da.median(v.x, axis=0), None),
    ("nanmedian", lambda da, v: da.nanmedian(v.nans, axis=1), None),
    ("average", lambda da, v: da.average(v.x, axis=0, weights=v.y), None),
    ("moment", lambda da, v: v.x.moment(3),
     lambda np, v: ((v.x - v.x.mean()) ** 3).mean()),
    ("reduction", lambda da, v: da.reduction(
        v.x, _pairs, _pairs_total, axis=0, dtype="f8"),
     lambda np, v: (v.x**2).sum(0)),
    ("norm", lambda da, v: da.linalg.norm(v.x), None),
    ("norm of rows", lambda da, v: da.linalg.norm(v.x, ord=1, axis=1), None),
    ("cov", lambda da, v: da.cov(v.tall.T), None),
    ("corrcoef", lambda da, v: da.corrcoef(v.tall.T), None),
    # --- scans
    ("cumsum", lambda da, v: v.x.cumsum(axis=0), None),
    ("cumprod", lambda da, v: v.y.cumprod(axis=1), None),
    ("diff", lambda da, v: da.diff(v.x, axis=1), None),
    ("ediff1d", lambda da, v: da.ediff1d(v.flat), None),
    ("gradient", lambda da, v: da.gradient(v.x, axis=0), None),
    # --- slicing
    ("slices", lambda da, v: v.x[1:20:3, ::-1], None),
    ("integer array index", lambda da, v: v.x[[3, 0, 15]], None),
    ("take", lambda da, v: da.take(v.x, [0, 17, 5], axis=1), None),
    ("mask", lambda da, v: v.flat[v.flat > 0], None),
    ("compress", lambda da, v: da.compress(
        np.arange(24) % 3 == 0, v.x, axis=0), None),
    ("nonzero", lambda da, v: (v.flat > 0).nonzero()[0], None),
    ("assignment", _assigned, _assigned),
    ("vindex", lambda da, v: v.x.vindex[[0, 12, 23], [1, 8, 17]],
     lambda np, v: v.x[[0, 12, 23], [1, 8, 17]]),
    ("extract", lambda da, v: da.extract(v.flat > 0, v.flat), None),
    # --- stencils
    ("overlap, periodic", _overlapped("periodic"),
     _padded_stencil("periodic")),
    ("overlap, reflect", _overlapped("reflect"), _padded_stencil("reflect")),
    ("overlap, nearest", _overlapped("nearest"), _padded_stencil("nearest")),
    ("overlap, constant", _overlapped(0), _padded_stencil("0")),
    ("pad", lambda da, v: da.pad(v.x, ((2, 1), (0, 3)), mode="constant"),
     None),
    ("pad, edge", lambda da, v: da.pad(v.x, 2, mode="edge"), None),
    ("pad, reflect", lambda da, v: da.pad(v.x, 2, mode="reflect"), None),
    ("pad, mean", lambda da, v: da.pad(v.x, 2, mode="mean"), None),
    # --- products
    ("tensordot", lambda da, v: da.tensordot(v.x, v.y, axes=((0,), (0,))),
     None),
    ("matmul", lambda da, v: v.x @ v.y.T, None),
    ("dot", lambda da, v: da.dot(v.x, v.row), None),
    ("outer", lambda da, v: da.outer(v.row, v.flat), None),
    ("einsum", lambda da, v: da.einsum("ij,kj->ik", v.x, v.y), None),
    ("einsum, batched", lambda da, v: da.einsum("ij,ij->i", v.x, v.y), None),
    ("vdot", lambda da, v: da.vdot(v.flat, v.w), None),
    # --- joins and shapes
    ("concatenate", lambda da, v: da.concatenate([v.x, v.y], axis=1), None),
    ("stack", lambda da, v: da.stack([v.x, v.y]), None),
    ("block", lambda da, v: da.block([[v.x, v.y], [v.y, v.x]]), None),
    ("rechunk", lambda da, v: v.x.rechunk((24, 5)), lambda np, v: v.x),
    ("transpose", lambda da, v: v.x.T, None),
    ("reshape", lambda da, v: v.x.reshape(24, 3, 6), None),
    ("ravel", lambda da, v: v.x.ravel(), None),
    ("roll", lambda da, v: da.roll(v.x, 3, axis=0), None),
    ("flip", lambda da, v: da.flip(v.x, 1), None),
    ("repeat", lambda da, v: da.repeat(v.x, 2, axis=0), None),
    ("tile", lambda da, v: da.tile(v.row, 3), None),
    ("broadcast_to", lambda da, v: da.broadcast_to(v.row, (4, 18)), None),
    ("squeeze and expand", lambda da, v: da.squeeze(v.x[:, None])[None],
     None),
    ("moveaxis", lambda da, v: da.moveaxis(v.x, 0, 1), None),
    ("rot90", lambda da, v: da.rot90(v.x), None),
    ("tril", lambda da, v: da.tril(v.square), None),
    ("diag", lambda da, v: da.diag(v.square), None),
    ("diagonal", lambda da, v: da.diagonal(v.square), None),
    ("coarsen", lambda da, v: da.coarsen(np.sum, v.x.rechunk((8, 6)),
                                         {0: 4, 1: 2}),
     lambda np, v: v.x.reshape(6, 4, 9, 2).sum((1, 3))),
    # --- order
    ("topk", lambda da, v: da.topk(v.x, 3, axis=0),
     lambda np, v: np.sort(v.x, axis=0)[:-4:-1]),
    ("argtopk", lambda da, v: da.argtopk(v.flat, 4),
     lambda np, v: np.argsort(v.flat)[:-5:-1]),
    ("percentile", lambda da, v: da.percentile(v.flat[:15], [20, 50, 90]),
     lambda np, v: np.percentile(v.flat[:15], [20, 50, 90])),
    ("quantile", lambda da, v: da.quantile(v.x, [0.25, 0.9], axis=1), None),
    ("nanquantile", lambda da, v: da.nanquantile(v.nans, 0.4, axis=1), None),
    ("unique", lambda da, v: da.unique(v.n), None),
    ("isin", lambda da, v: da.isin(v.n, [1, 4]), None),
    # --- counts
    ("histogram", lambda da, v: da.histogram(v.flat, 8, (-3, 3))[0], None),
    ("histogram, weights", lambda da, v: da.histogram(
        v.flat, np.linspace(-2, 2, 6), weights=v.w)[0], None),
    ("histogram, density", lambda da, v: da.histogram(
        v.flat, 8, (-3, 3), density=True)[0], None),
    ("histogram2d", lambda da, v: da.histogram2d(
        v.flat, v.w, (4, 3), ((-2, 2), (0, 1)))[0], None),
    ("bincount", lambda da, v: da.bincount(v.n, minlength=9), None),
    ("bincount, weights", lambda da, v: da.bincount(
        v.n, weights=v.w, minlength=9), None),
    # --- linear algebra
    ("qr", lambda da, v: _signs(*da.linalg.qr(v.tall)),
     lambda np, v: _signs(*np.linalg.qr(v.tall))),
    ("svd", lambda da, v: da.linalg.svd(v.tall)[1],
     lambda np, v: np.linalg.svd(v.tall)[1]),
    ("solve", lambda da, v: da.linalg.solve(v.square, v.square[:, 0]), None),
    ("inv", lambda da, v: da.linalg.inv(v.square), None),
    ("cholesky", lambda da, v: da.linalg.cholesky(v.square @ v.square.T,
                                                  lower=True),
     lambda np, v: np.linalg.cholesky(v.square @ v.square.T)),
    ("lstsq", lambda da, v: da.linalg.lstsq(v.tall, v.x[:, 0].rechunk(8))[0],
     lambda np, v: np.linalg.lstsq(v.tall, v.x[:, 0])[0]),
    ("fft", lambda da, v: da.fft.fft(v.x.rechunk((10, 18)), axis=1),
     lambda np, v: np.fft.fft(v.x, axis=1)),
    # --- others
    ("map_blocks with two arrays",
     lambda da, v: da.map_blocks(lambda a, b: a * b, v.x, v.y),
     lambda np, v: v.x * v.y),
    ("blockwise", lambda da, v: da.blockwise(
        lambda a, b: a * b, "ij", v.x, "ij", v.row, "j", dtype="f8"),
     lambda np, v: v.x * v.row),
    ("apply_along_axis", lambda da, v: da.apply_along_axis(
        lambda r: r.sum(), 1, v.x, dtype="f8", shape=()),
     lambda np, v: v.x.sum(1)),
    ("apply_over_axes", lambda da, v: da.apply_over_axes(
        lambda a, axis: a.sum(axis, keepdims=True), v.x, [0]),
     lambda np, v: v.x.sum(0, keepdims=True)),
    ("apply_gufunc", lambda da, v: da.apply_gufunc(
        lambda a: a.mean(-1), "(i)->()", v.x.rechunk((10, 18))),
     lambda np, v: v.x.mean(1)),
    ("store", _stored, lambda np, v: 2 * v.x),
]  # fmt: skip

_MIXES = "Dask's code mixes arrays of the host with the chunks"
#: Call that raises TypeError -> reason.
REFUSED = {
    "nanquantile": _MIXES + " for up to 1000 elements along the last axis",
    "histogram, density": _MIXES,
    "histogram2d": "Dask passes tuples of chunks to numpy.sum",
    "solve": "Dask calls scipy.linalg.lu, which takes host arrays only",
    "inv": "Dask calls scipy.linalg.lu, which takes host arrays only",
    "fft": "this package has no Fourier transforms",
}
