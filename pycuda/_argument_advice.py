"""Advice for kernel arguments that a launch refuses.

Called by the launch path when it raises the error.  The parameter's type comes
from the kernel's source if that is at hand; otherwise only the parameter's
size is known.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

from pycuda._declared_types import Declared, parameters

_ANYTHING = (
    "pass a NumPy scalar such as numpy.int32(n), a DeviceAllocation, a "
    "GPUArray, In/Out/InOut, or a NumPy array or record by value"
)
_MEMORY = "a GPUArray, a DeviceAllocation or pycuda.driver.In(array)"
_RECORD = (
    "a struct is passed by value as a record of as many bytes: "
    "numpy.dtype(..., align=True) lays it out as C does"
)
# For each kind of number: the types of the argument, the name of NumPy's type
# for each size of the parameter in bytes, and the advice for other sizes.
_NUMBERS: tuple[tuple[tuple[type, ...], dict[int, str], str], ...] = (
    (
        (bool, np.bool_),
        {1: "bool_", 4: "int32", 8: "int64"},
        "numpy.bool_(b), or numpy.int32(b) for an int",
    ),
    (
        (int, np.integer),
        {1: "int8", 2: "int16", 4: "int32", 8: "int64"},
        "numpy.int32(n) for an int, numpy.int64(n) for a long long",
    ),
    (
        (float, np.floating),
        {2: "float16", 4: "float32", 8: "float64"},
        "numpy.float32(x) for a float, numpy.float64(x) for a double",
    ),
    (
        (complex, np.complexfloating),
        {8: "complex64", 16: "complex128"},
        "numpy.complex64(z) or numpy.complex128(z)",
    ),
)


def _of_pointer(declared: Declared, value: Any) -> str:
    if value is None:
        return "pass numpy.intp(0) for a null pointer"
    if isinstance(value, (list, tuple)):
        return (
            "pass pycuda.gpuarray.to_gpu(numpy.array(..., "
            f"numpy.{declared.dtype}))"
        )
    if isinstance(value, (int, np.integer)):
        return f"pass {_MEMORY}, or numpy.intp(n) for an address"
    return f"pass {_MEMORY}"


def advise(
    source: str | None,
    kernel: str,
    count: int,
    index: int,
    size: int,
    value: Any,
) -> str:
    """Return a clause that names a suitable type for argument `index`.

    Parameters
    ----------
    source
        CUDA C in which the kernel may be found, or None.
    kernel
        Name of the kernel.
    count
        Number of the kernel's parameters.
    index
        Position of the argument, from 0.
    size
        Size of the parameter in bytes; 0 if unknown.
    value
        The argument that was passed.
    """
    found = parameters(source, kernel) if isinstance(source, str) else ()
    declared = found[index] if len(found) == count > index else None
    if declared is not None:
        what = f"the parameter is '{declared.text}': "
        if declared.is_pointer:
            return what + _of_pointer(declared, value)
        return f"{what}pass numpy.{declared.dtype}(...)"
    if value is None:
        return "pass numpy.intp(0) for a null pointer"
    if isinstance(value, (list, tuple)):
        return "pass pycuda.gpuarray.to_gpu(numpy.array(...)) for a pointer"
    if isinstance(value, np.void):
        return _RECORD
    for types, sizes, usual in _NUMBERS:
        if isinstance(value, types):
            name = sizes.get(size)
            return f"pass numpy.{name}(...)" if name else f"pass {usual}"
    return _ANYTHING
