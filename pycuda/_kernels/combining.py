"""How the values of a reduction combine, and what a sum keeps on the way."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import numpy as np

from pycuda._kernels import building


def _lowest(dtype: np.dtype) -> str:
    """The least value of a dtype as C."""
    if dtype.kind == "b":
        return "false"
    if dtype.kind == "u":
        return "0"
    if dtype.kind == "i":
        info = np.iinfo(dtype)
        return f"(-{info.max}LL - 1)"
    return "-INFINITY"


def _highest(dtype: np.dtype) -> str:
    if dtype.kind == "b":
        return "true"
    if dtype.kind == "u":
        return f"{np.iinfo(dtype).max}ULL"
    if dtype.kind == "i":
        return f"{np.iinfo(dtype).max}LL"
    return "INFINITY"


def neutral_of(kind: str, dtype: np.dtype) -> str:
    """C of the value that changes no result of the reduction `kind`."""
    if kind == "sum":
        return "Value(0)"
    if kind in ("any", "all"):
        return "false" if kind == "any" else "true"
    limit = _lowest(dtype) if kind == "max" else _highest(dtype)
    if dtype.kind == "c":
        return f"Value({limit}, {limit})"
    return f"Value({limit})"


def kept_sums(
    value: np.dtype, exact: bool, summed: str = "Value"
) -> dict[str, str]:
    """How a sum of many terms keeps what rounding takes from it.

    Fields of the templates that say ``keep`` and ``settled``; `exact`: there
    is nothing to keep, or the order of what is combined does not matter;
    `summed`: the name of the type.
    """
    if exact:
        return {
            "summed": summed,
            "keep_part": "",
            "keep": "sum = combine(sum, x);",
            "settled": "sum",
        }
    part = "float" if value.char in "fF" else "double"
    keep, settled = "keep_part(sum, lost, x);", "settled_part(sum, lost)"
    if value.kind == "c":
        keep = (
            f"{part} re = sum.real(), im = sum.imag();\n"
            f"    {part} lost_re = lost.real(), lost_im = lost.imag();\n"
            "    keep_part(re, lost_re, x.real());\n"
            "    keep_part(im, lost_im, x.imag());\n"
            f"    sum = {summed}(re, im);\n"
            f"    lost = {summed}(lost_re, lost_im);"
        )
        settled = (
            f"{summed}(settled_part(sum.real(), lost.real()),\n"
            "                 settled_part(sum.imag(), lost.imag()))"
        )
    text = building.load_template("reduce/keep_part.cuh").substitute(part=part)
    return {
        "summed": summed,
        "keep_part": text,
        "keep": keep,
        "settled": settled,
    }
