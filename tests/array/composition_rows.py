"""Calls of NumPy's functions, for arrays of the host and of the device.

A row is (name, call): the call gets the inputs of `inputs`, as host arrays or
GPUArrays.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np


def inputs() -> SimpleNamespace:
    rng = np.random.default_rng(360)
    x = rng.normal(size=(7, 9))
    n = x.copy()
    n[::2, ::3] = np.nan
    return SimpleNamespace(
        x=x,
        f=x.astype(np.float32),
        y=rng.normal(size=(9, 5)),
        z=x + 1j * rng.normal(size=(7, 9)),
        n=n,
        rows=np.vstack([np.full(9, np.nan), n[1:]]),  # one row of NaN
        wild=np.array([np.nan, np.inf, -np.inf, 1.5, -0.0]),
        k=rng.integers(0, 6, 50),
        t=rng.integers(-9, 9, (4, 6)).astype(np.int32),
        v=rng.normal(size=50),
        w=rng.uniform(size=50),
        s=rng.normal(size=(6, 6)) + 6 * np.eye(6),
        stack=rng.normal(size=(3, 8, 4)),
        cube=rng.normal(size=(3, 4, 5)),
        flat=np.arange(12),
    )


METHODS = [
    "linear", "lower", "higher", "midpoint", "nearest", "inverted_cdf",
    "averaged_inverted_cdf", "hazen", "weibull", "median_unbiased",
    "normal_unbiased", "interpolated_inverted_cdf",
]  # fmt: skip
Call = Callable[[Any], Any]


def _quantiles() -> list[tuple[str, Call]]:
    q = [0.0, 0.13, 0.5, 2 / 3, 1.0]
    rows: list[tuple[str, Call]] = []
    for m in METHODS:
        rows += [
            (f"quantile {m}", lambda a, m=m: np.quantile(a.x, q, 1, method=m)),
            (f"quantile of n {m}",
             lambda a, m=m: np.quantile(a.k, 0.3, method=m)),
        ]  # fmt: skip
    for m in ("linear", "lower", "hazen"):
        rows.append((
            f"nanquantile {m}",
            lambda a, m=m: np.nanquantile(a.n, q, 1, method=m),
        ))  # fmt: skip
    return rows


def _pads() -> list[tuple[str, Call]]:
    widths = ((2, 3), (1, 0))
    return [
        (f"pad {mode}", lambda a, mode=mode: np.pad(a.x, widths, mode))
        for mode in (
            "constant", "edge", "reflect", "symmetric", "wrap", "maximum",
            "minimum", "mean", "median", "linear_ramp",
        )
    ]  # fmt: skip


def _einsums() -> list[tuple[str, Call]]:
    def other(a: Any) -> Any:
        return np.matmul(a.x, a.y)

    return [
        ("einsum product", lambda a: np.einsum("ij,jk->ik", a.x, a.y)),
        ("einsum implicit", lambda a: np.einsum("ij,jk", a.x, a.y)),
        ("einsum implicit order", lambda a: np.einsum("ba", a.x)),
        ("einsum transpose", lambda a: np.einsum("ij->ji", a.x)),
        ("einsum total", lambda a: np.einsum("ij->", a.x)),
        ("einsum sum", lambda a: np.einsum("ij->j", a.x)),
        ("einsum trace", lambda a: np.einsum("ii", a.s)),
        ("einsum diagonal", lambda a: np.einsum("ii->i", a.s)),
        ("einsum elementwise", lambda a: np.einsum("ij,ij->ij", a.x, a.x)),
        ("einsum inner", lambda a: np.einsum("ij,ij->", a.x, a.x)),
        ("einsum outer", lambda a: np.einsum("i,j->ji", a.v, a.w)),
        ("einsum of three",
         lambda a: np.einsum("ij,jk,ik->k", a.x, a.y, other(a))),
        ("einsum of four",
         lambda a: np.einsum("ab,bc,cd,de->ae", a.s, a.s, a.s, a.s)),
        ("einsum dots",
         lambda a: np.einsum("...ij,...kj->...ik", a.stack, a.stack)),
        ("einsum dots broadcast",
         lambda a: np.einsum("...ij,jk->...ik", a.cube, a.y[:5])),
        ("einsum dots alone", lambda a: np.einsum("...j->...", a.cube)),
        ("einsum batch",
         lambda a: np.einsum("bij,bik->bjk", a.stack, a.stack)),
        ("einsum complex",
         lambda a: np.einsum("ij,ij->i", a.z, a.z.conj())),
        ("einsum integers", lambda a: np.einsum("ij,ij->i", a.t, a.t)),
        ("einsum with one", lambda a: np.einsum("ij,ij->ij", a.x, a.x[:1])),
        ("einsum of lists", lambda a: np.einsum(a.x, [0, 1], a.y, [1, 2])),
        ("einsum of lists and result",
         lambda a: np.einsum(a.x, [0, 1], a.y, [1, 2], [2, 0])),
        ("einsum mixed dtypes", lambda a: np.einsum("ij,jk->ik", a.f, a.y)),
        ("einsum dtype", lambda a: np.einsum("ij->i", a.f, dtype="f8")),
        ("einsum unneeded",
         lambda a: np.einsum("ij,kl->ik", a.x, a.y)),
    ]  # fmt: skip


ROWS: list[tuple[str, Call]] = [
    *_quantiles(), *_pads(), *_einsums(),
    ("quantile of all", lambda a: np.quantile(a.x, 0.25)),
    ("quantile keepdims",
     lambda a: np.quantile(a.x, [[0.1, 0.9]], (0, 1), keepdims=True)),
    ("quantile float32", lambda a: np.quantile(a.f, 0.3, axis=0)),
    ("percentile", lambda a: np.percentile(a.f, [5, 50, 95], axis=0)),
    ("quantile with NaN", lambda a: np.quantile(a.n, 0.5, axis=0)),
    ("nanpercentile", lambda a: np.nanpercentile(a.n, 40, axis=1)),
    ("nanquantile of a row of NaN",
     lambda a: np.nanquantile(a.rows, 0.5, axis=1)),
    ("median", lambda a: np.median(a.x, axis=1)),
    ("median of all", lambda a: np.median(a.k)),
    ("median with NaN", lambda a: np.median(a.n, axis=0)),
    ("median keepdims", lambda a: np.median(a.f, (0, 1), keepdims=True)),
    ("nanmedian", lambda a: np.nanmedian(a.rows, axis=1)),
    ("nansum", lambda a: np.nansum(a.n, axis=0)),
    ("nansum initial", lambda a: np.nansum(a.n, axis=0, initial=3)),
    ("nanprod", lambda a: np.nanprod(a.n, axis=1, keepdims=True)),
    ("nansum integers", lambda a: np.nansum(a.t, axis=1)),
    ("nancumsum", lambda a: np.nancumsum(a.n, axis=1)),
    ("nancumprod", lambda a: np.nancumprod(a.n, axis=0)),
    ("nanmax", lambda a: np.nanmax(a.rows, axis=1)),
    ("nanmin", lambda a: np.nanmin(a.n)),
    ("nanmax integers", lambda a: np.nanmax(a.t, axis=0)),
    ("nanmax initial", lambda a: np.nanmax(a.n, axis=0, initial=9)),
    ("nanargmax", lambda a: np.nanargmax(a.n, axis=1)),
    ("nanargmin", lambda a: np.nanargmin(a.n)),
    ("nanmean", lambda a: np.nanmean(a.rows, axis=1)),
    ("nanmean float32",
     lambda a: np.nanmean(np.where(a.f > 0, a.f, np.float32(np.nan)))),
    ("nanvar", lambda a: np.nanvar(a.n, axis=0, ddof=1)),
    ("nanstd", lambda a: np.nanstd(a.n, axis=1, keepdims=True)),
    ("nan_to_num", lambda a: np.nan_to_num(a.wild)),
    ("nan_to_num values",
     lambda a: np.nan_to_num(a.wild, nan=1, posinf=2, neginf=3)),
    ("nan_to_num integers", lambda a: np.nan_to_num(a.t)),
    ("isclose", lambda a: np.isclose(a.wild, a.wild)),
    ("isclose equal_nan",
     lambda a: np.isclose(a.wild, a.wild + 1e-9, equal_nan=True)),
    ("angle", lambda a: np.angle(a.z)),
    ("angle degrees", lambda a: np.angle(a.x, deg=True)),
    ("fix", lambda a: np.fix(3 * a.x)),
    ("fix integers", lambda a: np.fix(a.t)),
    ("isposinf", lambda a: np.isposinf(a.wild)),
    ("isneginf", lambda a: np.isneginf(a.wild)),
    ("digitize", lambda a: np.digitize(a.x, np.array([-1.0, 0, 0.5]))),
    ("digitize right", lambda a: np.digitize(a.k, [1, 2, 4], right=True)),
    ("digitize down", lambda a: np.digitize(a.k, [4, 2, 1])),
    ("digitize down right",
     lambda a: np.digitize(a.k, [4, 2, 1], right=True)),
    ("interp", lambda a: np.interp(a.v, np.array([-1.0, 0, 2]), a.v[:3])),
    ("ediff1d", lambda a: np.ediff1d(a.x)),
    ("ediff1d ends", lambda a: np.ediff1d(a.k, [7, 8], 9)),
    ("gradient", lambda a: np.gradient(a.x)[1]),
    ("gradient spacing", lambda a: np.gradient(a.x, 0.5, axis=0)),
    ("gradient order 2", lambda a: np.gradient(a.v, edge_order=2)),
    ("gradient coordinates",
     lambda a: np.gradient(a.v, np.arange(50.0) ** 1.5)),
    ("gradient coordinates, order 2", lambda a: np.gradient(
        a.x, np.array([0, 1, 3, 4, 7, 8, 8.5]), axis=0, edge_order=2)),
    ("gradient integers", lambda a: np.gradient(a.flat)),
    ("unravel_index", lambda a: np.unravel_index(a.flat, (3, 4))[1]),
    ("unravel_index F",
     lambda a: np.unravel_index(a.flat, (3, 4), order="F")[0]),
    ("ravel_multi_index",
     lambda a: np.ravel_multi_index((a.k, a.k[::-1]), (6, 7))),
    ("ravel_multi_index modes", lambda a: np.ravel_multi_index(
        (a.k, a.k), (4, 3), mode=("clip", "wrap"), order="F")),
    ("apply_along_axis", lambda a: np.apply_along_axis(
        lambda row: row[::-1] * 2, 0, a.cube)),
    ("apply_along_axis to numbers", lambda a: np.apply_along_axis(
        lambda row: row.sum(), 1, a.x)),
    ("average", lambda a: np.average(a.v, weights=a.w)),
    ("average axis", lambda a: np.average(a.x, axis=1, weights=a.y[:, 0])),
    ("average returned",
     lambda a: np.average(a.v, weights=a.w, returned=True)[1]),
    ("average plain", lambda a: np.average(a.x, axis=0, keepdims=True)),
    ("diagflat", lambda a: np.diagflat(a.t[:2, :2], 1)),
    ("isin", lambda a: np.isin(a.k, [1, 3])),
    ("isin invert", lambda a: np.isin(a.k, np.array([2]), invert=True)),
    ("around", lambda a: np.around(a.x, 2)),
    # --- counts
    ("bincount", lambda a: np.bincount(a.k)),
    ("bincount minlength", lambda a: np.bincount(a.k, minlength=20)),
    ("bincount weights", lambda a: np.bincount(a.k, a.w)),
    ("bincount of nothing", lambda a: np.bincount(a.k[:0], minlength=3)),
    ("histogram", lambda a: np.histogram(a.v)[0]),
    ("histogram edges", lambda a: np.histogram(a.v)[1]),
    ("histogram integers", lambda a: np.histogram(a.k, 6)[0]),
    ("histogram range", lambda a: np.histogram(a.x, 5, (-1, 1))[0]),
    ("histogram float32", lambda a: np.histogram(a.f, 7)[0]),
    ("histogram weights", lambda a: np.histogram(a.v, 4, weights=a.w)[0]),
    ("histogram integer weights",
     lambda a: np.histogram(a.v, 4, weights=a.k)[0]),
    ("histogram complex weights",
     lambda a: np.histogram(a.x, 4, weights=a.z)[0]),
    ("histogram density", lambda a: np.histogram(a.v, 6, density=True)[0]),
    ("histogram uneven",
     lambda a: np.histogram(a.v, [-2, -0.5, 0, 0, 1.75])[0]),
    ("histogram one value", lambda a: np.histogram(a.x[:1, :1], 3)[0]),
    ("histogram_bin_edges", lambda a: np.histogram_bin_edges(a.v, 9)),
    ("histogramdd", lambda a: np.histogramdd(a.y[:, :3], 3)[0]),
    ("histogramdd weights, density", lambda a: np.histogramdd(
        [a.v, a.w], [2, [0, 0.3, 0.7]], weights=a.w, density=True)[0]),
    ("histogram2d", lambda a: np.histogram2d(a.v, a.w, (3, 4))[0]),
    ("histogram2d edges",
     lambda a: np.histogram2d(a.v, a.w, 3, [[-1, 1], [0, 1]])[2]),
    # --- linear algebra
    ("qr Q", lambda a: np.linalg.qr(a.stack)[0]),
    ("qr R", lambda a: np.linalg.qr(a.stack).R),
    ("qr wide", lambda a: np.linalg.qr(a.stack[0].T)[1]),
    ("qr complete", lambda a: np.linalg.qr(a.stack[1], "complete")[0]),
    ("qr r", lambda a: np.linalg.qr(a.s, "r")),
    ("qr complex", lambda a: np.linalg.qr(a.z)[0]),
    ("qr complex R", lambda a: np.linalg.qr(a.z)[1]),
    ("qr large numbers", lambda a: np.linalg.qr(a.s * 1e200)[1]),
    ("qr triangular", lambda a: np.linalg.qr(np.triu(a.s))[1]),
    ("svd", lambda a: np.linalg.svd(a.x, full_matrices=False)[1]),
    ("svd named", lambda a: np.linalg.svd(a.stack).S),
    ("solve", lambda a: np.linalg.solve(a.s, a.s[:, :2] * 3)),
    ("inv", lambda a: np.linalg.inv(a.s)),
    ("det", lambda a: np.linalg.det(a.s)),
    ("cholesky", lambda a: np.linalg.cholesky(np.matmul(a.s, a.s.T))),
    ("eigh", lambda a: np.linalg.eigh(np.matmul(a.s, a.s.T))[0]),
    ("lstsq", lambda a: np.linalg.lstsq(a.stack[0], a.stack[0][:, :1])[0]),
    ("norm", lambda a: np.linalg.norm(a.x)),
    ("norm keepdims", lambda a: np.linalg.norm(a.z, keepdims=True)),
    ("norm axis", lambda a: np.linalg.norm(a.x, axis=1)),
    ("norm 3", lambda a: np.linalg.norm(a.x, 3, axis=0)),
    ("norm inf", lambda a: np.linalg.norm(a.v, np.inf)),
    ("norm 0", lambda a: np.linalg.norm(a.t, 0, axis=0)),
    ("norm of columns", lambda a: np.linalg.norm(a.x, 1)),
    ("norm of rows", lambda a: np.linalg.norm(a.x, -np.inf)),
    ("norm matrices", lambda a: np.linalg.norm(a.cube, axis=(1, 2))),
    ("norm 2", lambda a: np.linalg.norm(a.x, 2)),
    ("norm nuclear", lambda a: np.linalg.norm(a.cube, "nuc", axis=(0, 2))),
    # --- arguments
    ("array of arrays", lambda a: np.array([a.x[0], a.x[1]], like=a.x)),
    ("take_along_axis",
     lambda a: np.take_along_axis(np.arange(12), a.flat[::-1], 0)),
]  # fmt: skip
