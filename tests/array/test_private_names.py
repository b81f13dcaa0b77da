"""Private and rarely used names that PyCUDA programs depend on."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import cumath, gpuarray, reduction, tools
from pycuda._array import indexing
from pycuda.curandom import seed_getter_uniform, seed_getter_unique
from pycuda.elementwise import ElementwiseKernel, get_elwise_range_module

pytestmark = pytest.mark.usefixtures("context")

TABLE = np.arange(1, 13, dtype=np.float32).reshape(3, 4)


@pytest.fixture
def table():
    return gpuarray.to_gpu(TABLE)


@pytest.mark.parametrize(
    ("call", "wanted"),
    [
        (lambda a, out: a._axpbyz(2, a, 3, out), 5 * TABLE),
        (lambda a, out: a._axpbz(2, 7, out), 2 * TABLE + 7),
        (lambda a, out: a._rdiv_scalar(12, out), 12 / TABLE),
        (lambda a, out: a._elwise_multiply(a, out), TABLE * TABLE),
        (lambda a, out: a._div(a, out), np.ones_like(TABLE)),
    ],
    ids=["axpbyz", "axpbz", "rdiv", "multiply", "div"],
)
@pytest.mark.parametrize("streamed", [False, True])
def test_arithmetic_into(table, call, wanted, streamed):
    out = gpuarray.empty_like(table)
    if streamed:
        stream = drv.Stream()
        with stream:
            assert call(table, out) is out
        stream.synchronize()
    else:
        assert call(table, out) is out
    np.testing.assert_array_equal(out.get(), wanted)
    np.testing.assert_array_equal(table.get(), TABLE)
    np.testing.assert_array_equal(call(table, None).get(), wanted)
    with pytest.raises((TypeError, ValueError)):
        call(table, "out")


def test_power(table):
    made = table._pow(2, new=True)
    np.testing.assert_array_equal(made.get(), TABLE**2)
    np.testing.assert_array_equal(table.get(), TABLE)
    assert table._pow(2, new=False) is table
    np.testing.assert_array_equal(table.get(), TABLE**2)


def test_forms(table):
    np.testing.assert_array_equal(
        gpuarray.reshape(table, 4, 3).get(), TABLE.reshape(4, 3)
    )
    np.testing.assert_array_equal(
        gpuarray.reshape(table, (2, 6), order="F").get(),
        TABLE.reshape((2, 6), order="F"),
    )
    np.testing.assert_array_equal(gpuarray.transpose(table).get(), TABLE.T)
    box = gpuarray.to_gpu(np.arange(24).reshape(2, 3, 4))
    turned = gpuarray.transpose(box, (2, 0, 1))
    np.testing.assert_array_equal(turned.get(), box.get().transpose(2, 0, 1))
    with pytest.raises(ValueError):
        gpuarray.reshape(table, 5, 5)
    with pytest.raises(ValueError):
        gpuarray.transpose(table, (0, 0))


@pytest.mark.parametrize(
    ("one", "two", "dtype"),
    [
        ("f4", "f8", "f8"),
        ("i4", "f4", "f8"),
        ("c8", "f8", "c16"),
        ("u1", "i1", "i2"),
    ],
)
def test_common_dtype(one, two, dtype):
    pair = [gpuarray.zeros(2, kind) for kind in (one, two)]
    assert gpuarray._get_common_dtype(*pair) == np.dtype(dtype)
    assert gpuarray._get_common_dtype(pair[0], pair[1].get()) == dtype
    assert gpuarray._get_common_dtype(pair[0], 1) == np.dtype(one)


def test_compact_strides(table):
    assert gpuarray._compact_strides(table) == (16, 4)
    assert gpuarray._compact_strides(table[:, ::2]) == (8, 4)
    assert gpuarray._compact_strides(table.T) == (4, 16)
    assert gpuarray._compact_strides(table.T[1:, :]) == (4, 12)


def test_copies_between_layouts(table):
    host = np.zeros((4, 3), np.float32).T
    gpuarray._memcpy_discontig(host, table)
    np.testing.assert_array_equal(host, TABLE)
    part = gpuarray.zeros((3, 8), np.float32)
    gpuarray._memcpy_discontig(part[:, ::2], table)
    np.testing.assert_array_equal(part.get()[:, ::2], TABLE)
    assert not part.get()[:, 1::2].any()
    stream = drv.Stream()
    other = gpuarray.zeros((3, 4), np.float32)
    gpuarray._memcpy_discontig(other, TABLE, async_=True, stream=stream)
    stream.synchronize()
    np.testing.assert_array_equal(other.get(), TABLE)
    with pytest.raises(ValueError, match="must be same shape"):
        gpuarray._memcpy_discontig(host.T, table)
    with pytest.raises(TypeError, match="must have same dtype"):
        gpuarray._memcpy_discontig(host.astype(np.float64), table)


def test_strides_of_a_packed_array(table):
    assert indexing._packed(table, (2, 3, 2)) == (24, 8, 4)
    assert indexing._packed(table, ()) == ()


def test_a_module_of_ranges():
    arguments = [
        tools.VectorArg(np.float32, "x"),
        *(tools.ScalarArg(np.intp, n) for n in ("start", "stop", "step")),
    ]
    module = get_elwise_range_module(
        arguments,
        "x[i] = twice(x[i])",
        name="double_some",
        preamble="__device__ float twice(float y) { return 2 * y; }",
    )
    x = gpuarray.to_gpu(np.arange(10, dtype=np.float32))
    module.get_function("double_some")(
        x, np.intp(1), np.intp(8), np.intp(3), block=(32, 1, 1)
    )
    assert x.get().tolist() == [0, 2, 2, 3, 8, 5, 6, 14, 8, 9]
    with pytest.raises(drv.CompileError):
        get_elwise_range_module(arguments, "nonsense")


def test_kernels_of_an_elementwise_kernel():
    kernel = ElementwiseKernel(
        "float *x, float y", "x[i] += y + tex1Dfetch(line, i)",
        name="shifted", preamble="texture<float, 1> line;",
    )  # fmt: skip
    for use_range in (False, True):
        made = kernel.generate_stride_kernel_and_types(use_range)
        assert made is kernel.generate_stride_kernel_and_types(use_range)
        module, function, arguments = made
        assert [one.name for one in arguments[:2]] == ["x", "y"]
        assert module.get_function("shifted") and function is not None
    x = gpuarray.zeros(6, np.float32)
    y = gpuarray.to_gpu(np.arange(6, dtype=np.float32))
    for options in ({}, {"range": slice(0, 6, 2)}):
        line = kernel.get_texref("line", use_range=bool(options))
        y.bind_to_texref_ext(line, allow_offset=True)
        kernel(x, 10, **options)
    assert x.get().tolist() == [20, 11, 24, 13, 28, 15]
    with pytest.raises(drv.LogicError, match="named symbol not found"):
        kernel.get_texref("nowhere")


def test_a_kernel_of_products():
    x, y = (gpuarray.to_gpu(np.array(v, "f4")) for v in ([1, 2, 3], [4, 5, 6]))
    for dtype in (np.float32, np.float64, None):
        kernel = reduction.get_dot_kernel(dtype, np.float32, np.float32)
        found = kernel(x, y)
        assert found.get() == 32
        assert found.dtype == np.dtype(dtype or np.float32)


def test_seeds():
    same = seed_getter_uniform(100).get()
    assert same.dtype == np.int32 and same.shape == (100,)
    assert (same == same[0]).all() and same[0] >= 0
    assert len({seed_getter_uniform(1).get()[0] for _ in range(8)}) > 1
    assert len(set(seed_getter_unique(100).get().tolist())) > 90


def test_what_objects_say_of_themselves(table):
    assert repr(table.flags) == (
        "  C_CONTIGUOUS : True\n  F_CONTIGUOUS : False"
    )
    assert repr(table.T.flags) == (
        "  C_CONTIGUOUS : False\n  F_CONTIGUOUS : True"
    )
    assert repr(cumath.sin).startswith("<function sin at")


def test_the_last_comes_first():
    numbers = gpuarray.to_gpu(np.arange(4))
    assert [int(one.get()) for one in reversed(numbers)] == [3, 2, 1, 0]
    rows = gpuarray.to_gpu(TABLE)
    assert [row.get().tolist() for row in reversed(rows)] == [
        row.tolist() for row in TABLE[::-1]
    ]


@pytest.mark.parametrize("name", ["shape", "strides", "dtype"])
def test_attributes_stay(table, name):
    before = getattr(table, name)
    with pytest.raises(AttributeError, match="cannot delete"):
        delattr(table, name)
    assert getattr(table, name) == before


def test_order_of_an_array_made_by_hand():
    for order, strides in (("C", (16, 4)), ("F", (4, 12))):
        made = gpuarray.GPUArray((3, 4), np.float32, order=order)
        assert made.strides == strides
    with pytest.raises(ValueError, match="invalid order: K"):
        gpuarray.GPUArray((3, 4), np.float32, order="K")


def test_the_index_counts_in_memory():
    """The index counts elements in memory if all arrays share an order."""
    kernel = ElementwiseKernel("float *x, float *z", "z[i] = x[i] + i")
    for order in "CF":
        x = gpuarray.zeros((3, 4), np.float32, order=order)
        z = gpuarray.empty_like(x)
        kernel(x, z)
        found = z.get()
        assert found.ravel(order="K").tolist() == list(range(12))
        assert (found.strides == (16, 4)) == (order == "C")
