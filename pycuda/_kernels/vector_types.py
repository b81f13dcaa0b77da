"""Arrays that the vector parameters of kernel classes accept, by type."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from pycuda._compile.warn import warn_user
from pycuda._kernels.operations import is_bfloat16
from pycuda.tools import dtype_to_ctype

if TYPE_CHECKING:
    from pycuda.tools import Argument


def check_vector(
    kernel: str, argument: Argument, array: Any, stream: Any = None
) -> Any:
    """Return `array`, converted if needed, or raise TypeError.

    A bool array for a numeric parameter is converted, because comparisons used
    to return numbers.  Records may be passed for other types of their size,
    and so may integers, with a warning.
    """
    have, want = array.dtype, argument.dtype
    if have == want:
        return array
    if have.kind == "b" and (want.kind in "iufc" or is_bfloat16(want)):
        return array.astype(want, stream)
    if have.itemsize == want.itemsize and (
        issubclass(have.type, np.void) or issubclass(want.type, np.void)
    ):
        return array
    if _same_bits(have, want):
        warn_user(
            f"{kernel}: argument '{argument.name}' is declared "
            f"'{argument.declarator()}' ({want}) and takes the bits of an "  # type: ignore[attr-defined]
            f"array of {have} as they are; .view(np.{want}) says so without "
            "this warning"
        )
        return array
    raise TypeError(
        f"{kernel}: argument '{argument.name}' is declared "
        f"'{argument.declarator()}' ({want}), "  # type: ignore[attr-defined]
        f"but the array given has dtype {have}; convert it with "
        f".astype(np.{want}) or declare '{_pointer_to(have)}"
        f"{argument.name}'"
    )


def _same_bits(have: np.dtype, want: np.dtype) -> bool:
    """Return whether a kernel for `want` may read arrays of `have`.

    As in PyCUDA, programs declare ``char *`` for bytes of any sign, ``int *``
    for unsigned numbers, and 16-bit integers for half precision.
    """

    def is_integer(dtype: np.dtype) -> bool:
        return dtype.kind in "iub"

    def is_half(dtype: np.dtype) -> bool:
        return dtype == np.float16 or is_bfloat16(dtype)

    if have.itemsize != want.itemsize:
        return False
    if is_integer(have):
        return is_integer(want) or is_half(want)
    return is_half(have) and is_integer(want)


def _pointer_to(dtype: np.dtype) -> str:
    try:
        return f"{dtype_to_ctype(dtype)} *"
    except ValueError:
        return f"(a registered type for {dtype}) *"
