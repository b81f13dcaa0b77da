"""cuda::std in kernels: the sources of tests/oracle/standard and results.

Most of them are constant expressions, which the sources assert.  The oracle
asks NVRTC about the same sources.
"""

# SPDX-License-Identifier: MIT

import importlib
import sys
from pathlib import Path

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

# On a GPU the headers are NVIDIA's own.
pytestmark = pytest.mark.cpu
ROOT = Path(__file__).resolve().parents[2]


def sections():
    """Return the entries of tests/oracle/standard by name."""
    path = str(ROOT / "tools" / "oracle")
    sys.path.insert(0, path)
    try:
        entries = importlib.import_module("entries")
    finally:
        sys.path.remove(path)
    folder = ROOT / "tests" / "oracle" / "standard"
    return {entry.name: entry for entry in entries.folder(folder)}


SECTIONS = sections()
EMPTY = '\nextern "C" __global__ void run(unsigned *out) { out[0] = 0; }\n'


def numeric():
    """Return the words of algorithms/numeric."""
    x = np.array([3, 1, 4, 1, 5, 9, 2, 6])
    sums, products, squares = x.cumsum(), x.cumprod(), (x * x).cumsum()
    parts = [
        np.diff(x, prepend=0),
        x + np.append(0, x[:-1]),
        100 + sums - x,
        products // x,
        sums,
        products,
        10 + sums,
        7 + squares - x * x,
        squares,
        7 + squares,
        [sums[-1], 5 + sums[-1], 2 * products[-1], squares[-1], squares[-1]],
        [1, sums[-1]],
    ]
    return np.concatenate(parts).astype("i4").astype("u4").tolist()


def atomic():
    """Return the words of objects/atomic, which 32 threads compute."""
    t = np.arange(32)
    xors = np.bitwise_xor.reduce(t ^ t * 8)
    sums = [t.sum() + 32, 1000 - t.sum() - 32, 0, 2**32 - 1, xors, 32 * 7]
    rest = [64, 61, 1, 5, 1, 60, 81, 7, 0, 12, 55]
    return [int(word) for word in (*sums, *rest)]


WORDS = {
    "types/type_traits": [2],
    "types/utility": [3, 32, 7, 345],
    "objects/functional": [12, 1, 20, 12, 123, 17, 4, 77, 456],
    "objects/hash": [1, 1, 1, 0],
    "objects/tuple": [2, 98, 117],
    "objects/arrays": [12, 4, 9, 6, 0],
    "objects/bit": [63] * 32,
    "objects/cmath": [
        2, 1, 0, 34, 1, 1, 1, 1, 1, 1, 1, 1250, 31, 7, 4, 32, 32,
        2**40 // 1000000 + 2**40 % 1000, 0, 0, 5,
    ],
    "objects/memory": [3, 1, 5, 109, 4, 0, 1, 4, 8, 44, 0, 2, 0, 99],
    "objects/optional": [
        13, 53, 30, 45, 37, 28, 106, 269, 291, 392, 0, 3, 0, 70, 0, 8,
        20, 85, 552, 80,
    ],
    "objects/allocator": [5],
    "objects/atomic": atomic(),
    "objects/storage": [
        9, 3, 9, 28, 2, 406, 3, 604, 402, 2, 2202, 42, 2204, 4, 0, 1, 25, 0, 0,
    ],
    "objects/latch_and_semaphore": [0, 0, 32, 1, 2, 5],
    "algorithms/numeric": numeric(),
    "algorithms/iterators": [
        4321, 324, 3, 12, 567, 1, 1, 5, 38912, 4321, 14, 0, 1,
    ],
    "algorithms/ranges": [1, 5, 5, 1, 2, 6, 31, 15],
}  # fmt: skip


@pytest.mark.parametrize("standard", ["17", "20"])
@pytest.mark.parametrize("name", SECTIONS)
def test_section(name, standard):
    entry = SECTIONS[name]
    if any("std" in option for option in entry.options) and standard == "17":
        pytest.skip("the source needs C++20")
    options = [f"-std=c++{standard}"]
    code = entry.code.replace("__global__", 'extern "C" __global__')
    if name not in WORDS:
        assert "run(" not in code
        code += EMPTY
    module = SourceModule(code, no_extern_c=True, options=options)
    out = np.zeros(1024, "u4")
    module.get_function("run")(cuda.InOut(out), block=(32, 1, 1))
    wanted = WORDS.get(name, [0])
    assert out[: len(wanted)].tolist() == wanted


def test_a_false_assertion_is_an_error():
    code = SECTIONS["types/concepts"].code
    code = code.replace("s::movable<MoveOnly>", "s::copyable<MoveOnly>")
    with pytest.raises(cuda.CompileError, match="static assertion"):
        SourceModule(code, no_extern_c=True)
