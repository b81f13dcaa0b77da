"""Random kernels: thread loops between barriers against fibers, and both
against an interpreter in NumPy (kernel_generator.py).

The kernels are compiled in groups, one module a group.  A failure's message
holds the seed; `Generator(seed).text` is then the kernel.
"""

import warnings

import numpy as np
import pytest
from kernel_generator import INPUT, Generator

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

GROUP = 10
HEAD = "#define umulhi __umulhi\n"
OPTIONS = ["-fmad=false"]
SWITCH = "PYCUDA_CPU_REGIONS"


def results(kernels: list[Generator], data: np.ndarray, cache: str) -> list:
    """What each kernel wrote, on the device."""
    source = HEAD + "\n".join(kernel.text for kernel in kernels)
    with warnings.catch_warnings():  # a comparison of a value with itself
        warnings.simplefilter("ignore")
        module = SourceModule(source, options=OPTIONS, cache_dir=cache)
    outs = []
    for kernel in kernels:
        threads = int(np.prod(kernel.block))
        out = np.zeros(threads * kernel.grid, np.uint32)
        module.get_function(kernel.name)(
            cuda.InOut(out),
            cuda.In(data),
            np.uint32(kernel.p),
            np.uint32(kernel.q),
            block=kernel.block,
            grid=(kernel.grid, 1),
        )
        outs.append(out)
    return outs


def check_group(
    first: int, folder, monkeypatch, make=Generator, switch=SWITCH
) -> None:
    data = np.random.default_rng(first).integers(
        0, 1 << 32, INPUT, dtype=np.uint32
    )
    kernels = [
        make(seed, f"kernel_{seed}") for seed in range(first, first + GROUP)
    ]
    expected = [kernel.run(data) for kernel in kernels]
    for setting in "10":
        monkeypatch.setenv(switch, setting)
        cache = str(folder / setting)
        found = results(kernels, data, cache)
        for kernel, right, out in zip(kernels, expected, found, strict=True):
            wrong = np.flatnonzero(right != out)
            assert not wrong.size, (
                f"seed {kernel.seed}, {switch}={setting}: thread "
                f"{wrong[0]} of block {kernel.block} wrote {out[wrong[0]]}, "
                f"not {right[wrong[0]]}; {wrong.size} are wrong"
            )


@pytest.mark.parametrize("first", range(0, 40, GROUP))
def test_random_kernels(first, tmp_path, monkeypatch):
    check_group(first, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(2500, 3000, GROUP))
def test_many_random_kernels(first, tmp_path, monkeypatch):
    check_group(first, tmp_path, monkeypatch)


DIVISION = """
__global__ void kernel(unsigned *out, const unsigned *in, unsigned p)
{
    __shared__ unsigned s[256];
    unsigned t = threadIdx.x, l[4];
    for (unsigned k = t; k < 256; k += blockDim.x)
        s[k] = 3 * k;
    for (unsigned k = 0; k < 4; ++k)
        l[k] = k;
    __syncthreads();
    out[t] = t != 21 ? l[in[t] & 3] : s[p / (threadIdx.z | 1u) & 255];
}
"""


def test_division_that_one_thread_wants():
    """LLVM 19 vectorised it for the first thread's sake alone."""
    data = np.arange(100, dtype=np.uint32)
    out = np.zeros_like(data)
    SourceModule(DIVISION).get_function("kernel")(
        cuda.Out(out), cuda.In(data), np.uint32(6), block=(100, 1, 1)
    )
    expected = data & 3
    expected[21] = 18
    assert np.array_equal(out, expected)
