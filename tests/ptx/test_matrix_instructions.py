"""Products and moves of matrices in PTX: mma.sync, ldmatrix and others.

The kernels of a group are one module. Elements are small whole numbers, so
that every sum is exact and each device gives the same bits. Each kernel runs
as one warp, and as a block of 16 by 2 threads, which the CPU device runs on
fibers. A GPU needs compute capability 9.0.
"""

# SPDX-License-Identifier: MIT

from typing import Any

import ml_dtypes
import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

pytestmark = [
    pytest.mark.usefixtures("context"),
    pytest.mark.parametrize("block", [(32, 1, 1), (16, 2, 1)]),
]

LANES = np.arange(32)
GROUP, PLACE = LANES // 4, LANES % 4

# type of the elements: (bits, NumPy type of a whole register's parts)
TYPES: dict[str, tuple[int, Any]] = {
    "f16": (16, np.float16),
    "bf16": (16, ml_dtypes.bfloat16),
    "tf32": (32, np.float32),
    "f64": (64, np.float64),
    "e4m3": (8, ml_dtypes.float8_e4m3fn),
    "e5m2": (8, ml_dtypes.float8_e5m2),
    "s8": (8, np.int8),
    "u8": (8, np.uint8),
    "s4": (4, None),
    "u4": (4, None),
    "b1": (1, None),
}

# (shape, types of A and B, type of C and D, further modifiers)
FORMS = [
    ((16, 8, 8), "f16", "f16", "f32", ""),
    ((16, 8, 8), "f16", "f16", "f16", ""),
    ((16, 8, 16), "f16", "f16", "f32", ""),
    ((16, 8, 16), "f16", "f16", "f16", ""),
    ((16, 8, 8), "bf16", "bf16", "f32", ""),
    ((16, 8, 16), "bf16", "bf16", "f32", ""),
    ((16, 8, 4), "tf32", "tf32", "f32", ""),
    ((16, 8, 8), "tf32", "tf32", "f32", ""),
    ((8, 8, 4), "f64", "f64", "f64", ""),
    ((16, 8, 4), "f64", "f64", "f64", ""),
    ((16, 8, 8), "f64", "f64", "f64", ""),
    ((16, 8, 16), "f64", "f64", "f64", ""),
    ((16, 8, 32), "e4m3", "e4m3", "f32", ""),
    ((16, 8, 32), "e4m3", "e5m2", "f32", ""),
    ((16, 8, 32), "e5m2", "e4m3", "f32", ""),
    ((16, 8, 32), "e5m2", "e5m2", "f32", ""),
    *(
        ((m, 8, k), a, b, "s32", saturate)
        for m, k, types in (
            (8, 16, ("s8", "u8")),
            (16, 16, ("s8", "u8")),
            (16, 32, ("s8", "u8")),
            (8, 32, ("s4", "u4")),
            (16, 32, ("s4", "u4")),
            (16, 64, ("s4", "u4")),
        )
        for a in types
        for b in types
        for saturate in ("", ".satfinite")
    ),
    *(
        ((m, 8, k), "b1", "b1", "s32", operation)
        for m, k in ((8, 128), (16, 128), (16, 256))
        for operation in (".xor.popc", ".and.popc")
    ),
]


def name_of(form: Any) -> str:
    (m, n, k), a, b, c, more = form
    return f"m{m}n{n}k{k}_{a}_{b}_{c}{more.replace('.', '_')}"


def registers(form: Any) -> tuple[int, int, int, int]:
    """Return the registers of A, B and C of a lane, and their bits."""
    (m, _, k), a, _, c, _ = form
    bits = 64 if a == "f64" else 32
    parts = k * TYPES[a][0] // bits // 4
    halves = m // 8
    return halves * parts, parts, halves * (1 if c == "f16" else 2), bits


def statement(form: Any) -> str:
    (m, n, k), a, b, c, more = form
    words = f"mma.sync.aligned.m{m}n{n}k{k}.row.col"
    if more == ".satfinite":
        return f"{words}{more}.{c}.{a}.{b}.{c}"
    return f"{words}.{c}.{a}.{b}.{c}{more}"


def kernel(form: Any) -> str:
    """Return a kernel that computes D of a warp, in place of C."""
    in_a, in_b, in_c, bits = registers(form)
    kind, letter = ("double", "d") if bits == 64 else ("unsigned", "r")
    if form[3] == "f32":
        sum_kind, sum_letter = "float", "f"
    else:
        sum_kind, sum_letter = kind, letter
    at, lists = 0, []
    for count in (in_c, in_a, in_b, in_c):
        names = ", ".join(f"%{at + i}" for i in range(count))
        lists.append("{" + names + "}")
        at += count
    results = ", ".join(f'"={sum_letter}"(d[{i}])' for i in range(in_c))
    inputs = ", ".join(
        f'"{sum_letter if x == "c" else letter}"({x}[{i}])'
        for x, count in (("a", in_a), ("b", in_b), ("c", in_c))
        for i in range(count)
    )
    return f"""
__global__ void {name_of(form)}(const {kind} *a, const {kind} *b,
                                {sum_kind} *c)
{{
    int lane = threadIdx.x + threadIdx.y * blockDim.x;
    a += lane * {in_a}; b += lane * {in_b}; c += lane * {in_c};
    {sum_kind} d[{in_c}];
    asm volatile("{statement(form)} {", ".join(lists)};"
        : {results} : {inputs});
    for (int i = 0; i < {in_c}; i++) c[i] = d[i];
}}
"""


def packed(values: np.ndarray, kind: str) -> np.ndarray:
    """Pack elements, the last axis of `values`, into registers."""
    bits, dtype = TYPES[kind]
    if dtype is not None:
        stored = values.astype(dtype)
        whole = np.float64 if bits == 64 else np.uint32
        return np.ascontiguousarray(stored).view(whole)
    each = 32 // bits
    fields = (values.astype(np.int64) & ((1 << bits) - 1)).reshape(
        *values.shape[:-1], -1, each
    )
    shifts = np.arange(each) * bits
    return (fields << shifts).sum(axis=-1).astype(np.uint32)


def random_elements(rng: Any, kind: str, shape: tuple[int, ...]) -> Any:
    limits = {"s8": (-128, 128), "u8": (0, 256), "s4": (-8, 8), "u4": (0, 16)}
    low, high = limits.get(kind, (0, 2) if kind == "b1" else (-4, 5))
    return rng.integers(low, high, shape)


def expected(form: Any, a: Any, b: Any, c: Any) -> Any:
    """Return D of integers, as the manual of PTX defines it."""
    _, kind, _, result, more = form
    if kind == "b1":
        apart = a[:, :, None] ^ b[None, :, :]
        both = a[:, :, None] & b[None, :, :]
        return (both if "and" in more else apart).sum(axis=1) + c
    d = a.astype(np.int64) @ b + c
    if more == ".satfinite":
        return np.clip(d, -(2**31), 2**31 - 1)
    return (d + 2**31) % 2**32 - 2**31 if result == "s32" else d


def fragments(form: Any, a: Any, b: Any) -> tuple[np.ndarray, np.ndarray]:
    """Distribute A and B over the lanes as the manual of PTX describes."""
    (m, _, _), kind, other, _, _ = form
    in_a, in_b, _, bits = registers(form)
    each = bits // TYPES[kind][0]
    element = np.arange(each)
    of_a = np.empty((32, in_a, each), np.int64)
    of_b = np.empty((32, in_b, each), np.int64)
    halves = m // 8
    for r in range(in_a):
        k = (r // halves) * 4 * each + PLACE[:, None] * each + element
        of_a[:, r] = a[(GROUP + 8 * (r % halves))[:, None], k]
    for r in range(in_b):
        k = r * 4 * each + PLACE[:, None] * each + element
        of_b[:, r] = b[k, GROUP[:, None]]
    return (
        packed(of_a.reshape(32, -1), kind),
        packed(of_b.reshape(32, -1), other),
    )


def of_lanes(form: Any, c: Any) -> np.ndarray:
    """Distribute C over the lanes."""
    (m, _, _), _, _, kind, _ = form
    parts = [
        c[(GROUP + 8 * h), 2 * PLACE + i]
        for h in range(m // 8)
        for i in range(2)
    ]
    dtype = {"f16": "f2", "f32": "f4", "f64": "f8", "s32": "i4"}[kind]
    return np.ascontiguousarray(np.stack(parts, axis=1).astype(dtype))


@pytest.fixture(scope="module")
def products() -> Any:
    return SourceModule("".join(kernel(form) for form in FORMS))


@pytest.fixture
def rng() -> Any:
    return np.random.default_rng(37)


@pytest.mark.parametrize("form", FORMS, ids=name_of)
def test_product(products: Any, rng: Any, form: Any, block: Any) -> None:
    (m, n, k), kind, other, result, more = form
    a = random_elements(rng, kind, (m, k))
    b = random_elements(rng, other, (k, n))
    c = rng.integers(-9, 10, (m, n))
    if result == "s32" and more != "":
        c += rng.choice([0, 2**31 - 16, 16 - 2**31], (m, n))
    if "popc" in more:
        c = np.abs(c) % 1000
    in_a, in_b = fragments(form, a, b)
    out = of_lanes(form, c)
    products.get_function(name_of(form))(
        drv.In(in_a), drv.In(in_b), drv.InOut(out), block=block
    )
    want = of_lanes(form, expected(form, a, b, c))
    np.testing.assert_array_equal(out, want)


# ---- moves of matrices ----

MOVES = """
__device__ unsigned shared_address(const void *p)
{ return (unsigned)__cvta_generic_to_shared(p); }
#define LANE (threadIdx.x + threadIdx.y * blockDim.x)
#define ROW (tile + (LANE / 8 * 8 + LANE % 8) * 8)
#define LOAD(NAME, N, TRANS, RESULTS, LIST)                                 \\
__global__ void load##NAME(const unsigned short *in, unsigned *out)         \\
{                                                                           \\
    __shared__ __align__(16) unsigned short tile[256];                      \\
    for (int i = LANE; i < 256; i += 32) tile[i] = in[i];                   \\
    __syncthreads();                                                        \\
    unsigned r[4] = {0, 0, 0, 0};                                           \\
    asm volatile("ldmatrix.sync.aligned.m8n8.x" #N TRANS ".shared.b16 "     \\
        LIST ", [%" #N "];" : RESULTS : "r"(shared_address(ROW))            \\
        : "memory");                                                        \\
    for (int i = 0; i < N; i++) out[i * 32 + LANE] = r[i];                  \\
}
#define R1 "=r"(r[0])
#define R2 R1, "=r"(r[1])
#define R4 R2, "=r"(r[2]), "=r"(r[3])
LOAD(1, 1, "", R1, "{%0}")
LOAD(2, 2, "", R2, "{%0, %1}")
LOAD(4, 4, "", R4, "{%0, %1, %2, %3}")
LOAD(1t, 1, ".trans", R1, "{%0}")
LOAD(2t, 2, ".trans", R2, "{%0, %1}")
LOAD(4t, 4, ".trans", R4, "{%0, %1, %2, %3}")
__global__ void generic(const unsigned short *in, unsigned *out)
{
    __shared__ __align__(16) unsigned short tile[256];
    for (int i = LANE; i < 256; i += 32) tile[i] = in[i];
    __syncthreads();
    unsigned r;
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(r)
        : "l"(ROW) : "memory");
    out[LANE] = r;
}
__global__ void turn(unsigned *inout)
{
    unsigned r = inout[LANE];
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(r));
    inout[LANE] = r;
}
"""

STORES = """
#define STORE(NAME, N, TRANS, LIST, ...)                                    \\
__global__ void store##NAME(const unsigned *in, unsigned short *out)        \\
{                                                                           \\
    __shared__ __align__(16) unsigned short tile[256];                      \\
    for (int i = LANE; i < 256; i += 32) tile[i] = 0;                       \\
    __syncthreads();                                                        \\
    unsigned r[4];                                                          \\
    for (int i = 0; i < N; i++) r[i] = in[i * 32 + LANE];                   \\
    asm volatile("stmatrix.sync.aligned.m8n8.x" #N TRANS ".shared.b16 "     \\
        "[%0], " LIST ";" :: "r"(shared_address(ROW)), __VA_ARGS__          \\
        : "memory");                                                        \\
    __syncthreads();                                                        \\
    for (int i = LANE; i < 256; i += 32) out[i] = tile[i];                  \\
}
STORE(1, 1, "", "{%1}", "r"(r[0]))
STORE(2, 2, "", "{%1, %2}", "r"(r[0]), "r"(r[1]))
STORE(4, 4, "", "{%1, %2, %3, %4}", "r"(r[0]), "r"(r[1]), "r"(r[2]),
      "r"(r[3]))
STORE(1t, 1, ".trans", "{%1}", "r"(r[0]))
STORE(2t, 2, ".trans", "{%1, %2}", "r"(r[0]), "r"(r[1]))
STORE(4t, 4, ".trans", "{%1, %2, %3, %4}", "r"(r[0]), "r"(r[1]), "r"(r[2]),
      "r"(r[3]))
"""


def tiles_of_lanes(tiles: np.ndarray) -> np.ndarray:
    """Distribute tiles of 8 by 8 elements over the lanes."""
    return np.ascontiguousarray(tiles.reshape(-1, 32, 2)).view("u4")[..., 0]


@pytest.fixture(scope="module")
def stores() -> Any:
    return SourceModule(MOVES + STORES)


@pytest.fixture(scope="module")
def moves() -> Any:
    return SourceModule(MOVES)


@pytest.mark.parametrize("form", ["1", "2", "4", "1t", "2t", "4t"])
def test_load_of_tiles(moves: Any, rng: Any, form: str, block: Any) -> None:
    count = int(form[0])
    tiles = rng.integers(0, 2**16, (4, 8, 8), dtype="u2")
    out = np.zeros((count, 32), "u4")
    moves.get_function("load" + form)(drv.In(tiles), drv.Out(out), block=block)
    want = tiles.transpose(0, 2, 1).copy() if form.endswith("t") else tiles
    np.testing.assert_array_equal(out, tiles_of_lanes(want)[:count])


def test_load_from_generic_address(moves: Any, rng: Any, block: Any) -> None:
    tiles = rng.integers(0, 2**16, (4, 8, 8), dtype="u2")
    out = np.zeros(32, "u4")
    moves.get_function("generic")(drv.In(tiles), drv.Out(out), block=block)
    np.testing.assert_array_equal(out, tiles_of_lanes(tiles)[0])


@pytest.mark.parametrize("form", ["1", "2", "4", "1t", "2t", "4t"])
def test_store_of_tiles(stores: Any, rng: Any, form: str, block: Any) -> None:
    module = stores
    count = int(form[0])
    tiles = rng.integers(0, 2**16, (4, 8, 8), dtype="u2")
    out = np.empty((4, 8, 8), "u2")
    lanes = tiles_of_lanes(tiles)[:count].copy()
    module.get_function("store" + form)(
        drv.In(lanes), drv.Out(out), block=block
    )
    want = tiles.transpose(0, 2, 1) if form.endswith("t") else tiles
    np.testing.assert_array_equal(out[:count], want[:count])
    assert not out[count:].any()


def test_turn_of_tile(moves: Any, rng: Any, block: Any) -> None:
    tile = rng.integers(0, 2**16, (1, 8, 8), dtype="u2")
    lanes = tiles_of_lanes(tile)[0].copy()
    moves.get_function("turn")(drv.InOut(lanes), block=block)
    turned = tile.transpose(0, 2, 1).copy()
    np.testing.assert_array_equal(lanes, tiles_of_lanes(turned)[0])
