"""Wrong forms of launches: each message shows the right form."""

# SPDX-License-Identifier: MIT

import os
import struct
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda import gpuarray
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

SOURCE = """
__global__ void k(float *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }
__global__ void three(float *x, const int n, double by) { x[n] = by; }
__global__ void none() {}
"""
BLOCK = {"block": (8, 1, 1)}


@pytest.fixture(scope="module")
def module(context):
    return SourceModule(SOURCE)


@pytest.fixture
def k(module):
    return module.get_function("k")


@pytest.fixture
def x():
    return gpuarray.zeros(8, np.float32)


EIGHT = np.int32(8)
BLOCKLESS = [
    (lambda x: (x, EIGHT), "'k': give block=(256, 1, 1), and grid= for more"),
    (lambda x: (), "'k': give block=(256, 1, 1), and grid= for more"),
    (
        lambda x: ((1,), (8,), (x, EIGHT)),
        "CuPy's order; here: k(x, n, block=(8, 1, 1), grid=(1, 1))",
    ),
    (
        lambda x: ((2, 3, 4), (8, 2), [x, EIGHT]),
        "CuPy's order; here: k(x, n, block=(8, 2, 1), grid=(2, 3, 4))",
    ),
    (
        lambda x: ((5, 2), (np.int64(8),), x, EIGHT),
        "another order; here: k(x, n, block=(8, 1, 1), grid=(5, 2))",
    ),
    (
        lambda x: (x, EIGHT, (16, 1, 1)),
        "are keyword arguments: k(x, n, block=(16, 1, 1), grid=(1, 1))",
    ),
    (
        lambda x: (x, EIGHT, (16, 1, 1), (4, 1)),
        "are keyword arguments: k(x, n, block=(16, 1, 1), grid=(4, 1))",
    ),
]


@pytest.mark.parametrize(("given", "said"), BLOCKLESS)
def test_calls_without_a_block(k, x, given, said):
    arguments = given(x)
    for call in (
        lambda: k(*arguments),
        lambda: k(*arguments, grid=(1, 1)),
        lambda: k(*arguments, block=None),
        lambda: drv.Function.__call__(k, *arguments),
    ):
        with pytest.raises(ValueError, match="^must specify block") as caught:
            call()
        assert said in str(caught.value)


def test_a_call_without_a_block_and_a_source(module, x):
    image = drv.module_from_buffer(module_image())
    function = image.get_function("k")
    with pytest.raises(ValueError, match=r"k\(\.\.\., block=\(8, 1, 1\), gri"):
        function((1,), (8,), (x, EIGHT))
    with pytest.raises(TypeError, match="'k' takes 2 parameters .*bytes"):
        function(x, **BLOCK)


def module_image():
    from pycuda import compiler

    return compiler.compile(SOURCE, cache_dir=False)


@pytest.mark.parametrize(
    ("key", "here"),
    [
        ((1, 8), "k(x, n, block=(8, 1, 1), grid=(1, 1))"),
        (((2, 2), (8, 4)), "k(x, n, block=(8, 4, 1), grid=(2, 2))"),
        ((3, 8, 0, 64), "k(x, n, block=(8, 1, 1), grid=(3, 1))"),
        (7, "k(x, n, block=(256, 1, 1), grid=(1, 1))"),
        ("name", "k(x, n, block=(256, 1, 1), grid=(1, 1))"),
        ((1.5, 2), "k(x, n, block=(256, 1, 1), grid=(1, 1))"),
    ],
)
def test_numbas_form(k, x, key, here):
    said = "is not subscriptable: k\\[grid, block\\].* is Numba's form"
    with pytest.raises(TypeError, match=said) as caught:
        k[key](x, EIGHT)
    assert here in str(caught.value)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("blok", "did you mean block=?"),
        ("blocks", "did you mean grid=?"),
        ("gird", "did you mean grid=?"),
        ("gridDim", "did you mean grid=?"),
        ("threads_per_block", "did you mean block=?"),
        ("shared_mem", "did you mean shared=?"),
        ("smem", "did you mean shared=?"),
        ("steam", "did you mean stream=?"),
        ("time_kernal", "did you mean time_kernel=?"),
        ("other", "'k' takes its arguments by position, and block=, grid=,"),
        ("n", "by position: k(x, n, block=(256, 1, 1), grid=(1, 1))"),
    ],
)
def test_unknown_keywords(k, x, word, said):
    with pytest.raises(ValueError, match=f"keyword arguments: {word}:") as e:
        k(x, EIGHT, **{word: (8, 1, 1)}, **BLOCK)
    assert said in str(e.value)


def test_several_unknown_keywords(k, x):
    said = "arguments: blok,grd: did you mean block= and grid=\\?"
    with pytest.raises(ValueError, match=said):
        k(x, EIGHT, blok=(8, 1, 1), grd=(1, 1))
    with pytest.raises(ValueError, match=r"shared=\? .*CuPy's order; here: k"):
        k((1,), (8,), (x, EIGHT), shared_mem=4)


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("shared", "did you mean shared_size=?"),
        ("shared_mem", "did you mean shared_size=?"),
        ("block", "(grid, block, *args, shared_size=0) takes all others by"),
        ("stream", "(grid, block, *args, shared_size=0) takes all others by"),
    ],
)
def test_unknown_keywords_of_prepared_calls(k, x, word, said):
    k.prepare("Pi")
    for call in (k.prepared_call, k.prepared_timed_call):
        with pytest.raises(TypeError, match=f"arguments: {word}:") as caught:
            call((1, 1), (8, 1, 1), x.gpudata, 8, **{word: 0})
        assert said in str(caught.value)
    with pytest.raises(TypeError, match=r"did you|block, stream, \*args"):
        k.prepared_async_call((1, 1), (8, 1, 1), None, x, 8, **{word: 0})


@pytest.mark.parametrize(
    "length",
    [2.0, np.float32(2), np.float64(2), Fraction(2), Decimal(2)],
    ids=lambda value: type(value).__name__,
)
def test_lengths_that_were_divided(k, x, length):
    said = r"integers, not .*\(n \+ 255\) // 256 rounds up; n // 256 leaves"
    k.prepare("Pi")
    for call in (
        lambda: k(x, EIGHT, block=(8, 1, 1), grid=(length, 1)),
        lambda: k(x, EIGHT, block=(8, 1, 1), grid=length),
        lambda: k(x, EIGHT, block=(1, length, 1), grid=(1, 1)),
        lambda: k.prepared_call((length, 1), (8, 1, 1), x.gpudata, 8),
        lambda: k.prepared_call((1, 1), (length, 1, 1), x.gpudata, 8),
        lambda: k.prepared_async_call((1, length), (8, 1, 1), None, x, 8),
    ):
        with pytest.raises(TypeError, match=said):
            call()


def test_arguments_that_are_missing(module, x):
    three = module.get_function("three")
    said = (
        "'three(float *x, const int n, double by)' takes 3 parameters "
        "(24 bytes in all), but {} given: '{}' has none"
    )
    cases = [
        ((x,), "1 argument (8 bytes as packed) was", "const int n"),
        ((x, EIGHT), "2 arguments (12 bytes as packed) were", "double by"),
    ]
    for arguments, have, missing in cases:
        for call in (
            lambda given=arguments: three(*given, **BLOCK),
            lambda given=arguments: three.param_set(*given),
        ):
            with pytest.raises(TypeError) as caught:
                call()
            assert said.format(have, missing) in str(caught.value)


def test_arguments_that_are_too_many(module, x):
    with pytest.raises(TypeError) as caught:
        module.get_function("k")(x, EIGHT, EIGHT, **BLOCK)
    assert str(caught.value).startswith(
        "kernel 'k(float *x, int n)' takes 2 parameters (12 bytes in all), "
        "but 3 arguments"
    )
    with pytest.raises(TypeError, match="kernel 'none' takes 0 parameters"):
        module.get_function("none")(EIGHT, **BLOCK)


def test_arguments_of_prepared_calls_that_are_missing(k, x):
    k.prepare("Pi")
    said = r"'k\(float \*x, int n\)': pack requires exactly 2 .*got 1; .*'Pi'"
    with pytest.raises(struct.error, match=said):
        k.prepared_call((1, 1), (8, 1, 1), x.gpudata)


def test_the_handlers_name(k, x):
    for handler in (drv.In, drv.Out, drv.InOut):
        said = f"^{handler.__name__} copies a host array: pass a GPUArray"
        with pytest.raises(ValueError, match=said):
            k(handler(x), EIGHT, **BLOCK)
        said = f"^{handler.__name__} needs a.*numpy.ascontiguousarray"
        with pytest.raises(ValueError, match=said):
            k(handler(np.zeros((4, 4), np.float32)[:, ::2]), EIGHT, **BLOCK)
    frozen = np.zeros(8, np.float32)
    frozen.flags.writeable = False
    for handler in (drv.Out, drv.InOut):
        said = f"^{handler.__name__} needs a writable, contiguous array"
        with pytest.raises(ValueError, match=said):
            k(handler(frozen), EIGHT, **BLOCK)


def test_shared_memory_of_a_float(k, x):
    k.prepare("Pi")
    for call in (
        lambda: k(x, EIGHT, shared=4 / 2, **BLOCK),
        lambda: k.prepared_call((1, 1), (8, 1, 1), x, 8, shared_size=2.0),
        lambda: k.set_shared_size(2.0),
    ):
        said = "(shared|shared_size|size) must be an integer number of bytes"
        with pytest.raises(TypeError, match=f"{said}, not float"):
            call()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (
            lambda k: k.param_seti(8, 2.5),
            "param_seti() of kernel 'k': the argument at offset 8 is stored "
            "as an integer of 4 bytes, but a float was given",
        ),
        (
            lambda k: k.param_seti(8, None),
            "as an integer of 4 bytes, but a NoneType was given",
        ),
        (
            lambda k: k.param_setf(0, "1"),
            "as a float of 4 bytes, but a str was given; param_set(*args)",
        ),
        (
            lambda k: k.set_block_shape(8 / 4, 1, 1),
            "block dimensions must be integers, not float: // divides",
        ),
        (
            lambda k: k.launch_grid(4.0, 1),
            "grid dimensions must be integers, not float: // divides",
        ),
        (
            lambda k: k.launch_grid(1, np.float32(1)),
            "grid dimensions must be integers, not numpy.float32: // divides",
        ),
    ],
)
def test_launches_in_single_steps(k, call, said):
    with pytest.raises(TypeError) as caught:
        call(k)
    assert said in str(caught.value)


FAULT = """
import os
import sys
import numpy as np
import pycuda.driver as drv
import pycuda.gpuarray as gpuarray
from pycuda.compiler import SourceModule
drv.init()
source = '''__global__ void k(float *x, int at) { x[at] = 1; }
__global__ void trap(float *x, int at) { asm("trap;"); }'''
context = drv.Device(0).make_context()
module = SourceModule(source)
name, address = sys.argv[1:]
module.get_function(name)(np.intp(address), np.int32(0), block=(1, 1, 1))
try:
    context.synchronize()
except drv.Error as error:
    print(str(error))
"""


def fault(*arguments, **environment):
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", FAULT, *arguments],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return done.stdout


CHECK = "run the program with PYCUDA_DEVICE=cpu PYCUDA_CPU_CHECK=memory"


def test_a_fault_names_the_check_and_the_new_context():
    said = fault("k", "64", PYCUDA_CPU_CHECK="")
    assert CHECK in said
    assert "pycuda.driver.Device(0).make_context() makes a new one" in said
    assert "on a GPU, restart the program" in said
    assert "Most likely it was the last one launched: kernel 'k'" in said
    assert CHECK not in fault("k", "64", PYCUDA_CPU_CHECK="memory")
    said = fault("trap", "64", PYCUDA_CPU_CHECK="")
    assert "makes a new one" in said
    assert CHECK not in said
