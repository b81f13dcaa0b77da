"""mma.sync of PTX with halves in the shape m8n8k4: four products of a warp.

The fragments are built as the manual of PTX describes them. Elements are
small whole numbers, so that every sum is exact.
"""

# SPDX-License-Identifier: MIT

from itertools import product
from typing import Any

import numpy as np
import pytest
from test_refused_modifiers import message_of

import pycuda.driver as drv
from pycuda.compiler import SourceModule

LANES = np.arange(32)
QUAD = LANES // 4 % 4  # which of the four products
X, UPPER = LANES % 4, LANES // 16 * 4
I4, I8 = np.arange(4), np.arange(8)

FORMS = [
    (a, b, d, c)
    for a, b in product(("row", "col"), repeat=2)
    for d, c in (("f16", "f16"), ("f32", "f32"), ("f32", "f16"))
]


def name_of(form: Any) -> str:
    return "_".join(("k", *form))


def kernel(form: Any) -> str:
    a, b, d, c = form
    in_c, in_d = ({"f16": 4, "f32": 8}[x] for x in (c, d))
    at, lists = 0, []
    for count in (in_d, 2, 2, in_c):
        names = ", ".join(f"%{at + i}" for i in range(count))
        lists.append("{" + names + "}")
        at += count
    letters = {"f16": "r", "f32": "f"}
    kinds = {"f16": "unsigned", "f32": "float"}
    results = ", ".join(f'"={letters[d]}"(d[{i}])' for i in range(in_d))
    inputs = ", ".join(
        f'"{letter}"({x}[{i}])'
        for x, count, letter in (
            ("a", 2, "r"),
            ("b", 2, "r"),
            ("c", in_c, letters[c]),
        )
        for i in range(count)
    )
    return f"""
__global__ void {name_of(form)}(const unsigned *a, const unsigned *b,
                                const {kinds[c]} *c, {kinds[d]} *out)
{{
    int lane = threadIdx.x + threadIdx.y * blockDim.x;
    a += lane * 2; b += lane * 2; c += lane * {in_c}; out += lane * {in_d};
    {kinds[d]} d[{in_d}];
    asm volatile("mma.sync.aligned.m8n8k4.{a}.{b}.{d}.f16.f16.{c} "
        "{", ".join(lists)};" : {results} : {inputs});
    for (int i = 0; i < {in_d}; i++) out[i] = d[i];
}}
"""


def of_lanes(values: Any, kind: str) -> np.ndarray[Any, Any]:
    """Distribute C or D, four matrices, over the lanes."""
    quad, x, upper = QUAD[:, None], X[:, None], UPPER[:, None]
    if kind == "f16":
        return values[quad, x + upper, I8].astype("f2").copy().view("u4")
    row = (x & 1) + (I8 & 2) + upper
    column = (I8 & 4) + (x & 2) + (I8 & 1)
    return values[quad, row, column].astype("f4").copy()


@pytest.fixture(scope="module")
def products(context: Any) -> Any:
    return SourceModule("".join(kernel(form) for form in FORMS))


@pytest.mark.parametrize("form", FORMS, ids=name_of)
def test_product(products: Any, form: Any) -> None:
    rng = np.random.default_rng(43)
    layout_a, layout_b, kind_d, kind_c = form
    a, b = rng.integers(-4, 5, (4, 8, 4)), rng.integers(-4, 5, (4, 4, 8))
    c = rng.integers(-9, 10, (4, 8, 8))
    quad, x, upper = QUAD[:, None], X[:, None], UPPER[:, None]
    if layout_a == "row":
        of_a = a[quad, x + upper, I4]
    else:
        of_a = a[quad, I4 + upper, x]
    if layout_b == "row":
        of_b = b[quad, x, I4 + upper]
    else:
        of_b = b[quad, I4, x + upper]
    want = of_lanes(a @ b + c, kind_d)
    for block in ((32, 1, 1), (16, 2, 1)):
        out = np.zeros_like(want)
        products.get_function(name_of(form))(
            drv.In(of_a.astype("f2").copy().view("u4")),
            drv.In(of_b.astype("f2").copy().view("u4")),
            drv.In(of_lanes(c, kind_c)),
            drv.Out(out),
            block=block,
        )
        np.testing.assert_array_equal(out, want)


FOUR, EIGHT = "{r0, r1, r2, r3}", "{r0, r1, r2, r3, r4, r5, r6, r7}"


@pytest.mark.cpu
@pytest.mark.parametrize(
    "form, d, c",
    [
        ("row.col.f16.f16.f16.f32", FOUR, EIGHT),
        ("row.col.f32.bf16.bf16.f32", EIGHT, EIGHT),
        ("row.f32.f16.f16.f32", EIGHT, EIGHT),
        ("row.col.f32.f16.f16.f32", FOUR, EIGHT),
        ("row.col.f32.f16.f16.f32", EIGHT, FOUR),
    ],
)
def test_wrong_form(form: str, d: str, c: str) -> None:
    text = f"mma.sync.aligned.m8n8k4.{form} {d}, {{r8, r9}}, {{r10, r11}}, {c}"
    assert "'mma'" in message_of(text)
