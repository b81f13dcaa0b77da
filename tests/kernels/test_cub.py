"""CUB's primitives for blocks, warps and threads, against NumPy.

The headers are NVIDIA's (the wheel `nvidia-cuda-cccl` or a CUDA toolkit).
"""

# SPDX-License-Identifier: MIT

import functools

import numpy as np
import pytest
from cub_cases import CASES, ITEMS, RUNS, SIZES, TYPES, names, source, values

import pycuda.driver as drv
from pycuda._compile import cccl
from pycuda.compiler import SourceModule

pytestmark = [
    pytest.mark.usefixtures("context"),
    pytest.mark.skipif(
        cccl.folder() is None,
        reason=f"CUB's headers are not installed: {cccl.INSTALL}",
    ),
]


@functools.cache
def module(kind: str) -> SourceModule:
    return SourceModule(source(kind), no_extern_c=True)


@pytest.mark.parametrize(
    ("kind", "name", "size"),
    [(k, n, s) for k in TYPES for s in SIZES for n in names(k, s)],
)
def test_primitive(kind, name, size):
    random = np.random.default_rng([size, len(name)])
    keys = random.integers(0, 50, size * ITEMS)
    want = values(CASES[name].expected(keys, size), kind)
    out = values(np.full(size * max(ITEMS, RUNS) + 1, -1), kind)
    module(kind).get_function(f"{name}_{size}")(
        drv.InOut(out), drv.In(values(keys, kind)), block=(size, 1, 1)
    )
    assert out[: len(want)].tolist() == want.tolist()
    rest = out[len(want) :]
    assert (rest == values(np.full(len(rest), -1), kind)).all()
