"""NumPy's functions on device arrays return device arrays."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

from pycuda import gpuarray

pytestmark = pytest.mark.usefixtures("context")

HOST = np.random.default_rng(3).normal(0, 3, (4, 6)).astype(np.float32)

CALLS = {
    "sum by position": lambda a: np.sum(a, 0, None, None, True),
    "sum": lambda a: np.sum(a, axis=1),
    "mean": lambda a: np.mean(a, 0),
    "std": lambda a: np.std(a, axis=0, ddof=1),
    "max": lambda a: np.max(a, axis=1, keepdims=True),
    "min by position": lambda a: np.min(a, 0),
    "amax": lambda a: np.amax(a, 1),
    "argmax": lambda a: np.argmax(a, 1),
    "any": lambda a: np.any(a > 2, 1),
    "all": lambda a: np.all(a > -9, axis=0),
    "cumsum": lambda a: np.cumsum(a, 0),
    "sort": lambda a: np.sort(a, 0),
    "argsort": lambda a: np.argsort(a),
    "unique": lambda a: np.unique(np.round(a)),
    "searchsorted": lambda a: np.searchsorted(np.sort(a[0]), a),
    "where": lambda a: np.where(a > 0, a, 0),
    "where alone": lambda a: np.where(a > 0)[1],
    "nonzero": lambda a: np.nonzero(a > 0)[0],
    "reshape": lambda a: np.reshape(a, (6, 4)),
    "ravel": lambda a: np.ravel(a.T),
    "transpose": lambda a: np.transpose(a, (1, 0)),
    "round": lambda a: np.round(a, 1),
    "clip": lambda a: np.clip(a, -1, 1),
    "clip by name": lambda a: np.clip(a, min=0),
    "take": lambda a: np.take(a, [0, 2], axis=1),
    "take by position": lambda a: np.take(a, [0, 2], 1),
    "repeat": lambda a: np.repeat(a, 2, 0),
    "roll": lambda a: np.roll(a, 1, 1),
    "flip": lambda a: np.flip(a, 0),
    "concatenate": lambda a: np.concatenate([a, a], axis=1),
    "concatenate by position": lambda a: np.concatenate((a, a), 1),
    "stack": lambda a: np.stack((a, a), 1),
    "vstack": lambda a: np.vstack([a, a[0]]),
    "diff": lambda a: np.diff(a),
    "full_like": lambda a: np.full_like(a, 3),
    "linspace": lambda a: np.linspace(a[0], a[1], 5),
    "count_nonzero": lambda a: np.count_nonzero(a > 0, axis=0),
    "copy": lambda a: np.copy(a.T),
    "real": lambda a: np.real(a),
    "sin": lambda a: np.abs(np.sin(a)),
    "logaddexp": lambda a: np.logaddexp(a, 1),
    "divmod": lambda a: np.divmod(a, 2)[1],
    "modf": lambda a: np.modf(a)[0],
    "add.reduce": lambda a: np.add.reduce(a),
    "maximum.reduce": lambda a: np.maximum.reduce(a, axis=1),
}


@pytest.mark.parametrize("name", CALLS)
def test_functions(name):
    got = CALLS[name](gpuarray.to_gpu(HOST))
    want = CALLS[name](HOST)
    assert isinstance(got, gpuarray.GPUArray)
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    np.testing.assert_allclose(got.get(), want, rtol=1e-5, atol=1e-5)


def test_what_tells_a_property():
    a = gpuarray.to_gpu(HOST)
    assert np.shape(a) == (4, 6)
    assert np.ndim(a) == 2
    assert np.size(a, 1) == 6
    assert np.result_type(a, np.float64) == np.float64
    assert np.result_type(a, np.int8) == np.float32
    assert not np.can_cast(a, np.int32)
    assert not np.iscomplexobj(a)
    assert np.array_equal(a, a)
    assert not np.array_equal(a, a + 1)
    assert np.may_share_memory(a, a[1:])
    assert not np.may_share_memory(a, a.copy())


def test_copyto():
    a = gpuarray.to_gpu(HOST)
    b = gpuarray.zeros_like(a)
    np.copyto(b, a, where=a > 0)
    assert np.array_equal(b.get(), np.where(HOST > 0, HOST, 0))
    np.copyto(b, 7)
    assert (b.get() == 7).all()
    with pytest.raises(TypeError, match="rule"):
        np.copyto(b.astype(np.int32), a)


def test_out():
    a = gpuarray.to_gpu(HOST)
    out = gpuarray.empty(4, np.float32)
    assert np.sum(a, axis=1, out=out) is out
    np.testing.assert_allclose(out.get(), HOST.sum(1), rtol=1e-5)
    assert np.add(a[:, 0], 1, out=out) is out
    assert np.array_equal(out.get(), HOST[:, 0] + 1)


def test_refusals():
    a = gpuarray.to_gpu(HOST)
    with pytest.raises(TypeError, match="to_gpu"):
        np.concatenate([a, HOST])
    with pytest.raises(TypeError, match="to_gpu"):
        np.array_equal(a, HOST[0])
    with pytest.raises(TypeError, match="to_gpu"):
        np.add(a, HOST)
    with pytest.raises(TypeError, match="to_gpu"):
        np.sin(a, out=np.empty_like(HOST))
    with pytest.raises(TypeError, match=r"numpy\.kron is not implemented"):
        np.kron(a, a)
    with pytest.raises(TypeError):
        np.hypot.accumulate(a)
    with pytest.raises(TypeError, match="to_gpu"):
        np.sum(a, where=HOST > 0)
    with pytest.raises(TypeError):
        np.add.at(a, [0], 1)
    with pytest.raises(TypeError):
        np.hypot.reduce(a)
