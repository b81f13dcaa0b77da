"""CUDA C for reductions of whole arrays, in one stage or two.

The top of ``src/array/reduce.c`` describes the launch parameters.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any

import numpy as np

from pycuda._kernels import building
from pycuda._kernels.building import compile_kernel, indent, load_template
from pycuda._kernels.combining import compensated_sums, neutral_of
from pycuda._kernels.operations import c_type, cast, expression_of
from pycuda._kernels.tuning import tuned

_BLOCK = 256
# If threads run sequentially: elements per block, and maximum number of
# accumulators.
_SHARE_IN_TURN = 1 << 16
_LANES_IN_TURN = 64

# Name of the reduction -> operation that combines its values.
_REDUCTIONS = {
    "sum": "sum",
    "dot": "sum",
    "any": "any",
    "all": "all",
    "max": "max",
    "min": "min",
}


def _combine(kind: str, dtype: np.dtype) -> str:
    if kind == "sum":
        return expression_of("add", (dtype, dtype))
    if kind in ("any", "all"):
        return "x || y" if kind == "any" else "x && y"
    name = "maximum" if kind == "max" else "minimum"
    return expression_of(name, (dtype, dtype))


def _mapped(types: tuple, out: np.dtype, element: str = "in{k}[i]") -> str:
    """Return C for the value that element i contributes."""
    casts = [
        cast(element.format(k=k), dtype, out) for k, dtype in enumerate(types)
    ]
    if len(casts) == 1:
        return casts[0]
    return f"multiply_values({casts[0]}, {casts[1]})"


def _packed_fields(types: tuple, out: np.dtype) -> dict[str, Any]:
    """Return the fields of a template that loads words of 16 bytes."""
    width = max(1, 16 // max(dtype.itemsize for dtype in types))
    each = tuned("reduction_loads") // len(types)
    packs, loads = [], []
    for k, dtype in enumerate(types):
        kind = f"Pack<{c_type(dtype)}>"
        packs.append(f"{kind} pack{k}[{each}];")
        loads.append(
            f"pack{k}[j] = load_word<{kind}>"
            f"(in{k} + at + j * {_BLOCK * width});"
        )
    addresses = (f"(unsigned long long)in{k}" for k in range(len(types)))
    return {
        "width": width,
        "packs_each": each,
        "tile": _BLOCK * width * each,
        "addresses": " | ".join(addresses),
        "packs": indent(packs, 12),
        "pack_loads": indent(loads, 16),
        "map_packed": _mapped(types, out, "pack{k}[j].at[k]"),
    }


def _reduction_source(
    name: str, stage: int, types: tuple, out: np.dtype, serial: bool
) -> tuple[str, int]:
    """Return (CUDA C, elements of a tile)."""
    kind = _REDUCTIONS[name]
    block = 1 if serial else _BLOCK
    # The accumulators are in memory; __restrict__ tells the compiler that the
    # inputs are in other memory.
    unaliased = "__restrict__ " if serial else ""
    # A row is the number of elements in a cache line; the accumulators of two
    # rows fit in registers.
    row = max(8, 64 // max(dtype.itemsize for dtype in types))
    fields = {
        "name": f"{name}_stage{stage}",
        "type": c_type(out),
        "combine": _combine(kind, out),
        "parameters": ", ".join(
            f"const {c_type(dtype)} *{unaliased}in{k}"
            for k, dtype in enumerate(types)
        ),
        "neutral": neutral_of(kind, out),
        "map": _mapped(types, out),
        "block": block,
        "lanes": max(row, min(_LANES_IN_TURN, 2 * row)),
        "group": 8,
        "row": row,
        "tile": _SHARE_IN_TURN,
    }
    fields |= compensated_sums(out, kind != "sum" or out.kind not in "fc")
    both, helper = "partial[part + k], lost[part + k]", ""
    fields["keep_some"] = f"keep({both}, combined<8>(some))"
    if serial and kind in ("max", "min") and out.char in "fd":
        fields["better"] = ">" if kind == "max" else "<"
        fields["keep_some"] = f"keep_extreme({both}, some)"
        fields["settled"] = "lost != lost ? lost : sum"
        fields |= {"group": 4, "number": "Value"}
        helper = load_template("reduce/extreme.cuh").substitute(fields)
    fields["keep_functions"] = helper + "".join(
        load_template(part).substitute(fields)
        for part in ("reduce/compensated_sum.cuh", "reduce/combined.cuh")
    )
    template = "reduce/reduce.cu"
    if not serial:
        template = "reduce/packs.cu"
        fields |= _packed_fields(types, out)
    how = "reduce/thread.cuh" if serial else "reduce/block.cuh"
    fields["block_sum"] = load_template(how).substitute(fields)
    fields["share"] = load_template("reduce/share.cuh").substitute(fields)
    fields["finish"] = load_template("reduce/finish.cu").substitute(fields)
    return load_template(template).substitute(fields), fields["tile"]


def make_reduction(
    name: str, stage: int, types: tuple, out: np.dtype
) -> tuple[Any, int, int, int]:
    """Compile one stage of a reduction; return its launch parameters, too."""
    serial = building.runs_threads_in_turn()
    source, tile = _reduction_source(name, stage, types, out, serial)
    product = expression_of("multiply", (out, out))
    helper = (
        f"__device__ inline {c_type(out)} multiply_values({c_type(out)} x, "
        f"{c_type(out)} y)\n{{\n    return {product};\n}}\n"
    )
    function = compile_kernel(
        helper + source, (*types, out), f"{name}_stage{stage}"
    )
    if serial:
        return function, 1, tile, 4096
    processors = building.device_attribute("MULTIPROCESSOR_COUNT")
    most = tuned("reduction_blocks") * processors
    return function, _BLOCK, tile // _BLOCK, most
