"""CUDA C for matrix products.

``matmul/block.cu`` is for devices whose threads run in parallel.  For those
that run them sequentially there are ``matmul/thread.cu``, ``matmul/small.cu``
for small matrices and ``matmul/vector.cu`` for a matrix and a vector.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pycuda._kernels import building
from pycuda._kernels.operations import c_type, cast

HIGH = 6  # number of rows of a panel in matmul/panels.cuh
# matmul/thread.cu: maximum number of panels of either matrix that a thread
# block packs at a time
PANELS = 16
# matmul/thread.cu: maximum number of elements along the inner axis that a
# thread block packs at a time
DEEP = 256
# matmul/small.cu: maximum number of panels of the left matrix in a thread
# block.
MAX_PANELS = 11
# matmul/small.cu: maximum length of the inner axis.
MAX_INNER = 256
LANES = 64  # number of lanes in matmul/vector.cu


class Product(NamedTuple):
    """Key by which a kernel is compiled."""

    a: np.dtype
    b: np.dtype
    out: np.dtype
    ndim: int  # number of the batch's axes
    down: int = 1  # rows per thread
    across: int = 1  # columns per thread
    # whether the inner axis of the matrix has a smaller stride than the outer
    a_deep: bool = False
    b_deep: bool = False


def value_type(out: np.dtype) -> np.dtype:
    """Return the dtype in which products are accumulated."""
    if out.kind in "biu":
        return np.dtype(np.uint64 if out.itemsize == 8 else np.uint32)
    if out.char in "eE":
        return np.dtype(np.float32)
    return out


def panel_columns(out: np.dtype) -> int:
    """Return the columns of a panel of ``matmul/panels.cuh``."""
    lane = np.empty(0, value_type(out)).real.dtype
    return 32 // lane.itemsize * (1 if out.kind == "c" else 2)


def _multiply_add(value: np.dtype, out: np.dtype) -> str:
    if out.kind == "b":
        return "c |= a & b;"
    if value.kind == "u":
        return "c += a * b;"
    name = "fmaf" if value.char in "fF" else "fma"
    if value.kind == "f":
        return f"c = {name}(a, b, c);"
    real = f"{name}(a.real(), b.real(), {name}(-a.imag(), b.imag(), c.real()))"
    imag = f"{name}(a.real(), b.imag(), {name}(a.imag(), b.real(), c.imag()))"
    return f"c = Value({real}, {imag});"


def _vector_step(value: np.dtype, out: np.dtype) -> str:
    """Return C for one step of a tile's row."""
    if value.kind != "c":
        step = {
            "b": "sums[i][j] |= a & b[j];",
            "f": "sums[i][j] = __builtin_elementwise_fma(a, b[j], "
            "sums[i][j]);",
        }.get(out.kind if out.kind == "b" else value.kind,
              "sums[i][j] += a * b[j];")  # fmt: skip
        return f"for (int j = 0; j < VECTORS; j++) {{ {step} }}"
    fma = "__builtin_elementwise_fma"
    return (
        "const Vector e = (Vector)(left[HIGH + i]);\n"
        f"sums[i][0] = {fma}(a, b[0], {fma}(-e, b[1], sums[i][0]));\n"
        f"sums[i][1] = {fma}(a, b[1], {fma}(e, b[0], sums[i][1]));"
    )


def _fields(product: Product) -> dict[str, Any]:
    out, value = product.out, value_type(product.out)
    lane = np.empty(0, value).real.dtype
    # As in NumPy, an element is first converted to the result's type.
    casts = [
        cast(cast("v", stored, out), out, value)
        for stored in (product.a, product.b)
    ]
    return {
        "stored_a": c_type(product.a),
        "stored_b": c_type(product.b),
        "out": c_type(out),
        "value": c_type(value),
        "lane": c_type(lane),
        "multiply_add": _multiply_add(value, out),
        "vector_step": _vector_step(value, out),
        "cast_a": casts[0],
        "cast_b": casts[1],
        "cast_out": cast("v", value, out),
        "ndim": product.ndim,
        "down": product.down,
        "across": product.across,
        # Number of elements along the inner axis that a block loads at a time;
        # each thread loads elements of both matrices.
        "deep": 8
        if max(product.down, product.across) > 4
        and min(product.down, product.across) > 1
        else 16,
        "add_lanes": "sums[lane] |= sums[lane + width];"
        if out.kind == "b"
        else "sums[lane] = sums[lane] + sums[lane + width];",
        "is_plain": int(product.a == product.b == value and value.kind != "c"),
        "out_is_lane": int(
            out.itemsize == value.itemsize and value.kind != "c"
        ),
        "add_rows": "sums[row] = __builtin_elementwise_fma(x, y, sums[row]);"
        if value.kind == "f"
        else "sums[row] += x * y;",
        "panels": PANELS,
        "steps": DEEP,
        "most_panels": MAX_PANELS,
        "most_inner": MAX_INNER,
        "a_deep": int(product.a_deep),
        "b_deep": int(product.b_deep),
    }


def _source(product: Product, *templates: str) -> str:
    fields = _fields(product)
    return "".join(
        building.load_template(name).substitute(fields)
        for name in ("index/offset.cuh", "matmul/matmul.cuh", *templates)
    )


def _types(product: Product) -> tuple[np.dtype, ...]:
    return product.a, product.b, product.out


def make_block(product: Product) -> Any:
    """Compile ``matmul/block.cu``."""
    source = _source(product, "matmul/block.cu")
    return building.compile_kernel(source, _types(product), "matmul")


def make_in_turn(product: Product) -> tuple[Any, Any]:
    """Compile (pack, multiply) of ``matmul/thread.cu``."""
    source = _source(product, "matmul/panels.cuh", "matmul/thread.cu")
    return tuple(
        building.compile_kernel(source, _types(product), name)
        for name in ("matmul_pack", "matmul")
    )


def make_few(product: Product) -> Any:
    """Compile ``matmul/small.cu``."""
    source = _source(product, "matmul/panels.cuh", "matmul/small.cu")
    return building.compile_kernel(source, _types(product), "matmul")


def make_vector(product: Product) -> tuple[Any, Any]:
    """Compile (dots, lanes) of ``matmul/vector.cu``."""
    source = _source(product, "matmul/vector.cu")
    return tuple(
        building.compile_kernel(source, _types(product), name)
        for name in ("matmul_dots", "matmul_lanes")
    )
