"""Advice for kernel arguments that a launch refuses: what to pass instead.

The parameter's type comes from the kernel's source if that is at hand;
otherwise only the parameter's size is known.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from pycuda._launch.declarations import MEMORY, Declared, parameters, texts

_ANYTHING = (
    "pass a NumPy scalar such as numpy.int32(n), a DeviceAllocation, a "
    "GPUArray, In/Out/InOut, or a NumPy array or record by value"
)
_RECORD = (
    "a struct is passed by value as a record of as many bytes: "
    "numpy.dtype(..., align=True) lays it out as C does"
)
# NumPy's types for C types of fewer than 32 bits.
_SMALL_TYPES = {
    "bool": "bool_",
    "char": "int8",
    "signed char": "int8",
    "int8_t": "int8",
    "unsigned char": "uint8",
    "uint8_t": "uint8",
    "short": "int16",
    "int16_t": "int16",
    "unsigned short": "uint16",
    "uint16_t": "uint16",
    "half": "float16",
    "__half": "float16",
}
_VECTOR = re.compile(
    r"u?(?:char|short|int|long|longlong)[1-4]|(?:float|double)[1-4]"
)
# For each kind of number: the types of an argument of this kind; size of a
# parameter in bytes -> name of the NumPy type to pass; and the advice for a
# parameter of any other size.
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
_ALSO = {
    2: ("float16", "half"),
    4: ("float32", "float"),
    8: ("float64", "double"),
}


def _integer_text(dtype: np.dtype, number: float) -> str:
    limits = np.iinfo(dtype)
    if isinstance(number, float) and not number.is_integer():
        return f"numpy.{dtype}(...), which holds whole numbers only"
    if not limits.min <= number <= limits.max:
        return f"numpy.{dtype}(...), which holds {limits.min} to {limits.max}"
    return f"numpy.{dtype}({int(number)})"


def number_text(name: str, value: Any) -> str:
    """Return the expression that converts `value` to NumPy's type `name`.

    The value is in the expression if the type can represent it.
    """
    dtype = np.dtype(name)
    number = value.item() if isinstance(value, np.generic) else value
    if not isinstance(number, (bool, int, float, complex)):
        return f"numpy.{name}(...)"
    if isinstance(number, complex) and dtype.kind != "c":
        return f"numpy.{name}(...), which has no imaginary part"
    if isinstance(number, int) and abs(number) >= 1 << 64:
        return f"numpy.{name}(...), which does not hold such a number"
    if isinstance(number, float) and not math.isfinite(number):
        return f"numpy.{name}(...)"
    if dtype.kind in "iu":
        return _integer_text(dtype, number)
    if dtype.kind == "b":
        return f"numpy.bool_({bool(number)})"
    return f"numpy.{name}({number!r})"


def _of_pointer(declared: Declared | None, value: Any) -> str:
    if value is None:
        return "pass numpy.intp(0) for a null pointer"
    if isinstance(value, (list, tuple)):
        dtype = f", numpy.{declared.dtype}" if declared else ""
        return f"pass pycuda.gpuarray.to_gpu(numpy.array(...{dtype}))"
    if isinstance(value, (int, np.integer)):
        return f"pass {MEMORY}; numpy.intp(n) for an address"
    return f"pass {MEMORY}"


def _of_text(text: str, size: int, value: Any) -> str | None:
    """Return advice for a parameter of a type that parameters() skips."""
    if "*" in text or text.endswith("]"):
        return _of_pointer(None, value)
    words = [word for word in text.split()[:-1] if word != "const"]
    kind = " ".join(words)
    if _VECTOR.fullmatch(kind):
        return f"pass pycuda.gpuarray.vec.make_{kind}(...)"
    name = _SMALL_TYPES.get(kind)
    if name:
        return f"pass {number_text(name, value)}"
    return _RECORD if size not in (1, 2, 4, 8) else None


def _of_size(size: int, value: Any) -> str:
    if value is None:
        return "pass numpy.intp(0) for a null pointer"
    if isinstance(value, (list, tuple)):
        return "pass pycuda.gpuarray.to_gpu(numpy.array(...)) for a pointer"
    if isinstance(value, np.void):
        return _RECORD
    for types, sizes, suggestion in _NUMBERS:
        if isinstance(value, types):
            name = sizes.get(size)
            if name is None:
                return f"pass {suggestion}"
            text = f"pass {number_text(name, value)}"
            if isinstance(value, int) and size in _ALSO:
                also, c_type = _ALSO[size]
                return f"{text}; {number_text(also, value)} for a {c_type}"
            return text
    return _ANYTHING


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
    if isinstance(source, str):
        found = parameters(source, kernel)
        declared = found[index] if len(found) == count > index else None
        if declared is not None and declared.is_pointer:
            return _of_pointer(declared, value)
        if declared is not None:
            return f"pass {number_text(str(declared.dtype), value)}"
        written = texts(source, kernel)
        if len(written) == count > index:
            advice = _of_text(written[index], size, value)
            if advice is not None:
                return advice
    return _of_size(size, value)
