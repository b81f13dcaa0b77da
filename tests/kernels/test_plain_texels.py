"""tex1Dfetch of linear memory in all formats, in loops and outside of them."""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

KINDS = {
    "char": np.int8,
    "uchar": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "uint": np.uint32,
    "float": np.float32,
}
NAMES = {"uchar": "unsigned char", "ushort": "unsigned short"}
NAMES |= {"uint": "unsigned int", "char": "signed char"}
TEXELS = 50
ROUNDS = 5

TEXT = """
texture<{type}, 1, {mode}> texels{key};
__global__ void once{key}(float *out)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    {read} v = tex1Dfetch(texels{key}, i - 7);
    out[i] = {sum};
}}
__global__ void loop{key}(float *out)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float all = 0;
    for (int k = 0; k < 5; k++) {{
        {read} v = tex1Dfetch(texels{key}, i - 7 + k);
        all += {sum};
    }}
    out[i] = all;
}}
"""
MODES = {
    "values": "cudaReadModeElementType",
    "unit": "cudaReadModeNormalizedFloat",
}


def cases():
    for kind in KINDS:
        for channels in (1, 2, 4):
            yield kind, channels, "values"
            if kind in ("char", "uchar", "short", "ushort"):
                yield kind, channels, "unit"


def text(kind, channels, mode):
    parts = ["v"] if channels == 1 else [f"v.{c}" for c in "xyzw"[:channels]]
    tail = "" if channels == 1 else str(channels)
    plain = NAMES.get(kind, kind) if channels == 1 else kind + tail
    factors = [f"{k + 1} * (float){part}" for k, part in enumerate(parts)]
    return TEXT.format(
        type=plain,
        mode=MODES[mode],
        key=f"_{kind}_{channels}_{mode}",
        read=plain if mode == "values" else f"float{tail}",
        sum=" + ".join(factors),
    )


@pytest.fixture(scope="module")
def module():
    return SourceModule("".join(text(*case) for case in cases()))


def expected(data, mode):
    """Return each thread's value; texels out of range are zero."""
    value = data.astype(np.float64)
    if mode == "unit":
        # The smallest signed integer also gives -1, as on an H100.
        value = np.maximum(value / np.iinfo(data.dtype).max, -1)
    total = (value * np.arange(1, data.shape[1] + 1)).sum(axis=1)
    return np.concatenate((np.zeros(7), total, np.zeros(40)))


@pytest.mark.parametrize("kind, channels, mode", list(cases()))
def test_texels_of_all_formats(module, kind, channels, mode):
    key, dtype = f"_{kind}_{channels}_{mode}", np.dtype(KINDS[kind])
    random = np.random.default_rng(channels)
    texture = module.get_texref("texels" + key)
    out = np.empty(80, np.float32)
    for _ in range(2):  # the second time, the texture is bound again
        if dtype.kind == "f":
            data = random.uniform(-9, 9, (TEXELS, channels)).astype(dtype)
        else:
            limits = np.iinfo(dtype)
            data = random.integers(
                limits.min, limits.max, (TEXELS, channels), dtype, True
            )
            data[0] = limits.min
        memory = gpuarray.to_gpu(data)
        texture.set_format(cuda.dtype_to_array_format(dtype), channels)
        if mode == "values" and dtype.kind != "f":
            texture.set_flags(cuda.TRSF_READ_AS_INTEGER)
        texture.set_address(memory.gpudata, memory.nbytes)
        right = expected(data, mode)
        scale = np.abs(data.astype(float)).max() if mode == "values" else 1
        for name, rounds in (("once", 1), ("loop", ROUNDS)):
            module.get_function(name + key)(
                cuda.Out(out), block=(40, 1, 1), grid=(2, 1)
            )
            sums = sum(right[k : k + 80] for k in range(rounds))
            wrong = np.abs(out - sums) > 1e-5 * np.maximum(np.abs(sums), scale)
            assert not wrong.any(), (out[wrong], sums[wrong])
