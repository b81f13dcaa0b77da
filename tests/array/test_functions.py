"""Creation, joining, selection, gathering, and attributes of arrays."""

# SPDX-License-Identifier: MIT

import warnings

import numpy as np
import pytest
from layouts import NUMBERS, VIEWS, both, numbers, same

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.tools import get_or_register_dtype

pytestmark = pytest.mark.usefixtures("context")


@pytest.mark.parametrize("dtype", NUMBERS)
def test_zeros_and_ones(dtype):
    same(gpuarray.zeros((3, 4), dtype), np.zeros((3, 4), dtype))
    same(gpuarray.ones((3, 4), dtype), np.ones((3, 4), dtype))


def test_defaults_and_shapes():
    assert gpuarray.zeros(3).dtype == np.float64
    for shape in (np.int32(3), np.array(3), [3], np.array([3]), (3,)):
        assert gpuarray.empty(shape, np.float32).shape == (3,)
    for shape in (3.0, "3", (3, 2.5), None):
        with pytest.raises(AssertionError):
            gpuarray.empty(shape, np.float32)
    with pytest.raises(ValueError, match="negative"):
        gpuarray.empty((-1,), np.float32)
    with pytest.raises(ValueError, match="invalid order"):
        gpuarray.empty(3, np.float32, order="A")
    with pytest.raises(AssertionError):
        gpuarray.empty(3, np.float32, base=object())
    assert gpuarray.zeros((3, 4), order="F").flags.f_contiguous


@pytest.mark.parametrize(
    "shape", [(), (3,), (3, 4), (1, 4), (0, 4), (2, 3, 4), (2, 1, 1, 4, 1)]
)
def test_axes_in_reverse(shape):
    host = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    array = gpuarray.to_gpu(host)
    pairs = [(array.T, host.T), (array.transpose(None), host.transpose(None))]
    if shape and shape[0] > 1:
        pairs.append((array[1:].T, host[1:].T))
        pairs.append((array[..., ::-1].T, host[..., ::-1].T))
    for made, expected in pairs:
        assert made.shape == expected.shape and made.size == expected.size
        assert made.flags.c_contiguous == expected.flags.c_contiguous
        assert made.flags.f_contiguous == expected.flags.f_contiguous
        if expected.size:
            assert made.strides == expected.strides
        np.testing.assert_array_equal(made.get(), expected)


def test_numbers_that_programs_assign():
    """Assigned attributes are stored; operations use shape and dtype."""
    array = gpuarray.to_gpu(np.arange(4, dtype=np.float32))
    for name in ("size", "mem_size", "nbytes", "itemsize"):
        own = getattr(array, name)
        with pytest.raises(AttributeError, match=f"{name} was not assigned"):
            delattr(array, name)
        setattr(array, name, 99)
        assert getattr(array, name) == 99
        assert (array + 1).get().tolist() == [1, 2, 3, 4]
        delattr(array, name)
        assert getattr(array, name) == own
    with pytest.raises(AttributeError):
        array.ndim = 2

    class Padded(gpuarray.GPUArray):
        def __init__(self, *arguments):
            super().__init__(*arguments)
            self.nbytes = 128

    assert Padded((3,), np.int32).nbytes == 128


def test_attributes():
    array = gpuarray.empty((3, 4), np.float32)
    assert (array.size, array.mem_size, array.nbytes) == (12, 12, 48)
    assert (array.ndim, array.itemsize) == (2, 4)
    assert array.strides == (16, 4)
    assert array.ptr == int(array.gpudata)
    assert array.base is None
    assert array.allocator is drv.mem_alloc
    assert array._grid == (1, 1) and array._block == (32, 1, 1)
    assert array.flags.c_contiguous and array.flags.forc
    assert not array.flags.f_contiguous
    assert array.T.flags.f_contiguous
    assert not array[:, ::2].flags.forc
    interface = array.__cuda_array_interface__
    assert interface["shape"] == (3, 4)
    assert interface["strides"] == (16, 4)
    assert interface["data"] == (array.ptr, False)
    assert (interface["version"], interface["typestr"]) == (3, "<f4")
    with pytest.raises(TypeError, match="not hashable"):
        hash(array)
    empty = gpuarray.empty((0, 3), np.float32)
    assert empty.gpudata is None
    assert not hasattr(empty, "ptr")


def test_memory_of_the_caller():
    memory = drv.mem_alloc(64)
    array = gpuarray.GPUArray((16,), np.float32, gpudata=memory)
    assert array.gpudata is memory
    array.fill(3)
    half = gpuarray.GPUArray(
        8, np.float32, gpudata=int(memory) + 32, base=array
    )
    assert half.base is array
    same(half, np.full(8, 3, "f4"))


def test_splay():
    assert gpuarray.splay(1)[1] == (32, 1, 1)
    (blocks, one), (threads, _, _) = gpuarray.splay(10**7)
    assert one == 1 and threads == 128 and blocks % 32 == 0


def test_like():
    base = gpuarray.zeros((3, 4), np.float32, order="F")
    assert gpuarray.empty_like(base).strides == base.strides
    assert gpuarray.zeros_like(base, order="C").flags.c_contiguous
    assert gpuarray.ones_like(base, order="A").flags.f_contiguous
    same(gpuarray.ones_like(base, np.int32), np.ones((3, 4), "i4"))
    view = gpuarray.zeros((4, 6, 5), np.float32).transpose((1, 0, 2))[::2]
    assert gpuarray.empty_like(view).strides == (20, 60, 4)
    with pytest.raises(ValueError, match="Unsupported order"):
        gpuarray.empty_like(base, order="Q")


@pytest.mark.parametrize(
    "arguments", [(5,), (2, 9), (2, 9, 3), (9, 2, -2), (5, 2)], ids=str
)
def test_arange(arguments):
    for dtype in (np.float32, np.int32, np.float64, np.complex64):
        same(
            gpuarray.arange(*arguments, dtype=dtype),
            np.arange(*arguments).astype(dtype),
        )


def test_arange_of_fractions():
    same(
        gpuarray.arange(0, 1, 0.125, dtype=np.float32),
        np.arange(0, 1, 0.125, dtype="f4"),
    )


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8"])
def test_arange_falls_in_unsigned_types(dtype):
    same(gpuarray.arange(10, 0, -1, dtype=dtype), np.arange(10, 0, -1, dtype))
    same(gpuarray.arange(9, 0, -4.0, dtype=dtype), np.array([9, 5, 1], dtype))


def test_frexp_of_numpy_gives_integers():
    x = np.array([3, -0.1, 0], "f4")
    for got, want in zip(
        np.frexp(gpuarray.to_gpu(x)), np.frexp(x), strict=True
    ):
        same(got, want)


def test_arange_arguments():
    with pytest.warns(UserWarning, match="guessed dtype"):
        assert gpuarray.arange(4).dtype == np.int64
    same(gpuarray.arange(4, np.dtype("f4")), np.arange(4, dtype="f4"))
    same(
        gpuarray.arange(start=1, stop=4, dtype=np.int32),
        np.arange(1, 4, dtype="i4"),
    )
    with pytest.raises(ValueError, match="too many"):
        gpuarray.arange(1, 2, 3, 4)
    with pytest.raises(ValueError, match="unexpected keyword"):
        gpuarray.arange(4, size=3)
    with pytest.raises(ValueError, match="by position and keyword"):
        gpuarray.arange(4, stop=3)
    with pytest.raises(ValueError, match="step"):
        gpuarray.arange(0, 4, 0, dtype=np.float32)


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_concatenate_and_stack(axis):
    parts = [both(numbers((3, 4, 5), "f4", k), "CF"[k % 2]) for k in range(3)]
    hosts, devices = zip(*parts, strict=True)
    same(gpuarray.concatenate(devices, axis), np.concatenate(hosts, axis))
    same(gpuarray.stack(devices, axis), np.stack(hosts, axis))
    mixed = [devices[0], devices[1].astype(np.float64)]
    same(
        gpuarray.concatenate(mixed, axis),
        np.concatenate([hosts[0], hosts[1].astype("f8")], axis),
    )


def test_joining_errors():
    a = gpuarray.zeros((2, 3), np.float32)
    with pytest.raises(ValueError):
        gpuarray.concatenate([a, gpuarray.zeros((2, 4), np.float32)])
    with pytest.raises(ValueError):
        gpuarray.concatenate([a, gpuarray.zeros(3, np.float32)])
    with pytest.raises(ValueError, match="invalid axis"):
        gpuarray.stack([a, a], axis=4)
    with pytest.raises(ValueError, match="same shape"):
        gpuarray.stack([a, a.T])
    for kind in (ValueError, IndexError):  # classes of NumPy and PyCUDA
        with pytest.raises(kind, match="at least one"):
            gpuarray.stack([])


@pytest.mark.parametrize("types", [("f4", "f4"), ("i4", "f8"), ("?", "i2")])
def test_selection(types):
    c, gc = both(numbers((40,), types[0], 1))
    a, ga = both(numbers((40,), types[1], 2))
    b, gb = both(numbers((40,), types[1], 3))
    same(gpuarray.where(gc, ga, gb), np.where(c, a, b))
    same(gpuarray.if_positive(gc, ga, gb), np.where(c > 0, a, b))
    same(gpuarray.where(gc, ga, 0), np.where(c, a, a.dtype.type(0)))
    same(gpuarray.maximum(ga, gb), np.maximum(a, b))
    same(gpuarray.minimum(ga, 1), np.minimum(a, 1))
    same(gpuarray.maximum(0, ga), np.maximum(0, a))
    for name in ("logical_and", "logical_or"):
        ours, theirs = getattr(gpuarray, name), getattr(np, name)
        same(ours(gc, ga), theirs(c, a))
        same(ours(ga, 0.0), theirs(a, 0.0))
    same(gpuarray.logical_not(ga), np.logical_not(a))
    out = gpuarray.empty((40,), bool)
    assert gpuarray.logical_not(ga, out) is out
    same(out, np.logical_not(a))


def test_maximum_propagates_nan():
    a = np.array([1, np.nan, 3, np.nan], "f4")
    b = np.array([2, 2, np.nan, np.nan], "f4")
    same(
        gpuarray.maximum(gpuarray.to_gpu(a), gpuarray.to_gpu(b)),
        np.maximum(a, b),
    )


def test_selection_errors():
    a = gpuarray.zeros((4,), np.float32)
    b = gpuarray.zeros((5,), np.float32)
    with pytest.raises(ValueError, match="shapes"):
        gpuarray.if_positive(a, a, b)
    with pytest.raises(ValueError, match="dtypes"):
        gpuarray.if_positive(a, a, a.astype(np.float64))


@pytest.mark.parametrize("dtype", ["u1", "f4", "f8", "c16", "i2"])
def test_gathering(dtype):
    a, ga = both(numbers((6, 50), dtype), "F")
    index = np.random.default_rng(1).permutation(300)[:99].astype("i4")
    gi = gpuarray.to_gpu(index)
    same(gpuarray.take(ga, gi), a.ravel()[index])
    same(gpuarray.multi_take([ga, ga], gi)[1], a.ravel()[index])
    put = np.random.default_rng(2).permutation(120)[:99].astype("u4")
    gp = gpuarray.to_gpu(put)
    expected = np.zeros(120, dtype)
    expected[put] = a.ravel()[index]
    out = [gpuarray.zeros(120, dtype)]
    same(gpuarray.multi_take_put([ga], gp, gi, out=out)[0], expected)
    expected[put] = a.ravel()[:99]
    source = gpuarray.to_gpu(a.ravel()[:99].copy())
    same(gpuarray.multi_put([source], gp, out=out)[0], expected)
    assert gpuarray.multi_take([], gi) == []


def test_parts_of_complex_numbers():
    for order in "CF":
        a, g = both(numbers((3, 4), "c8"), order)
        same(g.real, a.real)
        same(g.imag, a.imag)
        same(g.conj(), a.conj())
        assert g.real.flags.f_contiguous == (order == "F")
        out = gpuarray.empty_like(g)
        assert g.conj(out) is out
    a, g = both(numbers((4,), "f4"))
    assert g.real is g and g.conj() is g
    same(g.imag, np.zeros(4, "f4"))


@pytest.mark.parametrize("dtype", ["?", "i8", "f2", "f4", "c8", "c16"])
@pytest.mark.parametrize("name", ["real", "imag"])
def test_real_and_imag_as_functions(name, dtype):
    a, g = both(numbers((3, 4), dtype), "F")
    expected, function = getattr(np, name)(a), getattr(gpuarray, name)
    same(function(g), expected)
    same(function(g[::2, ::-1]), expected[::2, ::-1])
    same(getattr(np, name)(g), expected)
    out = gpuarray.zeros((3, 4), expected.dtype)
    assert function(g, out=out) is out
    same(out, expected)
    assert (function(g) is g) == (name == "real" and a.dtype.kind != "c")
    with pytest.raises(TypeError, match="GPUArray"):
        function(a)


def test_where_of_a_criterion_alone():
    a, g = both(np.array([[0, 1.5, np.nan], [-0.0, 0, 2]]))
    for found, expected in zip(gpuarray.where(g), np.where(a), strict=True):
        same(found, expected)
    with pytest.raises(TypeError, match="where is for"):
        gpuarray.where(g, g)


def test_reverse_and_mul_add():
    a, g = both(numbers((3, 4), "f4"))
    b, h = both(numbers((3, 4), "f4", 2))
    same(g.reverse(), a.ravel()[::-1].reshape(3, 4))
    same(g.mul_add(2, h, 3), 2 * a + 3 * b)


WEIGHTS = [0, 2, -3, 0.1, 1e30, -0.0, float("inf"), float("nan"), 1000,
           True, np.float32(0.3), np.float64(0.7), np.int8(3), 1j]  # fmt: skip


@pytest.mark.parametrize("other", ["f4", "f8", "f2", "i2"])
@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_mul_add_is_rounded_as_numpys(dtype, other):
    random = np.random.default_rng(3)
    a, g = both(random.normal(0, 1e3, 5000).astype(dtype))
    b, h = both((random.normal(0, 9, 5000)).astype(other))
    for left, right in zip(WEIGHTS, WEIGHTS[::-1], strict=True):
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            want = left * a + right * b
        rtol = 1e-5 if want.dtype.kind == "c" else 0
        same(g.mul_add(left, h, right), want, rtol)


@pytest.mark.parametrize("view", VIEWS)
def test_mul_add_of_views(view):
    a, g = both(numbers((12, 14), "f4"), "C", view)
    b, h = both(numbers((12, 14), "f4", 2), "F", view)
    same(g.mul_add(0.3, h, 7), 0.3 * a + 7 * b)
    same(g.mul_add(1.5, g, 2), 1.5 * a + 2 * a)
    assert g.mul_add(0.3, h, 7).strides == (g * 0.3 + h * 7).strides
    assert g.mul_add(0.3, g, 7).strides == (g * 0.3 + g * 7).strides
    out = gpuarray.zeros(a.shape, "f8")
    assert g.mul_add(2, h, 3, out=out) is out
    same(out, (2 * a + 3 * b).astype("f8"))
    same(g.mul_add(2, h[:1], 3), 2 * a + 3 * b[:1])
    same(g[:0].mul_add(2, g[:0], 3), a[:0])


def test_mul_add_at_odd_addresses():
    raw = np.arange(41, dtype="u1")
    a, g = (x[1:].view("f4") for x in (raw, gpuarray.to_gpu(raw)))
    h = gpuarray.to_gpu(a)
    same(g.mul_add(2, h, 3), 2 * a + 3 * a)
    same(h.mul_add(2, g, 3), 2 * a + 3 * a)


def test_mul_add_is_one_kernel():
    a, g = both(numbers((50,), "f4"))
    g.mul_add(2, g, 3)
    stream = drv.Stream()
    with stream.capture() as plain, stream.use():
        remaining_items = [g + g for _ in range(7)]
    with stream.capture() as graph:
        sums = [g.mul_add(2, g, 0.5, stream=stream) for _ in range(7)]
    assert graph.node_count == plain.node_count >= len(remaining_items)
    graph.launch(stream)
    stream.synchronize()
    for one in sums:
        same(one, 2 * a + np.float32(0.5) * a)


def test_vector_types():
    vec = gpuarray.vec
    assert vec.float3.itemsize == 12
    value = vec.make_float4(1, 2, 3, 4)
    array = gpuarray.zeros((5,), vec.float4)
    array.fill(value)
    np.testing.assert_array_equal(array.get(), np.full(5, value, vec.float4))
    assert get_or_register_dtype("float3") == vec.float3
    names = [n for n in vars(vec) if n.startswith("make_")]
    assert len(names) == 42
    assert vec.make_int3(1, z=3, y=2).tolist() == (1, 2, 3)
    with pytest.raises(TypeError, match=r"2 values \(x, y\), got 1$"):
        vec.make_int2(1)
    for values, named in (
        ((1,), {"x": 2}),
        ((1, 2), {"z": 3}),
        ((), {"y": 1}),
    ):
        with pytest.raises(TypeError, match=r"2 values .* with the names "):
            vec.make_int2(*values, **named)


def test_modules_that_come_along():
    import pycuda

    for name in ("cumath", "driver", "elementwise", "curandom", "reduction"):
        assert hasattr(pycuda, name)


def test_gathering_into_what_is_gathered_from():
    a, index = numbers((6, 5), "f4"), np.array([5, 0, 3, 1, 1, 4])
    for order in "CF":
        g = gpuarray.to_gpu(np.asarray(a, order=order))
        gpuarray.take(g, gpuarray.to_gpu(index), axis=0, out=g)
        same(g, a[index])
    g = gpuarray.to_gpu(a)
    backwards = gpuarray.to_gpu(np.arange(29, -1, -1).reshape(6, 5))
    gpuarray.take(g, backwards, g)
    same(g, a.ravel()[::-1].reshape(6, 5))
    wrong = gpuarray.zeros((6, 6), np.float32)
    with pytest.raises(ValueError, match="out has shape"):
        gpuarray.take(g, index, axis=0, out=wrong)


def test_rounding_into_another_type():
    a, g = both(numbers((4, 5), "f4"))
    out = gpuarray.zeros((4, 5), np.float64)
    for decimals in (0, 1):
        assert gpuarray.round(g, decimals, out=out) is out
        same(out, a.round(decimals).astype("f8"))
        with pytest.raises(TypeError, match="cast"):
            gpuarray.round(g, decimals, out=gpuarray.zeros((4, 5), np.int8))
    whole = gpuarray.to_gpu(np.array([300, -5]))
    with pytest.raises(TypeError, match="cast"):
        gpuarray.round(whole, out=gpuarray.zeros(2, np.uint8))
    same(gpuarray.round(whole, out=gpuarray.zeros(2)), np.array([300.0, -5]))
