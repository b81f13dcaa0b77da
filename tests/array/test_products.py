"""Matrix products against NumPy, by both implementations."""

# SPDX-License-Identifier: MIT

import sys

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda._array import blas, matrices

pytestmark = pytest.mark.usefixtures("context")

DTYPES = "?bBhHiIlLefdFD"
LOOSE = {"e": 2e-3, "f": 1e-6, "F": 2e-6, "d": 1e-15, "D": 2e-15}


@pytest.fixture(params=["in turn", "side by side", "cuBLAS"])
def way(request, monkeypatch):
    """Select the product kernels of a kind of device, or cuBLAS."""
    if request.param == "cuBLAS":
        if _driver._cublas_open() is None:
            pytest.skip("cuBLAS is not there")
        monkeypatch.setattr(blas, "_is_ours", lambda *_: False)
        return request.param
    monkeypatch.setattr(blas, "multiply", lambda *_: False)
    has_turns, processors = matrices._device()
    in_turn = request.param == "in turn"
    if in_turn and not has_turns:
        pytest.skip("these kernels load words as a CPU may")
    monkeypatch.setattr(matrices, "_device", lambda: (in_turn, processors))
    return request.param


def numbers(shape, char, seed=0):
    rng, dtype = np.random.default_rng(seed), np.dtype(char)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, shape, dtype, endpoint=True)
    if dtype.kind == "c":
        parts = [rng.normal(0, 1, shape) for _ in "ab"]
        return (parts[0] + 1j * parts[1]).astype(dtype)
    return rng.normal(0, 1, shape).astype(dtype)


def same(got, a, b):
    """Compare with ``a @ b`` up to rounding, in units of |a| @ |b|."""
    want = a @ b
    assert got.dtype == want.dtype
    assert got.shape == want.shape
    if want.dtype.char not in LOOSE:
        assert np.array_equal(got.get(), want)
        return
    wide = "D" if want.dtype.kind == "c" else "d"
    exact = a.astype(wide) @ b.astype(wide)
    size = np.abs(a).astype("d") @ np.abs(b).astype("d")
    allowed = (a.shape[-1] + 4) * LOOSE[want.dtype.char] * (size + 1e-30)
    assert np.all(np.abs(got.get() - exact) <= allowed)


def check(a, b):
    same(gpuarray.to_gpu(a) @ gpuarray.to_gpu(b), a, b)


@pytest.mark.sweep
@pytest.mark.parametrize("char", DTYPES)
def test_all_dtypes(way, char):
    check(numbers((37, 50), char), numbers((50, 41), char, 1))


@pytest.mark.parametrize(
    "shapes",
    [
        ((1, 1), (1, 1)), ((4,), (4,)), ((4,), (4, 6)), ((3, 4), (4,)),
        ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)), ((3, 1, 6, 7), (2, 7, 5)),
        ((5, 6, 7), (7,)), ((7,), (5, 7, 6)), ((0, 3), (3, 2)),
        ((3, 0), (0, 2)), ((0,), (0,)), ((130, 300), (300, 150)),
        ((2, 600), (600, 200)), ((200, 16), (16, 1)), ((230, 600), (600, 330)),
    ],
    ids=str,
)  # fmt: skip
def test_all_shapes(way, shapes):
    check(numbers(shapes[0], "f"), numbers(shapes[1], "f", 1))


@pytest.mark.parametrize("pair", ["if", "fd", "?i", "ef", "fF", "Bb", "id"])
def test_mixed_dtypes(way, pair):
    check(numbers((20, 30), pair[0]), numbers((30, 20), pair[1], 1))


def test_views(way):
    a, b = numbers((50, 60), "f"), numbers((70, 60), "f", 1)
    da, db = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    same(da @ db.T, a, b.T)
    same(da.T @ db[:50].T.T, a.T, b[:50])
    left, right = a[::-2, ::3], b[::2, ::-1].T[::3]
    same(da[::-2, ::3] @ db[::2, ::-1].T[::3], left, right)
    wide = gpuarray.broadcast_to(da[0], (9, 60))
    same(wide @ db.T, np.broadcast_to(a[0], (9, 60)), b.T)


def test_overwrites_infinities_no_more_than_it_must(way):
    """Padding never affects the result; NaN and infinities do."""
    a, b = numbers((20, 10), "f"), numbers((10, 20), "f", 1)
    a[3, 4], b[5, 6] = np.nan, np.inf
    got = (gpuarray.to_gpu(a) @ gpuarray.to_gpu(b)).get()
    want = a @ b
    assert np.array_equal(np.isnan(got), np.isnan(want))
    assert np.array_equal(np.isinf(got), np.isinf(want))


def test_out(way):
    a, b = numbers((6, 7), "f"), numbers((7, 5), "f", 1)
    da, db = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    out = gpuarray.zeros((5, 6), np.float32).T
    assert gpuarray.matmul(da, db, out=out) is out
    same(out, a, b)
    wide = gpuarray.zeros((6, 5), np.float64)
    gpuarray.matmul(da, db, wide)
    np.testing.assert_allclose(wide.get(), a @ b, rtol=1e-4, atol=1e-5)
    square = numbers((6, 6), "f", 2)
    device = gpuarray.to_gpu(square)
    stored = device
    stored @= device
    assert stored is device
    same(device, square, square)


def test_stream(way):
    a = numbers((64, 64), "f")
    device, stream = gpuarray.to_gpu(a), drv.Stream()
    drv.Context.synchronize()
    got = gpuarray.matmul(device, device, stream=stream)
    stream.synchronize()
    same(got, a, a)


def test_other_products():
    a, b = numbers((3, 4, 5), "f"), numbers((5, 4, 2), "f", 1)
    da, db = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    calls = {
        "tensordot": lambda m, x, y: m.tensordot(x, y, 1),
        "tensordot of axes": lambda m, x, y: m.tensordot(
            x, y, ((1, 2), (1, 0))
        ),
        "inner": lambda m, x, y: m.inner(x, x),
        "vecdot": lambda m, x, y: m.vecdot(x, x),
        "vecdot of another axis": lambda m, x, y: m.vecdot(x, x, axis=1),
        "outer": lambda m, x, y: m.outer(x[0], y[0]),
    }
    for name, call in calls.items():
        np.testing.assert_allclose(
            call(gpuarray, da, db).get(), call(np, a, b), rtol=1e-4,
            atol=1e-4, err_msg=name,
        )  # fmt: skip
    for call in (
        lambda x, y: np.matmul(x[0], y[:, 0]),
        lambda x, y: np.dot(x, y[:, 0]),
        lambda x, y: np.dot(x, y.transpose((2, 0, 1))),
        lambda x, y: np.dot(x, 2),
        lambda x, y: np.vecdot(x, x),
        lambda x, y: np.tensordot(x, y, 1),
    ):
        got = call(da, db)
        assert isinstance(got, gpuarray.GPUArray)
        np.testing.assert_allclose(got.get(), call(a, b), rtol=1e-4, atol=1e-4)
    z = numbers((3, 4), "F")
    got = gpuarray.vecdot(gpuarray.to_gpu(z), gpuarray.to_gpu(z))
    np.testing.assert_allclose(got.get(), np.vecdot(z, z), rtol=1e-5)


def test_dot_counts_as_flat():
    """PyCUDA's `dot` flattens its operands; `@` does not."""
    a = gpuarray.to_gpu(np.ones((2, 3), np.float32))
    assert gpuarray.dot(a, a).get() == 6


def test_errors():
    a = gpuarray.zeros((3, 4), np.float32)
    with pytest.raises(ValueError, match="4 columns, the second 3 rows"):
        a @ a
    with pytest.raises(ValueError, match="no axes"):
        gpuarray.matmul(a, a[0, 0])
    with pytest.raises(ValueError, match="broadcast"):
        gpuarray.zeros((2, 3, 4), "f4") @ gpuarray.zeros((3, 4, 2), "f4")
    with pytest.raises(TypeError, match="to_gpu"):
        a @ np.zeros((4, 2), np.float32)
    with pytest.raises(TypeError, match="to_gpu"):
        np.zeros((4, 3), np.float32) @ a
    with pytest.raises(TypeError):
        a @ 2
    with pytest.raises(ValueError, match="out has shape"):
        gpuarray.matmul(a, a.T, a)
    with pytest.raises(TypeError, match="same_kind"):
        gpuarray.matmul(a, a.T, gpuarray.zeros((3, 3), np.int32))


@pytest.mark.sweep(most=4)
@pytest.mark.parametrize("char", "?ibefdFD")
@pytest.mark.parametrize("inner", [1, 63, 64, 65, 200])
def test_matrix_and_vector(way, char, inner):
    """A column or a row; matrix elements contiguous or not."""
    a, b = numbers((3, 70, inner), char, 1), numbers((inner,), char, 2)
    turned = a.transpose(0, 2, 1)
    across, down = gpuarray.to_gpu(a), gpuarray.to_gpu(turned.copy())
    vector = gpuarray.to_gpu(b)
    same(across @ vector, a, b)
    same(down.transpose((0, 2, 1)) @ vector, a, b)
    same(across[:, ::-2] @ vector, a[:, ::-2], b)
    same(across[..., ::-2] @ vector[::-2], a[..., ::-2], b[::-2])
    same(vector @ down, b, turned)
    same(vector @ across[1].T, b, a[1].T)
    same(vector @ vector, b, b)


@pytest.mark.parametrize("rows", [5, 6, 31, 66, 67, 140])
@pytest.mark.parametrize("columns", [2, 15, 16, 17, 64, 256, 257])
def test_edges_of_panels(way, rows, columns):
    """Sizes around those of blocks and panels."""
    a, b = numbers((rows, 40), "f", 1), numbers((40, columns), "f", 2)
    check(a, b)
    same(gpuarray.to_gpu(a.T.copy()).T @ gpuarray.to_gpu(b.T.copy()).T, a, b)


@pytest.mark.parametrize("inner", [255, 256, 257])
def test_edges_of_the_inner_axis(way, inner):
    check(numbers((9, inner), "D", 1), numbers((inner, 9), "D", 2))


def test_steps_that_are_no_whole_elements(way):
    """complex64 in records of 12 bytes."""
    kind = np.dtype([("z", "F"), ("n", "i4")])
    records = np.zeros((6, 6), kind)
    records["z"] = numbers((6, 6), "F")
    device = gpuarray.to_gpu(records)["z"]
    same(device @ device, records["z"], records["z"])
    same(device @ device[0], records["z"], records["z"][0])


def test_what_a_product_is_goes_with_it():
    """Cached launch plans release their references to products."""

    def make():
        for _ in range(500):
            _driver._cublas_product(
                (0, 0), (False, False), (4, 4, 4), (4, 4, 4), (0, 0, 0), 1
            )

    make()
    before = sys.getallocatedblocks()
    make()
    assert sys.getallocatedblocks() < before + 250


# The CPU device splits all of these but "flat", some also into tiles.
LARGE = {
    "symmetric tiles": ("f", (8003, 1003), (1, 1), lambda a, _: (a, a.T)),
    "tiles": ("f", (7003, 900), (900, 6001), lambda a, b: (a, b)),
    "transposed": ("d", (2501, 2503), (2501, 2505), lambda a, b: (a.T, b)),
    "slices": ("f", (3001, 3100), (3100, 3010), lambda a, b: (a, b)),
    "symmetric": ("f", (3303, 4003), (1, 1), lambda a, _: (a, a.T)),
    "complex": ("D", (1601, 1603), (1603, 1605), lambda a, b: (a, b)),
    "flat": ("f", (7, 9_000_001), (9_000_001, 5), lambda a, b: (a, b)),
}


@pytest.mark.cpu
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if index else ())
        for index, name in enumerate(LARGE)
    ],
)
def test_large_products(name):
    """A sample of rows and columns of the result."""
    char, a_shape, b_shape, operands = LARGE[name]
    a, b = numbers(a_shape, char, 1), numbers(b_shape, char, 2)
    left, right = operands(a, b)
    found = operator_result(operands, a, b)
    rows = np.unique(np.linspace(0, found.shape[0] - 1, 41).astype(int))
    columns = np.unique(np.linspace(0, found.shape[1] - 1, 43).astype(int))
    wide = np.result_type(char, "d")
    depth = left.shape[1]
    for part, some in (
        (found[rows], (left[rows], right)),
        (found[:, columns], (left, right[:, columns])),
    ):
        if depth > 100_000:  # all of the result
            some = (left, right)
            part = found
        wanted = some[0].astype(wide) @ some[1].astype(wide)
        assert np.abs(part - wanted).max() < LOOSE[char] * 20 * depth**0.5


def operator_result(operands, a, b):
    left, right = operands(gpuarray.to_gpu(a), gpuarray.to_gpu(b))
    return (left @ right).get()
