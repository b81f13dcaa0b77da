"""Every keyword of the NumPy functions that device arrays support."""

# SPDX-License-Identifier: MIT

import inspect
import io

import numpy as np
import pytest
from layouts import same

from pycuda import gpuarray
from pycuda._array.dispatch import _parameters, _table

pytestmark = pytest.mark.usefixtures("context")

VALUES = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
MASK = np.arange(12).reshape(3, 4) % 3 > 0


@pytest.fixture
def device_arrays():
    return gpuarray.to_gpu(VALUES), gpuarray.to_gpu(MASK)


def near(got, want):
    got = got.get()
    assert got.dtype == want.dtype and got.shape == want.shape
    np.testing.assert_allclose(got, want, rtol=2e-6)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "c8", "?"])
@pytest.mark.parametrize(
    "options", [{}, {"axis": 0}, {"axis": 1, "keepdims": True}]
)
def test_masks_of_reductions(dtype, options):
    host = VALUES.astype(dtype)
    array, mask = gpuarray.to_gpu(host), gpuarray.to_gpu(MASK)
    names = ["sum", "prod", "all", "any", "mean", "std", "var"]
    for name in names if dtype != "?" else names[:5]:
        function = getattr(np, name)
        want = function(host, where=MASK, **options)
        near(function(array, where=mask, **options), np.asarray(want))
    if dtype not in ("c8", "?"):
        for function in (np.max, np.min, np.amax, np.amin):
            for start in (0, 100):
                given = {"initial": start, **options}
                want = function(host, where=MASK, **given)
                near(function(array, where=mask, **given), np.asarray(want))
    row = MASK[:1]
    near(
        np.sum(array, where=gpuarray.to_gpu(row), **options),
        np.asarray(np.sum(host, where=row, **options)),
    )


def test_starts_and_results_of_reductions(device_arrays):
    array, mask = device_arrays
    near(np.sum(array, initial=5), np.asarray(VALUES.sum(initial=5)))
    near(np.prod(array, 1, initial=2), np.asarray(VALUES.prod(1, initial=2)))
    near(
        np.add.reduce(array, 1, initial=5, where=mask),
        np.add.reduce(VALUES, 1, initial=5, where=MASK),
    )
    empty = gpuarray.zeros((0, 3), np.float32)
    near(np.max(empty, 0, initial=7), np.full(3, 7, np.float32))
    out = gpuarray.zeros(3, np.float32)
    assert np.sum(array, 1, out=out, where=mask) is out
    near(out, VALUES.sum(1, where=MASK))
    with pytest.raises(ValueError, match="identity"):
        np.max(array, where=mask)
    center = VALUES.mean(0, keepdims=True)
    near(
        np.var(array, 0, mean=gpuarray.to_gpu(center)),
        np.var(VALUES, 0, mean=center),
    )
    near(
        np.std(array, 0, ddof=1, where=mask),
        np.std(VALUES, 0, ddof=1, where=MASK),
    )


@pytest.mark.parametrize("name", ["empty", "zeros", "ones", "full"])
def test_arrays_like_others(name, device_arrays):
    function = getattr(np, f"{name}_like")
    fill = (3,) if name == "full" else ()
    for array in (device_arrays[0], device_arrays[0].T):
        host = array.get()
        for options in (
            {}, {"shape": (2, 5)}, {"shape": 7}, {"shape": (2, 2, 2)},
            {"subok": False}, {"shape": (2, 5), "order": "F"},
            {"dtype": np.int16, "shape": (2, 3)}, {"device": None},
            {"shape": ()}, {"order": "A", "shape": (3, 2)},
        ):  # fmt: skip
            got, want = (function(x, *fill, **options) for x in (array, host))
            assert isinstance(got, gpuarray.GPUArray)
            assert (got.shape, got.dtype) == (want.shape, want.dtype)
            if want.ndim > 1:
                assert got.strides == want.strides, options
            if name != "empty":
                same(got, want)
    with pytest.raises(ValueError, match="device"):
        function(device_arrays[0], *fill, device="elsewhere")


@pytest.mark.parametrize(
    "call",
    [
        lambda like: np.asarray([1.0, 2.0], **like),
        lambda like: np.asarray(VALUES, np.float64, **like),
        lambda like: np.asarray(VALUES, order="F", **like),
        lambda like: np.array([[1, 2], [3, 4]], **like),
        lambda like: np.array([1, 2], np.float32, ndmin=2, **like),
        lambda like: np.asanyarray(3, **like),
        lambda like: np.ascontiguousarray(VALUES.T, **like),
        lambda like: np.asfortranarray(VALUES, **like),
        lambda like: np.zeros((2, 3), **like),
        lambda like: np.zeros(4, np.int32, **like),
        lambda like: np.ones((2, 3), order="F", **like),
        lambda like: np.full((2, 2), 7, **like),
        lambda like: np.full(3, 1.5, np.float32, **like),
        lambda like: np.arange(5, **like),
        lambda like: np.arange(1, 9, 2, np.float32, **like),
        lambda like: np.eye(3, k=1, **like),
        lambda like: np.identity(2, **like),
        lambda like: np.tri(3, **like),
        lambda like: np.fromiter(range(4), np.int32, **like),
        lambda like: np.frombuffer(b"abcd", np.uint8, **like),
        lambda like: np.fromfunction(lambda i, j: i + j, (2, 3), **like),
    ],
)
def test_creation_like_a_device_array(call, device_arrays):
    got = call({"like": device_arrays[0]})
    want = call({})
    assert isinstance(got, gpuarray.GPUArray)
    assert got.dtype == want.dtype and got.strides == want.strides
    same(got, want)
    assert call({"like": VALUES}).shape == want.shape


def test_device_arrays_as_data(device_arrays):
    array = device_arrays[0]
    assert np.asarray(array, like=array) is array
    copied = np.array(array, like=array)
    assert copied is not array
    same(copied, VALUES)


UFUNC_CALLS = {
    "dtype": {"dtype": np.float64},
    "narrower": {"dtype": np.float16, "casting": "same_kind"},
    "unsafe": {"dtype": np.int32, "casting": "unsafe"},
    "signature": {"signature": "dd->d"},
    "tuple": {"signature": (None, None, np.complex64)},
    "sig": {"sig": "ff->f"},
    "order": {"order": "F"},
    "subok": {"subok": False},
    "casting": {"casting": "same_kind"},
}


@pytest.mark.parametrize("name", ["add", "multiply", "subtract", "maximum"])
@pytest.mark.parametrize("label", UFUNC_CALLS)
def test_keywords_of_ufuncs(name, label, device_arrays):
    array = device_arrays[0]
    function, options = getattr(np, name), UFUNC_CALLS[label]
    for other, host in (
        (array, VALUES),
        (3, 3),
        (np.float32(2), np.float32(2)),
    ):
        got = function(array, other, **options)
        want = function(VALUES, host, **options)
        assert got.strides == want.strides
        same(got, want)


def test_masks_and_results_of_ufuncs(device_arrays):
    array, mask = device_arrays
    out, want = gpuarray.zeros((3, 4), np.float32), np.zeros((3, 4), "f4")
    np.add(VALUES, 1, out=want, where=MASK)
    assert np.add(array, 1, out=out, where=mask) is out
    same(out, want)
    got = np.sqrt(array, where=mask).get()
    np.testing.assert_allclose(got[MASK], np.sqrt(VALUES)[MASK], rtol=1e-6)
    narrow = gpuarray.zeros((3, 4), np.int32)
    with pytest.raises(TypeError, match="casting"):
        np.add(array, 1, out=narrow, casting="same_kind")
    np.add(array, 1, out=narrow, casting="unsafe")
    same(narrow, (VALUES + 1).astype(np.int32))
    with pytest.raises(TypeError):
        np.add(array, array, dtype=np.int32)
    with pytest.raises(TypeError, match="both"):
        np.add(array, array, dtype=np.float64, signature="dd->d")
    near(np.sin(array, dtype=np.float64), np.sin(VALUES, dtype=np.float64))
    same(np.less(array, 3, dtype=bool), VALUES < 3)


def test_methods_of_ufuncs(device_arrays):
    array = device_arrays[0]
    same(np.add.accumulate(array), np.add.accumulate(VALUES))
    same(np.add.accumulate(array, axis=1), np.add.accumulate(VALUES, axis=1))
    same(np.multiply.outer(array, array), np.multiply.outer(VALUES, VALUES))
    same(np.subtract.outer(array, 2), np.subtract.outer(VALUES, 2))


def test_no_keyword_is_refused():
    """Each parameter of NumPy's function is accepted here."""
    missing = []
    for function, own in _table().items():
        theirs, ours = _parameters(function), _parameters(own)
        if theirs is None or ours is None:
            continue
        kinds = {p.kind for p in ours.values()}
        if inspect.Parameter.VAR_KEYWORD in kinds:
            continue
        variable = (
            inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD,
        )  # fmt: skip
        missing += [
            (function.__name__, name)
            for k, (name, parameter) in enumerate(theirs.items())
            if k > 0 and name not in ours and parameter.kind not in variable
            and name not in ("like", "device")
        ]  # fmt: skip
    assert not missing


def test_keywords_without_an_effect(device_arrays):
    array = device_arrays[0]
    assert np.broadcast_to(array, (2, 3, 4), subok=True).shape == (2, 3, 4)
    pair = np.broadcast_arrays(array, array[:1], subok=True)
    assert pair[1].shape == (3, 4)
    file = io.BytesIO()
    np.save(file, array, allow_pickle=False)
    file.seek(0)
    np.testing.assert_array_equal(np.load(file), VALUES)
