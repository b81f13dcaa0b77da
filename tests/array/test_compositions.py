"""NumPy's functions that are composed of others: values, errors, streams."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from composition_rows import ROWS, inputs

from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")
HOST = inputs()


@pytest.fixture(scope="module")
def device(context: Any) -> SimpleNamespace:
    return SimpleNamespace(**{
        name: gpuarray.to_gpu(host) for name, host in vars(HOST).items()
    })  # fmt: skip


@pytest.mark.parametrize(
    "call", [row[1] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_equals_numpy(call: Any, device: Any) -> None:
    with warnings.catch_warnings():
        # NumPy warns of slices of NaN, which the device does not report.
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            wanted = np.asarray(call(HOST))
        except TypeError as error:
            assert "method" in str(error)  # NumPy 1.26 lacks a keyword
            pytest.skip(str(error))
        found = call(device)
    assert isinstance(found, gpuarray.GPUArray)
    assert found.dtype == wanted.dtype
    short = wanted.dtype in (np.float32, np.complex64)
    np.testing.assert_allclose(
        found.get(), wanted, rtol=1e-5 if short else 1e-10,
        atol=1e-6 if short else 1e-12 * max(1, np.nanmax(abs(wanted))),
    )  # fmt: skip


def test_partitions(device: Any) -> None:
    host = HOST.x
    found = np.partition(device.x, 4, axis=1).get()
    assert (found[:, :4].max(axis=1) <= found[:, 4]).all()
    assert (found[:, 5:].min(axis=1) >= found[:, 4]).all()
    np.testing.assert_array_equal(np.sort(found, 1), np.sort(host, 1))
    order = np.argpartition(device.v, [3, 7]).get()
    np.testing.assert_array_equal(HOST.v[order][3], np.sort(HOST.v)[3])


def test_weights_of_many_elements() -> None:
    """Partial sums are used, and are the same in every run."""
    rng = np.random.default_rng(1)
    k = rng.integers(0, 3, 70_001)
    w = rng.uniform(size=k.size)
    device = gpuarray.to_gpu(k), gpuarray.to_gpu(w)
    found = np.bincount(*device)
    np.testing.assert_allclose(found.get(), np.bincount(k, w), rtol=1e-12)
    assert found.get().tobytes() == np.bincount(*device).get().tobytes()


def test_decomposition_of_dependent_columns() -> None:
    """Zero columns have no reflection; R's diagonal is 0 there."""
    a = np.zeros((6, 4))
    a[:, 1] = np.arange(6)
    q, r = np.linalg.qr(gpuarray.to_gpu(a))
    np.testing.assert_allclose((q.get() @ r.get()), a, atol=1e-14)
    np.testing.assert_allclose(q.get().T @ q.get(), np.eye(4), atol=1e-14)


WRONG = [
    (lambda a: np.nanargmax(a.rows, axis=1), ValueError, "All-NaN slice"),
    (lambda a: np.bincount(a.t[0]), ValueError, "no negative elements"),
    (lambda a: np.bincount(a.x[0]), TypeError, "Cannot cast"),
    (lambda a: np.bincount(a.k, a.w[1:]), ValueError, "same length"),
    (lambda a: np.histogram(a.v, "auto"), TypeError, "number of bins"),
    (lambda a: np.histogram(a.n), ValueError, "not finite"),
    (lambda a: np.quantile(a.x, 1.5), ValueError, r"range \[0, 1\]"),
    (lambda a: np.percentile(a.x, 101), ValueError, r"range \[0, 100\]"),
    (lambda a: np.digitize(a.x, [1, 0, 2]), ValueError, "monotonically"),
    (lambda a: np.einsum("ij,jk", a.x, a.x), ValueError, "lengths"),
    (lambda a: np.einsum("ijk", a.x), ValueError, "3 subscripts"),
    (lambda a: np.einsum("ij->ik", a.x), ValueError, "occur in the operands"),
    (lambda a: np.einsum("i?", a.x), ValueError, "'?' in the subscripts"),
    (lambda a: np.einsum("ij,jk", a.x, HOST.y), TypeError, "host array"),
    (lambda a: np.pad(a.x, -1), ValueError, "negative"),
    (lambda a: np.pad(a.x, 1, "reflect", reflect_type="odd"), ValueError,
     "must be 'even'"),
    (lambda a: np.pad(a.x, 1, lambda *x: None), ValueError, "use one of"),
    (lambda a: np.linalg.qr(a.x, "raw"), ValueError, "use 'reduced'"),
    (lambda a: np.linalg.qr(a.v), np.linalg.LinAlgError, "two-dimensional"),
    (lambda a: np.linalg.solve(a.x, a.x), np.linalg.LinAlgError, "square"),
    (lambda a: np.gradient(a.v[:1]), ValueError, "too small"),
    (lambda a: np.average(a.x, weights=a.v), TypeError, "Axis must be"),
]  # fmt: skip


@pytest.mark.parametrize("row", WRONG, ids=[row[2] for row in WRONG])
def test_wrong_arguments(row: Any, device: Any) -> None:
    call, kind, text = row
    with pytest.raises(kind, match=text.replace("?", r"\?")):
        call(device)
