"""Advice in launch errors: the right type and the right reason."""

# SPDX-License-Identifier: MIT

import re
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


# Parameter index, passed value, and advised value: with the source and
# without.
WRONG = [
    (1, 1.0, "numpy.float32(...)", "numpy.float32(...)"),
    (1, 1, "numpy.float32(...)", "numpy.int32(...)"),
    (1, 1j, "numpy.float32(...)", "numpy.complex64(z)"),
    (1, np.float64(1), "numpy.float32(...)", "numpy.float32(...)"),
    (2, 1.0, "numpy.float64(...)", "numpy.float64(...)"),
    (2, 1j, "numpy.float64(...)", "numpy.complex64(...)"),
    (3, 1, "numpy.int32(...)", "numpy.int32(...)"),
    (3, 2.5, "numpy.int32(...)", "numpy.float32(...)"),
    (3, True, "numpy.int32(...)", "numpy.int32(...)"),
    (4, 1, "numpy.int64(...)", "numpy.int64(...)"),
    (5, 1, "numpy.int8(...)", "numpy.int8(...)"),
    (6, True, "numpy.bool_(...)", "numpy.bool_(...)"),
    (0, None, "numpy.intp(0) for a null", "numpy.intp(0) for a null"),
    (0, [1.0], "numpy.array(..., numpy.float32)", "to_gpu(numpy.array(...))"),
    (0, 7, "numpy.intp(n) for an address", "numpy.int64(...)"),
    (0, 1.5, "pass a GPUArray", "numpy.float64(...)"),
    (0, object(), "pass a GPUArray", "pass a NumPy scalar"),
]


@pytest.mark.parametrize(("index", "value", "known", "unknown"), WRONG)
def test_wrong_types(kernels, index, value, known, unknown):
    module = compiler.SourceModule(SOURCE)
    with_source = module.get_function("f")
    without = drv.module_from_buffer(kernels).get_function("f")
    arguments = [gpuarray.zeros(4, np.float32), *RIGHT]
    arguments[index] = value
    for function, advice in ((with_source, known), (without, unknown)):
        said = message(function, *arguments)
        assert advice in said, said
        assert f"#{index} (0-based)" in said
    if index in (0, 1, 2, 3):
        declared = re.split(r"[(,)]", SOURCE.partition("f(")[2])[index]
        assert f"the parameter is '{declared.strip()}'" in message(
            with_source, *arguments
        )


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
