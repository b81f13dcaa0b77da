"""Arrays of ml_dtypes.bfloat16: NumPy's results, and our kernels.

Arithmetic equals that of NumPy and ml_dtypes bit for bit: both round the
float32 result. Functions differ by one unit in the last place at most; sums
accumulate in float32 and are rounded once.
"""

# SPDX-License-Identifier: MIT

import operator
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import cumath, gpuarray
from pycuda._compile.source import includes_of
from pycuda.elementwise import ElementwiseKernel
from pycuda.reduction import ReductionKernel, get_minmax_kernel
from pycuda.scan import ExclusiveScanKernel, InclusiveScanKernel
from pycuda.tools import dtype_to_ctype, parse_c_arg

ml_dtypes = pytest.importorskip("ml_dtypes")
BF16 = np.dtype(ml_dtypes.bfloat16)

pytestmark = [
    pytest.mark.usefixtures("context"),
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
]

ARITHMETIC = ["add", "sub", "mul", "truediv", "floordiv", "mod"]
COMPARE = ["lt", "le", "eq", "ne", "gt", "ge"]
NUMBERS = "?bBhHiIlLefd"
EVERY = np.arange(1 << 16, dtype=np.uint16).view(BF16)


def normal(shape, seed=0):
    return np.random.default_rng(seed).normal(0, 4, shape).astype(BF16)


def same(device, host):
    """Compare bits; any NaN equals NaN."""
    host = np.asarray(host)
    got = device.get()
    assert got.dtype == device.dtype == host.dtype
    assert got.shape == host.shape
    nan = np.isnan(host) if host.dtype.kind in "fcV" else np.False_
    bits = f"u{host.itemsize}" if host.dtype.kind in "fV" else host.dtype
    equal = np.asarray(got).view(bits) == np.asarray(host).view(bits)
    assert np.all(equal | (nan & (got != got)))


@pytest.mark.sweep(most=4)
@pytest.mark.parametrize("name", ARITHMETIC + COMPARE)
def test_operators(name):
    function = getattr(operator, name)
    a, b = normal((60, 7), 1), normal((60, 7), 2)
    ga, gb = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    same(function(ga, gb), function(a, b))
    same(function(ga[::-1, ::2], gb[:, ::-2]),
         function(a[::-1, ::2], b[:, ::-2]))  # fmt: skip
    same(function(ga, gb[:, :1]), function(a, b[:, :1]))
    for scalar in (2, 1.5, True, np.float32(3), np.float64(0.1), BF16.type(7)):
        same(function(ga, scalar), function(a, scalar))
        same(function(scalar, ga), function(scalar, a))


@pytest.mark.sweep(most=7)
@pytest.mark.parametrize("other", NUMBERS + "FD")
def test_promotion(other):
    """All types promote, on either side, as ml_dtypes registers it."""
    a, b = normal(100, 1), np.abs(normal(100, 2)).astype(other)
    ga, gb = gpuarray.to_gpu(a), gpuarray.to_gpu(b)
    for name in ("add", "mul", "eq"):
        function = getattr(operator, name)
        same(function(ga, gb), function(a, b))
        same(function(gb, ga), function(b, a))


def test_every_value_and_rounding():
    wide = EVERY.astype(np.float32)
    device = gpuarray.to_gpu(EVERY)
    same(device, EVERY)
    same(device.astype(np.float32), wide)
    same(device.astype(np.float32).astype(BF16), EVERY)
    # Numbers between representable ones, including ties.
    bits = np.arange(1 << 16, dtype=np.uint32)[None] << 16
    low = np.array([0, 1, 0x7FFF, 0x8000, 0x8001, 0xFFFF], np.uint32)
    exact = (bits + low[:, None]).view(np.float32)
    same(gpuarray.to_gpu(exact).astype(BF16), exact.astype(BF16))
    same(-device, -EVERY)
    same(abs(device), abs(EVERY))
    same(device * device, EVERY * EVERY)
    same(device == device, EVERY == EVERY)


@pytest.mark.parametrize("other", NUMBERS + "FD")
def test_casts(other):
    a = normal((11, 9)) if other not in "BHIL" else abs(normal((11, 9)))
    b = (a.astype(np.float64) * 1.01).astype(other)
    same(gpuarray.to_gpu(b).astype(BF16), b.astype(BF16))
    if other not in "FD":
        same(gpuarray.to_gpu(a).T.astype(other), a.T.astype(other))
    else:
        same(gpuarray.to_gpu(a).astype(other), a.astype(other))


def test_creation_copies_and_fills():
    same(gpuarray.zeros((3, 2), BF16), np.zeros((3, 2), BF16))
    same(gpuarray.ones(5, BF16, order="F"), np.ones(5, BF16))
    same(gpuarray.empty((2, 3), BF16).fill(0.1), np.full((2, 3), 0.1, BF16))
    same(gpuarray.arange(0, 9, 2, dtype=BF16), np.arange(0, 9, 2).astype(BF16))
    a = normal((6, 8))
    device = gpuarray.to_gpu(a)
    same(gpuarray.zeros_like(device), np.zeros_like(a))
    same(device.T.copy(), a.T)
    same(device.reshape(3, 16), a.reshape(3, 16))
    same(pickle.loads(pickle.dumps(device)), a)
    same(device.real, a)
    same(device.conj(), a)
    same(device.imag, np.zeros_like(a))
    same(device.view(np.uint16), a.view(np.uint16))
    same(gpuarray.concatenate([device, device]), np.concatenate([a, a]))
    same(gpuarray.stack([device, device]), np.stack([a, a]))
    same(gpuarray.where(device > 0, device, -device), np.where(a > 0, a, -a))
    assert str(device) == str(a)
    assert repr(device) == repr(a)


def test_exchange():
    a = gpuarray.to_gpu(normal((5, 4)))
    repeated = gpuarray.from_dlpack(a.T)
    assert repeated.ptr == a.ptr
    same(repeated, a.get().T)
    assert gpuarray.asarray(a.get()).dtype == BF16


def test_fills_wait_for_nothing():
    """Fills can be captured, so they consist of launches only."""
    a, stream = gpuarray.zeros((4, 6), BF16), drv.Stream()
    a[:, ::2].fill(1, stream=stream)  # compiles the kernel
    stream.synchronize()
    with stream.capture() as graph:
        a[:, ::2].fill(BF16.type(2.5), stream=stream)
    graph.launch(stream)
    stream.synchronize()
    want = np.zeros((4, 6), BF16)
    want[:, ::2] = 2.5
    same(a, want)


def test_indexing_and_in_place():
    a = normal((6, 8))
    device = gpuarray.to_gpu(a)
    a[1:3, ::2] = 7
    device[1:3, ::2] = 7
    a[a > 3] = 0.5
    device[device > 3] = 0.5
    a[[1, 2]] = a[[0, 3]]
    device[[1, 2]] = device[[0, 3]]
    a[0] += a[1]
    device[0] += device[1]
    a *= np.float32(0.3)
    device *= np.float32(0.3)
    a[1:] -= a[:-1].copy()
    device[1:] -= device[:-1]
    same(device, a)
    same(device[a > 0], a[a > 0])
    with pytest.raises(TypeError, match="same_kind"):
        gpuarray.zeros(3, np.int32).__iadd__(gpuarray.ones(3, BF16))


@pytest.mark.parametrize("name", ["exp", "log", "sin", "sqrt", "tanh", "atan"])
def test_functions(name):
    """Results are the rounded float64 result, or its neighbor near a tie.

    Square roots are exact.
    """
    a = abs(normal(5000))
    numpy_name = {"atan": "arctan"}.get(name, name)
    want = getattr(np, numpy_name)(a.astype(np.float64)).astype(BF16)
    got = getattr(cumath, name)(gpuarray.to_gpu(a)).get()
    assert got.dtype == BF16
    apart = abs(got.view(np.int16).astype(int) - want.view(np.int16))
    assert apart.max() <= (0 if name == "sqrt" else 1)


def test_functions_of_two_results():
    a = gpuarray.to_gpu(np.array([0.75, -6, 0], BF16))
    significand, exponent = cumath.frexp(a)
    assert significand.dtype == exponent.dtype == BF16
    assert significand.get().tolist() == [0.75, -0.75, 0]
    assert exponent.get().tolist() == [0, 3, 0]
    fraction, whole = cumath.modf(a)
    assert fraction.get().tolist() == [0.75, 0, 0]
    assert whole.get().tolist() == [0, -6, 0]
    same(cumath.ldexp(a, exponent), a.get() * np.array([1, 8, 1], BF16))
    same(cumath.fmod(a, a + 1), np.fmod(a.get(), a.get() + BF16.type(1)))


def test_neighbours():
    down = np.full_like(EVERY, -np.inf)
    device = gpuarray.to_gpu(EVERY)
    same(np.spacing(device), np.spacing(EVERY))
    for to in (down, -down, np.zeros_like(EVERY), EVERY[::-1].copy()):
        got = np.nextafter(device, gpuarray.to_gpu(to))
        same(got, np.nextafter(EVERY, to))


@pytest.mark.sweep
@pytest.mark.parametrize("axis", [None, 0, 1])
@pytest.mark.parametrize(
    "name", ["sum", "prod", "min", "max", "mean", "var", "std", "any", "all",
             "argmin", "argmax", "count_nonzero"],
)  # fmt: skip
def test_reductions(name, axis):
    """Sums are float32 sums, rounded once."""
    a = normal((300, 20)) if name != "prod" else np.sign(normal((300, 20)))
    want = np.asarray(getattr(np, name)(a.astype(np.float64), axis=axis))
    got = getattr(gpuarray, name)(gpuarray.to_gpu(a), axis=axis).get()
    if want.dtype == np.float64:
        assert got.dtype == BF16
        size = abs(want) + (1e-3 * 300 if name == "sum" else 0)
        assert np.all(abs(got.astype(np.float64) - want) <= size / 256)
    else:
        assert got.dtype == want.dtype
        assert np.array_equal(got, want)


def test_sums_are_not_lost():
    """In bfloat16 arithmetic 256 + 1 would be 256."""
    ones = gpuarray.ones(4096, BF16)
    assert float(gpuarray.sum(ones).get()) == 4096
    assert float(gpuarray.sum(ones.reshape(2, 2048), axis=1)[0].get()) == 2048
    assert float(gpuarray.dot(ones, ones).get()) == 4096
    assert gpuarray.sum(ones, dtype=np.float64).dtype == np.float64
    assert gpuarray.sum(gpuarray.ones(300, "i4"), dtype=BF16).dtype == BF16
    assert float(gpuarray.cumsum(ones)[-1].get()) == 4096
    subset = gpuarray.to_gpu(np.arange(4096, dtype=np.int32))
    assert float(gpuarray.subset_sum(subset, ones).get()) == 4096


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
@pytest.mark.parametrize("shape, axis", [((9000,), 0), ((70, 40), 0),
                                         ((70, 40), 1)])  # fmt: skip
def test_scans(name, shape, axis):
    a = normal(shape)
    if name == "cumprod":
        a = np.sign(a)
    want = getattr(np, name)(a.astype(np.float64), axis=axis)
    got = getattr(gpuarray, name)(gpuarray.to_gpu(a), axis=axis).get()
    assert got.dtype == BF16
    error = abs(got.astype(np.float64) - want)
    assert np.all(error <= abs(want) / 256 + 1e-3)


@pytest.mark.sweep(most=2)
@pytest.mark.parametrize(
    "dtype, name",
    [(BF16, "__nv_bfloat16"), (BF16, "nv_bfloat16"),
     (np.dtype("f2"), "__half"), (np.dtype("f2"), "half")],
)  # fmt: skip
def test_kernel_classes(dtype, name):
    a = np.random.default_rng(0).normal(0, 1, 1000).astype(dtype)
    device = gpuarray.to_gpu(a)
    result = gpuarray.empty_like(device)
    scale = ElementwiseKernel(
        f"{name} s, const {name} *x, {name} *z", "z[i] = s * x[i]"
    )
    for scalar in (2.5, dtype.type(2.5), 3, True):
        scale(scalar, device, result)
        same(result, a * dtype.type(scalar))
    generic = ElementwiseKernel("T *x, T *y, T *z", "z[i] = x[i] + y[i]")
    same(generic(device, device[::-1], None), a + a[::-1])
    squares = ReductionKernel(
        np.float32, "0", "a+b", "(float)x[i] * (float)x[i]", f"{name} *x"
    )
    want = (a.astype(np.float64) ** 2).sum()
    assert float(squares(device).get()) == pytest.approx(want, rel=1e-5)
    rows = squares(device.reshape(10, 100), axis=1).get()
    want = (a.astype(np.float64).reshape(10, 100) ** 2).sum(axis=1)
    np.testing.assert_allclose(rows, want, rtol=1e-5)
    same(get_minmax_kernel("max", dtype)(device), a.max())
    largest = InclusiveScanKernel(dtype, "a > b ? a : b")
    same(largest(device.copy()), np.maximum.accumulate(a))
    before = ExclusiveScanKernel(dtype, "a > b ? a : b", "-100.f")
    assert float(before(device.copy())[0].get()) == float(dtype.type(-100))


def test_other_types_are_refused():
    kernel = ElementwiseKernel("__nv_bfloat16 *x", "x[i] = x[i]")
    for dtype in (np.uint32, np.float16):
        with pytest.raises(TypeError, match="bfloat16"):
            kernel(gpuarray.zeros(3, dtype))
    with pytest.warns(UserWarning, match="uint16"):  # the bits of the number 1
        kernel(gpuarray.zeros(3, np.uint16))
    # The array is converted, as for any number.
    kernel(gpuarray.zeros(3, bool))
    eight = gpuarray.zeros(3, ml_dtypes.float8_e4m3fn)
    for run in (
        lambda: eight + 1,
        lambda: eight.astype("f4"),
        lambda: gpuarray.sum(eight),
        lambda: gpuarray.zeros(3, "f4").astype(eight.dtype),
    ):
        with pytest.raises(TypeError, match="no device arithmetic"):
            run()


def test_names_of_ones_own_need_no_header():
    """A program may define its own bfloat16, half, or a variable so named."""
    kernel = ElementwiseKernel(
        "float *half, unsigned short *z",
        "bfloat16 v; v.bits = (unsigned short)half[i]; z[i] = v.bits",
        preamble="struct bfloat16 { unsigned short bits; };",
    )
    z = gpuarray.zeros(3, np.uint16)
    kernel(gpuarray.ones(3, np.float32), z)
    assert z.get().tolist() == [1, 1, 1]
    total = ReductionKernel("f4", "0", "a+b", "half[i]", "float *half")
    assert float(total(gpuarray.ones(3, np.float32)).get()) == 3
    assert includes_of("x", "float *half, double half") == ""
    for text in ("half *x", "const half x", "float a, half const * x"):
        assert includes_of("x", text) == "#include <cuda_fp16.h>\n"


def test_names():
    assert dtype_to_ctype(BF16) == "__nv_bfloat16"
    assert parse_c_arg("const nv_bfloat16 *x").dtype == BF16
    assert parse_c_arg("__nv_bfloat16 x").struct_char == "E"


def test_scalars_of_a_launch():
    from pycuda.compiler import SourceModule

    module = SourceModule("""
    #include <cuda_bf16.h>
    __global__ void put(__nv_bfloat16 *x, __nv_bfloat16 value)
    {
        x[threadIdx.x] = value;
    }
    """)
    put = module.get_function("put")
    x = gpuarray.zeros(4, BF16)
    put(x, BF16.type(-3.25), block=(2, 1, 1))
    same(x, np.array([-3.25, -3.25, 0, 0], BF16))
    put.prepare("PE")
    for value in (1 + 2**-8, 1 + 3 * 2**-8, float("inf"), 3.4e38, -0.0):
        put.prepared_call((1, 1), (4, 1, 1), x.gpudata, value)
        same(x, np.full(4, value, np.float32).astype(BF16))
    put.prepared_call((1, 1), (4, 1, 1), x.gpudata, float("nan"))
    assert np.isnan(x.get()).all()


def test_the_package_is_not_needed():
    code = """
import sys
sys.modules["ml_dtypes"] = None  # as where it is not installed
import numpy as np
import pycuda.autoinit
from pycuda import gpuarray
from pycuda.tools import parse_c_arg
assert float(gpuarray.sum(gpuarray.ones(9, np.float16)).get()) == 9
try:
    parse_c_arg("__nv_bfloat16 *x")
except ValueError as error:
    assert "pip install ml_dtypes" in str(error), error
else:
    sys.exit("no error")
"""
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", code],
        env=dict(os.environ), capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_joined_with_what_it_does_not_promote_with():
    """An explicit dtype or target needs no common dtype."""
    a, b = normal((4, 3)), np.arange(6, dtype=np.uint16).reshape(2, 3)
    pair = [gpuarray.to_gpu(a), gpuarray.to_gpu(b)]
    want = np.concatenate([a, b], dtype=np.float64)
    same(gpuarray.concatenate(pair, dtype=np.float64), want)
    out = gpuarray.empty((6, 3), np.float64)
    assert gpuarray.concatenate(pair, out=out) is out
    same(out, want)
    with pytest.raises(TypeError, match="promote"):
        gpuarray.concatenate(pair)
    with pytest.raises(TypeError, match="from bfloat16 to int32"):
        gpuarray.concatenate(pair, out=out.view(np.int32)[:, :3])


def test_clip():
    """The result has the operators' dtype; NumPy returns float32."""
    a, low, high = normal((50, 6)), normal(6, 1), np.float32(2.5)
    ga, glow = gpuarray.to_gpu(a), gpuarray.to_gpu(low)
    want = np.clip(a, low, BF16.type(high)).astype(BF16)
    same(gpuarray.clip(ga, glow, BF16.type(high)), want)
    same(gpuarray.clip(ga, glow, high), np.clip(a, low, high))
    same(gpuarray.clip(ga, -1, None), np.clip(a, -1, None).astype(BF16))
