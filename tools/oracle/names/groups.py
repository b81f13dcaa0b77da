"""Cooperative groups: groups, their members, collectives, copies.

Members are surveyed: one entry per member, one call per group.  Functions
check their groups in their bodies, so each pair of a function and a group is a
separate entry, in a device function that no kernel calls.

SPDX-License-Identifier: MIT
"""

import dataclasses
from collections.abc import Iterator

from entries import Entry
from survey import survey

MAIN = "cooperative_groups.h"
PARTS = {
    "reduce.h": "reduce(g, 1, cg::plus<int>())",
    "scan.h": "inclusive_scan(g, 1)",
    "memcpy_async.h": "wait(g)",
}
HEADERS = (MAIN, *(f"cooperative_groups/{part}" for part in PARTS))
# A compiler that only checks the source answers much faster.
OPTIONS = ("--fdevice-syntax-only",)


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return text.split()


BLOCK = "cg::this_thread_block()"
TILE = f"cg::tiled_partition<8>({BLOCK})"
WARP = f"cg::tiled_partition<32>({BLOCK})"
GROUPS = {
    "grid": "cg::this_grid()",
    "block": BLOCK,
    "cluster": "cg::this_cluster()",
    "coalesced": "cg::coalesced_threads()",
    "thread_group": f"cg::thread_group({BLOCK})",
    "tile": TILE,
    "tile1": f"cg::tiled_partition<1>({BLOCK})",
    "tile64": "cg::tiled_partition<64>(cg::this_thread_block(s))",
    "typed_tile": f"cg::thread_block_tile<8>({TILE})",
    "tile_of_tile": f"cg::tiled_partition<4>({WARP})",
    "this_thread": "cg::this_thread()",
}
# Groups of classes that are listed above; only the class is compared.
OTHERS = {
    "dynamic_tile": f"cg::tiled_partition({BLOCK}, 16)",
    "dynamic_of_grid": "cg::tiled_partition(cg::this_grid(), 16)",
    "dynamic_of_cluster": "cg::tiled_partition(cg::this_cluster(), 16)",
    "dynamic_of_coalesced": "cg::tiled_partition(cg::coalesced_threads(), 4)",
    "dynamic_of_tile": f"cg::tiled_partition({TILE}, 4)",
    "labeled": "cg::labeled_partition(cg::coalesced_threads(), 1)",
    "labeled_of_tile": f"cg::labeled_partition({WARP}, 1)",
    "binary": "cg::binary_partition(cg::coalesced_threads(), true)",
    "binary_of_tile": f"cg::binary_partition({WARP}, 1)",
    "multi_grid": "cg::this_multi_grid()",
}
MEMBERS = words("""
sync() thread_rank() size() num_threads() is_valid() group_index()
thread_index() group_dim() dim_threads() dim_blocks() block_index()
block_rank() num_blocks() cluster_index() cluster_rank() num_clusters()
dim_clusters() thread_index().x meta_group_rank() meta_group_size()
get_type() barrier_arrive() barrier_wait() barrier_wait(g.barrier_arrive())
barrier_sync() shfl(1,1) shfl_up(1,1) shfl_down(1,1) shfl_xor(1,1) any(1)
all(1) ballot(1) match_any(1) match_all(1,v) shfl(1.f,1) shfl(1.0,1)
shfl_down(make_float2(1,2),1) shfl_xor(1l,1) shfl(true,1) shfl((short)1,1)
any(1.5f) match_any(1.5) match_any(true) match_any((short)1) match_any(p)
map_shared_rank(p,0) query_shared_rank(p) grid_rank() num_grids() no_such()
""")
FUNCTIONS = {
    "sync": "cg::sync(g)",
    "thread_rank": "*p = cg::thread_rank(g)",
    "group_size": "*p = cg::group_size(g)",
    "is_valid": "*p = cg::is_valid(g)",
    "invoke_one": "cg::invoke_one(g, [&] { *p = 1; })",
    "invoke_one arguments": "cg::invoke_one(g, [&](int i) { *p = i; }, 1)",
    "invoke_one_broadcast": "*p = cg::invoke_one_broadcast(g, [&] {"
    " return 1; })",
    "reduce": "*p = cg::reduce(g, *p, cg::plus<int>())",
    "reduce lambda": "*p = cg::reduce(g, *p, [](int a, int b) {"
    " return a > b ? a : b; })",
    "inclusive_scan": "*p = cg::inclusive_scan(g, *p)",
    "inclusive_scan op": "*p = cg::inclusive_scan(g, *p, cg::less<int>())",
    "exclusive_scan": "*p = cg::exclusive_scan(g, *p)",
    "exclusive_scan op": "*p = cg::exclusive_scan(g, *p, cg::greater<int>())",
    "inclusive_scan_update": "*p = cg::inclusive_scan_update(g, *a, *p)",
    "exclusive_scan_update op": "*p = cg::exclusive_scan_update(g, *a, *p,"
    " cg::plus<int>())",
    "exclusive_scan_update lambda": "*p = cg::exclusive_scan_update(g, r, *p,"
    " [](int a, int b) { return a * b; })",
    "inclusive_scan_update pointer": "cg::inclusive_scan_update(g, *p, 1)",
    "reduce_update_async": "cg::reduce_update_async(g, *a, 1,"
    " cg::plus<int>())",
    "reduce_update_async ref": "cg::reduce_update_async(g, r, 1,"
    " cg::bit_or<int>())",
    "reduce_update_async pointer": "cg::reduce_update_async(g, p, 1,"
    " cg::plus<int>())",
    "reduce_store_async": "cg::reduce_store_async(g, p, 1, cg::plus<int>())",
    "reduce_store_async atomic": "cg::reduce_store_async(g, *a, 1,"
    " cg::less<int>())",
    "memcpy_async": "cg::memcpy_async(g, p, p + 32, 128)",
    "memcpy_async layouts": "cg::memcpy_async(g, p, 32, p + 64, 32)",
    "memcpy_async aligned": "cg::memcpy_async(g, p, p + 64,"
    " cuda::aligned_size_t<16>(128))",
    "memcpy_async constant": "cg::memcpy_async(g, p, (const int *)p, 16)",
    "wait": "cg::wait(g)",
    "wait_prior": "cg::wait_prior<1>(g)",
    "tiled_partition<4>": "auto t = cg::tiled_partition<4>(g)",
    "tiled_partition": "auto t = cg::tiled_partition(g, 4)",
    "labeled_partition": "auto t = cg::labeled_partition(g, *p)",
    "binary_partition": "auto t = cg::binary_partition(g, *p > 0)",
    "copy": "auto t = g; t.sync()",
    "assign": "auto t = g; t = g",
    "reference": "const auto &t = g; t.sync()",
    "to thread_group": "cg::thread_group t = g; t.sync()",
    "to coalesced_group": "cg::coalesced_group t = g; t.sync()",
    "default": "decltype(g) t; t = g",
    "of a number": "decltype(g) t(1u)",
}
# NVRTC declares these functions without defining them; the error names no
# position. The last one of each kind is compiled alone.
NOT_ASKED = {
    ("group_size", "thread_group"),
    *(("assign", group) for group in (
        "grid", "cluster", "coalesced", "typed_tile", "this_thread")),
}  # fmt: skip
LABELS = "*p", "1.5f", "true", "p", "(short)1", "1ll", "oracle_zero", "nullptr"
MIXED = {
    "plus<long> of int": "*p, cg::plus<long>()",
    "plus<void> of int": "*p, cg::plus<void>()",
    "plus<const int> of int": "*p, cg::plus<const int>()",
    "double lambda of int": "*p, [](double a, double b) { return a + b; }",
    "bool lambda of int": "*p, [](int a, int b) { return a < b; }",
    "references": "*p, [](const int &a, const int &b) -> const int & {"
    " return a; }",
    "a constant": "(const int &)*p, cg::plus<int>()",
}
OPERATORS = "plus", "less", "greater", "bit_and", "bit_or", "bit_xor"
VALUES = (
    "int", "unsigned", "float", "double", "long long", "unsigned long long",
    "bool", "short", "int *", "oracle_enum", "float2", "oracle_pair",
)  # fmt: skip
TYPES = words("""
grid_group thread_block thread_group coalesced_group cluster_group
multi_grid_group thread_block_tile<32> thread_block_tile<4,cg::thread_block>
thread_block_tile<64,cg::thread_block> block_tile_memory<256>
block_tile_memory<1024> block_tile_memory<64> tile_type no_such
experimental::block_tile_memory<4,128> plus<int> less<float> greater<int>
bit_and<int> bit_or<int> bit_xor<int> plus<> thread_block::arrival_token
grid_group::arrival_token cluster_group::arrival_token
""")
HEAD = """
#ifndef ORACLE_GROUPS
#define ORACLE_GROUPS
namespace cg = cooperative_groups;
struct oracle_pair { long long a, b; };
enum oracle_enum { oracle_zero };
#endif
"""
ARGUMENTS = (
    "int *p, int &v, cuda::atomic<int, cuda::thread_scope_device> *a,"
    " cuda::atomic_ref<int, cuda::thread_scope_block> r"
)
SHARED = "__shared__ cg::block_tile_memory<512> s;"


def entry(name: str, statement: str, group: str, headers=HEADERS) -> Entry:
    """Return a function that runs one statement on the group `g`."""
    begin = f"{SHARED} " if "(s)" in group else ""
    arguments = ARGUMENTS if headers == HEADERS else "int *p"
    code = (
        f"{HEAD}__device__ void f$({arguments}) {{ {begin}"
        f"auto g = {group}; (void)g; {statement}; }}"
    )
    return Entry("groups", name, code, headers, options=OPTIONS)


def surveys() -> Iterator[Entry]:
    """Yield surveys of the result's type of each member, for all groups."""
    shared = "extern __device__ cg::block_tile_memory<512> &s;"
    variables = "extern __device__ int *p; extern __device__ int &v;"
    head = f"#ifndef ORACLE_OF_GROUPS\n#define ORACLE_OF_GROUPS\n{shared}"
    head += f"{variables}\n"
    for name, group in (GROUPS | OTHERS).items():
        if name != "multi_grid":
            head += f"typedef decltype({group}) oracle_{name};\n"
    head += "#endif\n"
    calls = [(f"oracle_{name}",) for name in GROUPS]
    for n, member in enumerate(MEMBERS):
        define = f"oracle_member_{n}(g) (g).{member.replace('g.', '(g).')}"
        made = survey(
            "groups", f"oracle_member_{n}", calls, HEADERS, member, define
        )
        yield with_head(made, HEAD + head)
    for name in OTHERS.keys() - {"multi_grid"}:
        value = ", ".join(
            f"__is_same(oracle_{name}, oracle_{other})" for other in GROUPS
        )
        yield Entry(
            "groups", f"class of {name}", HEAD + head, HEADERS, value,
            options=OPTIONS,
        )  # fmt: skip


def with_head(made: Entry, head: str) -> Entry:
    """Return the entry with declarations before its code."""
    return dataclasses.replace(made, code=head + made.code, options=OPTIONS)


def entries() -> Iterator[Entry]:
    """Yield every member and every function with every group."""
    yield from surveys()
    for group, made in GROUPS.items():
        for name, statement in FUNCTIONS.items():
            if (name, group) not in NOT_ASKED:
                yield entry(f"{name} of {group}", statement, made)
    for n, (name, group) in enumerate(
        (("group_size", "thread_group"), ("assign", "coalesced"))
    ):
        alone = entry(f"{name} of {group}", FUNCTIONS[name], GROUPS[group])
        options = (*OPTIONS, f"-DORACLE_ALONE={n}")
        yield dataclasses.replace(alone, options=options)
    yield entry("multi_grid", "", OTHERS["multi_grid"])
    for part, call in PARTS.items():
        headers = (MAIN, f"cooperative_groups/{part}")
        for made in PARTS.values():
            tile = GROUPS["tile"]
            yield entry(f"{part}: {made}", f"cg::{made}", tile, headers)
        yield entry(f"{MAIN}: {call}", f"cg::{call}", GROUPS["tile"], (MAIN,))
    for label in LABELS:
        for group in ("tile", "coalesced"):
            statement = f"cg::labeled_partition(g, {label})"
            yield entry(f"label {label} of {group}", statement, GROUPS[group])
    for group in ("tile", "tile64", "coalesced"):
        for value in VALUES:
            for operator in OPERATORS:
                yield reduction(group, operator, value)
            for call in ("shfl(x, 1)", "shfl_up(x, 1)", "match_any(x)"):
                name = f"{call} {value} of {group}"
                statement = f"{value} x = {{}}; g.{call}"
                yield entry(name, statement, GROUPS[group])
        for name, arguments in MIXED.items():
            for call in ("reduce", "inclusive_scan", "exclusive_scan"):
                statement = f"cg::{call}(g, {arguments})"
                label = f"{call} {name} in {group}"
                yield entry(label, statement, GROUPS[group])
    for name in TYPES:
        value = f"sizeof(cg::{name}) > 0"
        yield Entry("groups", f"type {name}", HEAD, HEADERS, value)
        code = f"{HEAD}__device__ void f$(const cg::{name} &g) {{ }}"
        yield Entry("groups", f"parameter {name}", code, HEADERS)
    for size in (0, 1, 2, 3, 4, 8, 32, 33, 64, 128, 512, 1024, 2048):
        for parent in (BLOCK, "cg::this_thread_block(s)", GROUPS["tile"],
                       GROUPS["typed_tile"], GROUPS["tile64"]):  # fmt: skip
            group = f"cg::tiled_partition<{size}>({parent})"
            yield entry(f"tile {size} of {parent[4:]}", "g.sync()", group)


def reduction(group: str, operator: str, value: str) -> Entry:
    """Return a reduction and scans by one operator on one type."""
    call = f"(g, x, cg::{operator}<{value}>())"
    statement = f"{value} x = {{}}; x = cg::reduce{call}"
    statement += (
        f"; x = cg::inclusive_scan{call}; x = cg::exclusive_scan{call}"
    )
    return entry(f"{operator} {value} of {group}", statement, GROUPS[group])
