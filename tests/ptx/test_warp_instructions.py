"""PTX that exchanges data between threads: shfl, vote, cp.async, mbarrier.

The expected values follow the definitions in the manual of PTX. Each kernel
runs as one warp, and as a block of 16 by 2 threads, which the CPU device runs
on fibers. A GPU needs compute capability 9.0.
"""

# SPDX-License-Identifier: MIT

from typing import Any

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

pytestmark = [
    pytest.mark.usefixtures("context"),
    pytest.mark.parametrize("block", [(32, 1, 1), (16, 2, 1)]),
]

LANES = np.arange(32)
HALF_WARP = 0x0F0F3C5A

# values of the operand c of shfl: the whole warp, segments, other limits
SEGMENTS = [0x1F, 0, 0x181F, 0x1800, 0x1C1F, 0x100F, 0x0A13]
MODES = ["idx", "up", "down", "bfly"]

LANE = "#define LANE (threadIdx.x + threadIdx.y * blockDim.x)\n"
SHUFFLES = (
    LANE
    + "".join(
        f"""
__global__ void {mode}_{c}(const unsigned *a, const int *b, unsigned *d)
{{
    unsigned r, p;
    asm volatile("{{ .reg .pred q; shfl.sync.{mode}.b32 %0|q, %2, %3, {c}, "
        "0xffffffff; selp.u32 %1, 1, 0, q; }}" : "=r"(r), "=r"(p)
        : "r"(a[LANE]), "r"(b[LANE]));
    d[LANE] = r; d[32 + LANE] = p;
}}
"""
        for mode in MODES
        for c in SEGMENTS
    )
    + "".join(
        f"""
__global__ void {mode}(const unsigned *a, const int *b, int c, unsigned *d)
{{
    unsigned r;
    asm volatile("shfl.sync.{mode}.b32 %0, %1, %2, %3, 0xffffffff;"
        : "=r"(r) : "r"(a[LANE]), "r"(b[LANE]), "r"(c));
    d[LANE] = r;
}}
"""
        for mode in MODES
    )
)


def source_lane(mode: str, lane: int, b: int, c: int) -> tuple[int, bool]:
    """Return the source lane of a shuffle, and whether it is in range."""
    b, clamp, segment = b & 31, c & 31, c >> 8 & 31
    least = lane & segment
    most = least | (clamp & ~segment)
    if mode == "up":
        j = lane - b
        inside = j >= most
    else:
        j = {
            "down": lane + b,
            "bfly": lane ^ b,
            "idx": least | (b & ~segment),
        }[mode]
        inside = j <= most
    return (j if inside else lane), inside


@pytest.fixture(scope="module")
def shuffles() -> Any:
    return SourceModule(SHUFFLES)


@pytest.fixture
def rng() -> Any:
    return np.random.default_rng(37)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("c", SEGMENTS)
@pytest.mark.parametrize("uniform", [False, True])
def test_shuffle(
    shuffles: Any, rng: Any, mode: str, c: int, uniform: bool, block: Any
) -> None:
    a = rng.integers(0, 2**32, 32, dtype="u4")
    if uniform:
        b = np.full(32, 3, "i4")
    else:
        b = rng.integers(0, 32, 32).astype("i4")
    out = np.zeros((2, 32), "u4")
    shuffles.get_function(f"{mode}_{c}")(
        drv.In(a), drv.In(b), drv.Out(out), block=block
    )
    want = [source_lane(mode, lane, int(b[lane]), c) for lane in range(32)]
    np.testing.assert_array_equal(out[0], a[[j for j, _ in want]])
    np.testing.assert_array_equal(out[1], [inside for _, inside in want])
    shuffles.get_function(mode)(
        drv.In(a), drv.In(b), np.int32(c), drv.Out(out), block=block
    )
    np.testing.assert_array_equal(out[0], a[[j for j, _ in want]])


# name: (instruction with the result %0 for the value %1 and the mask %2,
# expected value for the values and the mask as a list of lanes)
def _mask(lanes: Any) -> int:
    return sum(1 << int(lane) for lane in lanes)


def _signed(value: Any) -> int:
    return int(np.uint32(value).view(np.int32))


def _predicate(instruction: str) -> str:
    return (
        "{ .reg .pred p, q; setp.ne.u32 p, %1, 0; "
        f"{instruction} selp.u32 %0, 1, 0, q; }}"
    )


VOTES: dict[str, tuple[str, Any]] = {
    "ballot": (
        "{ .reg .pred p; setp.ne.u32 p, %1, 0; "
        "vote.sync.ballot.b32 %0, p, %2; }",
        lambda a, m: _mask(x for x in m if a[x]),
    ),
    "ballot_not": (
        "{ .reg .pred p; setp.ne.u32 p, %1, 0; "
        "vote.sync.ballot.b32 %0, !p, %2; }",
        lambda a, m: _mask(x for x in m if not a[x]),
    ),
    "all": (
        _predicate("vote.sync.all.pred q, p, %2;"),
        lambda a, m: all(a[x] for x in m),
    ),
    "any": (
        _predicate("vote.sync.any.pred q, p, %2;"),
        lambda a, m: any(a[x] for x in m),
    ),
    "uni": (
        _predicate("vote.sync.uni.pred q, p, %2;"),
        lambda a, m: len({bool(a[x]) for x in m}) == 1,
    ),
    "match_all": (
        "match.all.sync.b32 %0, %1, %2;",
        lambda a, m: _mask(m) if len({int(a[x]) for x in m}) == 1 else 0,
    ),
    "match_all_pred": (
        "{ .reg .pred q; match.all.sync.b32 %0|q, %1, %2; "
        "selp.u32 %0, 1, 0, q; }",
        lambda a, m: len({int(a[x]) for x in m}) == 1,
    ),
    "match_all_64": (
        "{ .reg .b64 w; mov.b64 w, {%1, %1}; match.all.sync.b64 %0, w, %2; }",
        lambda a, m: _mask(m) if len({int(a[x]) for x in m}) == 1 else 0,
    ),
    "elect": (
        "{ .reg .pred q; elect.sync %0|q, %2; }",
        lambda a, m: min(m),
    ),
    "add": (
        "redux.sync.add.u32 %0, %1, %2;",
        lambda a, m: sum(int(a[x]) for x in m) & 0xFFFFFFFF,
    ),
    "min_s32": (
        "redux.sync.min.s32 %0, %1, %2;",
        lambda a, m: min(_signed(a[x]) for x in m) & 0xFFFFFFFF,
    ),
    "max_s32": (
        "redux.sync.max.s32 %0, %1, %2;",
        lambda a, m: max(_signed(a[x]) for x in m) & 0xFFFFFFFF,
    ),
    "min_u32": (
        "redux.sync.min.u32 %0, %1, %2;",
        lambda a, m: min(int(a[x]) for x in m),
    ),
    "max_u32": (
        "redux.sync.max.u32 %0, %1, %2;",
        lambda a, m: max(int(a[x]) for x in m),
    ),
    "and": (
        "redux.sync.and.b32 %0, %1, %2;",
        lambda a, m: int(np.bitwise_and.reduce(a[m])),
    ),
    "or": (
        "redux.sync.or.b32 %0, %1, %2;",
        lambda a, m: int(np.bitwise_or.reduce(a[m])),
    ),
    "xor": (
        "redux.sync.xor.b32 %0, %1, %2;",
        lambda a, m: int(np.bitwise_xor.reduce(a[m])),
    ),
}
PER_LANE: dict[str, tuple[str, Any]] = {
    "match_any": (
        "match.any.sync.b32 %0, %1, %2;",
        lambda a, m, lane: _mask(x for x in m if a[x] == a[lane]),
    ),
    "elected": (
        "{ .reg .pred q; elect.sync _|q, %2; selp.u32 %0, 1, 0, q; }",
        lambda a, m, lane: lane == min(m),
    ),
    "active": (
        "activemask.b32 %0;",
        lambda a, m, lane: _mask(m),
    ),
}

VOTE_SOURCE = LANE + "".join(
    f"""
__global__ void vote_{name}(const unsigned *a, unsigned mask, unsigned *d)
{{
    unsigned r = 0;
    if (mask >> LANE & 1) {{
        asm volatile("{row[0]}" : "=r"(r) : "r"(a[LANE]), "r"(mask));
        d[LANE] = r;
    }}
}}
"""
    for name, row in (VOTES | PER_LANE).items()
)


@pytest.fixture(scope="module")
def votes() -> Any:
    return SourceModule(VOTE_SOURCE)


def vote_inputs(rng: Any) -> list[Any]:
    return [
        np.zeros(32, "u4"),
        np.full(32, 7, "u4"),
        rng.integers(0, 2, 32).astype("u4"),
        rng.integers(0, 2**32, 32, dtype="u4"),
    ]


@pytest.mark.parametrize("mask", [0xFFFFFFFF, HALF_WARP])
@pytest.mark.parametrize("name", list(VOTES | PER_LANE))
def test_vote(votes: Any, rng: Any, name: str, mask: int, block: Any) -> None:
    lanes = [x for x in range(32) if mask >> x & 1]
    for a in vote_inputs(rng):
        out = np.zeros(32, "u4")
        votes.get_function("vote_" + name)(
            drv.In(a), np.uint32(mask), drv.InOut(out), block=block
        )
        want = np.zeros(32, "u4")
        for lane in lanes:
            if name in VOTES:
                want[lane] = VOTES[name][1](a, lanes)
            else:
                want[lane] = PER_LANE[name][1](a, lanes, lane)
        np.testing.assert_array_equal(out, want)


# ---- asynchronous copies and mbarrier objects ----

COPIES = (
    LANE
    + r"""
__device__ unsigned shared_address(const void *p)
{ return (unsigned)__cvta_generic_to_shared(p); }
#define COPY(NAME, BYTES, KIND, MORE, ...)                                  \
__global__ void NAME(const char *in, char *out, unsigned n)                 \
{                                                                           \
    __shared__ __align__(16) char s[32 * BYTES];                            \
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %2, 0;"                    \
        "cp.async." KIND ".shared.global [%0], [%1], " #BYTES MORE ";}"     \
        :: "r"(shared_address(s + LANE * BYTES)), "l"(in + LANE * BYTES),   \
        "r"(n) : "memory");                                                 \
    asm volatile("cp.async.commit_group;" ::: "memory");                    \
    asm volatile("cp.async.wait_group 0;" ::: "memory");                    \
    __syncthreads();                                                        \
    for (int i = 0; i < BYTES; i++)                                         \
        out[LANE * BYTES + i] = s[LANE * BYTES + i];                        \
}
COPY(copy4, 4, "ca", "")
COPY(copy8, 8, "ca", "")
COPY(copy16, 16, "ca", "")
COPY(copy16g, 16, "cg", "")
COPY(copy16h, 16, "cg.L2::128B", "")
COPY(part4, 4, "ca", ", %2")
COPY(part8, 8, "ca", ", %2")
COPY(part16, 16, "cg", ", %2")
COPY(ignore16, 16, "cg", ", p")
"""
)
FORMS = {
    "copy4": 4,
    "copy8": 8,
    "copy16": 16,
    "copy16g": 16,
    "copy16h": 16,
    "part4": 4,
    "part8": 8,
    "part16": 16,
    "ignore16": 16,
}


@pytest.fixture(scope="module")
def copies() -> Any:
    return SourceModule(COPIES)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("given", [0, 1, 3, 4])
def test_copy(
    copies: Any, rng: Any, form: str, given: int, block: Any
) -> None:
    size = FORMS[form]
    data = rng.integers(1, 256, (32, size), dtype="u1")
    out = np.empty_like(data)
    copies.get_function(form)(
        drv.In(data), drv.Out(out), np.uint32(given), block=block
    )
    want = data.copy()
    if form.startswith("part"):
        want[:, given:] = 0
    elif form.startswith("ignore") and given:
        want[:] = 0
    np.testing.assert_array_equal(out, want)


BARRIERS = (
    LANE
    + r"""
__device__ unsigned shared_address(const void *p)
{ return (unsigned)__cvta_generic_to_shared(p); }
typedef unsigned long long word;
__device__ void init(unsigned at, unsigned n)
{ asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at), "r"(n)
      : "memory"); }
__device__ bool parity_over(unsigned at, unsigned parity)
{
    unsigned p;
    asm volatile("{ .reg .pred q; mbarrier.test_wait.parity.shared.b64 q, "
        "[%1], %2; selp.u32 %0, 1, 0, q; }" : "=r"(p) : "r"(at), "r"(parity)
        : "memory");
    return p;
}
/* Each round, all threads write, meet at the barrier and read. */
__global__ void rounds(unsigned *out, int n)
{
    __shared__ word barrier;
    __shared__ unsigned values[32];
    unsigned at = shared_address(&barrier), sum = 0;
    if (LANE == 0) init(at, 32);
    __syncthreads();
    for (int i = 0; i < n; i++) {
        values[LANE] = LANE * (i + 1);
        word token;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(token)
            : "r"(at) : "memory");
        unsigned p;
        do {
            asm volatile("{ .reg .pred q; mbarrier.try_wait.shared.b64 q, "
                "[%1], %2; selp.u32 %0, 1, 0, q; }" : "=r"(p)
                : "r"(at), "l"(token) : "memory");
        } while (!p);
        sum += values[(LANE + 1) % 32];
        asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at)
            : "memory");
        while (!parity_over(at, 1)) { }
    }
    out[LANE] = sum;
}
__global__ void counts(unsigned *out)
{
    __shared__ word barrier;
    unsigned at = shared_address(&barrier);
    word t;
    if (LANE) return;
    init(at, 5);
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 2;" : "=l"(t)
        : "r"(at) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[0])
        : "l"(t));
    asm volatile("mbarrier.arrive_drop.shared.b64 %0, [%1];" : "=l"(t)
        : "r"(at) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[1])
        : "l"(t));
    out[2] = parity_over(at, 0);
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 64;"
        :: "r"(at) : "memory");
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" :: "r"(at)
        : "memory");
    out[3] = parity_over(at, 0);
    asm volatile("mbarrier.complete_tx.shared::cluster.relaxed.cluster.b64 "
        "[%0], 64;" :: "r"(at) : "memory");
    out[4] = parity_over(at, 0);
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 4;" : "=l"(t)
        : "r"(at) : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[5])
        : "l"(t));
    out[6] = parity_over(at, 1);
    asm volatile("mbarrier.inval.shared.b64 [%0];" :: "r"(at) : "memory");
}
__global__ void copies(const uint4 *in, uint4 *out)
{
    __shared__ word barrier;
    __shared__ uint4 s[32];
    unsigned at = shared_address(&barrier);
    if (LANE == 0) init(at, 32);
    __syncthreads();
    asm volatile("cp.async.ca.shared.global [%0], [%1], 16;"
        :: "r"(shared_address(s + LANE)), "l"(in + LANE) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];"
        :: "r"(at) : "memory");
    while (!parity_over(at, 0)) { }
    out[LANE] = s[31 - LANE];
}
__global__ void bulk(const uint4 *in, uint4 *out)
{
    __shared__ word barrier;
    __shared__ __align__(128) uint4 s[32];
    unsigned at = shared_address(&barrier);
    if (LANE == 0) {
        init(at, 1);
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 512;"
            :: "r"(at) : "memory");
        asm volatile("cp.async.bulk.shared::cluster.global"
            ".mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
            :: "r"(shared_address(s)), "l"(in), "r"(512), "r"(at)
            : "memory");
    }
    __syncthreads();
    while (!parity_over(at, 0)) { }
    s[LANE].x += 1;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    if (LANE == 0) {
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group "
            "[%0], [%1], %2;" :: "l"(out), "r"(shared_address(s)), "r"(512)
            : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
    }
}
"""
)


@pytest.fixture(scope="module")
def barriers() -> Any:
    return SourceModule(BARRIERS)


def test_rounds_of_a_barrier(barriers: Any, block: Any) -> None:
    out = np.zeros(32, "u4")
    barriers.get_function("rounds")(drv.Out(out), np.int32(20), block=block)
    np.testing.assert_array_equal(out, (LANES + 1) % 32 * 210)


def test_counts_of_a_barrier(barriers: Any, block: Any) -> None:
    out = np.zeros(7, "u4")
    barriers.get_function("counts")(drv.Out(out), block=block)
    np.testing.assert_array_equal(out, [5, 3, 0, 0, 1, 4, 1])


def test_copies_that_arrive(barriers: Any, rng: Any, block: Any) -> None:
    data = rng.integers(0, 2**32, (32, 4), dtype="u4")
    out = np.empty_like(data)
    barriers.get_function("copies")(drv.In(data), drv.Out(out), block=block)
    np.testing.assert_array_equal(out, data[::-1])


def test_bulk_copy(barriers: Any, rng: Any, block: Any) -> None:
    data = rng.integers(0, 2**32, (32, 4), dtype="u4")
    out = np.empty_like(data)
    barriers.get_function("bulk")(drv.In(data), drv.Out(out), block=block)
    data[:, 0] += 1
    np.testing.assert_array_equal(out, data)
