"""Atomic operations of PTX on 16 and 128 bits and on vectors, and barriers.

Inputs are small multiples of 1/4, so that sums are exact in any order. A GPU
needs compute capability 9.0.
"""

# SPDX-License-Identifier: MIT

import ml_dtypes
import numpy as np
import pytest
from isa_forms import HEAD

import pycuda.driver as drv

pytestmark = pytest.mark.usefixtures("context")

N = 128
TYPES = {
    "f16": (np.dtype("f2"), 1),
    "bf16": (np.dtype(ml_dtypes.bfloat16), 1),
    "f16x2": (np.dtype("f2"), 2),
    "bf16x2": (np.dtype(ml_dtypes.bfloat16), 2),
    "f32": (np.dtype("f4"), 1),
}
BEGIN = """
.visible .entry k(.param .u64 in, .param .u64 out, .param .u64 old)
{
    .reg .b64 a, b, c, t; .reg .b32 tid, r<16>; .reg .b16 h<16>;
    .reg .b64 d<8>; .reg .pred p<4>;
    mov.u32 tid, %tid.x; cvt.u64.u32 t, tid;
    ld.param.u64 a, [in]; ld.param.u64 b, [out]; ld.param.u64 c, [old];
"""


def run(body: str, *arrays: np.ndarray, threads: int = N) -> None:
    """Run a kernel with three arrays, which it may change."""
    module = drv.module_from_buffer((HEAD + BEGIN + body + "ret;\n}").encode())
    module.get_function("k")(
        *(drv.InOut(x.view("u1")) for x in arrays), block=(threads, 1, 1)
    )


FORMS = [
    (operation, name, size)
    for operation in ("add", "min", "max")
    for name in TYPES
    for size in (1, 2, 4, 8)
    if not (name == "f32" and (operation != "add" or size == 8))
    and not (size == 8 and name.endswith("x2"))
    and not (size == 1 and operation != "add")
]


@pytest.mark.parametrize("gives", [True, False])
@pytest.mark.parametrize(("operation", "name", "size"), FORMS)
def test_floats(operation: str, name: str, size: int, gives: bool) -> None:
    """All threads combine their values with one vector in global memory."""
    dtype, pair = TYPES[name]
    count = size * pair
    rng = np.random.default_rng(7)
    values = (rng.integers(-8, 9, (N, count)) / 4).astype(dtype)
    start = (rng.integers(-8, 9, count) / 4).astype(dtype)
    out, old = start.copy(), np.zeros((N, count), dtype)
    letter = "h" if dtype.itemsize * pair == 2 else "r"
    bits = 8 * dtype.itemsize * pair
    step = dtype.itemsize * count
    loads = "".join(
        f"ld.global.b{bits} {letter}{i}, [a+{bits // 8 * i}];\n"
        for i in range(size)
    )
    stores = "".join(
        f"st.global.b{bits} [c+{bits // 8 * i}], {letter}{8 + i};\n"
        for i in range(size)
    )

    def vector(first: int) -> str:
        names = ", ".join(f"{letter}{first + i}" for i in range(size))
        return f"{{{names}}}" if size > 1 else names

    more = f".v{size}" if size > 1 else ""
    kind = operation + ("" if name == "f32" else ".noftz")
    form = f"global{more}.{name}.{kind}" if more else f"global.{kind}.{name}"
    statement = (
        f"atom.{form} {vector(8)}, [b], {vector(0)};"
        if gives
        else f"red.{form} [b], {vector(0)};"
    )
    run(
        f"mad.lo.u64 a, t, {step}, a; mad.lo.u64 c, t, {step}, c;\n"
        f"{loads}{statement}\n{stores if gives else ''}",
        values,
        out,
        old,
    )
    combine = {"add": np.sum, "min": np.min, "max": np.max}[operation]
    rows = np.concatenate([start[None], values]).astype("f8")
    want = combine(rows, axis=0).astype(dtype)
    assert np.array_equal(out.astype("f8"), want.astype("f8"))
    if gives and operation != "add":
        worse = old if operation == "min" else -old.astype("f8")
        best = out if operation == "min" else -out.astype("f8")
        assert (worse.astype("f8") >= best.astype("f8")).all()
    elif gives:
        # The old values and the values added to them are all partial sums.
        sums = old.astype("f8") + values.astype("f8")
        for i in range(count):
            known = np.append(old[:, i].astype("f8"), want[i].astype("f8"))
            made = np.append(sums[:, i], start[i].astype("f8"))
            assert np.array_equal(np.sort(known), np.sort(made))


def test_minimum_of_a_number_and_a_nan() -> None:
    out = np.array([np.nan, 1], "f2")
    values = np.array([2, np.nan], "f2")
    run(
        "ld.global.b16 h0, [a]; ld.global.b16 h1, [a+2];\n"
        "red.global.v2.f16.min.noftz [b], {h0, h1};\n",
        values,
        out,
        np.zeros(1),
        threads=1,
    )
    assert out.tolist() == [2, 1]


@pytest.mark.parametrize("bits", [16, 128])
def test_compare_and_exchange(bits: int) -> None:
    """Each thread adds its number to a counter by compare and exchange."""
    out = np.array([5, 0, 0, 0], "u4")
    if bits == 16:
        body = """
        again:
            ld.relaxed.gpu.global.u16 h0, [b];
            cvt.u16.u32 h1, tid; add.u16 h1, h1, h0;
            atom.global.cas.b16 h2, [b], h0, h1;
            setp.ne.u16 p0, h2, h0;
        @p0 bra again;
        """
    else:
        body = """
            .reg .b128 q<4>;
        again:
            ld.relaxed.gpu.global.b128 q0, [b];
            mov.b128 {d0, d1}, q0; add.u64 d0, d0, t; sub.u64 d1, d1, t;
            mov.b128 q1, {d0, d1};
            atom.global.cas.b128 q2, [b], q0, q1;
            mov.b128 {d2, d3}, q2; mov.b128 {d0, d1}, q0;
            setp.ne.u64 p0, d2, d0;
        @p0 bra again;
        """
    run(body, np.zeros(1), out, np.zeros(1))
    assert out[0] == 5 + N * (N - 1) // 2
    if bits == 128:
        assert int(out.view("u8")[1]) == (-N * (N - 1) // 2) % 2**64


def test_exchange_loads_and_stores_of_128_bits() -> None:
    values = np.arange(4 * N, dtype="u4").reshape(N, 4)
    out, old = np.full(4, 9, "u4"), np.zeros((N, 4), "u4")
    run(
        """
        .reg .b128 q<3>;
        shl.b64 t, t, 4; add.u64 a, a, t; add.u64 c, c, t;
        ld.global.b128 q0, [a];
        atom.global.exch.b128 q1, [b], q0;
        st.global.b128 [c], q1;
        """,
        values,
        out,
        old,
    )
    seen = sorted([*map(tuple, old.tolist()), tuple(out.tolist())])
    assert seen == sorted([(9, 9, 9, 9), *map(tuple, values.tolist())])


REDUCTIONS = {
    "add.u32": ("u4", lambda a, b: a + b),
    "min.s32": ("i4", np.minimum),
    "xor.b32": ("u4", lambda a, b: a ^ b),
    "add.u64": ("u8", lambda a, b: a + b),
    "max.s64": ("i8", np.maximum),
    "add.f32": ("f4", lambda a, b: a + b),
    "add.noftz.f16": ("f2", lambda a, b: a + b),
    "max.f16": ("f2", np.maximum),
}


@pytest.mark.parametrize("name", REDUCTIONS)
def test_bulk_reductions(name: str) -> None:
    """Combine 256 bytes of shared memory with global memory."""
    kind, combine = REDUCTIONS[name]
    dtype = np.dtype(kind)
    rng = np.random.default_rng(1)
    count = 256 // dtype.itemsize
    values = rng.integers(0, 50, count).astype(dtype)
    out = rng.integers(0, 50, count).astype(dtype)
    want = combine(values, out)
    run(
        f"""
        .shared .align 16 .b8 s[256];
        .reg .u64 m; mov.u64 m, s; shl.b64 t, t, 2;
        add.u64 a, a, t; add.u64 m, m, t;
        ld.global.u32 r0, [a]; st.shared.u32 [m], r0;
        fence.proxy.async.shared::cta; bar.sync 0;
        setp.ne.u32 p0, tid, 0; @p0 bra done;
        mov.u64 m, s;
        cp.reduce.async.bulk.global.shared::cta.bulk_group.{name}
            [b], [m], 256;
        cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;
        done:
        """,
        values,
        out,
        np.zeros(1),
        threads=64,
    )
    assert np.array_equal(out, want)


@pytest.mark.cpu
def test_asynchronous_stores_and_reductions() -> None:
    """A GPU runs them in kernels with clusters only."""
    out = np.zeros(8, "u4")
    run(
        """
        .shared .align 16 .b8 s[32]; .shared .align 8 .b64 m;
        .reg .b32 at, bar; mov.u32 at, s; mov.u32 bar, m;
        mbarrier.init.shared.b64 [bar], 1;
        st.shared.u32 [at+8], 40;
        mbarrier.arrive.expect_tx.shared.b64 d0, [bar], 20;
        mbarrier.test_wait.shared.b64 p0, [bar], d0;
        selp.u32 r0, 1, 0, p0;
        st.async.shared::cluster.mbarrier::complete_tx::bytes.v2.u32
            [at], {7, 8}, [bar];
        st.async.shared::cluster.mbarrier::complete_tx::bytes.u64
            [at+16], 9, [bar];
        red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32
            [at+8], 2, [bar];
        mbarrier.test_wait.shared.b64 p0, [bar], d0;
        selp.u32 r1, 1, 0, p0;
        ld.shared.v4.u32 {r2, r3, r4, r5}, [at]; ld.shared.u32 r6, [at+16];
        st.global.v4.u32 [b], {r0, r1, r2, r3};
        st.global.v2.u32 [b+16], {r4, r6};
        """.replace("{7, 8}", "{r9, r10}").replace(
            "mbarrier.init", "mov.u32 r9, 7; mov.u32 r10, 8; mbarrier.init", 1
        ),
        np.zeros(1),
        out,
        np.zeros(1),
        threads=1,
    )
    assert out.tolist()[:6] == [0, 1, 7, 8, 42, 9]


def test_producers_arrive_and_consumers_wait() -> None:
    """Warps 0 and 1 fill buffers, warps 2 and 3 sum them, ten times."""
    out = np.zeros(10, "u4")
    run(
        """
        .shared .align 4 .b8 s[512];
        .reg .u32 m, i; mov.u32 m, s; mov.u32 i, 0;
        setp.ge.u32 p0, tid, 64;
        shl.b32 r1, tid, 2; add.u32 r1, r1, m;
        @p0 sub.u32 r1, r1, 256;
        @p0 bar.arrive 2, 128;
        next:
        @p0 bra consume;
        bar.sync 2, 128;
        add.u32 r2, tid, i; st.shared.u32 [r1], r2;
        bar.arrive 1, 128;
        bra after;
        consume:
        bar.sync 1, 128;
        ld.shared.u32 r3, [r1];
        red.global.add.u32 [b], r3;
        setp.eq.u32 p1, i, 9;
        @!p1 bar.arrive 2, 128;
        after:
        add.u64 b, b, 4; add.u32 i, i, 1; setp.lt.u32 p1, i, 10;
        @p1 bra next;
        """,
        np.zeros(1),
        out,
        np.zeros(1),
    )
    assert out.tolist() == [64 * 63 // 2 + 64 * i for i in range(10)]


def test_reductions_of_named_barriers() -> None:
    """Two halves of the block use barriers of their own, three times."""
    out = np.zeros((N, 9), "u4")
    run(
        """
        .reg .u32 id, i; mov.u32 i, 0;
        shr.u32 id, tid, 6; add.u32 id, id, 3;
        mad.lo.u64 b, t, 36, b;
        next:
        mul.lo.u32 r0, i, 40; and.b32 r1, tid, 63;
        setp.lt.u32 p0, r1, r0;
        bar.red.popc.u32 r2, id, 64, p0;
        bar.red.and.pred p1, id, 64, p0; selp.u32 r3, 1, 0, p1;
        barrier.red.or.pred p1, id, 64, !p0; selp.u32 r4, 1, 0, p1;
        st.global.u32 [b], r2; st.global.u32 [b+4], r3;
        st.global.u32 [b+8], r4;
        add.u64 b, b, 12; add.u32 i, i, 1; setp.lt.u32 p1, i, 3;
        @p1 bra next;
        """,
        np.zeros(1),
        out,
        np.zeros(1),
    )
    assert (out == [0, 0, 1, 40, 0, 1, 64, 1, 0]).all()


@pytest.mark.cpu
def test_an_arrival_that_nothing_waits_for_is_harmless() -> None:
    run("bar.arrive 5, 128;", np.zeros(1), np.zeros(1), np.zeros(1))
