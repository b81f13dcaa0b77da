"""Inconsistent arrays and callbacks: an exception, never an invalid read."""

# SPDX-License-Identifier: MIT

import gc
import pickle
import weakref
from typing import Any

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import cumath, gpuarray
from pycuda.gpuarray import GPUArray

pytestmark = pytest.mark.usefixtures("context")


def ramp(n: int = 8) -> GPUArray:
    return gpuarray.to_gpu(np.arange(n, dtype="f4"))


# ---- freed memory ---------------------------------------------------------

USES = {
    "get": lambda a: a.get(),
    "get a view": lambda a: a[2:5].get(),
    "get strided": lambda a: a[::2].get(),
    "set": lambda a: a.set(np.zeros(8, "f4")),
    "fill": lambda a: a.fill(1),
    "add": lambda a: a + a,
    "add a scalar": lambda a: a + 1,
    "add a view": lambda a: a[::2] + 1,
    "in place": lambda a: a.__iadd__(1),
    "assign": lambda a: a.__setitem__(slice(2), 1),
    "copy": lambda a: a.copy(),
    "astype": lambda a: a.astype("f8"),
    "sum": lambda a: gpuarray.sum(a),
    "dot": lambda a: gpuarray.dot(a, a),
    "max": lambda a: gpuarray.max(a),
    "sin": lambda a: cumath.sin(a),
    "str": lambda a: str(a),
    "pickle": lambda a: pickle.dumps(a),
    "memcpy_dtoh": lambda a: drv.memcpy_dtoh(np.zeros(8, "f4"), a),
    "memset": lambda a: drv.memset_d8(a, 0, 8),
    "reshape by copy": lambda a: a.reshape(2, 4).T.reshape(8),
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
def test_freed_memory_is_refused(use: Any) -> None:
    array = ramp()
    array.gpudata.free()
    with pytest.raises(drv.LogicError, match="freed"):
        use(array)


def test_freed_output_is_refused() -> None:
    array, out = ramp(), ramp()
    out.gpudata.free()
    with pytest.raises(drv.LogicError, match="freed"):
        cumath.sin(array, out=out)
    with pytest.raises(drv.LogicError, match="freed"):
        out.set(array)


# ---- shapes and strides --------------------------------------------------


@pytest.mark.parametrize(
    "strides", [(8,), (400,), (-4,), (2**62,), (-(2**63),), (2**63 - 1,)]
)
def test_strides_stay_in_own_memory(strides: tuple[int]) -> None:
    with pytest.raises(ValueError, match="strides"):
        GPUArray((4,), "f4", strides=strides)
    array = gpuarray.zeros(4, "f4")
    with pytest.raises(ValueError, match="strides"):
        array.strides = strides
        array.get()


def test_strides_that_fit() -> None:
    assert GPUArray((4, 4), "f4", strides=(0, 4)).shape == (4, 4)
    assert GPUArray((2, 3), "f4", strides=(4, 8)).flags.f_contiguous
    assert GPUArray((0,), "f4", strides=(400,)).get().shape == (0,)
    memory = drv.mem_alloc(64)
    view = GPUArray((4,), "f4", gpudata=memory, strides=(16,))
    view.fill(3)
    assert (view.get() == 3).all()
    with pytest.raises(ValueError, match="64 bytes"):
        GPUArray((5,), "f4", gpudata=memory, strides=(16,))
    with pytest.raises(ValueError, match="64 bytes"):
        GPUArray((17,), "f4", gpudata=memory)
    half = ramp(8)[4:]
    half.strides = (-4,)
    assert half.get().tolist() == [4, 3, 2, 1]
    half.strides = (8,)
    with pytest.raises(ValueError, match="32 bytes"):
        half.get()


@pytest.mark.parametrize(
    "shape", [(-2, -4), (2**62 + 2, 4), (2**32, 2**32, 8), (2**63 - 1, 8)]
)
def test_shapes_that_overflow(shape: tuple[int, ...]) -> None:
    array = ramp()
    with pytest.raises(ValueError):
        array.reshape(shape)
    with pytest.raises(ValueError):
        array.shape = shape
    with pytest.raises(ValueError):
        GPUArray(shape, "f4")
    assert array.shape == (8,)


@pytest.mark.parametrize(
    "dtype", ["O", "2f4", [("a", "O")], "f4,O", np.dtype(("i4", (2, 2)))]
)
def test_dtypes_that_memory_cannot_hold(dtype: Any) -> None:
    with pytest.raises(TypeError, match="dtype"):
        GPUArray(4, dtype)
    array = gpuarray.zeros(4, "c8")
    for use in (
        lambda: array.view(dtype),
        lambda: array.astype(dtype),
        lambda: array._new_like_me(dtype),
        lambda: setattr(array, "dtype", dtype),
    ):
        with pytest.raises((TypeError, ValueError)):
            use()


def test_long_chain_of_views_ends() -> None:
    view = array = ramp()
    for _ in range(200_000):
        view = view[:]
    del view
    assert array.get()[7] == 7


# ---- user code during a call ----------------------------------------------


class Index:
    """An index that runs a callback before it returns its value."""

    def __init__(self, value: int, action: Any) -> None:
        self.value, self.action = value, action

    def __index__(self) -> int:
        self.action()
        return self.value


def test_shape_list_that_shrinks() -> None:
    shape: list[Any] = []
    shape += [Index(2, shape.clear), 4]
    assert ramp().reshape(shape).shape == (2, 4)
    shape += [Index(2, shape.clear), 4]
    assert drv.pagelocked_empty(shape, "f4").shape == (2, 4)


def test_an_array_is_unchanged_until_init_ends() -> None:
    array = ramp()
    seen = []
    size = Index(3, lambda: seen.append((array.shape, array.dtype)))
    array.__init__((size,), "i2")  # type: ignore[misc]
    assert seen == [((8,), np.dtype("f4"))]
    assert array.shape == (3,) and array.dtype == np.int16
    for bad in [("x", "f4"), (3, "no type"), (3, "O")]:
        with pytest.raises((TypeError, AssertionError)):
            array.__init__(*bad)  # type: ignore[misc]
        assert array.shape == (0,) and array.get().shape == (0,)
        assert array.dtype == np.float64 and array.gpudata is None


class Liar(GPUArray):
    answer: Any = None

    def _new_like_me(self, dtype: Any = None, order: str = "C") -> Any:
        return self.answer(self)


@pytest.mark.parametrize(
    "answer",
    [
        lambda self: None,
        lambda self: GPUArray(3, "f4"),
        lambda self: GPUArray(8, "f8"),
        lambda self: GPUArray((2, 4), "f4"),
        lambda self: GPUArray.__new__(GPUArray),
    ],
)
def test_new_like_me_is_checked(answer: Any) -> None:
    array = Liar((8,), np.float32)
    array.fill(1)
    Liar.answer = staticmethod(answer)
    for use in (lambda: array + 1, lambda: array + array, array.copy):
        with pytest.raises(TypeError, match="_new_like_me"):
            use()


def test_new_like_me_that_changes_self() -> None:
    array = Liar((8,), np.float32)
    array.fill(1)

    def answer(self: Any) -> GPUArray:
        result = GPUArray(self.shape, self.dtype)
        self.__init__((2, 2, 2), "f4")
        return result

    Liar.answer = staticmethod(answer)
    with pytest.raises(RuntimeError, match="shape"):
        _ = array + 1


def test_allocator_that_is_replaced() -> None:
    array = ramp(1000)

    def make() -> Any:
        def allocate(size: int) -> Any:
            array.allocator = drv.mem_alloc
            gc.collect()
            return drv.mem_alloc(size)

        return allocate

    allocator = make()
    gone = weakref.ref(allocator)
    total = gpuarray.sum(array, allocator=allocator)
    assert total.get() == 499500
    array.allocator = make()
    assert (array + 1).get()[0] == 1
    del allocator, total
    gc.collect()
    assert gone() is None


def test_allocator_that_gives_too_little() -> None:
    array = GPUArray(8, "f4", allocator=lambda size: drv.mem_alloc(size))
    array.allocator = lambda size: drv.mem_alloc(size // 2)
    with pytest.raises(ValueError, match="16 bytes"):
        _ = array + array
    array.allocator = lambda size: "memory"
    with pytest.raises(TypeError, match="device address"):
        _ = array + array


# ---- values --------------------------------------------------------------


def test_get_into_strided_array_of_another_shape() -> None:
    host = np.zeros((4, 4), "f4")[:, ::2]
    with pytest.warns(DeprecationWarning):
        ramp().get(host)
    assert host.ravel().tolist() == list(range(8))


def test_largest_unsigned_compares() -> None:
    largest = 2**64 - 1
    array = gpuarray.to_gpu(np.array([largest, 1], "u8"))
    assert (array == largest).get().tolist() == [1, 0]
    assert (array < 2**64).get().tolist() == [1, 1]


@pytest.mark.parametrize("scalar", [np.longdouble(2), np.clongdouble(2j)])
def test_wide_scalars(scalar: Any) -> None:
    with pytest.raises(TypeError):
        _ = ramp() * scalar


def test_pickling_tells_its_own_error() -> None:
    array = ramp()
    array.gpudata.free()
    with pytest.raises(drv.LogicError):
        array.__reduce__()


# ---- arguments of functions ----------------------------------------------


@pytest.mark.parametrize("what", ["x", b"x", object(), np.zeros(3)])
def test_operands_that_are_none(what: Any) -> None:
    """The result is a TypeError; NotImplemented is for operators."""
    a = ramp()
    for call in (
        lambda: gpuarray.where(a, what, 1),
        lambda: gpuarray.where(a, 1, what),
        lambda: gpuarray.clip(a, what, 1),
        lambda: gpuarray.clip(a, 0, what),
        lambda: gpuarray.maximum(a, None),
        lambda: gpuarray.maximum(a, what),
        lambda: gpuarray.minimum(what, a),
        lambda: gpuarray.logical_and(a, what),
        lambda: gpuarray.if_positive(a, what, what),
        lambda: gpuarray.hypot(a, what),
        lambda: np.dot(a, what),
    ):
        with pytest.raises(TypeError):
            call()


def test_sequences_that_are_none() -> None:
    a = ramp().reshape(2, 4)
    for call in (
        lambda: a.reshape("x"),
        lambda: a.reshape(1.5),
        lambda: a.transpose("x"),
        lambda: a.squeeze(1.5),
        lambda: gpuarray.split(a, "x"),
        lambda: gpuarray.split(a, [1.5]),
        lambda: gpuarray.round(a, 1.5),
        lambda: gpuarray.searchsorted(a[0], None),
    ):
        with pytest.raises(TypeError):
            call()


def test_a_length_that_could_be_any() -> None:
    empty = gpuarray.zeros((0, 3), "f4")
    with pytest.raises(ValueError, match="another length is 0"):
        empty.reshape(0, -1)
    assert empty.reshape(-1).shape == (0,)
    assert empty.reshape(5, -1).shape == (5, 0)


def test_far_too_many_parts() -> None:
    with pytest.raises(MemoryError):
        gpuarray.array_split(ramp(), 2**60)


def test_arrays_without_axes_as_if_they_had_one() -> None:
    """Cases in which NumPy accepts axis 0 or -1 for arrays without axes."""
    host = np.array(3.0)
    device = gpuarray.to_gpu(host)
    for name in ("cumsum", "cumprod", "argsort", "squeeze"):
        for axis in (0, -1):
            got = getattr(gpuarray, name)(device, axis=axis).get()
            want = getattr(np, name)(host, axis=axis)
            assert got.shape == want.shape and np.array_equal(got, want)
        with pytest.raises(ValueError):
            getattr(gpuarray, name)(device, axis=1)
    assert gpuarray.repeat(device, 2, 0).get().tolist() == [3, 3]


def test_what_is_sought_stays_as_it_is() -> None:
    """Searched values that the row's dtype cannot represent."""
    for row, value in (
        (np.arange(5, dtype="i4"), 2**40),
        (np.arange(5, dtype="u1"), -1),
        (np.arange(5, dtype="i2"), 2.5),
        (np.float32([0.1, 1]), 0.1),
        (np.float32([2**24, 2**25]), 2**24 + 1),
    ):
        for side in ("left", "right"):
            got = gpuarray.searchsorted(gpuarray.to_gpu(row), value, side)
            assert int(got) == np.searchsorted(row, value, side)


@pytest.mark.parametrize("bad", [8, -9, 2**40])
def test_sorters_out_of_range(bad: int) -> None:
    sorter = np.arange(8)
    sorter[3] = bad
    with pytest.raises(IndexError, match=str(bad)):
        gpuarray.searchsorted(
            ramp(), ramp(), "left", gpuarray.to_gpu(sorter)
        ).get()
        ramp().get()


def test_decimals_beyond_all() -> None:
    with np.errstate(all="ignore"):
        for decimals in (400, -400):
            got = gpuarray.round(ramp(3), decimals).get()
            want = np.round(np.arange(3, dtype="f4"), decimals)
            assert np.array_equal(got, want, equal_nan=True)


class Whole:
    """An integer with __index__ only."""

    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


def test_shapes_by_index():
    assert gpuarray.zeros(Whole(3), np.float32).shape == (3,)
    a = gpuarray.zeros((Whole(2), 3), np.float32)
    assert a.reshape(Whole(6)).shape == (6,)
    assert a.reshape(Whole(3), 2).shape == (3, 2)


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, ValueError])
def test_what_a_shape_raises_is_told(error):
    def lengths():
        yield 2
        raise error("mine")

    with pytest.raises(error, match="mine"):
        gpuarray.zeros(lengths(), np.float32)


@pytest.mark.parametrize(
    "call",
    [
        lambda a: gpuarray.roll(a, 1, stream=3),
        lambda a: gpuarray.unique(a, stream=3),
        lambda a: gpuarray.put(a, [0], 1, stream=3),
        lambda a: gpuarray.repeat(a, 2, stream=3),
        lambda a: gpuarray.outer(a, a, stream=3),
    ],
)
def test_a_stream_that_is_none(call):
    with pytest.raises(TypeError, match=r"stream must be .* not int"):
        call(gpuarray.zeros(4, np.float32))


def test_values_with_axes_of_one_before():
    a = gpuarray.zeros((2, 3), np.float32)
    a[...] = gpuarray.ones((1, 1, 2, 3), np.float32)
    assert a.get().min() == 1
    a[0] = gpuarray.arange(3, dtype=np.float64).reshape(1, 1, 3)
    assert a.get().tolist() == [[0, 1, 2], [1, 1, 1]]
    a[:, 1:] = gpuarray.full((1, 1, 2), 9, np.float32)
    assert a.get().tolist() == [[0, 9, 9], [1, 9, 9]]
    with pytest.raises(ValueError, match=r"src \(2, 2, 3\), dst \(2, 3\)"):
        a[...] = gpuarray.ones((2, 2, 3), np.float32)


def test_take_from_an_array_without_axes():
    a = gpuarray.to_gpu(np.array(5))
    assert gpuarray.take(a, [0], axis=0).get().tolist() == [5]
    assert gpuarray.take(a, [[0, -1]]).get().tolist() == [[5, 5]]


def test_indices_of_an_array_without_elements():
    a = gpuarray.zeros((0, 3), np.float32)
    index = gpuarray.to_gpu(np.array([0]))
    with pytest.raises(IndexError, match="axis 0 with size 0"):
        a[index] = 1
    with pytest.raises(IndexError, match="axis 0 with size 0"):
        a[index]
    assert a[index[:0]].shape == (0, 3)


def test_a_range_as_index():
    a = gpuarray.arange(10, dtype=np.int32)
    assert a[range(1, 7, 2)].get().tolist() == [1, 3, 5]
    a[range(2)] = 9
    assert a.get()[:3].tolist() == [9, 9, 2]
    rows = a.reshape(2, 5)
    assert rows[:, range(3, 0, -1)].get().tolist() == [
        [4 - 1, 2, 9],
        [8, 7, 6],
    ]


def test_taken_elements_can_be_freed():
    a = gpuarray.arange(6, dtype=np.int32).reshape(2, 3)
    for taken in (gpuarray.take(a, [1, 0]), gpuarray.take(a, [2], axis=1)):
        taken.gpudata.free()
