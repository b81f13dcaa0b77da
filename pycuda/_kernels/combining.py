"""Combination of a reduction's values; compensation of rounding in sums."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import numpy as np

from pycuda._kernels import building


def _lowest(dtype: np.dtype) -> str:
    """Return the least value of a dtype as C."""
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
    """Return C of the neutral value of the reduction `kind`."""
    if kind == "sum":
        return "Value(0)"
    if kind in ("any", "all"):
        return "false" if kind == "any" else "true"
    limit = _lowest(dtype) if kind == "max" else _highest(dtype)
    if dtype.kind == "c":
        return f"Value({limit}, {limit})"
    return f"Value({limit})"


def compensated_sums(
    value: np.dtype, exact: bool, summed: str = "Value"
) -> dict[str, str]:
    """Return fields that compensate the rounding errors of long sums.

    They are fields of the templates that use ``keep`` and ``settled``.  With
    `exact` nothing needs compensation, or the values may be combined in any
    order.  `summed` is the name of the type.
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
    text = building.load_template("reduce/compensated_part.cuh").substitute(
        part=part
    )
    return {
        "summed": summed,
        "keep_part": text,
        "keep": keep,
        "settled": settled,
    }
