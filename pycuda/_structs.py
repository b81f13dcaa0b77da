"""Structured dtypes as C structs with the layout of the device's compiler.

Called through `pycuda.tools`.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

import pycuda.driver as _drv
from pycuda.compyte.dtypes import dtype_to_ctype

# C name of a struct -> C source that declares the struct, and before it the
# structs of its fields. Used to declare later structs with such a field.
_declarations: dict[str, str] = {}

_SOURCE = """\
#include <stddef.h>
#include <pycuda-complex.hpp>
{needed}{declaration}
extern "C" __global__ void write_layout(unsigned long long *layout)
{{
{lines}
}}
"""


def match_dtype_to_c_struct(
    device: Any, name: str, dtype: Any, context: Any = None
) -> tuple[np.dtype, str]:
    """Lay out a structured dtype as a C struct on the device.

    Parameters
    ----------
    device
        Ignored: the current context's device is used.  PyOpenCL's function
        has this parameter.
    name
        Name of the struct in C.
    dtype
        Structured dtype; its fields are of registered types, which includes
        structs from this function that were passed to
        `get_or_register_dtype`.
    context
        Ignored.

    Returns
    -------
    dtype : numpy.dtype
        The same fields with the offsets and the size, in bytes, that they
        have in C.
    declaration : str
        The struct's declaration, for the source before kernels that use it.

    Raises
    ------
    ValueError
        If a name is not valid in C, or a field's type is not registered.
    """
    dtype = np.dtype(dtype)
    if not dtype.names:
        raise ValueError(f"expected a structured dtype, not {dtype}")
    for word in (name, *dtype.names):
        if not (word.isidentifier() and word.isascii()):
            raise ValueError(f"{word!r} cannot be a name in C")
    needed, lines = "", []
    for field in dtype.names:
        base, shape = _item(dtype.fields[field][0])
        ctype = dtype_to_ctype(base)
        if ctype in _declarations and _declarations[ctype] not in needed:
            needed += _declarations[ctype]
        extents = "".join(f"[{length}]" for length in shape)
        lines.append(f"  {ctype} {field}{extents};\n")
    declaration = f"typedef struct {{\n{''.join(lines)}}} {name};\n\n"
    matched = _ask_compiler(name, dtype, needed, declaration)
    _declarations[name] = needed + declaration
    return matched, declaration


def _item(dtype: np.dtype) -> tuple[np.dtype, tuple[int, ...]]:
    """Return a field's element type and shape, () for a single element."""
    return dtype.subdtype or (dtype, ())


def _ask_compiler(
    name: str, dtype: np.dtype, needed: str, declaration: str
) -> np.dtype:
    """Return the dtype with the offsets that a kernel reports."""
    # Delayed import: most programs that use pycuda.tools need no compiler.
    from pycuda._compile.source import includes_of
    from pycuda.compiler import SourceModule

    names = list(dtype.names or ())
    lines = [f"  layout[0] = sizeof({name});"]
    lines += [
        f"  layout[{number}] = offsetof({name}, {field});"
        for number, field in enumerate(names, 1)
    ]
    source = includes_of(needed + declaration) + _SOURCE.format(
        needed=needed, declaration=declaration, lines="\n".join(lines)
    )
    layout = np.zeros(len(lines), np.uint64)
    kernel = SourceModule(source, no_extern_c=True).get_function(
        "write_layout"
    )
    kernel(_drv.Out(layout), block=(1, 1, 1))
    size, *offsets = (int(number) for number in layout)
    return np.dtype(
        {
            "names": names,
            "formats": [dtype.fields[field][0] for field in names],
            "offsets": offsets,
            "itemsize": size,
        }
    )
