"""Bad input raises the right exception, with advice in its text."""

# SPDX-License-Identifier: MIT

import concurrent.futures
import multiprocessing
import pickle

import numpy as np
import pytest

import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
struct pair { int a, b; };
__global__ void fill(float *out, float value, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { out[i] = value; }
}
__global__ void take(struct pair p, int *out) { *out = p.a + p.b; }
"""

BLOCK = {"block": (32, 1, 1), "grid": (1, 1)}


@pytest.fixture(scope="module")
def module(context):
    return SourceModule(SOURCE)


@pytest.fixture
def fill(module):
    return module.get_function("fill")


@pytest.fixture
def out():
    return gpuarray.zeros(32, np.float32)


@pytest.mark.parametrize("count", [0, 1, 2, 4])
def test_wrong_number_of_arguments(fill, out, count):
    values = [out, np.float32(1), np.int32(32), np.int32(0)][:count]
    with pytest.raises(
        TypeError, match=r"'fill\(.*int n\)' takes 3 parameters"
    ):
        fill(*values, **BLOCK)


def test_wrong_size_of_an_argument(fill, out):
    with pytest.raises(TypeError, match=r"'fill'.*#1 .*4 bytes.*8"):
        fill(out, np.float64(1), np.int32(32), **BLOCK)


def test_an_integer_that_does_not_fit(fill, out):
    with pytest.raises((TypeError, OverflowError), match=r"'fill'.*#2"):
        fill(out, np.float32(1), np.int64(1 << 40), **BLOCK)


def test_a_struct_of_the_wrong_size(module, out):
    pair = np.zeros(1, [("a", "i4"), ("b", "i4"), ("c", "i4")])[0]
    with pytest.raises(TypeError, match=r"'take'.*#0 .*8 bytes.*12"):
        module.get_function("take")(pair, out, block=(1, 1, 1))


@pytest.mark.parametrize(
    "value", [1.0, None, "text", b"bytes", [1.0], object(), {}]
)
def test_types_that_no_kernel_takes(fill, out, value):
    with pytest.raises(TypeError, match=r"#1 \(0-based\).*numpy") as caught:
        fill(out, value, np.int32(32), **BLOCK)
    assert "invalid type on parameter" in str(caught.value)


def test_no_block(fill, out):
    with pytest.raises(ValueError, match="must specify block size"):
        fill(out, np.float32(1), np.int32(32))


def test_an_unknown_keyword(fill, out):
    with pytest.raises(ValueError, match="extra keyword arguments: blok"):
        fill(out, np.float32(1), np.int32(32), blok=3, **BLOCK)


@pytest.mark.parametrize(
    "shape",
    [
        {"block": (2048, 1, 1)},
        {"block": (32, 32, 32)},
        {"block": (0, 1, 1)},
        {"block": (1, 1, 128)},
        {"block": (1, 1, 1), "grid": (0, 1)},
        {"block": (1, 1, 1), "grid": (1, 1 << 20)},
    ],
)
def test_shapes_beyond_the_limits(fill, out, shape):
    with pytest.raises(drv.Error, match="failed: ") as caught:
        fill(out, np.float32(1), np.int32(32), **shape)
    assert not isinstance(caught.value, drv.MemoryError)
    assert "fill" in str(caught.value)
    assert str(shape["block"]) in str(caught.value)


def test_too_much_shared_memory(fill, out):
    with pytest.raises(drv.Error, match="fill.*100000000"):
        fill(out, np.float32(1), np.int32(32), shared=100_000_000, **BLOCK)


@pytest.mark.parametrize("shape", [(1.0, 1, 1), ("1", 1, 1), None])
def test_blocks_of_other_types(fill, out, shape):
    with pytest.raises((TypeError, ValueError), match="block"):
        fill(out, np.float32(1), np.int32(32), block=shape)


def test_freed_memory(fill):
    memory = drv.mem_alloc(128)
    memory.free()
    with pytest.raises(drv.LogicError, match="freed"):
        fill(memory, np.float32(1), np.int32(32), **BLOCK)
    with pytest.raises(drv.LogicError, match="freed"):
        drv.memcpy_dtoh(np.zeros(32, np.float32), memory)
    with pytest.raises(drv.LogicError, match="free"):
        memory.free()


def test_a_kernel_that_is_not_there(module):
    with pytest.raises(drv.LogicError, match=r"cuModuleGetFunction failed"):
        module.get_function("missing")
    with pytest.raises(drv.LogicError, match=r"cuModuleGetGlobal failed"):
        module.get_global("missing")


def test_an_image_that_is_none():
    for image in (b"", b"nonsense" * 100):
        with pytest.raises(drv.Error, match="cuModuleLoad"):
            drv.module_from_buffer(image)
    with pytest.raises(TypeError):
        drv.module_from_buffer("text")


def test_sizes_of_copies(out):
    with pytest.raises((drv.Error, ValueError, TypeError)):
        drv.memcpy_htod(drv.mem_alloc(4), np.zeros((4, 4))[:, 1])
    with pytest.raises(drv.LogicError):
        drv.mem_alloc(0)
    with pytest.raises(drv.MemoryError, match="out of memory"):
        drv.mem_alloc(1 << 60)


def test_a_prepared_call(fill, out):
    fill.prepare("Pfi")
    with pytest.raises(Exception, match="3"):
        fill.prepared_call((1, 1), (32, 1, 1), out.gpudata, 1.0)
    with pytest.raises(Exception, match="integer"):
        fill.prepared_call((1, 1), (32, 1, 1), out.gpudata, 1.0, 1.5)
    with pytest.raises(TypeError, match="unknown keyword"):
        fill.prepared_call((1, 1), (32, 1, 1), out.gpudata, 1.0, 32, shard=1)
    fill.prepared_call((1, 1), (32, 1, 1), out.gpudata, 3.0, 32)
    assert (out.get() == 3).all()


def test_the_users_line_in_a_syntax_error():
    source = "__global__ void f(float *a)\n{\n  a[0] = 1\n}\n"
    with pytest.raises(drv.CompileError) as caught:
        SourceModule(source)
    text = str(caught.value)
    assert any(
        f"kernel.cu{mark}" in text for mark in ("(3)", "(4)", ":3:", ":4:")
    )


def test_still_well_afterwards(fill, out):
    fill(out, np.float32(2), np.int32(32), **BLOCK)
    assert (out.get() == 2).all()


def parts(error: BaseException) -> list:
    names = ["msg", "command_line", "stdout", "stderr", "args"]
    return [getattr(error, name) for name in names] + [str(error)]


def test_compile_error_goes_to_other_processes():
    given = ("m", ["nvcc", "-O3"], "out", "err")
    error = drv.CompileError(*given)
    repeated = pickle.loads(pickle.dumps(error))
    assert type(repeated) is drv.CompileError
    assert parts(repeated) == parts(error) == [*given, given, str(error)]
    spawn = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=spawn) as pool:
        told = pool.submit(drv.CompileError, *given).result(60)
    assert type(told) is drv.CompileError and parts(told) == parts(error)
