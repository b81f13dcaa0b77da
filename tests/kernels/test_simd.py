"""SIMD-in-a-word intrinsics (__vadd4 and the others); dot products."""

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

N = 4096
LANES = {2: ("i2", "u2"), 4: ("i1", "u1")}


def words(seed):
    """Return random words; many lanes are extreme or equal."""
    random = np.random.default_rng(seed)
    x = random.integers(0, 2**32, N).astype(np.uint32)
    x.view(np.uint8)[::3] = random.choice([0, 1, 127, 128, 255], len(x) * 4)[
        ::3
    ]
    return x


A, B, C = words(1), words(2), words(3)
B[:200] = A[:200]


def run(expressions, ctype="unsigned int"):
    """Return one column for each expression of a, b and c."""
    body = "".join(
        f"out[i + {k * N}] = {text};" for k, text in enumerate(expressions)
    )
    source = (
        f"__global__ void k({ctype} *out, const {ctype} *x, const {ctype} *y,"
        f" const {ctype} *z) {{ int i = blockIdx.x * 256 + threadIdx.x;"
        f"{ctype} a = x[i], b = y[i], c = z[i]; (void)c; {body} }}"
    )
    out = np.empty((len(expressions), N), np.uint32)
    SourceModule(source).get_function("k")(
        cuda.Out(out),
        cuda.In(A),
        cuda.In(B),
        cuda.In(C),
        block=(256, 1, 1),
        grid=(N // 256, 1),
    )
    return out


SIGNED = {
    "vadd": lambda x, y, t: x + y,
    "vsub": lambda x, y, t: x - y,
    "vaddss": lambda x, y, t: np.clip(x + y, t.min, t.max),
    "vsubss": lambda x, y, t: np.clip(x - y, t.min, t.max),
    "vabsdiffs": lambda x, y, t: np.abs(x - y),
    "vmaxs": lambda x, y, t: np.maximum(x, y),
    "vmins": lambda x, y, t: np.minimum(x, y),
    "vabs": lambda x, y, t: np.abs(x),
    "vneg": lambda x, y, t: -x,
    "vabsss": lambda x, y, t: np.clip(np.abs(x), t.min, t.max),
    "vnegss": lambda x, y, t: np.clip(-x, t.min, t.max),
    "vcmplts": lambda x, y, t: -(x < y).astype(int),
    "vcmples": lambda x, y, t: -(x <= y).astype(int),
    "vcmpgts": lambda x, y, t: -(x > y).astype(int),
    "vcmpges": lambda x, y, t: -(x >= y).astype(int),
    "vsetlts": lambda x, y, t: x < y,
    "vsetles": lambda x, y, t: x <= y,
    "vsetgts": lambda x, y, t: x > y,
    "vsetges": lambda x, y, t: x >= y,
}
UNSIGNED = {
    "vaddus": lambda x, y, t: np.clip(x + y, t.min, t.max),
    "vsubus": lambda x, y, t: np.clip(x - y, t.min, t.max),
    "vavgu": lambda x, y, t: (x + y + 1) // 2,
    "vhaddu": lambda x, y, t: (x + y) // 2,
    "vabsdiffu": lambda x, y, t: np.abs(x - y),
    "vmaxu": lambda x, y, t: np.maximum(x, y),
    "vminu": lambda x, y, t: np.minimum(x, y),
    "vcmpeq": lambda x, y, t: -(x == y).astype(int),
    "vcmpne": lambda x, y, t: -(x != y).astype(int),
    "vcmpltu": lambda x, y, t: -(x < y).astype(int),
    "vcmpleu": lambda x, y, t: -(x <= y).astype(int),
    "vcmpgtu": lambda x, y, t: -(x > y).astype(int),
    "vcmpgeu": lambda x, y, t: -(x >= y).astype(int),
    "vseteq": lambda x, y, t: x == y,
    "vsetne": lambda x, y, t: x != y,
    "vsetltu": lambda x, y, t: x < y,
    "vsetgeu": lambda x, y, t: x >= y,
}
ONE = {"vabs", "vneg", "vabsss", "vnegss"}


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("signed", [True, False])
def test_lanes(lanes, signed):
    table = SIGNED if signed else UNSIGNED
    dtype = np.dtype(LANES[lanes][0 if signed else 1])
    found = run(
        [
            f"__{name}{lanes}({'a' if name in ONE else 'a, b'})"
            for name in table
        ]
    )
    x, y = (word.view(dtype).astype(int) for word in (A, B))
    for row, (name, function) in zip(found, table.items(), strict=True):
        wanted = np.asarray(function(x, y, np.iinfo(dtype)))
        wanted = wanted.astype(dtype).view(np.uint32)
        assert np.array_equal(row, wanted), f"__{name}{lanes}"


@pytest.mark.parametrize("lanes", LANES)
def test_sums_of_differences(lanes):
    found = run([f"__vsads{lanes}(a, b)", f"__vsadu{lanes}(a, b)"])
    for row, dtype in zip(found, LANES[lanes], strict=True):
        x, y = (word.view(dtype).astype(int) for word in (A, B))
        assert np.array_equal(row, np.abs(x - y).reshape(N, -1).sum(1))


def halfwords(word, kind):
    return word.view(kind + "2").astype(int).reshape(N, 2)


def bytes_of(word, kind):
    return word.view(kind + "1").astype(int).reshape(N, 4)


@pytest.mark.parametrize("kind", ["i", "u"])
def test_dot_products(kind):
    ctype = {"i": "int", "u": "unsigned int"}[kind]
    found = run(
        ["__dp4a(a, b, c)", "__dp2a_lo(a, b, c)", "__dp2a_hi(a, b, c)"], ctype
    )
    h, b = halfwords(A, kind), bytes_of(B, kind)
    four = (bytes_of(A, kind) * b).sum(1)
    for row, dot in zip(
        found,
        [four, (h * b[:, :2]).sum(1), (h * b[:, 2:]).sum(1)],
        strict=True,
    ):
        assert np.array_equal(row, (C + dot).astype(np.uint32))


def test_three_operands():
    found = run(
        [
            "__vimax3_s32(a, b, c)",
            "__vimin3_s32_relu(a, b, c)",
            "__viaddmax_s32(a, b, c)",
            "__viaddmin_s32_relu(a, b, c)",
            "__vimax_s32_relu(a, b)",
            "__viaddmin_u32(a, b, c)",
        ],
        "int",
    )
    a, b, c = (word.view(np.int32) for word in (A, B, C))
    total = (A + B).view(np.int32)
    wanted = [
        np.maximum(np.maximum(a, b), c),
        np.maximum(np.minimum(np.minimum(a, b), c), 0),
        np.maximum(total, c),
        np.maximum(np.minimum(total, c), 0),
        np.maximum(np.maximum(a, b), 0),
        np.minimum(A + B, C).view(np.int32),
    ]
    for row, right in zip(found, wanted, strict=True):
        assert np.array_equal(row.view(np.int32), right)


PAIRS = {
    "__vi{0}3_{1}16x2(a, b, c)": lambda f, a, b, c: f(f(a, b), c),
    "__viadd{0}_{1}16x2(a, b, c)": lambda f, a, b, c: f(a + b, c),
}
SIGNED_PAIRS = {
    "__vi{0}_{1}16x2_relu(a, b)": lambda f, a, b, c: np.maximum(f(a, b), 0),
    "__vi{0}3_{1}16x2_relu(a, b, c)": lambda f, a, b, c: np.maximum(
        f(f(a, b), c), 0
    ),
    "__viadd{0}_{1}16x2_relu(a, b, c)": lambda f, a, b, c: np.maximum(
        f(a + b, c), 0
    ),
}


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("kind", ["i", "u"])
def test_three_operands_in_pairs(kind, name):
    """Sums wrap within their halfword."""
    table = {**PAIRS, **(SIGNED_PAIRS if kind == "i" else {})}
    letter = {"i": "s", "u": "u"}[kind]
    found = run([text.format(name, letter) for text in table])
    a, b, c = (word.view(kind + "2") for word in (A, B, C))
    for row, (text, function) in zip(found, table.items(), strict=True):
        right = function(getattr(np, name + "imum"), a, b, c)
        assert np.array_equal(row.view(kind + "2"), right), text


@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("kind", ["i", "u"])
def test_which_of_two(kind, name):
    """If both operands are equal, the first one counts as chosen."""
    letter = {"i": "s", "u": "u"}[kind]
    choose = getattr(np, name + "imum")
    number, pair = f"__vib{name}_{letter}32", f"__vib{name}_{letter}16x2"
    number_run = run([f"0u; bool p; out[i] = {number}(a, b, &p)", "p"])
    x, y = (word.view(kind + "4") for word in (A, B))
    assert np.array_equal(number_run[0].view(kind + "4"), choose(x, y))
    assert np.array_equal(number_run[1], choose(x, y) == x)
    pair_run = run(
        [
            f"0u; bool high, low; out[i] = {pair}(a, b, &high, &low)",
            "high",
            "low",
        ]
    )
    x, y = (halfwords(word, kind) for word in (A, B))
    assert np.array_equal(halfwords(pair_run[0], kind), choose(x, y))
    assert np.array_equal(pair_run[1], (choose(x, y) == x)[:, 1])
    assert np.array_equal(pair_run[2], (choose(x, y) == x)[:, 0])
