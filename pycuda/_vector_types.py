"""CUDA's vector types as NumPy record dtypes: ``vec.float3`` and so on.

`vec` has a dtype for each vector type, with fields x, y, z, w and no padding;
and ``make_float3(x, y, z)``, which returns a 0-d array of it.  `NAMES` has the
dtypes' C names, for the registry in `pycuda.tools`.  `_vector_types.pyi` has
the types of these attributes.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

_BASES = {
    "char": np.int8,
    "uchar": np.uint8,
    "short": np.int16,
    "ushort": np.uint16,
    "int": np.int32,
    "uint": np.uint32,
    "long": np.int64,
    "ulong": np.uint64,
    "longlong": np.int64,
    "ulonglong": np.uint64,
    "float": np.float32,
    "double": np.float64,
}
_TWO_AT_MOST = ("longlong", "ulonglong", "double")

# Name of the type in C -> dtype.
NAMES: dict[str, np.dtype] = {}


class vec:
    """Namespace of the vector types and their ``make_`` functions."""


def _maker(dtype: np.dtype) -> Callable[..., np.ndarray]:
    fields = dtype.names or ()

    def make(*values: Any, **named: Any) -> np.ndarray:
        rest = fields[len(values) :]
        if len(values) > len(fields) or named.keys() != set(rest):
            given = f", with the names {', '.join(named)}" if named else ""
            raise TypeError(
                f"expected {len(fields)} values ({', '.join(fields)}), got "
                f"{len(values) + len(named)}{given}"
            )
        return np.array((*values, *(named[field] for field in rest)), dtype)

    return make


def _define() -> None:
    for base, scalar in _BASES.items():
        for count in range(1, 3 if base in _TWO_AT_MOST else 5):
            name = f"{base}{count}"
            dtype = np.dtype([(field, scalar) for field in "xyzw"[:count]])
            NAMES[name] = dtype
            setattr(vec, name, dtype)
            make = _maker(dtype)
            make.__name__ = f"make_{name}"
            make.__qualname__ = f"vec.make_{name}"
            make.__doc__ = (
                f"Return a 0-d array of ``vec.{name}`` from its fields "
                f"{', '.join(dtype.names or ())}.\n\nRaises TypeError for "
                "another number of values, or other names."
            )
            setattr(vec, make.__name__, staticmethod(make))


_define()
