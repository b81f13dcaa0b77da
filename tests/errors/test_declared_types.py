"""Arguments compared with the types that a kernel's source declares."""

# SPDX-License-Identifier: MIT

import warnings

import numpy as np
import pytest

import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda._launch.declarations import check, parameters
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
typedef float real;
struct pair { float a, b; };
// __global__ void axpy(double *y, double a) is what it was
__global__ void __launch_bounds__(64)
axpy(float * __restrict__ y, const float x[], float a, int n)
{
  int i = threadIdx.x;
  if (i < n) { y[i] += a * x[i]; }
}
__global__ void numbers(double a, unsigned long long n, double *out)
{
  out[0] = a + n;
}
__global__ void bits(int *x, unsigned int *y, float2 *z, unsigned char *c,
                     struct pair p, real *r) { }
"""
BLOCK = {"block": (32, 1, 1)}


@pytest.fixture(scope="module")
def module(context):
    return SourceModule(SOURCE)


@pytest.fixture
def axpy(module):
    return module.get_function("axpy")


def array(dtype):
    return gpuarray.to_gpu(np.ones(64, dtype))


@pytest.fixture
def good():
    return [array("f4"), array("f4"), np.float32(2), np.int32(32)]


@pytest.mark.parametrize(
    ("index", "wrong", "said"),
    [
        (0, lambda: array("f8"), r"'float \* __restrict__ y', but the elem"),
        (0, lambda: array("f8"), r"astype\(numpy.float32\).*'double \*y'"),
        (1, lambda: array("i4"), "are int32"),
        (1, lambda: drv.In(np.ones(64)), "of the In given are float64"),
        (1, lambda: drv.InOut(np.ones(64, "i8")), "are int64"),
        (2, lambda: np.int32(2), "bits of the int32.*numpy.float32"),
        (2, lambda: np.int64(2), "bits of the int64"),
        (3, lambda: np.float32(32), "bits of the float32.*numpy.int32"),
    ],
)
def test_numbers_that_would_be_misread(axpy, good, index, wrong, said):
    good[index] = wrong()
    good[3] = np.float32(0) if index == 3 else np.int32(0)
    with pytest.warns(UserWarning, match=f"'axpy'.*#{index} .*{said}") as seen:
        axpy(*good, **BLOCK)
    assert len(seen) == 1
    assert seen[0].filename == __file__


POINTED = {
    "float": "float32", "double": "float64", "int": "int32",
    "unsigned int": "uint32", "long long": "int64", "size_t": "uint64",
    "half": "float16", "bool": "bool", "short": "int16",
    "unsigned short": "uint16",
}  # fmt: skip
GIVEN = (*dict.fromkeys(POINTED.values()), "complex64", "complex128")
# Arrays that a kernel may read as elements of another type on purpose: bits
# of the same size, groups of small integers, the parts of complex numbers.
READ_OTHERWISE = {
    *((have, want) for have in ("int16", "uint16") for want in GIVEN),
    ("float32", "int32"), ("float32", "uint32"), ("int32", "uint32"),
    ("uint32", "int32"), ("float64", "int64"), ("float64", "uint64"),
    ("int64", "uint64"), ("uint64", "int64"), ("complex64", "float32"),
    ("complex128", "float64"),
    ("float16", "int16"), ("float16", "uint16"),
    *(
        (have, want)
        for have in ("complex64", "complex128")
        for want in GIVEN
        if np.dtype(want).kind not in "f"
    ),
}  # fmt: skip


@pytest.mark.parametrize("declared", POINTED)
def test_all_combinations_of_elements(declared):
    """Each array of another type is named, with both ways to mend it."""
    source = f"__global__ void k({declared} *x) {{ }}"
    want = POINTED[declared]
    for have in GIVEN:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            check(source, "k", 1, 0, array(have))
        texts = [str(warning.message) for warning in caught]
        if have == want or (have, want) in READ_OTHERWISE:
            assert texts == [], (declared, have)
            continue
        (text,) = texts
        assert f"elements of the GPUArray given are {have}" in text
        assert f".astype(numpy.{want})" in text
        assert " or declare '" in text and "*x'" in text


@pytest.mark.parametrize(
    ("index", "wrong", "said"),
    [
        (
            0,
            np.ones(2, np.float32),
            r"a host array \(ndarray of float32\), which is passed by value: "
            "pass a GPUArray or a DeviceAllocation, or wrap a host array in "
            "pycuda.driver.In, Out or InOut",
        ),
        (0, np.ones(2, np.int32), "is passed by value"),
        (1, np.float64(1), r"was given a number \(numpy.float64\)"),
        (1, np.complex64(1), r"was given a number \(numpy.complex64\)"),
    ],
)
def test_values_for_pointers_are_refused_each_time(
    axpy, good, index, wrong, said
):
    good[index] = wrong
    for _ in range(2):
        with pytest.raises(TypeError, match=said):
            axpy(*good, **BLOCK)
    assert (array("f4").get() == 1).all()


def test_a_host_array_of_another_size(axpy, good):
    good[0] = np.ones(64, np.float32)
    for _ in range(2):
        with pytest.raises(TypeError, match=r"by value.*pycuda.driver.In"):
            axpy(*good, **BLOCK)


@pytest.mark.parametrize("first", [None, "scalar", "array"])
@pytest.mark.parametrize(
    "host",
    [np.zeros(1, "i8"), np.zeros(1, "u8"), np.zeros((1, 1), "i8"),
     np.zeros(8, "u1"), np.zeros(1, "f8"), np.zeros(1, "f4,f4")],
    ids=["i8", "u8", "2-d", "bytes", "f8", "record"],
)  # fmt: skip
def test_a_host_array_of_a_pointers_size(axpy, good, first, host):
    if first is not None:
        address = np.array(good[1].ptr, np.uint64)
        axpy(good[0], address if first == "scalar" else good[1], *good[2:],
             **BLOCK)  # fmt: skip
    good[1] = host
    for _ in range(2):
        with pytest.raises(TypeError, match=r"host array.*pycuda.driver.In"):
            axpy(*good, **BLOCK)


def test_a_host_array_for_a_pointer_to_a_struct():
    kernel = SourceModule(
        "struct item { int a, b; };"
        "template <class T> struct box { T value; };"
        'extern "C" __global__ void k(item *p, box<int *> b) {'
        "*b.value = p->b; }",
        no_extern_c=True,
    ).get_function("k")
    values = gpuarray.to_gpu(np.array([1, 2], np.int32))
    kernel(values, np.array([values.ptr]), block=(1, 1, 1))
    assert values.get()[0] == 2
    for _ in range(2):
        with pytest.raises(TypeError, match=r"item \*p.*host array"):
            kernel(np.zeros(1, np.int64), np.array([0]), block=(1, 1, 1))


def test_an_address_for_a_number(module):
    numbers = module.get_function("numbers")
    for wrong in (array("f8"), drv.mem_alloc(8), drv.In(np.ones(1))):
        with pytest.raises(TypeError, match="'double a'.*given is an address"):
            numbers(wrong, np.uint64(1), array("f8"), block=(1, 1, 1))


def test_what_is_right_or_may_be(module, axpy, good):
    numbers = module.get_function("numbers")
    bits = module.get_function("bits")
    out = array("f8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        axpy(*good, **BLOCK)
        axpy(good[0].gpudata, np.intp(good[1].ptr), *good[2:], **BLOCK)
        axpy(array("c8"), np.array(good[1].ptr, np.uint64), *good[2:], **BLOCK)
        axpy(array("u1"), good[1], good[2], np.uint8(32), block=(1, 1, 1))
        numbers(np.float64(1), np.int32(3), out, block=(1, 1, 1))
        numbers(np.float64(1), out, drv.mem_alloc(8), block=(1, 1, 1))
        bits(
            array("f4"), array("i4"), array("f4"), array("f8"),
            np.zeros(1, "f4,f4"), array("f8"), block=(1, 1, 1),
        )  # fmt: skip
    assert out.get()[0] == 4


def test_managed_memory_is_an_address(axpy, good):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = drv.managed_zeros(
            64, np.float32, mem_flags=drv.mem_attach_flags.GLOBAL
        )
        axpy(y, *good[1:], **BLOCK)
        drv.Context.synchronize()
    assert (y[:32] == 2).all()


def test_a_warning_that_is_an_error_stops_the_launch(axpy, good):
    good[2] = np.int32(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(UserWarning, match="bits of the int32"):
                axpy(*good, **BLOCK)
    assert (good[0].get() == 1).all()


def test_a_launch_from_within_the_warning(axpy, good, monkeypatch):
    def show(*args, **kwargs):
        axpy(good[0], drv.In(np.ones(64, "f4")), *good[2:], **BLOCK)

    wrong = array("f8")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        monkeypatch.setattr(warnings, "showwarning", show)
        axpy(good[0], wrong, good[2], np.int32(0), **BLOCK)
    assert good[0].get()[0] == 3


@pytest.mark.parametrize(
    ("source", "types"),
    [
        ("__global__ void k(float *x, int n) {}", ["float32", "int32"]),
        ("__global__ void k(float const *x, long int n) {}",
         ["float32", "int64"]),
        ("__global__ void k(T *x, float &y, float **z) {}", [None] * 3),
        ("__global__ void k() {}", []),
        ("__global__ void k(const float3 *x, map<int, T> y) {}", [None] * 2),
        ("#define float double\n__global__ void k(float *x) {}", []),
        ("__global__ void k(int a);__global__ void k(int a) {}", []),
        ("__device__ void k(int a) {}", []),
        ("__global__ void other(int k) {}", []),
        ("/* __global__ void k(int a) */", []),
    ],
)  # fmt: skip
def test_what_is_read_from_a_source(source, types):
    found = [p and p.dtype.name for p in parameters(source, "k")]
    assert found == types


def test_types_that_change_with_each_call(axpy, good, monkeypatch):
    asked = []

    def check(source, kernel, count, index, value):
        asked.append((index, type(value)))
        return None

    monkeypatch.setattr("pycuda._launch.declarations.check", check)
    host = np.ones(64, np.float32)
    for _ in range(50):
        axpy(good[0], drv.In(host), *good[2:], **BLOCK)
        axpy(*good, **BLOCK)
    assert 2 <= sum(index == 1 for index, _ in asked) <= 16
    assert sum(index == 0 for index, _ in asked) == 1


@pytest.mark.cpu  # NVRTC's own header does not compile with it
@pytest.mark.parametrize(
    "options",
    [
        ["-Dfloat=double"],
        ["-D", "float=double"],
        ["--define-macro=float=double"],
    ],
)
def test_types_that_options_rename(options):
    source = "__global__ void k(float *x) { x[threadIdx.x] = 3; }"
    x = array("f8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SourceModule(source, options=options).get_function("k")(
            x, block=(64, 1, 1)
        )
    assert (x.get() == 3).all()


def test_types_that_options_leave():
    source = "__global__ void k(float *x) { x[threadIdx.x] = 3; }"
    other = SourceModule(source, options=["-DN=3", "-Dfloats=double"])
    with pytest.warns(UserWarning, match="are float64"):
        other.get_function("k")(array("f8"), block=(1, 1, 1))


OUTPUTS = """
__global__ void plain(const float *x, float *y) { y[threadIdx.x] = x[0]; }
__global__ void nested(T *x, T *y) { for (;;) { y[x[0] + (1)] += 2; break; } }
__global__ void star(T *x, T *y) { if (*x == 1) *y = *x; }
__global__ void atomic(T *x, T *y) { atomicAdd(&y[1], x[1]); }
__global__ void counts(T x[], T y[]) { y[x[0]]++; }
__global__ void reads(T *x, T *y) { T a = y[0]; if (y[1] == a) x[0] = y[2]; }
__global__ void names(T *x, T *yy) { yy[0] = x[0]; T y = x[0] <= x[1]; }
"""


@pytest.mark.parametrize(
    ("kernel", "written"),
    [
        ("plain", [False, True]),
        ("nested", [False, True]),
        ("star", [False, True]),
        ("atomic", [False, True]),
        ("counts", [False, True]),
        ("reads", [True, False]),
        ("names", [False, True]),
    ],
)
def test_parameters_that_a_kernel_writes(kernel, written, monkeypatch):
    host = np.zeros(4, np.float32)
    for checks in ("memory", ""):
        monkeypatch.setenv("PYCUDA_CPU_CHECK", checks)
        for index in (0, 1):
            for handler in (drv.In, drv.Out, drv.InOut):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    check(OUTPUTS, kernel, 2, index, handler(host))
                texts = [str(warning.message) for warning in caught]
                wanted = checks and handler is drv.In and written[index]
                assert len(texts) == bool(wanted)
                if wanted:
                    assert f"'{kernel}': parameter #{index} " in texts[0]
                    assert "In does not copy it back: pass Out" in texts[0]


class Subclass(gpuarray.GPUArray):
    """An array of a user's class."""


def _managed(dtype):
    made = drv.managed_empty(64, dtype, mem_flags=1)
    made[:] = 1
    return made


ARRAYS = {
    "GPUArray": array,
    "subclass": lambda dtype: Subclass((64,), np.dtype(dtype)).fill(1),
    "view": lambda dtype: array(dtype)[8:],
    "In": lambda dtype: drv.In(np.ones(64, dtype)),
    "Out": lambda dtype: drv.Out(np.ones(64, dtype)),
    "InOut": lambda dtype: drv.InOut(np.ones(64, dtype)),
    "managed": _managed,
}


@pytest.mark.parametrize("kind", ARRAYS)
def test_each_dtype_of_one_kind_of_array_is_compared(module, kind):
    """Arrays of another dtype warn after right ones, and each time anew."""
    kernel = module.get_function("numbers")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for dtype in ("f8", "f4", "f8", "f8", "i4", "f4"):
            kernel(np.float64(1), np.uint64(2), ARRAYS[kind](dtype), **BLOCK)
    found = [str(w.message).split("given are ")[1][:7] for w in caught]
    assert found == ["float32", "int32: ", "float32"]


def test_a_plain_call_after_a_prepared_call_is_compared(module):
    kernel = module.get_function("numbers")
    number, count = np.float64(1), np.uint64(2)
    kernel(number, count, array("f8"), **BLOCK)
    kernel.prepare("dQP")
    kernel.prepared_call((1, 1), (32, 1, 1), 1.0, 2, array("f4"))
    with pytest.warns(UserWarning, match="given are float32"):
        kernel(number, count, array("f4"), **BLOCK)
