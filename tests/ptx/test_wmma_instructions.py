"""wmma of PTX: loads, products and stores of matrices in every layout.

Elements are small whole numbers, so that every sum is exact. A GPU needs
compute capability 8.0.
"""

# SPDX-License-Identifier: MIT

from itertools import product
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from isa_forms import HEAD

import pycuda.driver as drv

pytestmark = pytest.mark.usefixtures("context")

TYPES: dict[str, Any] = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "tf32": np.float32,
    "f32": np.float32,
    "f64": np.float64,
    "s8": np.int8,
    "u8": np.uint8,
    "s32": np.int32,
}
WIDE = [(16, 16, 16), (8, 32, 16), (32, 8, 16)]
# shape, type of A and B, types of C and D
FORMS = [
    *((shape, "f16", c, d) for shape in WIDE for c in "hs" for d in "hs"),
    *((shape, "bf16", "s", "s") for shape in WIDE),
    *((shape, kind, "i", "i") for shape in WIDE for kind in ("s8", "u8")),
    ((16, 16, 8), "tf32", "s", "s"),
    ((8, 8, 4), "f64", "d", "d"),
    ((8, 8, 32), "s4", "i", "i"),
    ((8, 8, 32), "u4", "i", "i"),
    ((8, 8, 128), "b1", "i", "i"),
]
SUMS = {"h": "f16", "s": "f32", "i": "s32", "d": "f64"}
LAYOUTS = ("row", "col")
LIMITS = {"b1": (0, 2), "u4": (0, 16), "u8": (0, 200)}


def registers(shape: tuple[int, int, int], kind: str, matrix: str) -> int:
    """Return the number of registers of a matrix, as the manual lists it."""
    m, n, k = shape
    count = {"a": m * k, "b": k * n, "c": m * n}[matrix] // 32
    if kind == "f16" and matrix != "c":
        return 8
    if kind == "f64":
        return count
    bits = {"b1": 1, "4": 4, "8": 8, "16": 16}
    last = kind if kind == "b1" else kind.lstrip("bfsu")
    return max(count * bits.get(last, 32) // 32, 1)


def vector(letter: str, count: int) -> str:
    return f"{{{', '.join(f'{letter}{i}' for i in range(count))}}}"


def statements(
    form: tuple[Any, ...],
    layouts: tuple[str, str, str],
    strides: tuple[int, int, int] | None,
) -> str:
    """Return statements that load A, B and C, multiply, and store D."""
    shape, kind, c, d = form
    c, d = SUMS[c], SUMS[d]
    name = "m{}n{}k{}".format(*shape)
    large = "d" if kind == "f64" else ""
    texts = []
    counts = {}
    for i, (matrix, own) in enumerate((("a", kind), ("b", kind), ("c", c))):
        counts[matrix] = registers(shape, own, matrix)
        more = f", {strides[i]}" if strides else ""
        texts.append(
            f"wmma.load.{matrix}.sync.aligned.{layouts[i]}.{name}"
            f".global.{own} {vector(matrix + large, counts[matrix])}, "
            f"[p{matrix}]{more};"
        )
    results = vector("d" + large, registers(shape, d, "c"))
    operands = ", ".join(vector(x + large, counts[x]) for x in "abc")
    head = "xor.popc." if kind == "b1" else ""
    types = f"{d}.{c}" if kind == "f16" else f"{d}.{kind}.{kind}.{c}"
    texts.append(
        f"wmma.mma.{head}sync.aligned.{layouts[0]}.{layouts[1]}.{name}"
        f".{types} {results}, {operands};"
    )
    more = f", {strides[2]}" if strides else ""
    texts.append(
        f"wmma.store.d.sync.aligned.{layouts[2]}.{name}.global.{d} [pd], "
        f"{results}{more};"
    )
    return "\n".join(texts)


def kernel(name: str, body: str) -> str:
    parameters = ", ".join(f".param .u64 {x}" for x in ("a", "b", "c", "d"))
    loads = "\n".join(f"ld.param.u64 p{x}, [{x}];" for x in "abcd")
    names = "".join(
        f".reg .b32 {x}<8>; .reg .b64 {x}d<8>; .reg .b64 p{x};\n"
        for x in "abcd"
    )
    return (
        f".visible .entry {name}({parameters})\n{{\n{names}{loads}\n{body}\n"
        "ret;\n}\n"
    )


def elements(rng: Any, size: tuple[int, int], kind: str) -> np.ndarray:
    """Return small whole numbers that the type has."""
    low, high = {"b1": (0, 2), "u4": (0, 16), "u8": (0, 200)}.get(
        kind, (-7, 8)
    )
    return rng.integers(low, high, size)


def in_memory(
    values: np.ndarray, kind: str, layout: str, stride: int
) -> np.ndarray:
    """Return the elements as they are in memory, with lines of `stride`."""
    lines = values if layout == "row" else values.T
    padded = np.zeros((lines.shape[0], stride), lines.dtype)
    padded[:, : lines.shape[1]] = lines
    if kind in TYPES:
        return padded.astype(TYPES[kind])
    bits = 4 if kind[1] == "4" else 1
    parts = (padded & ((1 << bits) - 1)).reshape(-1, 8 // bits)
    weights = 1 << bits * np.arange(8 // bits)
    return (parts * weights).sum(axis=1).astype(np.uint8)


def cases_of(form: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Return layouts, strides, and the strides as operands or None."""
    (m, n, k), kind = form[:2]
    small = kind in ("s4", "u4", "b1")
    cases: list[tuple[Any, ...]] = []
    for layouts in product(LAYOUTS, repeat=3):
        if small and layouts[:2] != ("row", "col"):
            continue
        tight = tuple(
            size[1] if layout == "row" else size[0]
            for layout, size in zip(
                layouts, ((m, k), (k, n), (m, n)), strict=True
            )
        )
        more = 128 if small else 16
        wide = tuple(size + more for size in tight)
        cases += [(layouts, tight, None), (layouts, wide, wide)]
    return cases


def check_products(
    form: tuple[Any, ...], cases: list[tuple[Any, ...]]
) -> None:
    """Run each case as one warp and as a block of two dimensions."""
    (m, n, k), kind, c_name, d_name = form
    c_kind, d_kind = SUMS[c_name], SUMS[d_name]
    text = HEAD + "".join(
        kernel(f"k{i}", statements(form, layouts, given))
        for i, (layouts, _, given) in enumerate(cases)
    )
    module = drv.module_from_buffer(text.encode())
    rng = np.random.default_rng(11)
    a, b = elements(rng, (m, k), kind), elements(rng, (k, n), kind)
    c = rng.integers(-9, 9, (m, n))
    if kind == "b1":
        want = c + (a[:, :, None] != b[None]).sum(axis=1)
    else:
        want = c + a @ b
    for i, (layouts, strides, _) in enumerate(cases):
        given = [
            in_memory(values, own, layouts[x], strides[x]).view("u1")
            for x, (values, own) in enumerate(
                ((a, kind), (b, kind), (c, c_kind))
            )
        ]
        expected = in_memory(want, d_kind, layouts[2], strides[2])
        for block in ((32, 1, 1), (16, 2, 1)):
            out = np.zeros_like(expected)
            module.get_function(f"k{i}")(
                *map(drv.In, given), drv.InOut(out.view("u1")), block=block
            )
            assert np.array_equal(out, expected), (layouts, strides, block)


@pytest.mark.parametrize("index", range(len(FORMS)))
def test_products(index: int) -> None:
    """Two cases of each form, which differ from form to form."""
    cases = cases_of(FORMS[index])
    check_products(
        FORMS[index],
        [cases[5 * index % len(cases)], cases[(5 * index + 9) % len(cases)]],
    )


@pytest.mark.slow
@pytest.mark.parametrize("index", range(len(FORMS)))
def test_products_in_all_layouts(index: int) -> None:
    check_products(FORMS[index], cases_of(FORMS[index]))
