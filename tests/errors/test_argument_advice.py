"""Advice in launch errors: the right type and the right reason."""

# SPDX-License-Identifier: MIT

import re
import struct
import threading

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import compiler, gpuarray

SOURCE = """
struct pair { int a, b; };
__global__ void f(float *p, float x, double d, int n, long long q,
                  unsigned char c, bool b) { *p = x; }
__global__ void g(pair s, float *p) { *p = s.a; }
"""
RIGHT = (
    np.float32(1), np.float64(1), np.int32(1), np.int64(1), np.uint8(1),
    np.bool_(True),
)  # fmt: skip

pytestmark = pytest.mark.usefixtures("context")


@pytest.fixture(scope="module")
def kernels():
    drv.init()
    made = drv.Device(0).retain_primary_context()
    made.push()
    image = compiler.compile(SOURCE, cache_dir=False)
    made.pop()
    return image


def message(function, *arguments, error=TypeError):
    with pytest.raises(error) as caught:
        function(*arguments, block=(1, 1, 1))
    return str(caught.value)


# Parameter index, passed value, description, and advised value: with the
# source and without.
WRONG = [
    (1, 1.0, "the Python float 1.0", "numpy.float32(1.0)", None),
    (1, 1, "the Python int 1", "numpy.float32(1)", "numpy.int32(1); numpy.f"),
    (1, 1j, "the Python complex 1j", "no imaginary", "numpy.complex64(z)"),
    (1, np.float64(1), "8; pass", "numpy.float32(1.0)", None),
    (2, 1.0, "the Python float 1.0", "numpy.float64(1.0)", None),
    (2, 1j, "complex", "numpy.float64(...), which", "numpy.complex64(1j)"),
    (3, 8, "the Python int 8", "pass numpy.int32(8)", None),
    (3, -3, "the Python int -3", "pass numpy.int32(-3)", None),
    (3, 1 << 40, "int 1099", "holds -2147483648 to 2147483647", None),
    (3, 1 << 80, "the Python int for", "does not hold such a number", None),
    (3, 10**5000, "the Python int for", "does not hold such a number", None),
    (3, 2.5, "float 2.5", "holds whole numbers only", "numpy.float32(2.5)"),
    (3, 2.0, "float 2.0", "numpy.int32(2)", "numpy.float32(2.0)"),
    (3, float("nan"), "float nan", "pass numpy.int32(...)", "float32(...)"),
    (3, True, "the Python bool True", "numpy.int32(1)", None),
    (3, "8", "the Python str '8'", "numpy.int32(...)", "a NumPy scalar"),
    (4, 1, "the Python int 1", "numpy.int64(1)", None),
    (5, 200, "int 200", "numpy.uint8(200)", "numpy.int8(...), which holds"),
    (6, True, "the Python bool True", "numpy.bool_(True)", None),
    (0, None, "was given None", "numpy.intp(0) for a null", None),
    (0, [1.0], "a Python list", "numpy.array(..., numpy.float32)", "to_gpu"),
    (0, 7, "int 7", "numpy.intp(n) for an address", "numpy.int64(7)"),
    (0, 1.5, "float 1.5", "pass a GPUArray", "numpy.float64(1.5)"),
    (0, object(), "an object of object", "pass a GPUArray", "scalar"),
]


@pytest.mark.parametrize(
    ("index", "value", "given", "known", "unknown"),
    WRONG,
    ids=map(str, range(len(WRONG))),
)
def test_wrong_types(kernels, index, value, given, known, unknown):
    module = compiler.SourceModule(SOURCE)
    with_source = module.get_function("f")
    without = drv.module_from_buffer(kernels).get_function("f")
    arguments = [gpuarray.zeros(4, np.float32), *RIGHT]
    arguments[index] = value
    declared = re.split(r"[(,)]", SOURCE.partition("f(")[2])[index].strip()
    for function, advice in (
        (with_source, known),
        (without, unknown or known),
    ):
        for call in (
            lambda f=function: f(*arguments, block=(1, 1, 1)),
            lambda f=function: f(*arguments, block=(1, 1, 1), grid=(2, 1)),
            lambda f=function: drv.Function.__call__(
                f, *arguments, block=(1, 1, 1)
            ),
            lambda f=function: f.param_set(*arguments),
        ):
            with pytest.raises(TypeError) as caught:
                call()
            said = str(caught.value)
            assert advice in said, said
            assert f"#{index} (0-based)" in said
            assert given.removesuffix(" for") in said
            assert (declared in said) == (function is with_source)


@pytest.mark.parametrize(
    ("format", "index", "value", "said"),
    [
        ("Pfdiq", 0, np.ones(4, "f4"), "in host memory: pass pycuda.gpuarray"),
        ("Pfdiq", 0, 1.5, "float *p', was prepared as 'P', a device address"),
        ("Pfdiq", 0, drv.In(np.ones(4, "f4")), "prepared calls copy nothing"),
        ("Pfdiq", 1, "x", "'float x', was prepared as 'f', a float, but was"),
        ("Pfdiq", 2, None, "'double d', was prepared as 'd', a float"),
        ("Pfdiq", 3, 8.5, "'int n', was prepared as 'i', an integer, but was"),
        ("Pfdiq", 3, np.ones(4), "given a host array (numpy.ndarray of float"),
        ("Pfdiq", 3, 1 << 40, "value is out of range for format 'i'"),
    ],
)
def test_wrong_types_of_prepared_calls(kernels, format, index, value, said):
    function = compiler.SourceModule(SOURCE).get_function("f")
    function.prepare(format + "B?")
    arguments = [gpuarray.zeros(4, np.float32), 1, 1, 1, 1, 1, True]
    arguments[index] = value
    shape = ((1, 1), (1, 1, 1))
    for call in (
        lambda: function.prepared_call(*shape, *arguments),
        lambda: function.prepared_async_call(*shape, None, *arguments),
        lambda: function.prepared_timed_call(*shape, *arguments),
    ):
        with pytest.raises((TypeError, struct.error)) as caught:
            call()
        assert f"#{index} (0-based)" in str(caught.value)
        assert said in str(caught.value)


def test_an_error_of_the_arguments_own(kernels):
    class Number:
        def __index__(self):
            raise OverflowError("mine")

    function = compiler.SourceModule(SOURCE).get_function("f")
    function.prepare("PfdiqB?")
    memory = gpuarray.zeros(4, np.float32)
    with pytest.raises(OverflowError, match=r"^mine$"):
        function.prepared_call(
            (1, 1), (1, 1, 1), memory, 1, 1, Number(), 1, 1, True
        )


def test_kernels_under_their_cpp_names():
    module = compiler.SourceModule(
        """namespace deep {
        template <class T, int m>
        __global__ void fill(T *out, const T by, unsigned short s)
        { out[0] = by + m + s; }
        }
        template __global__ void deep::fill<float, 3>(
            float *, const float, unsigned short);
        __global__ void one(float *out, int n) { out[0] = n; }""",
        no_extern_c=True,
    )
    memory = gpuarray.zeros(4, np.float32)
    one = module.get_function("_Z3onePfi")
    said = "parameter 'int n' of kernel '_Z3onePfi' was"
    assert said in message(one, memory, 8)
    fill = module.get_function("_ZN4deep4fillIfLi3EEEvPT_S1_t")
    said = message(fill, memory, np.float32(1), 8)
    assert "parameter 'unsigned short s' of" in said
    assert "pass numpy.uint16(8)" in said
    said = message(fill, memory, 2.0, np.uint16(1))
    assert "parameter 'const T by' of" in said
    assert "pass numpy.float32(2.0)" in said


def test_structs_and_vectors():
    module = compiler.SourceModule(
        "struct three { double a, b, c; };"
        "__global__ void f(float4 v, three s, uchar2 u, const double2 d) {}"
    )
    function = module.get_function("f")
    right = [np.zeros(1, kind)[0] for kind in ("4f4", "3f8", "2u1", "2f8")]
    wanted = [
        "make_float4(...)",
        "passed by value as a record of as many bytes",
        "make_uchar2(...)",
        "make_double2(...)",
    ]
    for index, advice in enumerate(wanted):
        for wrong in (1.0, [1, 2], np.float32(1), gpuarray.zeros(4, "f4")):
            arguments = [*right]
            arguments[index] = wrong
            said = message(function, *arguments)
            assert f"#{index} (0-based)" in said
            assert advice in said


def test_records_of_the_wrong_size(kernels):
    function = drv.module_from_buffer(kernels).get_function("g")
    record = np.zeros(1, [("a", "i4"), ("b", "i4"), ("c", "i4")])[0]
    said = message(function, record, gpuarray.zeros(4, np.float32))
    assert "align=True" in said and "takes 8 bytes" in said


def test_a_thread_without_a_context(kernels):
    function = drv.module_from_buffer(kernels).get_function("f")
    memory = gpuarray.zeros(4, np.float32)
    prepared = drv.module_from_buffer(kernels).get_function("f")
    prepared.prepare("PfdiqB?")
    found = []

    def launch():
        for call in (
            lambda: function(memory, *RIGHT, block=(1, 1, 1)),
            lambda: prepared.prepared_call(
                (1, 1), (1, 1, 1), memory.gpudata, 1, 1, 1, 1, 1, True
            ),
            drv.Context.pop,
        ):
            try:
                call()
            except drv.LogicError as error:
                found.append(str(error))

    thread = threading.Thread(target=launch)
    thread.start()
    thread.join()
    assert len(found) == 3
    for text in found[:2]:
        assert "no context is current in this thread" in text
        assert "another context" not in text
    assert "this thread has no current" in found[2]


def test_another_context_is_still_named(kernels):
    function = drv.module_from_buffer(kernels).get_function("f")
    other = drv.Device(0).make_context()
    try:
        said = message(function, np.intp(0), *RIGHT, error=drv.LogicError)
        assert "loaded in another context than the current one" in said
    finally:
        other.pop()
        other.detach()


def test_opengl_is_not_a_matter_of_compiling():
    with pytest.raises(ImportError, match="has no OpenGL interoperation"):
        import pycuda.gl  # noqa: F401
