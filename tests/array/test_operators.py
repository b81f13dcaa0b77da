"""Operators against NumPy: operation x dtype x layout x scalar kind."""

# SPDX-License-Identifier: MIT

import operator
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from layouts import NUMBERS, REAL, both, numbers, orders, same, shapes, views

from pycuda import cumath, gpuarray

pytestmark = pytest.mark.usefixtures("context")

BINARY = {
    name: getattr(operator, name)
    for name in (
        *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"),
        *("and_", "or_", "xor", "lshift", "rshift"),
        *("lt", "le", "eq", "ne", "gt", "ge"),
    )
}
# These results are rounded by more than one IEEE operation: complex quotients,
# and powers of floating-point numbers.
TOLERANCE = {"f": 2e-6, "c": 2e-6}


def apply(function, *operands):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with np.errstate(all="ignore"):
            return function(*operands)


def tolerance(name, dtype):
    if name == "pow" and dtype.kind in "fc":
        return TOLERANCE[dtype.kind]
    if name in ("mul", "truediv") and dtype.kind == "c":
        return TOLERANCE["c"]
    return 0


def check(name, host, device, left, right):
    """Assert equal results, or that both sides reject the types."""
    function = BINARY[name]
    try:
        expected = apply(function, *host)
    except (TypeError, OverflowError, ValueError) as error:
        with pytest.raises(type(error)):
            function(*device)
        return
    if np.asarray(expected).dtype.char == "e":
        return
    if name == "pow" and np.asarray(expected).dtype.kind == "c":
        # For complex numbers 0 ** x and x ** 0 follow special conventions.
        expected = np.asarray(expected)
    same(
        function(*device),
        expected,
        tolerance(name, np.asarray(expected).dtype),
    )


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", NUMBERS)
@pytest.mark.parametrize("name", sorted(BINARY))
def test_array_with_array(name, dtype):
    if np.dtype(dtype).kind == "c" and name in ("lt", "le", "gt", "ge"):
        pytest.skip("order of complex numbers: test_complex_order")
    a, b = numbers((5, 7), dtype, 1), numbers((5, 7), dtype, 2)
    if name == "pow":
        b = np.abs(b).astype(dtype) if a.dtype.kind in "iu" else b
        a = (np.abs(a) + 1).astype(dtype) if a.dtype.kind in "fc" else a
    check(name, (a, b), (gpuarray.to_gpu(a), gpuarray.to_gpu(b)), dtype, dtype)


MIXED = [
    ("i4", "f4"), ("i4", "i8"), ("u1", "i1"), ("f4", "f8"), ("?", "i4"),
    ("i8", "u8"), ("u8", "i8"), ("f4", "c8"), ("c8", "f8"), ("i2", "c8"),
    ("u4", "f4"), ("c16", "c8"),
]  # fmt: skip


@pytest.mark.sweep(most=24)
@pytest.mark.parametrize("types", MIXED, ids=str)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "eq", "lt"])
def test_mixed_types(name, types):
    if "c" in "".join(types) and name == "lt":
        pytest.skip("order of complex numbers: test_complex_order")
    a, b = numbers((33,), types[0], 1), numbers((33,), types[1], 2)
    check(name, (a, b), (gpuarray.to_gpu(a), gpuarray.to_gpu(b)), *types)


SCALARS = [
    2, -3, 0, 1.5, 2j, True, np.float32(1.5), np.float64(1.5), np.int8(3),
    np.int64(2), np.array(2.5), np.array(3), 300, 2**40, 2**70,
]  # fmt: skip


@pytest.mark.sweep
@pytest.mark.parametrize("scalar", SCALARS, ids=repr)
@pytest.mark.parametrize("dtype", ["?", "i1", "u1", "i4", "u8", "f4", "c8"])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv", "lt", "ne"])
def test_array_with_scalar(name, dtype, scalar):
    complex_ = np.dtype(dtype).kind == "c" or isinstance(scalar, complex)
    if complex_ and name == "lt":
        pytest.skip("order of complex numbers: test_complex_order")
    a = numbers((19,), dtype)
    g = gpuarray.to_gpu(a)
    check(name, (a, scalar), (g, scalar), dtype, scalar)
    check(name, (scalar, a), (scalar, g), scalar, dtype)


def test_complex_order():
    a, b = numbers((64,), "c8", 1), numbers((64,), "c8", 2)
    a[:8] = b[:8]
    a[8:16].real = b[8:16].real
    for name in ("lt", "le", "gt", "ge"):
        check(
            name, (a, b), (gpuarray.to_gpu(a), gpuarray.to_gpu(b)), "c8", "c8"
        )


@settings(max_examples=60, deadline=None)
@given(
    shape=shapes,
    order_a=orders,
    order_b=orders,
    view_a=views,
    name=st.sampled_from(["add", "sub", "lt"]),
    data=st.data(),
)
def test_layouts_and_broadcasting(shape, order_a, order_b, view_a, name, data):
    a, ga = both(numbers(shape, "f4", 1), order_a, view_a)
    # A broadcast operand: some axes of length 1, some missing.
    other = tuple(
        data.draw(st.sampled_from([n, 1]), label="length") for n in a.shape
    )
    missing = data.draw(st.integers(0, len(other)), label="missing axes")
    b, gb = both(numbers(other[missing:], "f4", 2), order_b)
    check(name, (a, b), (ga, gb), "f4", "f4")
    check(name, (b, a), (gb, ga), "f4", "f4")


@pytest.mark.parametrize("shape", [(70, 300), (3, 4, 1000), (100000,)])
def test_long_rows_and_wide_loads(shape):
    a, b = numbers(shape, "f4", 1), numbers(shape, "f4", 2)
    ga, gb = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    same(ga + gb, a + b)
    same(ga[..., 1:] + gb[..., :-1], a[..., 1:] + b[..., :-1])
    same(ga[..., ::3] * gb[..., ::3], a[..., ::3] * b[..., ::3])
    same(ga + gb[..., :1], a + b[..., :1])
    same(ga.T - gb.T, a.T - b.T)


def test_shapes_that_do_not_fit():
    a = gpuarray.to_gpu(numbers((3, 4), "f4"))
    b = gpuarray.to_gpu(numbers((3, 5), "f4"))
    with pytest.raises(ValueError, match=r"shapes \[\(3, 4\), \(3, 5\)\]"):
        a + b
    with pytest.raises(ValueError, match="output"):
        a[0] += a


@pytest.mark.parametrize("dtype", NUMBERS)
def test_unary(dtype):
    a, g = both(numbers((4, 9), dtype))
    for function in (operator.neg, operator.pos, abs, operator.invert):
        try:
            expected = function(a)
        except TypeError:
            with pytest.raises(TypeError):
                function(g)
            continue
        complex_abs = function is abs and a.dtype.kind == "c"
        same(function(g), expected, 1e-6 if complex_abs else 0)


IN_PLACE = {
    name: getattr(operator, name)
    for name in (
        *("iadd", "isub", "imul", "itruediv", "ifloordiv", "imod", "ipow"),
        *("iand", "ior", "ixor", "ilshift", "irshift"),
    )
}


@pytest.mark.parametrize("types", [("f4", "f4"), ("i4", "i4"), ("f4", "f8"),
                                   ("i4", "f4"), ("u1", "i4"), ("c8", "f4")],
                         ids=str)  # fmt: skip
@pytest.mark.parametrize("name", sorted(IN_PLACE))
def test_in_place(name, types):
    a = np.abs(numbers((6, 5), types[0], 1)).astype(types[0])
    b = np.abs(numbers((6, 5), types[1], 2)).astype(types[1])
    if a.dtype.kind == "c" and name == "ipow":
        pytest.skip("complex powers: test_array_with_array")
    g, gb = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    same_object = g
    try:
        a = apply(IN_PLACE[name], a, b)
    except TypeError:
        with pytest.raises(TypeError):
            IN_PLACE[name](g, gb)
        return
    g = IN_PLACE[name](g, gb)
    assert g is same_object
    rtol = 2e-6 if name == "ipow" or a.dtype.kind == "c" else 0
    if a.dtype.kind in "iu":
        rtol = 0
    same(g, a, rtol)


def test_in_place_reads_before_it_writes():
    a, g = both(numbers((50,), "i4"))
    a[1:] += a[:-1].copy()
    g[1:] += g[:-1]
    same(g, a)
    a, g = both(numbers((6, 6), "f4"))
    a += a.T.copy()
    g += g.T
    same(g, a)


def test_signed_zeros_and_specials():
    values = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1, -1], "f4")
    a, b = (x.ravel() for x in np.meshgrid(values, values))
    ga, gb = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod"):
        check(name, (a, b), (ga, gb), "f4", "f4")
    same(-gpuarray.to_gpu(values), -values)
    same(gpuarray.to_gpu(values) / 2, values / 2)
    same(1 / gpuarray.to_gpu(values), apply(operator.truediv, 1, values))


def test_integer_powers_are_exact():
    a = np.array([3, -3, 7, 2, 0, 1, -1], "i8")
    g = gpuarray.to_gpu(a)
    same(g**39, a**39)
    same(g ** gpuarray.to_gpu(np.arange(7)), a ** np.arange(7))
    with pytest.raises(ValueError, match="negative integer powers"):
        g ** (-1)


@pytest.mark.parametrize("dtype", ["c8", "c16"])
def test_complex_powers(dtype):
    a = np.array([0, -0.0, 1j, -2, 1 - 2j, -0.5j, 3 + 1j], dtype)
    g = gpuarray.to_gpu(a)
    for exponent in (0, 1, 2, 3, 6, -1, -3, 99):
        expected = apply(operator.pow, a, exponent)
        same(g**exponent, expected, 1e-5 if dtype == "c8" else 1e-13)
    same(g[2:3] ** 2, np.array([-1], dtype))
    exponents = np.array([0.5, 2 + 1j, 0, -1, 1j, -1 + 1j, 1], dtype)
    for zero in (gpuarray.zeros(7, dtype), gpuarray.zeros(7, np.float32)):
        expected = apply(operator.pow, zero.get(), exponents)
        same(zero ** gpuarray.to_gpu(exponents), expected)
    same(
        gpuarray.float_power(gpuarray.zeros(7, dtype), g),
        apply(np.float_power, np.zeros(7, dtype), a),
    )


def test_booleans_to_negative_powers():
    g = gpuarray.to_gpu(np.array([True, False]))
    same(g**2, np.array([1, 0]))
    with pytest.raises(ValueError, match="negative integer powers"):
        g ** (-1)


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.array])
def test_uint64_to_negative_powers_of_signed_types(kind):
    a, g = both(np.array([4, 1], "u8"))
    same(g ** kind(-1), a ** kind(-1))
    with pytest.raises(ValueError, match="negative integer powers"):
        g ** (-1)
    with pytest.raises(ValueError, match="negative integer powers"):
        g.astype(np.int64) ** kind(-1)


def test_integers_divided_by_zero_give_zero():
    a, g = both(np.array([5, -5, 0], "i4"))
    zero = gpuarray.zeros(3, np.int32)
    same(g // zero, np.zeros(3, "i4"))
    same(g % zero, np.zeros(3, "i4"))


def test_results_keep_class_allocator_and_order():
    class Mine(gpuarray.GPUArray):
        def __init__(self):
            raise AssertionError("results must not run __init__")

    calls = []

    def allocator(size):
        import pycuda.driver as drv

        calls.append(size)
        return drv.mem_alloc(size)

    g = gpuarray.GPUArray((3, 4), np.float32, allocator, order="F").fill(2)
    total = g + g
    assert calls == [48, 48]
    assert total.flags.f_contiguous
    assert total.allocator is allocator
    mine = Mine.__new__(Mine)
    gpuarray.GPUArray.__init__(mine, (5,), np.float32)
    mine.fill(1)
    assert type(mine + 1) is Mine
    assert type(mine[1:]) is Mine


def test_host_arrays_are_refused():
    g = gpuarray.to_gpu(numbers((3,), "f4"))
    host = np.ones(3, "f4")
    for function in (operator.add, operator.eq, operator.truediv):
        with pytest.raises(TypeError, match="to_gpu"):
            function(g, host)
        with pytest.raises(TypeError, match="to_gpu"):
            function(host, g)
    with pytest.raises(TypeError, match="to_gpu"):
        cumath.fmod(g, host)
    with pytest.raises(TypeError, match="get"):
        np.asarray(g)
    with pytest.raises(TypeError):
        g + "text"


def test_numpy_scalars_and_ufuncs_give_gpuarrays():
    a, g = both(numbers((8,), "f4"))
    same(np.float32(2) * g, np.float32(2) * a)
    same(np.float64(2) + g, np.float64(2) + a)
    same(np.add(g, g), a + a)
    assert (np.float32(2) < g).dtype == bool


def test_equality_with_none():
    g = gpuarray.to_gpu(numbers((3,), "f4"))
    same(g == None, np.zeros(3, bool))  # noqa: E711
    same(g != None, np.ones(3, bool))  # noqa: E711


@pytest.mark.sweep
@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize(
    "value", [-1, 127, 255, 2**31, 2**63, 2**64, -(2**63)]
)
def test_comparison_beyond_the_type(dtype, value):
    a, g = both(numbers((9,), dtype))
    for name in ("lt", "ge", "eq", "ne"):
        check(name, (a, value), (g, value), dtype, value)


def test_float16_rounds_once():
    h = np.array([0.1, 2048, 3, -65504, np.inf], "f2")
    g = gpuarray.to_gpu(h)
    with np.errstate(all="ignore"):
        for got, expected in ((g + g, h + h), (g * g, h * h), (1 / g, 1 / h)):
            assert got.dtype == np.float16
            np.testing.assert_array_equal(got.get(), expected)
