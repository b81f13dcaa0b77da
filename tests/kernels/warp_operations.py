"""Warp functions, and shapes of control flow around a call of one.

`OPERATIONS` has a row for each function and type; `SHAPES` has the kernels
that `warp_cases` inserts them into. In an operation's text `v` is the lane's
value, `M` its mask, `A` its argument, `W` the width; `p` is a second result.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

HEAD = r"""
typedef unsigned long long u64;
template <class T> __device__ __forceinline__ T value_of(u64 word)
{
    T value;
    memcpy(&value, &word, sizeof(T));
    return value;
}
template <class T> __device__ __forceinline__ u64 bits_of(T value)
{
    u64 word = 0;
    memcpy(&word, &value, sizeof(T));
    return word;
}
#define BEGIN(T, ONE)                                                  \
    unsigned t = threadIdx.x + blockDim.x * threadIdx.y;               \
    unsigned size = blockDim.x * blockDim.y, lane = t % 32;            \
    unsigned M = ONE ? 0xffffffffu : masks[t];                         \
    int A = args[lane], other = args[32 + lane], p = -1;               \
    bool takes = here >> lane & 1;                                     \
    T v = value_of<T>(in[t]);                                          \
    (void)size, (void)M, (void)A, (void)W, (void)p, (void)v;           \
    (void)other, (void)takes;
"""
INCLUDES = {
    "core": "",
    "fixed": "",
    "masks": "",
    "half": "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n",
    "groups": (
        "#include <cooperative_groups.h>\n"
        "#include <cooperative_groups/reduce.h>\n"
        "#include <cooperative_groups/scan.h>\n"
        "namespace cg = cooperative_groups;\n"
    ),
}


@dataclass(frozen=True)
class Operation:
    """One function for one type."""

    name: str
    group: str
    type: str
    text: str
    module: str = "core"
    values: tuple[str, ...] = ("distinct",)
    shapes: tuple[str, ...] = ()
    few: bool = False  # in few cases, which only show that types behave alike
    fixed: bool = False  # mask, argument and width are constants
    second: bool = False  # the operation also sets `p`


@dataclass(frozen=True)
class Shape:
    """A kernel around an operation."""

    body: str

    @staticmethod
    def head(module: str) -> str:
        return INCLUDES[module] + HEAD

    def kernel(self, operation: Operation, shape: str) -> str:
        """Return the source of the kernel."""
        call = f"out[t] = bits_of({operation.text});"
        if operation.second:
            call += " out[size + t] = p;"
        body = self.body.replace("CALL", call)
        body = body.replace("VALUE", f"bits_of({operation.text})")
        return (
            f'extern "C" __global__ void {shape}_{operation.name}(\n'
            "    u64 *out, const u64 *in, const unsigned *masks,\n"
            "    const int *args, int W, unsigned here)\n"
            f"{{\n    BEGIN({operation.type}, {int(operation.fixed)})\n"
            f"    {body}\n}}"
        )


#: Shapes `fan` and `loop` make two calls, or reach one several times.
SHAPES = {
    "straight": Shape("CALL"),
    "returned": Shape("if (!takes) return; CALL"),
    "branch": Shape("if (takes) { CALL }"),
    "syncwarp": Shape("if (takes) { CALL } __syncwarp(); out[t] += 0;"),
    "block": Shape(
        "__shared__ int s[64]; if (takes) { CALL } s[t] = t;"
        " __syncthreads(); if (s[size - 1 - t] == -1) out[t] = 0;"
    ),
    "fan": Shape("if (takes) { CALL } else { A = other; CALL }"),
    "loop": Shape(
        "u64 sum = 0; for (int i = 0; i <= lane % 4; i++) {"
        " sum = sum * 7 + VALUE; v = v + v; } out[t] = sum;"
    ),
    "warp": Shape("if (t / 32 == 0) { CALL }"),
    "kinds": Shape(
        "if (takes) { CALL }"
        " else { out[t] = 100 + __popc(__ballot_sync(0xffffffffu, 1)); }"
    ),
    "again": Shape(
        "u64 first = 99; if (takes) first = VALUE; CALL out[size + t] = first;"
    ),
}
APART = tuple(shape for shape in SHAPES if shape not in ("warp", "kinds"))
SHUFFLES = {
    "shfl": "__shfl_sync",
    "up": "__shfl_up_sync",
    "down": "__shfl_down_sync",
    "xor": "__shfl_xor_sync",
}
VOTES = {
    "any": "__any_sync(M, v)",
    "all": "__all_sync(M, v)",
    "uni": "__uni_sync(M, v)",
    "ballot": "__ballot_sync(M, v)",
}
REDUCTIONS = [
    *((name, kind) for name in ("add", "min", "max") for kind in "iu"),
    *((name, "u") for name in ("and", "or", "xor")),
]
TYPES = (
    *("unsigned", "long", "unsigned long", "long long"),
    *("unsigned long long", "float", "double"),
)
HALVES = ("__half", "__half2", "__nv_bfloat16", "__nv_bfloat162")


def _plain(fixed: bool) -> Iterator[Operation]:
    """Functions of int, in all shapes."""
    common: dict = {
        "fixed": fixed,
        "module": "fixed" if fixed else "core",
        "shapes": APART,
    }
    end = "_fixed" if fixed else ""
    for name, call in SHUFFLES.items():
        text = f"{call}(M, v, A, W)"
        if fixed:
            text = f"{call}(0xffffffffu, v, {3 if name == 'shfl' else 4})"
        yield Operation(f"{name}_int{end}", "shuffle", "int", text, **common)
    for name, call in VOTES.items():
        values = ("parity", "equal", "zero", "most")
        yield Operation(
            f"{name}{end}", "vote", "int", call, values=values, **common
        )
    values = ("thirds", "equal")
    yield Operation(
        *(f"match_any_int{end}", "match", "int", "__match_any_sync(M, v)"),
        values=values,
        **common,
    )
    yield Operation(
        *(f"match_all_int{end}", "match", "int"),
        "__match_all_sync(M, v, &p)",
        values=("equal", "most"),
        second=True,
        **common,
    )
    for name, kind in REDUCTIONS:
        yield Operation(
            *(f"reduce_{name}_{kind}{end}", "reduce"),
            "int" if kind == "i" else "unsigned",
            f"__reduce_{name}_sync(M, v)",
            **common,
        )
    yield Operation(
        f"active{end}", "active", "int", "__activemask()", **common
    )


def _types() -> Iterator[Operation]:
    """Functions of other types."""
    for kind in (*TYPES, *HALVES):
        module = "half" if kind in HALVES else "core"
        for name, call in SHUFFLES.items():
            yield Operation(
                *(f"{name}_{kind.replace(' ', '_')}", "shuffle", kind),
                *(f"{call}(M, v, A, W)", module),
                few=True,
            )
        if kind in TYPES:
            yield Operation(
                *(f"match_any_{kind.replace(' ', '_')}", "match", kind),
                "__match_any_sync(M, v)",
                few=True,
            )
            yield Operation(
                *(f"match_all_{kind.replace(' ', '_')}", "match", kind),
                "__match_all_sync(M, v, &p)",
                few=True,
                second=True,
            )


TILE = "cg::tiled_partition<{size}>(cg::this_thread_block())"
#: Functions of a tile or a coalesced group g.
MEMBERS = {
    "shfl": ("shuffle", "int", "g.shfl(v, A)"),
    "up": ("shuffle", "int", "g.shfl_up(v, A)"),
    "down": ("shuffle", "int", "g.shfl_down(v, A)"),
    "any": ("vote", "int", "g.any(v == 1)"),
    "all": ("vote", "int", "g.all(v == 1)"),
    "ballot": ("vote", "int", "g.ballot(v == 1)"),
    "match_any": ("match", "int", "g.match_any(v)"),
    "match_all": ("match", "int", "g.match_all(v, p)"),
    "rank": ("active", "int", "g.thread_rank() + 100 * g.num_threads()"),
    "plus": ("reduce", "int", "cg::reduce(g, v, cg::plus<int>())"),
    "plus_f": ("reduce", "float", "cg::reduce(g, v, cg::plus<float>())"),
    "less": ("reduce", "int", "cg::reduce(g, v, cg::less<int>())"),
    "xor_of": (
        *("reduce", "unsigned"),
        "cg::reduce(g, v, cg::bit_xor<unsigned>())",
    ),
    "own": (
        *("reduce", "int"),
        "cg::reduce(g, v, [](int a, int b) { return a * 3 + b; })",
    ),
    "inclusive": ("reduce", "int", "cg::inclusive_scan(g, v)"),
    "exclusive": ("reduce", "int", "cg::exclusive_scan(g, v)"),
    "exclusive_f": ("reduce", "float", "cg::exclusive_scan(g, v)"),
    "exclusive_x": (
        *("reduce", "int"),
        "cg::exclusive_scan(g, v, cg::bit_xor<int>())",
    ),
    "greater_l": (
        *("reduce", "long long"),
        "cg::reduce(g, v, cg::greater<long long>())",
    ),
}
GROUPS = {
    "t32": TILE.format(size=32),
    "t8": TILE.format(size=8),
    "co": "cg::coalesced_threads()",
    "label": f"cg::labeled_partition({TILE.format(size=32)}, lane % 3)",
    "binary": "cg::binary_partition(cg::coalesced_threads(), lane % 3 == 0)",
}
#: Not for coalesced groups; enough for the tiles of a partition.
TILES_ONLY = {"exchange": ("shuffle", "int", "g.shfl_xor(v, A)")}
SHORT = ("shfl", "down", "ballot", "rank", "plus", "plus_f", "inclusive")


def _groups() -> Iterator[Operation]:
    """Member functions of cooperative groups."""
    for group, made in GROUPS.items():
        rows = MEMBERS | (TILES_ONLY if group[0] == "t" else {})
        if group in ("label", "binary"):
            rows = {name: rows[name] for name in SHORT}
        for name, (kind, type_, text) in rows.items():
            values = "thirds" if kind in ("vote", "match") else "distinct"
            yield Operation(
                *(f"{group}_{name}", kind, type_),
                f"[&]() {{ auto g = {made}; return {text}; }}()",
                module="groups",
                values=(values,),
                shapes=("straight", "returned", "branch"),
                second="p)" in text,
            )


#: Masks that leave lanes out: constants and a kernel parameter.
SMALL_MASKS = {"c8": "0xffu", "c16": "0xffffu", "param": "here"}
MASKED = {
    "down": ("shuffle", "int", "__shfl_down_sync({}, v, 4)"),
    "xor": ("shuffle", "int", "__shfl_xor_sync({}, v, 1)"),
    "shfl": ("shuffle", "int", "__shfl_sync({}, v, 9)"),
    "ballot": ("vote", "int", "__ballot_sync({}, v & 1)"),
    "all": ("vote", "int", "__all_sync({}, v < 17)"),
    "match": ("match", "int", "__match_any_sync({}, v % 3)"),
    "reduce": ("reduce", "unsigned", "__reduce_max_sync({}, v)"),
    "sync": ("sync", "int", "[&]() {{ __syncwarp({}); return 7; }}()"),
}


def _masked() -> Iterator[Operation]:
    """Functions with a mask that leaves out calling lanes, or may do so."""
    for end, mask in SMALL_MASKS.items():
        for name, (kind, type_, text) in MASKED.items():
            yield Operation(
                *(f"{name}_{end}", kind, type_, text.format(mask), "masks"),
                shapes=("straight", "branch", "warp", "fan"),
                fixed=True,
            )
    for name in "down", "xor", "shfl":
        kind, type_, text = MASKED[name]
        yield Operation(
            *(f"{name}_lanes", kind, type_, text.format("M"), "masks")
        )
    for name, (kind, type_, text) in MASKED.items():
        yield Operation(
            *(f"{name}_full", kind, type_, text.format("M"), "masks"),
            shapes=("kinds", "warp"),
            fixed=True,
        )


OPERATIONS = [
    *(*_plain(False), *_plain(True), *_types(), *_groups(), *_masked())
]
