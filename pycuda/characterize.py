"""Questions about the current device and its compiler."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import struct

import numpy as np

import pycuda.driver as _drv
from pycuda._by_context import by_context

__all__ = ["has_double_support", "has_stack", "platform_bits", "sizeof"]


def platform_bits() -> int:
    """Width of a pointer of this Python: 64 or 32."""
    return struct.calcsize("P") * 8


def has_stack() -> bool:
    """Have kernels a stack (compute capability 2.0 and newer)?"""
    return _drv.Context.get_device().compute_capability() >= (2, 0)


def has_double_support() -> bool:
    """Can kernels compute in double (capability 1.3 and newer)?"""
    return _drv.Context.get_device().compute_capability() >= (1, 3)


_SIZEOF = """\
{preamble}
extern "C" __global__ void write_size(size_t *output)
{{
  *output = sizeof({type_name});
}}
"""


@by_context
def sizeof(type_name: str, preamble: str = "") -> int:
    """Size in bytes of a type in kernels; `preamble` may declare it."""
    from pycuda.compiler import SourceModule

    source = _SIZEOF.format(type_name=type_name, preamble=preamble)
    kernel = SourceModule(source, no_extern_c=True).get_function("write_size")
    output = np.zeros(1, np.uintp)
    kernel(_drv.Out(output), block=(1, 1, 1), grid=(1, 1))
    return int(output[0])
