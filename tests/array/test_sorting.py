"""The functions sort, argsort and searchsorted, against NumPy.

There are two implementations: one for sequential threads, which the CPU device
uses, and one for parallel threads. The CPU device is tested with both, a GPU
only with its own: the counters of the other one take 16 KiB of local memory
per thread, which a GPU reserves for all resident threads, 5 GB for each
process.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest
from layouts import same

from pycuda import gpuarray
from pycuda._array import sorting

pytestmark = pytest.mark.usefixtures("context")

try:
    import ml_dtypes
except ImportError:
    SHORT: list[str] = []
else:
    assert ml_dtypes.bfloat16
    SHORT = ["bfloat16"]

DTYPES = [*"?bBhHiIlLefdFD", *SHORT]


IN_TURN = pytest.param("in turn", marks=pytest.mark.cpu)


@pytest.fixture(params=[IN_TURN, "side by side"])
def way(request, monkeypatch):
    """Use the sort of one kind of device."""
    processors = sorting._device()[1]
    in_turn = request.param == "in turn"
    monkeypatch.setattr(sorting, "_device", lambda: (in_turn, processors))
    # Launches of the other kind are not cached or repeated.
    monkeypatch.setattr(sorting, "_keep", lambda *arguments: None)
    for name in ("sort", "argsort"):
        function = getattr(sorting, name).__wrapped__
        monkeypatch.setattr(gpuarray, name, function)
    return request.param


def numbers(shape, char, seed=0):
    """Return values of all kinds, with duplicates, zeros and NaN."""
    rng, dtype = np.random.default_rng(seed), np.dtype(char)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        wide = rng.integers(info.min, info.max, shape, dtype, endpoint=True)
        few = rng.integers(0, 5, shape).astype(dtype)
        return np.where(rng.random(shape) < 0.5, wide, few)
    if dtype.kind == "c":
        made = np.empty(shape, dtype)
        part = "f" if char == "F" else "d"
        made.real = numbers(shape, part, seed + 1)
        made.imag = numbers(shape, part, seed + 2)
        return made
    made = rng.normal(0, 3, shape)
    special = [np.nan, -np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0]
    turn = rng.random(shape)
    made = np.where(turn < 0.3, rng.choice(special, shape), made)
    return np.where(turn > 0.7, np.round(made), made).astype(dtype)


def orderly(host):
    """Return the same values in a dtype that NumPy sorts correctly.

    NumPy compares bfloat16 by <, which leaves NaN anywhere; our sorts put it
    last, as for float32.
    """
    return host.astype("f4") if host.dtype.name == "bfloat16" else host


def check(host, axis=-1):
    device = gpuarray.to_gpu(host)
    got = gpuarray.sort(device, axis).get()
    order = gpuarray.argsort(device, axis)
    wanted = np.argsort(orderly(host), axis, kind="stable")
    assert order.dtype == np.int64
    assert np.array_equal(order.get(), wanted)
    flat = host.ravel() if axis is None else host
    values = np.take_along_axis(flat, wanted, 0 if axis is None else axis)
    # Bits are compared: equal numbers keep their order, NaNs their signs.
    assert got.tobytes() == values.tobytes()
    assert device.get().tobytes() == host.tobytes()


@pytest.mark.sweep(most=4)
@pytest.mark.parametrize("char", DTYPES)
def test_all_dtypes(way, char):
    check(numbers(700, char))
    check(numbers((3, 33), char), 0)


@pytest.mark.sweep
@pytest.mark.parametrize(
    "shape",
    [(0,), (1,), (2,), (41,), (4, 0), (0, 4), (7, 1), (300, 3), (2, 6200)],
)
def test_all_shapes(way, shape):
    host = numbers(shape, "f")
    for axis in (-1, 0, None):
        check(host, axis)


@pytest.mark.sweep(most=4)
@pytest.mark.parametrize("char", "HilLdD")
def test_digits_that_all_elements_have(way, char):
    """A digit that is equal in all elements of a row needs no pass."""
    n, rng = 20_000, np.random.default_rng(3)
    small = rng.integers(0, 1000, (2, n)).astype(char)
    check(small)
    check(np.full(n, 7, char))
    small[1] = numbers(n, char)
    check(small)
    check(np.where(rng.random(n) < 0.5, 1, 1 << 14).astype(char))


@pytest.mark.sweep(most=3)
@pytest.mark.parametrize("char", "Bid")
def test_long_rows(way, char):
    """Rows that are divided into chunks."""
    n = 300_000 if way == "in turn" else 20_000
    check(numbers(n, char))
    check(numbers((2, n // 2), char))


def test_one_value(way):
    check(np.full(20_000, 3.5, np.float32))


@pytest.mark.skipif(not SHORT, reason="ml_dtypes is not there")
def test_bfloat16_with_nan(way):
    """Numbers ascend, NaN comes last; subnormal values are numbers."""
    row = [0.664062, 0.742188, np.inf, np.nan, 9.18355e-41, 7.71875, np.nan]
    host = np.array([row, row[::-1]], SHORT[0])
    got = gpuarray.sort(gpuarray.to_gpu(host)).get()
    wanted = [0x0001, 0x3F2A, 0x3F3E, 0x40F7, 0x7F80]
    assert got.view("u2")[:, :5].tolist() == [wanted, wanted]
    assert np.isnan(got[:, 5:]).all()


def test_views(way):
    host = numbers((6, 50, 4), "h")
    device = gpuarray.to_gpu(host)
    views = (
        lambda a: a.transpose((2, 0, 1)),
        lambda a: a[::-1, ::2, 1:],
        lambda a: a[:, 7],
    )
    for view in views:
        for axis in (0, 1, -1):
            assert np.array_equal(
                gpuarray.sort(view(device), axis).get(),
                np.sort(view(host), axis),
            )


def test_descending_keeps_the_order_of_equals(way):
    host = np.array([3, 1, 3, 2, 1], np.int32)
    order = gpuarray.argsort(gpuarray.to_gpu(host), descending=True)
    assert order.get().tolist() == [0, 2, 3, 1, 4]
    values = gpuarray.sort(gpuarray.to_gpu(host), descending=True)
    assert values.get().tolist() == [3, 3, 2, 1, 1]


def test_method_sorts_in_place():
    host = numbers((5, 30), "i")
    device = gpuarray.to_gpu(host)
    view = device[:, ::2]
    assert view.sort(0) is None
    host[:, ::2].sort(0)
    assert np.array_equal(device.get(), host)


@pytest.mark.sweep(most=4)
@pytest.mark.parametrize("char", DTYPES)
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted(char, side):
    row, values = numbers(90, char), numbers((4, 50), char, 5)
    row = np.sort(orderly(row)).astype(row.dtype)
    got = gpuarray.searchsorted(
        gpuarray.to_gpu(row), gpuarray.to_gpu(values), side
    )
    want = np.searchsorted(orderly(row), orderly(values), side)
    assert np.array_equal(got.get(), want)


def test_errors():
    a = gpuarray.zeros((2, 3), np.float32)
    with pytest.raises(ValueError, match="axis 2"):
        gpuarray.sort(a, 2)
    with pytest.raises(ValueError, match="kind"):
        gpuarray.sort(a, kind="bubble")
    with pytest.raises(ValueError, match="order"):
        gpuarray.argsort(a, order="x")
    with pytest.raises(TypeError, match="to_gpu"):
        gpuarray.sort(np.zeros(3))
    with pytest.raises(TypeError, match="arithmetic"):
        gpuarray.sort(gpuarray.empty(3, np.dtype([("x", "i4")])))
    with pytest.raises(ValueError, match="side"):
        gpuarray.searchsorted(a[0], a, "middle")
    with pytest.raises(ValueError, match="one axis"):
        gpuarray.searchsorted(a, a)
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.sort(gpuarray.zeros((), np.float32))


@pytest.mark.parametrize("way", [IN_TURN], indirect=True)
@pytest.mark.parametrize("char", "id")
def test_parts_of_one_digit(way, char):
    """Chunks of long rows with only one digit value are copied unchanged."""
    n = 140_000
    row = np.random.default_rng(6).integers(0, 300, n).astype(char)
    row[: n // 2] = 7
    for case in (row, row[::-1].copy(), np.full(n, 5, char), np.sort(row)):
        device = gpuarray.to_gpu(np.stack([case, row]))
        for got, host in zip(gpuarray.sort(device), (case, row), strict=True):
            same(got, np.sort(host))
        order = gpuarray.argsort(device)
        same(order, np.argsort(device.get(), stable=True))
        down = gpuarray.sort(device, descending=True)
        same(down, np.sort(device.get())[:, ::-1])


@pytest.mark.parametrize("n", [0, 1, 2, 40, 41, 1000, 65536, 131072, 131073,
                               300_001, 1 << 20])  # fmt: skip
def test_orders_of_random_keys(n):
    """Sorting uses few digits; pairs with equal digits are then corrected."""
    random = np.random.default_rng(n)
    keys = random.integers(0, 1 << 64, n, np.uint64)
    keys[1::7] = keys[: keys[1::7].size]  # equal keys keep their order
    near = keys.copy()
    near[: n // 2] ^= near[: n // 2] & np.uint64(0xFFFF)
    few = keys[:1000] >> np.uint64(50)
    for row in (keys, near, few):
        got = sorting.order_of_random(gpuarray.to_gpu(row))
        same(got, np.argsort(row, kind="stable"))
