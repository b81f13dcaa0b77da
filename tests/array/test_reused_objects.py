"""Reuse of the Python objects of freed arrays and allocations."""

# SPDX-License-Identifier: MIT

import gc
import sys
import sysconfig
import weakref
from typing import Any

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import _driver, gpuarray
from pycuda.tools import DeviceMemoryPool

pytestmark = pytest.mark.usefixtures("context")

X = np.arange(1, 13, dtype=np.float32)

# Free-threaded Python counts references to classes per thread, and those of
# local variables in part.
COUNTS_ARE_EXACT = not sysconfig.get_config_var("Py_GIL_DISABLED")


def test_nothing_is_left_of_the_last() -> None:
    a = gpuarray.to_gpu(X)
    gone: list[str] = []
    for turn in range(40):
        result = a + a
        memory = result.gpudata
        assert vars(result) == {} and not hasattr(memory, "mark")
        assert weakref.getweakrefcount(result) == 0
        assert weakref.getweakrefcount(memory) == 0
        if turn % 3 == 0:
            result.mark = memory.mark = turn
        if turn % 2 == 0:
            weakref.finalize(result, gone.append, "array")
            weakref.finalize(memory, gone.append, "memory")
        del result, memory
    assert gone.count("array") == gone.count("memory") == 20


def test_attributes_that_lead_back() -> None:
    a = gpuarray.to_gpu(X)
    for _ in range(5):
        results = [a + a for _ in range(30)]
        for result in results:
            result.itself = result
            result.gpudata.array = result
        seen = [weakref.ref(result) for result in results]
        del results, result
        gc.collect()
        assert not any(ref() for ref in seen)
        np.testing.assert_array_equal((a + a).get(), X + X)


def test_they_are_seen_by_the_collector() -> None:
    a = gpuarray.to_gpu(X)
    for _ in range(3):
        result = a + a
        assert gc.is_tracked(result) and gc.is_tracked(result.gpudata)
        del result


@pytest.mark.parametrize("ndim", [0, 1, 3, 6])
def test_shapes_of_all_kinds(ndim: int) -> None:
    shape = (2,) * ndim
    x = np.arange(2**ndim, dtype=np.float32).reshape(shape)
    a = gpuarray.to_gpu(x)
    for _ in range(30):
        np.testing.assert_array_equal((a + a).get(), x + x)
        assert (a + a).astype(float).strides == x.astype(float).strides
        assert (a.T + a.T).shape == x.T.shape
        np.testing.assert_array_equal((a[...] * 2).get(), x * 2)


def test_an_array_that_was_not_initialised_is_empty() -> None:
    a = gpuarray.to_gpu(X)
    for _ in range(20):
        del_me = a + a
        del del_me
        raw = gpuarray.GPUArray.__new__(gpuarray.GPUArray)
        assert raw.shape == (0,) and raw.size == 0


def test_an_array_that_is_initialised_again() -> None:
    whole, pool = gpuarray.to_gpu(X), DeviceMemoryPool()
    a = gpuarray.GPUArray(
        3, np.float32, allocator=pool.allocate, base=whole,
        gpudata=whole.gpudata,
    )  # fmt: skip
    gone = weakref.ref(whole)
    del whole
    assert gone() is not None
    a.__init__(2, np.int32)
    assert a.base is None and pool.active_blocks == 0
    assert gone() is None
    with pytest.raises(TypeError):
        a.__init__(5, object)
    assert (a.shape, a.dtype) == ((0,), np.float64)


def test_a_finaliser_runs_for_each(monkeypatch: Any) -> None:
    a = gpuarray.to_gpu(X)
    ends: list[int] = []
    monkeypatch.setattr(
        gpuarray.GPUArray,
        "__del__",
        lambda self: ends.append(self.size),
        raising=False,
    )
    for turn in range(20):
        result = a + a
        del result
        assert len(ends) == turn + 1


def test_objects_that_are_brought_back(monkeypatch: Any) -> None:
    a, stored = gpuarray.to_gpu(X), []
    with monkeypatch.context() as patch:
        patch.setattr(
            gpuarray.GPUArray,
            "__del__",
            lambda self: stored.append(self),
            raising=False,
        )
        for _ in range(3):
            a + a
    assert len(stored) == 3
    others = [a * 0 for _ in range(30)]
    for result in stored:
        np.testing.assert_array_equal(result.get(), X + X)
    del others


def test_memory_of_other_sizes_and_streams() -> None:
    streams = [None, drv.Stream(), drv.Stream()]
    for turn in range(60):
        n = 1 + 37 * (turn % 5)
        x = np.arange(n, dtype=np.float32) + turn
        stream = streams[turn % 3]
        if stream is None:
            result = gpuarray.to_gpu(x) * 2
        else:
            with stream:
                result = gpuarray.to_gpu(x) * 2
        np.testing.assert_array_equal(result.get(), x * 2)
        size = drv.mem_get_address_range(result.gpudata)[1]
        assert size >= result.nbytes


def test_allocations_that_were_freed_by_hand() -> None:
    a = gpuarray.to_gpu(X)
    for _ in range(5):
        result = a + a
        result.gpudata.free()
        with pytest.raises(drv.LogicError):
            result + a
        with pytest.raises(drv.LogicError):
            result.gpudata.free()
        del result
        np.testing.assert_array_equal((a + a).get(), X + X)


def test_contexts_do_not_share_them() -> None:
    a = gpuarray.to_gpu(X)
    del_me = a + a
    del del_me
    other = drv.Device(0).make_context()
    try:
        for _ in range(3):
            b = gpuarray.to_gpu(X)
            np.testing.assert_array_equal((b + b).get(), X + X)
            late = b + b
        del b
    finally:
        other.pop()
    other.detach()
    del late  # freed after its context
    for _ in range(3):
        np.testing.assert_array_equal((a + a).get(), X + X)


def test_fills_that_repeat() -> None:
    for dtype in (np.float32, np.float64, np.int32, np.float16):
        a = gpuarray.zeros(5000, dtype)
        for value in (1, 2.5, True, 3, np.float32(7), -1):
            for part in (a, a[1:], a[::2], a.reshape(50, 100)):
                expected = np.zeros(part.shape, dtype)
                expected.fill(value)
                part.fill(value)
                np.testing.assert_array_equal(part.get(), expected)
    with pytest.warns(RuntimeWarning, match="overflow"):
        gpuarray.zeros(12, np.float32).fill(1e300)


def test_long_chains_of_views_end() -> None:
    a = gpuarray.to_gpu(X)
    del_me = a + a
    del del_me
    view = a
    for _ in range(100_000):
        view = view[...]
    gone = weakref.ref(view.base)
    del view
    assert gone() is None
    np.testing.assert_array_equal((a + a).get(), X + X)


class Derived(gpuarray.GPUArray):
    """A subclass that a program defines."""


@pytest.mark.parametrize("kind", [gpuarray.GPUArray, Derived])
def test_what_an_array_was_given_ends_with_it(kind: Any) -> None:
    class Last:
        def __init__(self, array: Any) -> None:
            self.array = weakref.ref(array)

        def __del__(self) -> None:
            seen.append(self.array())

    a, seen, told = gpuarray.to_gpu(X), [], []
    for turn in range(20):
        array = kind(X.shape, X.dtype) if kind is Derived else a + a
        array.last = Last(array)
        array.itself = array if turn % 4 == 3 else None
        note = weakref.ref(array, told.append)
        del array
        if turn % 4 == 3:
            gc.collect()
        assert note() is None and told[-1] is note
        assert seen == [None] * (turn + 1)
    if COUNTS_ARE_EXACT:
        count = sys.getrefcount(kind)
        for _ in range(20):
            array = kind(X.shape, X.dtype)
            array.mark = 1
            del array
        assert sys.getrefcount(kind) == count


def test_long_chains_of_attributes_end() -> None:
    newest = a = gpuarray.to_gpu(X)
    for _ in range(100_000):
        view = a[2:]
        view.before = newest
        newest = view
    gone = weakref.ref(newest.before)
    del newest, view
    assert gone() is None


class Slotted(gpuarray.GPUArray):
    __slots__ = ("label",)


def test_slots_of_a_derived_class_end_with_it() -> None:
    for turn in range(20):
        array = Slotted(X.shape, X.dtype)
        assert not hasattr(array, "label")
        array.label, array.other = [turn], turn
        part = array[1:]
        assert type(part) is Slotted and not hasattr(part, "label")
        gone = weakref.ref(array)
        label = array.label
        del part, array
        own = [turn]
        assert gone() is None and label == own
        # The same number of references as another local variable has.
        assert sys.getrefcount(label) == sys.getrefcount(own)


def test_the_class_adds_only_methods() -> None:
    for other in (Slotted, gpuarray.ArrayBase, Derived, object, 3):
        with pytest.raises(TypeError, match="adds only methods"):
            _driver._set_array_class(other)
