"""Operations that equal a previous one and take a fast path."""

# SPDX-License-Identifier: MIT

from typing import Any

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import cumath, gpuarray

pytestmark = pytest.mark.usefixtures("context")

X = np.arange(1, 13, dtype=np.float32).reshape(3, 4)
LONG = np.arange(1, 5001, dtype=np.float32)


def twice(call: Any, *arrays: np.ndarray) -> None:
    """Run twice, with new arrays each time; both results equal NumPy's."""
    for turn in range(3):
        hosts = [array + turn for array in arrays]
        expected = call(*hosts)
        got = call(*(gpuarray.to_gpu(host) for host in hosts))
        assert got.dtype == expected.dtype
        np.testing.assert_array_equal(got.get(), expected)


def test_operands_of_each_kind() -> None:
    for x in (X, LONG):
        twice(lambda a, b: a + b, x, 2 * x)
        twice(lambda a: a * 2, x)
        twice(lambda a: 2 * a, x)
        twice(lambda a: a - 0.5, x)
        twice(lambda a: 0.5 - a, x)
        twice(lambda a: -a, x)
        twice(lambda a, b: a < b, x, x[::-1].copy())
        twice(lambda a: a < 7.5, x)
        twice(lambda a: a + a, x)


@pytest.mark.parametrize("n", [12, 5000])
def test_casts(n: int) -> None:
    x = np.arange(n, dtype=np.int32)
    a = gpuarray.to_gpu(x)
    for _ in range(3):
        for dtype in (np.float32, np.float64, np.int8, np.bool_, np.float32):
            got = a.astype(dtype)
            assert got.dtype == dtype
            np.testing.assert_array_equal(got.get(), x.astype(dtype))
            np.testing.assert_array_equal(a.get(), x)
        # Other arrays of the same size, and parts at other addresses.
        for part in (a.reshape(2, -1), a.reshape(-1, 2).T, a[::-1]):
            got = part.astype(np.float32)
            assert got.shape == part.shape
            np.testing.assert_array_equal(got.get(), part.get())
        np.testing.assert_array_equal(
            a[1:].astype(np.float32).get(), x[1:].astype(np.float32)
        )
        into = gpuarray.zeros(n, np.int16)
        into[...] = a
        np.testing.assert_array_equal(into.get(), x.astype(np.int16))


def test_a_scalar_of_another_kind_is_another_operation() -> None:
    a = gpuarray.to_gpu(np.arange(5, dtype=np.int32))
    for scalar in (2, 2.5, 2, True, np.float32(2.5), 2.5, 3, np.int64(3)):
        expected = np.arange(5, dtype=np.int32) * scalar
        got = a * scalar
        assert got.dtype == expected.dtype, scalar
        np.testing.assert_array_equal(got.get(), expected)


def test_a_scalar_that_does_not_fit() -> None:
    a = gpuarray.to_gpu(np.arange(5, dtype=np.uint8))
    for _ in range(2):
        assert (a + 3).get().tolist() == [3, 4, 5, 6, 7]
        with pytest.raises(OverflowError):
            a + 300
        with pytest.raises(OverflowError):
            a + -1


def test_integers_to_negative_powers() -> None:
    a = gpuarray.to_gpu(np.arange(1, 5, dtype=np.int32))
    for _ in range(2):
        assert (a**2).get().tolist() == [1, 4, 9, 16]
        with pytest.raises(ValueError, match="negative integer powers"):
            a**-2


def test_layouts_that_differ_with_the_same_size() -> None:
    for _ in range(2):
        twice(lambda a, b: a + b, X, X)
        twice(lambda a, b: a.T + b.T, X, X)
        twice(lambda a, b: a + b.T, X, X.T.copy())
        twice(lambda a, b: a.reshape(-1) + b.reshape(-1), X, X)
        twice(lambda a, b: a[:, :2] + b[:, 2:], X, X)
        twice(lambda a, b: a + b[:1], X, X)
        twice(lambda a, b: a.reshape(4, 3) + b.reshape(4, 3), X, X)


def test_in_place() -> None:
    for turn in range(3):
        host = LONG + turn
        a, b = gpuarray.to_gpu(host), gpuarray.to_gpu(2 * host)
        same = a
        a += b
        a *= 2
        a -= a[::-1]
        assert a is same
        expected = (host + 2 * host) * 2
        np.testing.assert_array_equal(a.get(), expected - expected[::-1])


def test_operands_that_overlap() -> None:
    for _ in range(3):
        a = gpuarray.to_gpu(LONG)
        b, c = a[:-1], a[1:]
        c += b
        expected = LONG.copy()
        expected[1:] = LONG[1:] + LONG[:-1]
        np.testing.assert_array_equal(a.get(), expected)


def test_arrays_that_lie_badly() -> None:
    """Kernels with wide loads need aligned arrays."""
    bytes_ = np.zeros(4 * LONG.size + 64, np.uint8)
    for start in (0, 4, 16, 1, 0, 2, 8):
        host = bytes_.copy()
        host[start : start + 4 * LONG.size] = LONG.view(np.uint8)
        device = gpuarray.to_gpu(host)[start : start + 4 * LONG.size]
        a = device.view(np.float32)
        for few in (a, a[:100]):
            expected = 2 * LONG[: few.size]
            np.testing.assert_array_equal((few + few).get(), expected)
            np.testing.assert_array_equal((few * 2).get(), expected)


def test_no_elements() -> None:
    twice(lambda a, b: a + b, X[:0], X[:0])
    twice(lambda a: a * 2, X[:, :0])


def test_subclasses_keep_their_way() -> None:
    class Mine(gpuarray.GPUArray):
        made = 0

        def _new_like_me(self, dtype: Any = None, order: str = "C") -> Any:
            type(self).made += 1
            return super()._new_like_me(dtype, order)

    a = gpuarray.to_gpu(X)
    a + a
    mine = Mine(X.shape, X.dtype)
    mine.set(X)
    for turn in range(1, 4):
        assert type(mine + mine) is Mine
        assert Mine.made == turn


def test_allocators_are_asked() -> None:
    asked = []

    def allocator(size: int) -> Any:
        asked.append(size)
        return drv.mem_alloc(size)

    a = gpuarray.to_gpu(X, allocator=allocator)
    for turn in range(1, 4):
        a + a
        assert len(asked) == 1 + turn


def test_contexts_have_kernels_of_their_own() -> None:
    for _ in range(2):
        other = drv.Device(0).make_context()
        try:
            a = gpuarray.to_gpu(X)
            for _ in range(2):
                np.testing.assert_array_equal((a + a).get(), X + X)
            del a
        finally:
            other.pop()
            other.detach()
        a = gpuarray.to_gpu(X)
        np.testing.assert_array_equal((a + a).get(), X + X)


def test_freed_memory_is_refused() -> None:
    a, b = gpuarray.to_gpu(X), gpuarray.to_gpu(X)
    a + b
    b.gpudata.free()
    with pytest.raises(drv.LogicError):
        a + b


def test_functions_of_one_array() -> None:
    for turn in range(3):
        host = LONG + turn
        got = cumath.sqrt(gpuarray.to_gpu(host)).get()
        np.testing.assert_array_equal(got, np.sqrt(host))


@pytest.mark.parametrize("dtype", ["?", "u1", "i4", "f2", "f4", "f8", "c8"])
def test_what_is_filled(dtype: str) -> None:
    values = [1, 0, 2.5, True, np.float32(0.1), np.int8(3), np.float64(0.1)]
    host = np.zeros((3, 700), dtype)
    arrays = [gpuarray.to_gpu(host), gpuarray.to_gpu(host.T)]
    for _ in range(3):
        for value in values:
            host.fill(value)
            for array in arrays:
                assert array.fill(value) is array
            np.testing.assert_array_equal(arrays[0].get(), host)
            np.testing.assert_array_equal(arrays[1].get(), host.T)


def test_filled_views_leave_the_rest() -> None:
    for dtype in (np.float32, np.uint8, np.complex128):
        host = np.zeros(5000, dtype)
        array = gpuarray.to_gpu(host)
        parts = [slice(1, 4500), slice(2, 4501), slice(0, 4499),
                 slice(3, None, 3)]  # fmt: skip
        for turn, part in enumerate(2 * parts):
            host[part] = turn
            array[part].fill(turn)
            np.testing.assert_array_equal(array.get(), host)


@pytest.mark.parametrize("value", [1e39, -1e39, 2**53 + 1, 2**70, -np.inf])
def test_numbers_that_a_float_does_not_hold(value: float) -> None:
    for dtype in (np.float32, np.float64):
        array = gpuarray.zeros(3, dtype)
        with np.errstate(over="ignore"):
            expected = np.full(3, value, dtype)
            for _ in range(2):
                array.fill(value)
                np.testing.assert_array_equal(array.get(), expected)


def test_numbers_that_an_integer_does_not_hold() -> None:
    array = gpuarray.zeros(3, np.uint8)
    for _ in range(2):
        array.fill(7)
        with pytest.raises(OverflowError):
            array.fill(256)
        with pytest.raises(OverflowError):
            array.fill(-1)
        assert array.get().tolist() == [7, 7, 7]


@pytest.mark.parametrize("name", ["sort", "argsort"])
def test_sorts(name: str) -> None:
    call, numpys = getattr(gpuarray, name), getattr(np, name)
    random = np.random.default_rng(5)
    for shape in ((1,), (30,), (1000,), (7, 50), (50, 7), (3, 1), (4, 5, 6)):
        for dtype in (np.float32, np.int64, np.uint8, np.complex64):
            for _ in range(3):
                x = random.integers(0, 50, shape).astype(dtype)
                a = gpuarray.to_gpu(x)
                same = {"stable": True}
                found = call(a), call(a, descending=True), call(a)
                assert found[0].dtype == numpys(x).dtype
                for got in found[::2]:
                    np.testing.assert_array_equal(got.get(), numpys(x, **same))
                np.testing.assert_array_equal(
                    np.sort(x)[..., ::-1],
                    found[1].get()
                    if name == "sort"
                    else np.take_along_axis(x, found[1].get(), -1),
                )
                for part in (a.T, a[::-1], a[..., 1:]):
                    np.testing.assert_array_equal(
                        call(part).get(), numpys(part.get(), **same)
                    )
                np.testing.assert_array_equal(
                    call(a, None).get(), numpys(x, None, **same)
                )
                np.testing.assert_array_equal(
                    call(a, 0).get(), numpys(x, 0, **same)
                )
                np.testing.assert_array_equal(a.get(), x)


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "i8", "c8", "c16"])
def test_sorts_of_long_rows(dtype: str) -> None:
    """Rows that several blocks share, with one launch per digit."""
    random = np.random.default_rng(6)
    for shape in ((20_001,), (3, 9000)):
        for _ in range(3):
            x = random.integers(-999, 999, shape).astype(dtype)
            a = gpuarray.to_gpu(x)
            order = np.argsort(x, stable=True)
            np.testing.assert_array_equal(gpuarray.sort(a).get(), np.sort(x))
            np.testing.assert_array_equal(gpuarray.argsort(a).get(), order)
            np.testing.assert_array_equal(a.get(), x)


def test_repeat() -> None:
    for shape in ((5,), (3, 4), (), (1000,)):
        for turn in range(3):
            x = np.asarray(np.arange(np.prod(shape)).reshape(shape) + turn)
            a = gpuarray.to_gpu(x)
            for count in (3, 0, 1, 40, 3, True):
                np.testing.assert_array_equal(
                    gpuarray.repeat(a, count).get(), np.repeat(x, count)
                )
            for part in (a.T, a[..., ::2] if shape else a):
                np.testing.assert_array_equal(
                    gpuarray.repeat(part, 3).get(), np.repeat(part.get(), 3)
                )
            if shape:
                np.testing.assert_array_equal(
                    gpuarray.repeat(a, 3, 0).get(), np.repeat(x, 3, 0)
                )
            with pytest.raises(ValueError, match="negative"):
                gpuarray.repeat(a, -1)


def test_an_allocator_of_the_users_sees_each_result() -> None:
    taken = []

    def allocate(size: int) -> drv.DeviceAllocation:
        taken.append(size)
        return drv.mem_alloc(size)

    x = np.arange(100, dtype=np.float32)[::-1].copy()
    a = gpuarray.to_gpu(x, allocator=allocate)
    for _ in range(3):
        for call in (gpuarray.sort, lambda a: gpuarray.repeat(a, 3)):
            before = len(taken)
            found = call(a)
            assert found.nbytes in taken[before:]


def test_an_operation_that_takes_the_place_meanwhile() -> None:
    """In the allocation, another context's call evicts the cache entry."""
    other = drv.Device(0).make_context()
    there = gpuarray.to_gpu(X)
    drv.Context.pop()
    made = []

    def allocator(size: int) -> Any:
        other.push()
        made.append((there + there).get())
        drv.Context.pop()
        return drv.mem_alloc(size)

    try:
        here = gpuarray.to_gpu(X, allocator)
        for _ in range(3):
            np.testing.assert_array_equal((here + here).get(), 2 * X)
        assert len(made) == 4
        np.testing.assert_array_equal(made, [2 * X] * 4)
    finally:
        other.push()
        there.gpudata.free()
        other.detach()


def test_an_operand_that_changes_meanwhile() -> None:
    """The user's allocator shrinks the other operand during the call."""
    asked: list[int] = []

    def allocator(size: int) -> Any:
        asked.append(size)
        if len(asked) == 4:
            b.__init__((1,), np.float32)
            b.fill(5)
        return drv.mem_alloc(size)

    a = gpuarray.to_gpu(LONG, allocator=allocator)
    b = gpuarray.to_gpu(LONG)
    for _ in range(3):
        total = a + b
    assert b.size == 1
    np.testing.assert_array_equal(total.get(), LONG + 5)


def test_kernels_that_take_turns() -> None:
    a, b = gpuarray.to_gpu(LONG), gpuarray.to_gpu(X)
    for _ in range(4):
        np.testing.assert_array_equal((a + a).get(), 2 * LONG)
        np.testing.assert_array_equal((b + b).get(), 2 * X)
        np.testing.assert_array_equal((-b).get(), -X)
        assert gpuarray.sum(b).get() == X.sum()


@pytest.mark.parametrize(
    ("shape", "other"), [((3, 4), (4, 3)), ((2, 3, 2), (3, 2, 2))]
)
def test_products_of_shapes_that_differ(shape: tuple, other: tuple) -> None:
    a = gpuarray.to_gpu(X.reshape(shape))
    for _ in range(3):
        assert gpuarray.dot(a, a).get() == (X * X).sum()
    with pytest.raises(ValueError, match="shapes differ"):
        gpuarray.dot(a, gpuarray.to_gpu(X.reshape(other)))


def test_reductions_of_whole_arrays() -> None:
    for n in (1, 12, 5000, 300_001):
        for dtype in (np.float32, np.int32, np.int8, np.bool_):
            for turn in range(3):
                x = (np.arange(n + 1) % 7 + turn).astype(dtype)
                whole = gpuarray.to_gpu(x)
                # The second array is not aligned to 16 bytes.
                for a, host in ((whole[:n], x[:n]), (whole[1:], x[1:])):
                    got = gpuarray.sum(a)
                    assert got.shape == () and got.dtype == host.sum().dtype
                    np.testing.assert_allclose(got.get(), host.sum())
                    assert gpuarray.max(a).get() == host.max()
                    if dtype is np.float32:
                        product = gpuarray.dot(a, a * 2).get()
                        expected = 2 * (host.astype(float) ** 2).sum()
                        np.testing.assert_allclose(product, expected, 1e-6)


def test_reductions_where_something_differs() -> None:
    x = np.arange(5000, dtype=np.float32)
    a = gpuarray.to_gpu(x)
    asked: list[int] = []

    def allocate(size: int) -> drv.DeviceAllocation:
        asked.append(size)
        return drv.mem_alloc(size)

    for _ in range(3):
        assert gpuarray.sum(a).get() == x.sum()
        assert gpuarray.sum(a[::2]).get() == x[::2].sum()
        assert gpuarray.sum(a.reshape(50, 100).T).get() == x.sum()
        with drv.Stream() as stream:
            total = gpuarray.sum(a)
        stream.synchronize()
        assert total.get() == x.sum()
        b = gpuarray.to_gpu(x, allocator=allocate)
        asked.clear()
        assert gpuarray.sum(b).get() == x.sum()
        assert asked == [4]
        b.gpudata.free()
        with pytest.raises(drv.LogicError):
            gpuarray.sum(b)


class OfMine(gpuarray.GPUArray):
    """A subclass that keeps its class."""


def test_reductions_of_a_subclass() -> None:
    host = np.arange(12, dtype=np.float32)
    a = gpuarray.to_gpu(host)
    for _ in range(3):
        mine = OfMine(host.shape, host.dtype)
        mine.set(host)
        assert type(gpuarray.sum(mine)) is OfMine
        assert type(gpuarray.sum(a)) is gpuarray.GPUArray


def test_reductions_that_reduce_meanwhile() -> None:
    """The user's allocator also reduces, on the same stream."""
    x = np.arange(400_000, dtype=np.float32)
    a = gpuarray.to_gpu(x)
    inner = []

    def allocate(size: int) -> Any:
        inner.append(gpuarray.sum(a))
        inner.append(gpuarray.max(a))
        return drv.mem_alloc(size)

    b = gpuarray.to_gpu(x, allocator=allocate)
    for _ in range(3):
        inner.clear()
        total = gpuarray.sum(b)
        np.testing.assert_allclose(total.get(), x.sum(dtype=float), 1e-6)
        np.testing.assert_allclose(inner[0].get(), x.sum(dtype=float), 1e-6)
        assert inner[1].get() == x.max()


@pytest.mark.parametrize("dtype", ["u1", "i2", "f4", "f8", "c16"])
def test_copies_between_layouts(dtype: str) -> None:
    size = 40 * 36
    for turn in range(3):
        x = (np.arange(size) % 100 + turn).astype(dtype).reshape(40, 36)
        a = gpuarray.to_gpu(x)
        for order, into in (("C", a.T), ("F", a), ("C", a[::-1, ::-1].T),
                            ("C", a.T[::-1]), ("F", a[:, ::2])):  # fmt: skip
            host = into.get()
            out = gpuarray.empty(into.shape, dtype, order=order)
            out[...] = into
            np.testing.assert_array_equal(out.get(), host)
            out.fill(0)
            out[::-1] = into
            np.testing.assert_array_equal(out.get(), host[::-1])
            # Arrays at other addresses, or overlapping.
            longer = gpuarray.zeros(into.size + 3, dtype)
            part = longer[1 : 1 + into.size].reshape(into.shape)
            part[...] = into
            np.testing.assert_array_equal(part.get(), host)
            assert not longer[-2:].get().any() and not longer[0].get()
        square = a[:36]
        square[...] = square.T
        np.testing.assert_array_equal(a.get()[:36], x[:36].T)


def test_copies_of_four_axes_and_broadcasts() -> None:
    x = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5)
    a = gpuarray.to_gpu(x)
    out = gpuarray.empty((5, 4, 3, 2), np.float32)
    flat = gpuarray.empty((3, 4, 5), np.float32)
    for _ in range(3):
        out[...] = a.T
        np.testing.assert_array_equal(out.get(), x.T)
        flat[...] = a[1, 0]
        np.testing.assert_array_equal(flat.get()[2], x[1, 0])
        flat[...] = a[0]
        np.testing.assert_array_equal(flat.get(), x[0])
        with pytest.raises(ValueError, match="same shape"):
            flat[...] = a.T


def test_copies_of_freed_memory_and_in_other_contexts() -> None:
    x = np.arange(1024, dtype=np.float32).reshape(32, 32)
    for _ in range(2):
        a, out = gpuarray.to_gpu(x), gpuarray.empty((32, 32), np.float32)
        out[...] = a.T
        np.testing.assert_array_equal(out.get(), x.T)
        other = drv.Device(0).make_context()
        try:
            b, there = gpuarray.to_gpu(x), gpuarray.empty_like(out)
            there[...] = b.T
            np.testing.assert_array_equal(there.get(), x.T)
            del b, there
        finally:
            other.pop()
            other.detach()
        a.gpudata.free()
        with pytest.raises(drv.LogicError):
            out[...] = a.T
