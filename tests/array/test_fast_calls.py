"""Fast calls in C (`src/array/fast_call.c`).

They create no Python frame and give the results and errors of the Python
functions.
"""

# SPDX-License-Identifier: MIT

import inspect
import pickle
import sys

import numpy as np
import pytest
from layouts import NUMBERS, VIEWS, both, numbers, same

import pycuda.driver as drv
from pycuda import _driver, cumath, gpuarray

pytestmark = pytest.mark.usefixtures("context")

RECORD = np.dtype([("a", "i2"), ("b", "f8"), ("c", "u1")])


def frames(call):
    """Return the number of Python frames below a call, and its result."""
    entered = []
    sys.setprofile(lambda frame, event, _: event == "call" and entered.append(
        frame.f_code.co_name))  # fmt: skip
    try:
        result = call()
    finally:
        sys.setprofile(None)
    return len(entered) - 1, result


def runs_in_c(call, want):
    """Assert that the second call runs no Python code and is right."""
    same(call(), want)
    count, result = frames(call)
    same(result, want)
    assert count == 0


def test_they_look_like_functions():
    for function in (gpuarray.concatenate, gpuarray.stack, gpuarray.roll,
                     gpuarray.take, gpuarray.matmul):  # fmt: skip
        assert isinstance(function, _driver.FastCall)
        assert pickle.loads(pickle.dumps(function)) is function
        assert "stream" in inspect.signature(function).parameters
    assert gpuarray.GPUArray.take.__doc__
    with pytest.raises(ValueError, match="no fast call has the name 'other'"):
        _driver.FastCall(len, "other")


# --- joins ---------------------------------------------------------------


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", ["?", "u2", "f4", "c16", RECORD], ids=str)
def test_concatenate(view, dtype):
    parts = [both(numbers((4, 6, 5), "i2", seed).astype(dtype), order, view)
             for seed, order in enumerate("CFC")]  # fmt: skip
    hosts, devices = ([part[k] for part in parts] for k in (0, 1))
    for axis in range(-3, 3):
        want = np.concatenate(hosts, axis)
        runs_in_c(lambda at=axis: gpuarray.concatenate(devices, at), want)
        runs_in_c(lambda at=axis: gpuarray.concatenate(devices, axis=at), want)
    runs_in_c(
        lambda: gpuarray.concatenate(tuple(devices)), np.concatenate(hosts)
    )
    runs_in_c(lambda: gpuarray.concatenate(devices[:1]), hosts[0])


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("dtype", ["?", "f4", "c16", RECORD], ids=str)
def test_stack(view, dtype):
    parts = [both(numbers((4, 6, 5), "i2", seed).astype(dtype), order, view)
             for seed, order in enumerate("CFC")]  # fmt: skip
    hosts, devices = ([part[k] for part in parts] for k in (0, 1))
    for axis in range(-4, 4):
        want = np.stack(hosts, axis)
        runs_in_c(lambda at=axis: gpuarray.stack(devices, at), want)
        runs_in_c(lambda at=axis: gpuarray.stack(devices, axis=at), want)
    runs_in_c(lambda: gpuarray.stack(tuple(devices)), np.stack(hosts))
    runs_in_c(lambda: gpuarray.stack(devices[:1]), np.stack(hosts[:1]))
    numbers_ = [device[0, 0, 0] for device in devices]
    runs_in_c(
        lambda: gpuarray.stack(numbers_), np.array([a[0, 0, 0] for a in hosts])
    )
    empty = [device[:0] for device in devices]
    runs_in_c(
        lambda: gpuarray.stack(empty, 1), np.stack([a[:0] for a in hosts], 1)
    )
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.stack(devices, 4)


def test_concatenate_of_different_lengths():
    hosts = [numbers((n, 3), "f4", n) for n in (0, 5, 1, 0, 2)]
    devices = [gpuarray.to_gpu(host) for host in hosts]
    runs_in_c(lambda: gpuarray.concatenate(devices), np.concatenate(hosts))
    runs_in_c(lambda: gpuarray.concatenate(devices[:1]), hosts[0])
    turned = [device.T for device in devices]
    runs_in_c(lambda: gpuarray.concatenate(turned, 1), np.concatenate(hosts).T)


@pytest.mark.parametrize(
    ("parts", "axis"),
    [
        ([], 0),
        ([(2, 3), (2, 4)], 0),
        ([(2, 3), (3,)], 0),
        ([()], 0),
        ([(2, 3)], 2),
        ([(2, 3)], -3),
        ([(2, 3)], 1 << 70),
        ([(2, 3)], "0"),
    ],
)
def test_concatenate_refuses_what_numpy_does(parts, axis):
    with pytest.raises((ValueError, TypeError, OverflowError)) as theirs:
        np.concatenate([np.zeros(shape) for shape in parts], axis)
    devices = [gpuarray.zeros(shape, "f8") for shape in parts]
    kind = IndexError if axis == 1 << 70 else theirs.type
    with pytest.raises((kind, ValueError)):
        gpuarray.concatenate(devices, axis)
    with pytest.raises(TypeError):
        gpuarray.concatenate([*devices, 1.0], axis)


def test_an_allocator_that_changes_the_list():
    def allocate(size):
        parts.append(gpuarray.zeros(100, np.float32))
        return drv.mem_alloc(size)

    parts = []
    first = gpuarray.GPUArray(3, np.float32, allocate)
    first.fill(2)
    parts[:] = [first]
    same(gpuarray.concatenate(parts), np.full(3, 2, np.float32))


@pytest.mark.parametrize("dtype", ["u1", "f4", "c16", RECORD], ids=str)
@pytest.mark.parametrize("shift", [0, 1, -1, 7, 60, -1000])
def test_roll(dtype, shift):
    host, device = both(numbers((4, 6, 5), "i2").astype(dtype))
    runs_in_c(lambda: gpuarray.roll(device, shift), np.roll(host, shift))
    for axis in range(-3, 3):
        want = np.roll(host, shift, axis)
        runs_in_c(lambda at=axis: gpuarray.roll(device, shift, at), want)
        runs_in_c(lambda at=axis: gpuarray.roll(device, shift, axis=at), want)
        turned = np.roll(host.T, shift, axis)
        runs_in_c(lambda at=axis: gpuarray.roll(device.T, shift, at), turned)
    same(gpuarray.roll(device.T, shift), np.roll(host.T, shift))
    same(gpuarray.roll(device[:0], shift), host[:0])
    with pytest.raises(np.exceptions.AxisError):
        gpuarray.roll(device, shift, 3)


# --- indices -------------------------------------------------------------


@pytest.mark.sweep(most=14)
@pytest.mark.parametrize("index", ["i1", "u2", "i4", "u8", "i8"])
@pytest.mark.parametrize("dtype", [*NUMBERS, RECORD], ids=str)
def test_take(dtype, index):
    host, device = both(numbers((6, 5), "i2").astype(dtype))
    places = np.random.default_rng(1).integers(0, 30, (3, 7)).astype(index)
    if places.dtype.kind == "i":
        places[0] -= 30
    there = gpuarray.to_gpu(places)
    runs_in_c(lambda: gpuarray.take(device, there), host.take(places))
    runs_in_c(lambda: device.take(there), host.take(places))
    row, flat = host.reshape(30), device.reshape(30)
    runs_in_c(lambda: flat[there], row[places])
    same(device.take(there % 5, 1), host.take(places % 5, 1))
    same(flat[::-1][there], row[::-1][places])


def test_indices_out_of_range_are_told():
    row = gpuarray.to_gpu(numbers(10, "f4"))
    places = gpuarray.to_gpu(np.array([3, -10, 10, 9]))
    for _ in range(2):
        with pytest.raises(IndexError, match="index 10 is out of bounds"):
            row[places].get()
        with pytest.raises(IndexError, match="index 10 is out of bounds"):
            gpuarray.take(row, places).get()


# --- products ------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "i4", "u1", "e", "?"])
def test_matmul(dtype):
    """Integer products, so that the result is exact."""
    made = {n: [both(numbers((n, n), "u1", seed).astype(dtype))
                for seed in range(3)] for n in (5, 40)}  # fmt: skip
    for _ in range(2):
        for pairs in made.values():
            for a, ga in pairs:
                for b, gb in pairs:
                    same(ga @ gb, a @ b)
                    same(ga.T @ gb, a.T @ b)
                    same(ga @ gb.T, a @ b.T)
                    same(ga @ gb[0], a @ b[0])
                    same(ga[1] @ gb, a[1] @ b)
                    same(ga[1] @ gb[0], np.asarray(a[1] @ b[0]))


@pytest.mark.parametrize(("rows", "inner", "columns"), [
    (40, 30, 50), (64, 64, 1), (1, 64, 64), (700, 300, 20), (20, 300, 300),
])  # fmt: skip
def test_the_second_product_needs_no_python(rows, inner, columns):
    a, ga = both(numbers((rows, inner), "u1").astype("f4"))
    b, gb = both(numbers((inner, columns), "u1", 1).astype("f4"))
    runs_in_c(lambda: ga @ gb, a @ b)
    runs_in_c(lambda: gpuarray.matmul(ga, gb), a @ b)
    runs_in_c(lambda: gb.T @ ga.T, b.T @ a.T)
    out = gpuarray.empty((rows, columns), np.float32)
    assert gpuarray.matmul(ga, gb, out) is out
    same(out, a @ b)
    with pytest.raises(ValueError, match="columns"):
        ga[:, 1:] @ gb


def test_products_on_the_current_stream():
    a, ga = both(numbers((30, 30), "u1").astype("f4"))
    same(ga @ ga, a @ a)
    stream = drv.Stream()
    with stream.use():
        result = ga @ ga
        joined = gpuarray.concatenate([result, ga])
    stream.synchronize()
    same(joined, np.concatenate([a @ a, a]))


class Mine(gpuarray.GPUArray):
    """A subclass that records its creator."""

    made = 0

    def _new_like_me(self, *args, **kwargs):
        result = super()._new_like_me(*args, **kwargs)
        type(self).made += 1
        return result


def test_subclasses_keep_their_class():
    host = numbers((6, 6), "u1").astype("f4")
    device = Mine(host.shape, host.dtype)
    device.set(host)
    places = gpuarray.to_gpu(np.arange(6)[::-1].copy())
    for _ in range(2):
        for got, want in (
            (
                gpuarray.concatenate([device, device]),
                np.concatenate([host] * 2),
            ),
            (gpuarray.roll(device, 2), np.roll(host, 2)),
            (gpuarray.take(device, places), host.take(np.arange(6)[::-1])),
            (device @ device, host @ host),
        ):
            assert type(got) is Mine
            same(got, want)


# --- operations (`src/array/fast_ufunc.c`) ---------------------------------


def test_operations_that_need_no_frame():
    x, y = numbers((40,), "f4"), numbers((40,), "f4", 2)
    a, b = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    runs_in_c(lambda: gpuarray.maximum(a, b), np.maximum(x, y))
    runs_in_c(lambda: gpuarray.minimum(a, 0.5), np.minimum(x, np.float32(0.5)))
    runs_in_c(lambda: gpuarray.logical_and(a, b), np.logical_and(x, y))
    runs_in_c(lambda: gpuarray.logical_or(a, b), np.logical_or(x, y))
    runs_in_c(lambda: gpuarray.logical_not(a), np.logical_not(x))
    runs_in_c(lambda: gpuarray.where(a, b, a), np.where(x, y, x))
    runs_in_c(
        lambda: gpuarray.where(a, b, 0.5), np.where(x, y, np.float32(0.5))
    )
    runs_in_c(lambda: cumath.fmod(a, b), np.fmod(x, y))
    runs_in_c(lambda: cumath.fmod(7.5, b), np.fmod(np.float32(7.5), y))
    runs_in_c(lambda: a.any(), np.array(x.any()))
    runs_in_c(lambda: a.all(), np.array(x.all()))
    runs_in_c(lambda: a * np.float32(0.3), x * np.float32(0.3))
    same(np.float64(0.3) + a, np.float64(0.3) + x)
    with pytest.raises(TypeError, match=r"cumath\.fmod expects a GPUArray"):
        cumath.fmod(x, 2)


def test_functions_bind_as_functions_do():
    class Box(gpuarray.GPUArray):
        sine = cumath.sin
        larger = gpuarray.maximum

    host = numbers((9,), "f8")
    box = Box(9, "f8")
    box.set(host)
    same(box.sine(), np.sin(host), 1e-12)
    same(box.larger(0.5), np.maximum(host, 0.5))
    assert Box.sine is cumath.sin


def test_numbers_of_numpys_keep_their_types():
    a, g = both(numbers((30,), "i4"))
    for number in (np.float32(0.1), np.float64(0.1), 0.1, np.float16(0.1)):
        for _ in range(2):
            same(g + number, a + number)
            same(number * g, number * a)
            same(g > number, a > number)


@pytest.mark.parametrize(
    ("arguments", "dtype"),
    [
        ((0, 1, 1e300), "f4"),
        ((-3, 1, 1e6), "f2"),
        ((5, 6, 1000), "i1"),
        ((1000, 7), "i1"),
        ((7, 7, 1e300), "f4"),
    ],
)
@pytest.mark.parametrize("how", [{}, {"stream": None}])
def test_arange_of_one_number_takes_no_step(arguments, dtype, how):
    got = gpuarray.arange(*arguments, dtype=dtype, **how).get()
    assert got.dtype == dtype
    wanted = [arguments[0]] if arguments[0] < arguments[1] else []
    assert got.tolist() == wanted
