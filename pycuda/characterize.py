"""Properties of the current device and its compiler."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import struct

import numpy as np

import pycuda.driver as _drv
from pycuda._context_cache import by_context

__all__ = ["has_double_support", "has_stack", "platform_bits", "sizeof"]


def platform_bits() -> int:
    """Return the width of a pointer of this Python: 64 or 32 bits."""
    return struct.calcsize("P") * 8


def has_stack() -> bool:
    """Return whether kernels have a stack (compute capability >= 2.0)."""
    return _drv.Context.get_device().compute_capability() >= (2, 0)


def has_double_support() -> bool:
    """Return whether kernels can compute in double (capability >= 1.3)."""
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
    """Return the size in bytes of a type in kernels.

    `preamble` may declare the type.
    """
    # Delayed import: the other functions of this module need no compiler.
    from pycuda.compiler import SourceModule

    source = _SIZEOF.format(type_name=type_name, preamble=preamble)
    kernel = SourceModule(source, no_extern_c=True).get_function("write_size")
    output = np.zeros(1, np.uintp)
    kernel(_drv.Out(output), block=(1, 1, 1), grid=(1, 1))
    return int(output[0])
