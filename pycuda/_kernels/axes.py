"""CUDA C for reductions over some axes of an array.

A reduction maps each element to a `Value`, combines the values of a row and
finishes the row. Templates: ``axis/threads.cu`` for devices whose threads run
in parallel; ``axis/rows.cu`` and ``axis/columns.cu``, without barriers, for
those that run them sequentially; ``axis/arg_*`` for reductions to an index.
``axis/layout.cuh`` computes the addresses of elements.
``reduce/compensated_sum.cuh`` compensates the rounding errors of long sums.
Scans along an axis are generated in the same way.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pycuda._kernels import building
from pycuda._kernels import scan as scan_kernels
from pycuda._kernels.combining import compensated_sums, neutral_of
from pycuda._kernels.operations import c_type, cast, computed, expression_of
from pycuda._kernels.tuning import tuned

_BOOL, _INT64 = np.dtype(np.bool_), np.dtype(np.int64)
_ARGUMENTS = ("argmin", "argmax")
_COLUMN_LANES = 1024  # maximum number of columns per thread
_LOADS = 8  # number of loads of a thread that overlap


class Reduction(NamedTuple):
    """Description of a kernel."""

    name: str  # sum, prod, mean, var, std, min, max, argmin, ...
    stored: np.dtype  # dtype of the input
    out: np.dtype
    # dtype of the accumulator or, if the result is an index, of the elements
    value: np.dtype
    # 0: whole reduction; 1: writes partial results; 2: combines them
    stage: int
    # "rows" or "columns", or one of these with a prefix "words_" or "threads_"
    layout: str
    remaining: int  # number of axes that are not reduced
    reduced: int
    packed: bool  # whether the inner axis is contiguous
    # number of accumulators; in layouts of words: number of threads that share
    # a row
    lanes: int = 1
    threads: int = 1  # threads of a block that loads words


def value_type(name: str, stored: np.dtype, out: np.dtype) -> np.dtype:
    """Return the dtype in which a reduction accumulates.

    Sums of float16 and bfloat16 accumulate in float32, those of float32 in
    float64, so that the result does not depend on the order of the elements.
    """
    if name in ("any", "all"):
        return _BOOL
    if name == "count_nonzero":
        return _INT64
    if name in ("min", "max", *_ARGUMENTS):
        return computed(stored)
    if name in ("var", "std"):
        return np.dtype(np.float64)
    wide = {"e": "f4", "E": "f4", "f": "f8", "F": "c16"}
    return np.dtype(wide.get(out.char, out))


def value_bytes(name: str, value: np.dtype) -> int:
    """Return the size in bytes of the values that stage 1 writes."""
    if name in _ARGUMENTS:
        return max(8, value.itemsize) + 8
    return value.itemsize


# --- parts of a source ---------------------------------------------------


def _combine(reduction: Reduction) -> str:
    name, value = reduction.name, reduction.value
    if name in _ARGUMENTS:
        return (
            "x.index < 0 ? y : y.index < 0 ? x : beats(y.value, x.value) ? y "
            ": beats(x.value, y.value) || x.index < y.index ? x : y"
        )
    if name in ("any", "all"):
        return "x || y" if name == "any" else "x && y"
    if name in ("min", "max"):
        return expression_of(name + "imum", (value, value))
    operation = "multiply" if name == "prod" else "add"
    return expression_of(operation, (value, value))


def _neutral(reduction: Reduction) -> str:
    name, value = reduction.name, reduction.value
    if name in _ARGUMENTS:
        return f"Best{{({c_type(value)})0, -1}}"
    if name == "prod":
        return "Value(1)"
    kind = name if name in ("any", "all", "min", "max") else "sum"
    return neutral_of(kind, value)


def _map(reduction: Reduction) -> str:
    name, stored, value = reduction.name, reduction.stored, reduction.value
    if reduction.stage == 2:
        return "v"
    if name in _ARGUMENTS:
        return f"Best{{{cast('v', stored, value)}, r}}"
    if name == "count_nonzero":
        return f"Value({cast('v', stored, _BOOL)})"
    if name in ("var", "std"):
        kind = centre_type(stored)
        return f"square({cast('v', stored, kind)} - centre)"
    if name in ("sum", "prod") and reduction.out.kind in "iub":
        # As in NumPy, each element is converted before it is added.
        return cast(cast("v", stored, reduction.out), reduction.out, value)
    return cast("v", stored, value)


def centre_type(stored: np.dtype) -> np.dtype:
    """Return the dtype of the mean that a variance subtracts."""
    return np.dtype(np.complex128 if stored.kind == "c" else np.float64)


def _is_exact(reduction: Reduction) -> bool:
    """Return whether values may be combined sequentially in any order."""
    if reduction.name not in ("sum", "mean", "var", "std"):
        return True
    return reduction.value.kind not in "fc" or (
        # The rounding errors of up to 2**29 terms are, in all, less than half
        # a unit in the last place of the result.
        reduction.out.kind in "fc"
        and reduction.value.itemsize == 2 * reduction.out.itemsize
        and reduction.out.itemsize >= 4
    )


def _finish(reduction: Reduction) -> str:
    name, value = reduction.name, reduction.value
    if reduction.stage == 1:
        return "x"
    if name in _ARGUMENTS:
        return "x.index"
    text = "x"
    if name == "mean" and value.kind == "c":
        text = "Value(x.real() / scale, x.imag() / scale)"
    elif name in ("mean", "var", "std"):
        text = f"({c_type(value)})(x / scale)"
    if name == "std":
        text = f"sqrt({text})"
    return cast(text, value, reduction.out)


def _helpers(reduction: Reduction) -> str:
    name, value = reduction.name, reduction.value
    if name in ("var", "std"):
        kind = c_type(centre_type(reduction.stored))
        square = "x * x"
        if centre_type(reduction.stored).kind == "c":
            square = "x.real() * x.real() + x.imag() * x.imag()"
        return (
            f"__device__ inline double square({kind} x)\n"
            f"{{\n    return {square};\n}}\n"
        )
    if name not in _ARGUMENTS:
        return ""
    return (
        f"typedef {c_type(value)} Element;\n\n"
        "struct Best {\n    Element value;\n    long long index;\n};\n\n"
        "__device__ inline bool beats(Element x, Element y)\n"
        f"{{\n    return {_beats(reduction)};\n}}\n\n" + _keys(name, value)
    )


def _keys(name: str, value: np.dtype) -> str:
    """Return C for the keys by which elements are compared.

    Keys are integers if possible.
    """
    template = "axis/key.cuh" if value.kind in "iub" else "axis/key_beats.cuh"
    turn = "" if name == "argmax" else "!" if value.kind == "b" else "~"
    return building.load_template(template).substitute(turn=turn)


def _beats(reduction: Reduction) -> str:
    """Return C that is true if x precedes y; NaN precedes numbers."""
    name, value = reduction.name, reduction.value
    if value.kind == "f":
        # No short-circuit operator: a branch would prevent vectorised loops.
        worse = "<=" if name == "argmax" else ">="
        return f"!(x {worse} y) & (y == y)"
    better = expression_of(
        "greater" if name == "argmax" else "less", (value, value)
    )
    nan = [expression_of("isnan", (value,)).replace("x", n) for n in "xy"]
    return f"({better}) | (({nan[0]}) & !({nan[1]}))"


_TARGETS = {
    False: "({out} *)((char *)out + offset_of<{remaining}>(row, "
    "axes.remaining, axes.remaining_out))",
    True: "out + blockIdx.y * axes.rows + row",
}


def source_of(reduction: Reduction) -> str:
    """Return the source of the kernel, named ``reduce_axes``."""
    value = c_type(reduction.value)
    if reduction.name in _ARGUMENTS:
        value = "Best"
    out = value if reduction.stage == 1 else c_type(reduction.out)
    stored = value if reduction.stage == 2 else c_type(reduction.stored)
    kind_of, _, _ = reduction.layout.rpartition("_")
    across = reduction.layout == "threads_columns"
    row = {"columns": "row + k", "words_columns": "row + w"}.get(
        reduction.layout, "row"
    )
    extra = centre = extra_value = extra_name = ""
    if reduction.name in ("var", "std") and reduction.stage < 2:
        kind = c_type(centre_type(reduction.stored))
        extra = f", const {kind} *centres"
        centre = f"const {kind} centre = centres[{row}];"
        extra_value, extra_name = f", {kind} centre", ", centre"
    axis = "remaining" if reduction.layout == "columns" else "reduced"
    last = getattr(reduction, axis) - 1
    fields = {
        "name": "reduce_axes",
        "type": value,
        "stored": stored,
        "out": out,
        "combine": _combine(reduction),
        "neutral": _neutral(reduction),
        "map": _map(reduction),
        "finish": _finish(reduction),
        "target": _TARGETS[reduction.stage == 1].format(
            out=out, remaining=reduction.remaining
        ),
        "remaining": reduction.remaining,
        "reduced": reduction.reduced,
        "extra": extra,
        "extra_value": extra_value,
        "extra_name": extra_name,
        "centre": centre,
        "step": "sizeof(Stored)"
        if reduction.packed
        else f"axes.{axis}_in[{last}]",
        "lane": "y" if across else "x",
        "row": "x" if across else "y",
        "across": "the rows" if across else "the lanes",
        "loads": tuned("axis_loads") if kind_of == "words" else _LOADS,
        "lanes": reduction.lanes,
        "threads": reduction.threads,
        "width": word_width(reduction.stored),
    }
    fields |= compensated_sums(reduction.value, _is_exact(reduction))
    parts = [
        "index/offset.cuh",
        "axis/layout.cuh",
        "reduce/compensated_sum.cuh",
        "reduce/combined.cuh",
    ]
    if kind_of == "words":
        parts.append("axis/words.cuh")
    template = f"axis/{reduction.layout}"
    if kind_of == "threads":
        template = "axis/threads"
    elif not kind_of and reduction.name in _ARGUMENTS and reduction.stage < 2:
        template = f"axis/arg_{reduction.layout}"
        fields["element"] = cast("v", reduction.stored, reduction.value)
        fields |= _number_fields(reduction, "Key")
        parts += _best_key(reduction)
    elif reduction.layout == "rows":
        fields |= _run_fields(reduction)
        if fields["group"] == 4:
            parts.append("reduce/extreme.cuh")
        parts.append("axis/run.cuh")
    return _helpers(reduction) + "".join(
        building.load_template(part).substitute(fields)
        for part in (*parts, f"{template}.cu")
    )


def _number_fields(reduction: Reduction, number: str) -> dict[str, Any]:
    """Return the template fields of a search for the best number."""
    piece = max(8, 64 // reduction.stored.itemsize)
    return {
        "piece": min(reduction.lanes, piece),
        "better": ">" if reduction.name in ("max", "argmax") else "<",
        "worst": "-INFINITY" if reduction.name == "argmax" else "INFINITY",
        "number": number,
    }


def _best_key(reduction: Reduction) -> list[str]:
    """Return the templates of a search for the best element of a run."""
    if reduction.layout != "rows":
        return []
    if reduction.value.kind == "f":
        return ["reduce/extreme.cuh", "axis/best_number.cuh"]
    return ["axis/best_key.cuh"]


def _run_fields(reduction: Reduction) -> dict[str, Any]:
    """Return the template fields for several accumulators per run."""
    both = "partial[part + k], lost[part + k]"
    fields = {
        "group": 8,
        "keep_some": f"keep({both}, combined<8>(some))",
    } | _number_fields(reduction, "Value")
    if reduction.name in ("min", "max") and reduction.value.char in "fd":
        fields |= {
            "group": 4,
            "keep_some": f"keep_extreme({both}, some)",
            "settled": "lost != lost ? lost : sum",
        }
    return fields


def word_width(stored: np.dtype) -> int:
    """Return the number of elements in a word of 16 bytes."""
    return max(1, 16 // stored.itemsize)


def make(reduction: Reduction) -> Any:
    """Compile the kernel."""
    types = (reduction.stored, reduction.value, reduction.out)
    return building.compile_kernel(source_of(reduction), types, "reduce_axes")


class Scan(NamedTuple):
    """A scan along one axis."""

    name: str  # cumsum or cumprod
    stored: np.dtype
    out: np.dtype
    ndim: int  # number of axes without the scanned one, after merging
    block: int  # threads that share a row, or 0
    width: int  # adjacent rows per thread
    vectors: bool = False  # whether sums of integers use vectors


def _vector_sums(scan: Scan, value: np.dtype) -> dict[str, Any]:
    """Return the fields of ``scan/integers.cuh``."""
    used = scan.vectors and scan.name == "cumsum"
    used = used and scan.stored.kind in "iu" and value.kind in "iu"
    lane = c_type(np.dtype(f"u{value.itemsize}")) if used else ""
    return {"in_vectors": int(used), "lane": lane}


def make_scan(scan: Scan) -> Any:
    """Compile the kernel, named ``scan_axis``."""
    name = scan.name[3:]
    value = value_type(name, scan.stored, scan.out)
    reduction = Reduction(
        name, scan.stored, scan.out, value, 0, "", 0, 0, False
    )
    fields = {
        "type": c_type(value),
        "stored": c_type(scan.stored),
        "out": c_type(scan.out),
        "combine": _combine(reduction),
        "neutral": _neutral(reduction),
        "map": _map(reduction),
        "finish": _finish(reduction),
        "ndim": scan.ndim,
        "block": scan.block,
        "width": scan.width,
    }
    fields |= compensated_sums(value, _is_exact(reduction))
    fields |= _vector_sums(scan, value)
    template = "scan/block.cu" if scan.block else "scan/thread.cu"
    source = "".join(
        building.load_template(part).substitute(fields)
        for part in (
            "index/offset.cuh",
            "scan/layout.cuh",
            "reduce/compensated_sum.cuh",
            "scan/integers.cuh",
            template,
        )
    )
    types = (scan.stored, value, scan.out)
    return building.compile_kernel(source, types, "scan_axis")


def make_long_scan(
    name: str, stored: np.dtype, out: np.dtype, rows: bool
) -> scan_kernels.ScanKernel:
    """Compile a scan, shared by all multiprocessors, of contiguous rows.

    With `rows` there are many rows, and the kernel takes the length of a row
    after its input; otherwise there is one.
    """
    shape = scan_kernels.default_shape(max(stored.itemsize, out.itemsize))
    value = value_type(name[3:], stored, out)
    if shape.block > 1:
        # Tiles are scanned as trees, which have small rounding errors, so a
        # wider type would improve the result only a little.
        value = computed(out)
    reduction = Reduction(name[3:], stored, out, value, 0, "", 0, 0, False)
    compensation = ""
    if not _is_exact(reduction):
        compensation = building.load_template(
            "reduce/compensated_sum.cuh"
        ).substitute(
            compensated_sums(value, False, "Element" if rows else "Value")
        )
    source = scan_kernels.ScanSource(
        name=name,
        stored=c_type(stored),
        out=c_type(out),
        value=c_type(value),
        expression="combine_sums(a, b)",
        map=_map(reduction),
        finish=_finish(reduction),
        neutral=None,
        sizes=(stored.itemsize, out.itemsize, value.itemsize),
        preamble=(
            f"__device__ inline {c_type(value)} combine_sums("
            f"{c_type(value)} x, {c_type(value)} y)\n"
            f"{{\n    return {_combine(reduction)};\n}}\n"
        ),
        segmented=rows,
        rows=rows,
        compensation=compensation,
    )
    function = building.compile_kernel(
        scan_kernels.source_of(source, shape), (stored, value, out), name
    )
    return scan_kernels.wrap(source, shape, function)
