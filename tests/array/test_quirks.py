"""Errors and quirks of PyCUDA's arrays.

"Fixed": each test fails with PyCUDA 2026.1, which raises or gives other
numbers. "Kept": programs depend on the behavior. The test names follow the
differences in docs/compatibility.md.
"""

# SPDX-License-Identifier: MIT

import builtins

import numpy as np
import pytest
from layouts import same

import pycuda.driver as drv
from pycuda import cumath, curandom, gpuarray
from pycuda.elementwise import ElementwiseKernel, ScalarArg, VectorArg
from pycuda.reduction import ReductionKernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel

pytestmark = pytest.mark.usefixtures("context")

to_gpu = gpuarray.to_gpu
GRID = np.arange(12, dtype=np.float32).reshape(3, 4)


# --- fixed ---------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
def test_unsigned_subtraction_and_minus(dtype):
    x, y = np.array([1, 5, 9], dtype), np.array([3, 5, 7], dtype)
    a, b = to_gpu(x), to_gpu(y)
    same(a - b, x - y)
    same(-a, -x)
    same(a - 1, x - 1)
    same(7 - a, 7 - x)


def test_subtraction_of_booleans_is_refused():
    a = to_gpu(np.array([True, False]))
    with pytest.raises(TypeError):
        a - a


def test_c_and_fortran_order_mix():
    c, f = to_gpu(GRID), to_gpu(np.asfortranarray(GRID))
    same(c + f, GRID + GRID)
    same(f * c, GRID * GRID)
    target = gpuarray.zeros((3, 4), np.float32)
    target[...] = f
    same(target, GRID)
    target.set(np.asfortranarray(2 * GRID))
    same(target, 2 * GRID)
    f.get(host := np.empty((3, 4), np.float32))
    np.testing.assert_array_equal(host, GRID)


def test_copies_of_strided_views_have_their_own_memory():
    a = to_gpu(GRID)
    view = a[:, ::2]
    copy = view.copy()
    assert copy.nbytes == 24
    assert builtins.max(
        (n - 1) * s for n, s in zip(copy.shape, copy.strides, strict=True)
    ) < copy.nbytes  # fmt: skip
    same(copy, GRID[:, ::2])
    like = gpuarray.zeros_like(view)
    like += 1
    same(like, np.ones((3, 2), np.float32))
    same(a, GRID)


@pytest.mark.parametrize(
    "key", [slice(2, 1), slice(3, 1), slice(1, 3, -1), slice(0, 3, -2)]
)
def test_slices_the_wrong_way_are_empty(key):
    a = to_gpu(GRID)
    assert a[key].shape == GRID[key].shape
    same(a[key], GRID[key])


@pytest.mark.parametrize("axis", [0, 1, -1, -2])
@pytest.mark.parametrize("order", ["C", "F"])
def test_concatenate_and_stack(axis, order):
    x = np.asarray(GRID, order=order)
    y = GRID.astype(np.float64)
    same(
        gpuarray.concatenate([to_gpu(x), to_gpu(y)], axis),
        np.concatenate([x, y], axis),
    )
    same(
        gpuarray.stack([to_gpu(x), to_gpu(GRID)], axis),
        np.stack([x, GRID], axis),
    )


def test_two_part_functions_of_doubles():
    x = np.array([1.5, -2.25, 1e-300, 7e200])
    a = to_gpu(x)
    for got, want in zip(cumath.frexp(a), np.frexp(x), strict=True):
        np.testing.assert_array_equal(got.get(), want)
    for got, want in zip(cumath.modf(a), np.modf(x), strict=True):
        np.testing.assert_array_equal(got.get(), want)
    same(cumath.fmod(a, to_gpu(x[::-1].copy())), np.fmod(x, x[::-1]))
    same(cumath.ldexp(a, to_gpu(np.array([2.0, 3, 4, 5]))),
         np.ldexp(x, [2, 3, 4, 5]))  # fmt: skip


def test_the_old_name_of_async():
    a = to_gpu(GRID)
    stream = drv.Stream()
    old = {"async": True}
    a.set(2 * GRID, stream=stream, **old)
    host = a.get(stream=stream, **old)
    stream.synchronize()
    np.testing.assert_array_equal(host, 2 * GRID)


def test_arange_with_keywords_and_stream():
    stream = drv.Stream()
    a = gpuarray.arange(start=1, stop=7, step=2, dtype=np.int32, stream=stream)
    stream.synchronize()
    same(a, np.arange(1, 7, 2, np.int32))
    same(gpuarray.arange(5, 5, dtype=np.int32), np.arange(0, dtype=np.int32))


def test_out_of_logical_not():
    x = np.array([0.0, 2.0, np.nan])
    out = gpuarray.empty(3, np.bool_)
    assert gpuarray.logical_not(to_gpu(x), out) is out
    same(out, np.logical_not(x))


def test_logical_functions_of_numbers():
    assert gpuarray.logical_and(1, 0).get() == np.False_
    assert gpuarray.logical_or(1, 0).get() == np.True_
    assert gpuarray.logical_not(0).get() == np.True_
    out = gpuarray.zeros(2, np.bool_)
    assert gpuarray.logical_or(1, 0, out) is out
    same(out, np.array([True, True]))
    for host in (GRID, [1, 0]):
        with pytest.raises(TypeError, match="host array"):
            gpuarray.logical_and(host, host)


def test_scan_into_a_new_array():
    a = to_gpu(np.arange(5, dtype=np.int32))
    result = InclusiveScanKernel(np.int32, "a+b")(a, "new")
    same(result, np.cumsum(np.arange(5)).astype(np.int32))
    same(a, np.arange(5, dtype=np.int32))


def test_multi_take_without_out():
    index = to_gpu(np.array([2, 0], np.int32))
    one, two = gpuarray.multi_take([to_gpu(GRID[0]), to_gpu(GRID[1])], index)
    same(one, GRID[0][[2, 0]])
    same(two, GRID[1][[2, 0]])


def test_add_timer_of_mul_add():
    a = to_gpu(GRID)
    same(a.mul_add(2, a, 3, add_timer=lambda *_: None), 5 * GRID)


def test_range_without_a_step():
    x = to_gpu(np.zeros(6, np.float32))
    ElementwiseKernel("float *x", "x[i] = i")(x, range=slice(1, 4))
    same(x, np.array([0, 1, 2, 3, 0, 0], np.float32))


def test_an_argument_list_stays_as_it_is():
    arguments = [VectorArg(np.float32, "x"), ScalarArg(np.float32, "a")]
    kernel = ElementwiseKernel(arguments, "x[i] += a")
    x = gpuarray.zeros(5, np.float32)
    kernel(x, 1)
    kernel(x, 1, range=slice(0, 2, 1))
    assert len(arguments) == 2
    same(x, np.array([2, 2, 1, 1, 1], np.float32))


def test_squeeze_keeps_empty_axes():
    a = gpuarray.empty((1, 0, 3), np.float32)
    assert a.squeeze().shape == (0, 3)


def test_signed_zeros():
    x = np.array([0.0, -0.0, 1.0], np.float32)
    a = to_gpu(x)
    same(-a, -x)
    same(a * -1, x * np.float32(-1))
    same(a * 0, x * np.float32(0))
    same(a - 0, x - np.float32(0))


def test_dot_is_silent(capfd):
    a = to_gpu(GRID)
    assert gpuarray.dot(a, a).get() == (GRID * GRID).sum()
    assert capfd.readouterr() == ("", "")


def test_exclusive_scans_take_a_number():
    a = to_gpu(np.ones(4, np.int32))
    same(ExclusiveScanKernel(np.int32, "a+b", 0)(a),
         np.arange(4, dtype=np.int32))  # fmt: skip


# --- kept ----------------------------------------------------------------


def test_gpudata_of_whole_arrays_can_be_freed():
    a = to_gpu(GRID)
    assert isinstance(a[1:].gpudata, int)
    assert int(a[1:].gpudata) == int(a.gpudata) + 16
    a.gpudata.free()
    with pytest.raises(drv.LogicError):
        a.get()


def test_bases():
    a = to_gpu(GRID)
    assert a.base is None
    assert a[1:].base is a
    assert a[1:][1:].base is not a
    assert a.T.base is a
    assert a.T.T.base is a


def test_iteration_gives_views():
    a = to_gpu(GRID)
    for row in a:
        row += 1
    same(a, GRID + 1)
    assert list(gpuarray.zeros((), np.float32)) == []


def test_text_is_that_of_the_host_copy():
    a = to_gpu(GRID)
    assert str(a) == str(GRID)
    assert repr(a) == repr(GRID)


def test_results_without_axes_stay_on_the_device():
    a = to_gpu(GRID)
    for result in (a[1, 2], gpuarray.sum(a), gpuarray.max(a)):
        assert isinstance(result, gpuarray.GPUArray)
        assert result.shape == ()
    assert a[1, 2].get() == 6


def test_truth():
    assert not gpuarray.zeros((1, 1), np.float32)
    assert gpuarray.ones((), np.float32)
    for shape in (0, 2, (2, 0)):
        with pytest.raises(ValueError, match="ambiguous"):
            bool(gpuarray.zeros(shape, np.float32))


def test_results_follow_strides_and_allocator():
    sizes = []

    def allocator(size):
        sizes.append(size)
        return drv.mem_alloc(size)

    a = to_gpu(np.asfortranarray(GRID), allocator)
    assert (a + 1).strides == a.strides
    assert (a + a).allocator is allocator
    assert len(sizes) == 3


def test_names_of_builtins_are_shadowed():
    for name in ("any", "all", "sum", "min", "max"):
        assert getattr(gpuarray, name) is not getattr(builtins, name)


def test_numpys_seed_makes_runs_repeatable():
    draws = []
    for _ in range(2):
        np.random.seed(5)
        draws.append(curandom.rand(10).get())
    np.testing.assert_array_equal(*draws)


def test_numpys_promotion():
    f4, i4 = to_gpu(GRID), to_gpu(GRID.astype(np.int32))
    assert (f4 + i4).dtype == np.float64
    assert (f4 + 1.5).dtype == np.float32
    assert (f4 + np.float64(1.5)).dtype == np.float64
    assert isinstance(np.float32(2) * f4, gpuarray.GPUArray)


def test_reduction_expressions_may_use_any_name():
    """In expressions a and b are tokens; the accumulator may be volatile."""
    kernel = ReductionKernel(
        np.float32, "0", "a+b", "x[i]*ab", "const float *x, float ab"
    )
    assert kernel(to_gpu(GRID), np.float32(2)).get() == 2 * GRID.sum()


def test_mismatches_of_get_and_set():
    a = to_gpu(GRID)
    with pytest.raises(TypeError):
        a.get(np.empty((3, 4)))
    with pytest.raises(ValueError, match="dtype"):
        a.set(np.empty((3, 4)))


def test_sums_are_the_same_each_time():
    x = np.random.default_rng(1).random(100_000).astype(np.float32)
    a = to_gpu(x)
    assert len({float(gpuarray.sum(a).get()) for _ in range(5)}) == 1


def test_arrays_are_not_hashable():
    with pytest.raises(TypeError, match="GPUArrays are not hashable."):
        hash(to_gpu(GRID))


def test_launch_shapes():
    a = gpuarray.zeros(100, np.float32)
    assert a._grid == (4, 1)
    assert a._block == (32, 1, 1)


def test_memory_and_base_can_be_set():
    """Programs set both when they build arrays around existing memory."""
    a = gpuarray.to_gpu(np.arange(4, dtype=np.int32))
    b = gpuarray.to_gpu(np.arange(10, 14, dtype=np.int32))
    a.gpudata = b.gpudata
    assert a.ptr == b.ptr and a.gpudata is b.gpudata
    assert a.get().tolist() == [10, 11, 12, 13]
    a.base = b
    assert a.base is b
    a.base = None
    assert a.base is None


def test_arrays_are_broadcast_together():
    hosts = [np.arange(3), np.arange(4).reshape(4, 1), np.float32(2)]
    devices = [gpuarray.to_gpu(np.asarray(host)) for host in hosts]
    got = gpuarray.broadcast_arrays(*devices)
    want = np.broadcast_arrays(*hosts)
    assert len(got) == 3
    for mine, theirs, whole in zip(got, want, devices, strict=True):
        assert mine.shape == (4, 3) and mine.ptr == whole.ptr
        assert (mine.get() == theirs).all()
