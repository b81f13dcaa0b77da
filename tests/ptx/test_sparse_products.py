"""mma.sp of PTX: products of a matrix of which half the elements are zero.

A random matrix with the zeros that the manual of PTX requires is compressed:
its other elements go to registers, and their positions to the metadata. The
product is compared with NumPy's product of the whole matrix. Elements are
small whole numbers, so that every sum is exact.
"""

# SPDX-License-Identifier: MIT

from typing import Any, NamedTuple

import numpy as np
import pytest
from test_matrix_instructions import (
    GROUP,
    PLACE,
    TYPES,
    expected,
    of_lanes,
    packed,
    random_elements,
)
from test_refused_modifiers import message_of

import pycuda.driver as drv
from pycuda.compiler import SourceModule

BLOCKS = [(32, 1, 1), (16, 2, 1)]


class Form(NamedTuple):
    """A form of mma.sp; `k` is the number of columns of the whole A."""

    k: int
    a: str
    b: str
    result: str
    more: str
    selector: int
    ordered: bool

    @property
    def name(self) -> str:
        """Return a name for the kernel."""
        words = [f"k{self.k}", self.a, self.b, self.result, self.more[1:]]
        return "_".join([*words, str(self.selector), str(int(self.ordered))])

    @property
    def dense(self) -> Any:
        """Return the form as test_matrix_instructions describes products."""
        return (16, 8, self.k), self.a, self.b, self.result, self.more


def all_forms() -> list[Form]:
    """List the shapes and types; selectors and order alternate."""
    floats = [
        *((16, t, t, r) for t, r in (("f16", "f16"), ("f16", "f32"))),
        *((32, t, t, r) for t, r in (("f16", "f16"), ("f16", "f32"))),
        *((k, "bf16", "bf16", "f32") for k in (16, 32)),
        *((k, "tf32", "tf32", "f32") for k in (8, 16)),
        *((64, a, b, "f32") for a in ("e4m3", "e5m2") for b in ("e4m3",)),
        *((64, a, b, "f32") for a in ("e4m3", "e5m2") for b in ("e5m2",)),
    ]
    integers = [
        (k, a, b, "s32")
        for types, shapes in (
            (("s8", "u8"), (32, 64)),
            (("s4", "u4"), (64, 128)),
        )
        for k in shapes
        for a in types
        for b in types
    ]
    forms = []
    for i, (k, a, b, result) in enumerate(floats + integers):
        bits = TYPES[a][0]
        # words of metadata in a group of four lanes: the selector chooses
        # which of its lanes have them
        words = k * bits // (256 if bits >= 16 else 128)
        for selector in range(4 // words):
            more = ".satfinite" if result == "s32" and selector else ""
            forms.append(Form(k, a, b, result, more, selector, i % 2 == 0))
        if words == 4 and result == "s32":
            forms.append(Form(k, a, b, result, ".satfinite", 0, False))
    return forms


FORMS = all_forms()


def statement(form: Form) -> str:
    sparse = "mma.sp::ordered_metadata" if form.ordered else "mma.sp"
    types = f"{form.result}.{form.a}.{form.b}.{form.result}"
    return f"{sparse}.sync.aligned.m16n8k{form.k}.row.col{form.more}.{types}"


def registers(form: Form) -> tuple[int, int, int]:
    """Return the registers of A, B and C of a lane."""
    parts = form.k * TYPES[form.a][0] // 128
    return parts, parts, 2 if form.result == "f16" else 4


def kernel(form: Form) -> str:
    in_a, in_b, in_c = registers(form)
    kind, letter = (
        ("float", "f") if form.result == "f32" else ("unsigned", "r")
    )
    at, lists = 0, []
    for count in (in_c, in_a, in_b, in_c):
        names = ", ".join(f"%{at + i}" for i in range(count))
        lists.append("{" + names + "}")
        at += count
    results = ", ".join(f'"={letter}"(d[{i}])' for i in range(in_c))
    inputs = ", ".join(
        f'"{letter if x == "c" else "r"}"({x}[{i}])'
        for x, count in (("a", in_a), ("b", in_b), ("c", in_c))
        for i in range(count)
    )
    return f"""
__global__ void {form.name}(const unsigned *a, const unsigned *b,
                            const unsigned *metadata, {kind} *c)
{{
    int lane = threadIdx.x + threadIdx.y * blockDim.x;
    a += lane * {in_a}; b += lane * {in_b}; c += lane * {in_c};
    {kind} d[{in_c}];
    asm volatile("{statement(form)} {", ".join(lists)}, %{at}, "
        "{form.selector};"
        : {results} : {inputs}, "r"(metadata[lane]));
    for (int i = 0; i < {in_c}; i++) c[i] = d[i];
}}
"""


class Sparse(NamedTuple):
    """A matrix, its stored elements, and the metadata bits of each row."""

    whole: np.ndarray
    stored: np.ndarray
    metadata: list[int]


def sparse_matrix(rng: Any, form: Form) -> Sparse:
    """Make A: of 4 units, elements or pairs of 4 bits, two are not zero.

    Of two elements of tf32 one is not zero; the metadata describe its halves.
    """
    unit = {"tf32": 2, "s4": 2, "u4": 2}.get(form.a, 1)
    chunk = 2 if form.a == "tf32" else 4 * unit
    values = random_elements(rng, form.a, (16, form.k // 2))
    whole = np.zeros((16, form.k), values.dtype)
    metadata = []
    for row in range(16):
        bits = 0
        for i in range(form.k // chunk):
            own = values[row, i * chunk // 2 : (i + 1) * chunk // 2]
            if form.a == "tf32":
                index = int(rng.integers(2))
                whole[row, i * 2 + index] = own[0]
                code = 0b1110 if index else 0b0100
            else:
                first, second = sorted(rng.choice(4, 2, replace=False))
                for n, place in enumerate((first, second)):
                    at = i * chunk + place * unit
                    whole[row, at : at + unit] = own[n * unit :][:unit]
                code = int(first | second << 2)
            bits |= code << (4 * i)
        metadata.append(bits)
    return Sparse(whole, values, metadata)


def metadata_of_lanes(form: Form, metadata: list[int], rng: Any) -> Any:
    """Distribute the metadata; lanes without metadata have random words.

    A lane has 16 bits of the rows r and r + 8, or with elements of up to 8
    bits, 32 bits of one row; the lane after it has those of row r + 8.
    """
    words = rng.integers(0, 2**32, 32, dtype="u4")
    bits = TYPES[form.a][0]
    blocks = form.k * bits // 256
    for row in range(16):
        low, high = metadata[row % 8], metadata[row % 8 + 8]
        for block in range(blocks):
            if bits >= 16:
                lane = blocks * form.selector + block
                word = (low >> 16 * block) & 0xFFFF
                word |= (high >> 16 * block & 0xFFFF) << 16
            else:
                lane = 2 * (blocks * form.selector + block) + row // 8
                word = metadata[row] >> 32 * block & 0xFFFFFFFF
            words[row % 8 * 4 + lane] = word
    return words


def fragments(form: Form, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Distribute A's stored elements, and B, over the lanes."""
    in_a, in_b, _ = registers(form)
    each = 32 // TYPES[form.a][0]
    element = np.arange(each)
    of_a = np.empty((32, in_a, each), np.int64)
    of_b = np.empty((32, in_b, each), np.int64)
    for r in range(in_a):
        k = r // 2 * 4 * each + PLACE[:, None] * each + element
        of_a[:, r] = a[(GROUP + 8 * (r % 2))[:, None], k]
    for r in range(in_b):
        k = r * 4 * each + PLACE[:, None] * each + element
        of_b[:, r] = b[k, GROUP[:, None]]
    return (
        packed(of_a.reshape(32, -1), form.a),
        packed(of_b.reshape(32, -1), form.b),
    )


@pytest.fixture(scope="module")
def products(context: Any) -> Any:
    return SourceModule("".join(kernel(form) for form in FORMS))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.name)
def test_sparse_product(products: Any, form: Form) -> None:
    rng = np.random.default_rng(41)
    matrix = sparse_matrix(rng, form)
    b = random_elements(rng, form.b, (form.k, 8))
    c = rng.integers(-9, 10, (16, 8))
    if form.result == "s32":
        c += rng.choice([0, 2**31 - 16, 16 - 2**31], (16, 8))
    words = metadata_of_lanes(form, matrix.metadata, rng)
    in_a, in_b = fragments(form, matrix.stored, b)
    want = of_lanes(form.dense, expected(form.dense, matrix.whole, b, c))
    for block in BLOCKS:
        out = of_lanes(form.dense, c)
        same = out.view("u4") if form.result == "f16" else out
        products.get_function(form.name)(
            drv.In(in_a),
            drv.In(in_b),
            drv.In(words),
            drv.InOut(same),
            block=block,
        )
        np.testing.assert_array_equal(out, want)


FOUR = "{r0, r1, r2, r3}"
WRONG = [
    # shape, types, A, B, C, selector
    ("m16n8k32", "s32.s8.s8.s32", "{r4, r5}", "{r6, r7}", FOUR, "2"),
    ("m16n8k64", "s32.s8.s8.s32", FOUR, FOUR, FOUR, "1"),
    ("m16n8k128", "s32.s4.s4.s32", FOUR, FOUR, FOUR, "1"),
    ("m16n8k16", "f32.tf32.tf32.f32", FOUR, FOUR, FOUR, "2"),
    ("m16n8k16", "f32.f16.f16.f32", "{r4, r5}", "{r6, r7}", FOUR, "4"),
    ("m16n8k16", "f32.f16.f16.f32", "{r4, r5}", "{r6, r7}", FOUR, "r9"),
    ("m16n8k32", "f32.e4m3.e4m3.f32", "{r4, r5}", "{r6, r7}", FOUR, "0"),
    ("m16n8k8", "f32.f16.f16.f32", "{r4}", "{r6}", FOUR, "0"),
]


@pytest.mark.cpu
@pytest.mark.parametrize("shape, types, a, b, c, selector", WRONG)
def test_wrong_form(
    shape: str, types: str, a: str, b: str, c: str, selector: str
) -> None:
    text = (
        f"mma.sp::ordered_metadata.sync.aligned.{shape}.row.col.{types} "
        f"{FOUR}, {a}, {b}, {c}, r8, {selector}"
    )
    assert "'mma'" in message_of(text)
