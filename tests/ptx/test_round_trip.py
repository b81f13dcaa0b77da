"""Random kernels by way of PTX: C++ to PTX to an image.

``target="ptx"`` returns PTX that LLVM's NVPTX back end wrote. Without the
image in its comments it is read as any other PTX, and the kernels must give
the results of their interpreters in NumPy.
"""

import re

import numpy as np
import pytest
from kernel_corpus import GENERATORS, HEAD, output
from kernel_machine import INPUT

import pycuda.driver as drv
from pycuda import compiler

pytestmark = [pytest.mark.usefixtures("context"), pytest.mark.cpu]

SEEDS = 10


def without_image(text: str) -> str:
    """Return the PTX without the comments that contain the image."""
    return re.sub(r"^//.*\n", "", text.rstrip("\0"), flags=re.MULTILINE)


def through_ptx(source: str, **options) -> drv.Module:
    """Compile the source to PTX and load that."""
    text = compiler.compile(
        source, target="ptx", cache_dir=False, **options
    ).decode()
    assert "LLVM NVPTX" in text
    return drv.module_from_buffer(without_image(text).encode())


@pytest.mark.parametrize("kind", GENERATORS)
def test_random_kernels(kind):
    make = GENERATORS[kind]
    kernels = [make(seed, f"kernel_{seed}") for seed in range(SEEDS)]
    source = HEAD + "\n".join(kernel.text for kernel in kernels)
    module = through_ptx(source, options=["-fmad=false"])
    data = np.random.default_rng(1).integers(
        0, 1 << 32, INPUT, dtype=np.uint32
    )
    for kernel in kernels:
        expected = kernel.run(data)
        assert np.array_equal(output(module, kernel, data), expected), (
            kernel.text
        )


def test_changed_ptx_is_read():
    text = compiler.compile(
        "__global__ void k(int *o) { *o = 1234567; }",
        target="ptx",
        cache_dir=False,
    ).decode()
    out = np.zeros(1, dtype=np.int32)
    for changed, value in ((text, 1234567), (None, 7654321)):
        ptx = changed or text.replace("1234567", "7654321", 1)
        module = drv.module_from_buffer(ptx.encode())
        module.get_function("k")(drv.Out(out), block=(1, 1, 1))
        assert out[0] == value


@pytest.mark.parametrize(
    ("kind", "name"), [("double", "fmod"), ("float", "fmodf")]
)
def test_remainders_are_exact(kind, name):
    module = through_ptx(
        f'extern "C" __global__ void k({kind} *x)'
        f" {{ x[threadIdx.x] = {name}(x[threadIdx.x], 7.25); }}"
    )
    dtype = np.float64 if kind == "double" else np.float32
    x = (np.arange(1, 33) * 1e15 / 3).astype(dtype)
    expected = np.fmod(x, dtype(7.25))
    module.get_function("k")(drv.InOut(x), block=(32, 1, 1))
    assert np.array_equal(x, expected)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("int e; frexp(v, &e); r = e;", [1, 2, 2, 3, 3, 3, 3, 4]),
        ("double w; modf(v, &w); r = w;", [1, 2, 3, 4, 5, 6, 7, 8]),
        ("int q; remquo(v, 2.0, &q); r = q;", [1, 1, 2, 2, 3, 3, 4, 4]),
        ("double s, c; sincos(v, &s, &c); r = s * s + c * c;", [1] * 8),
    ],
)
def test_functions_that_write_through_a_pointer(code, expected):
    module = through_ptx(
        'extern "C" __global__ void k(double *x)'
        " { double v = x[threadIdx.x], r;"
        f" {code} x[threadIdx.x] = r; }}"
    )
    x = np.arange(1, 9) + 0.25
    module.get_function("k")(drv.InOut(x), block=(8, 1, 1))
    assert np.allclose(x, expected, atol=1e-15)


@pytest.mark.parametrize("source", ["double", "float"])
@pytest.mark.parametrize(
    "target", ["int", "unsigned", "long long", "unsigned long long", "short"]
)
def test_conversions_to_integers(source, target):
    """The results of NaN and of numbers out of range are the device's own."""
    text = (
        f'extern "C" __global__ void k(const {source} *x, long long *r)'
        f" {{ r[threadIdx.x] = ({target})x[threadIdx.x]; }}"
    )
    x = np.array(
        [np.nan, np.inf, -np.inf, 1e30, -1e30, 3e9, -3e9, 1.5, -1.5, 70000],
        np.float64 if source == "double" else np.float32,
    )
    results = []
    for module in (
        compiler.SourceModule(text, no_extern_c=True),
        through_ptx(text),
    ):
        result = np.zeros(len(x), np.int64)
        module.get_function("k")(
            drv.In(x), drv.Out(result), block=(len(x), 1, 1)
        )
        results.append(result.tolist())
    assert results[0] == results[1]
