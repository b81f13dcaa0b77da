"""Cooperative groups: groups, their members, collectives, copies.

SPDX-License-Identifier: MIT
"""

from collections.abc import Iterator

from entries import Entry

HEADERS = (
    "cooperative_groups.h",
    "cooperative_groups/reduce.h",
    "cooperative_groups/scan.h",
    "cooperative_groups/memcpy_async.h",
)
BLOCK = "cg::this_thread_block()"
GROUPS = {
    "grid": "cg::this_grid()",
    "block": BLOCK,
    "cluster": "cg::this_cluster()",
    "coalesced": "cg::coalesced_threads()",
    "thread_group": "cg::thread_group(cg::this_thread_block())",
    "tile": "cg::tiled_partition<8>(cg::this_thread_block())",
    "tile32": "cg::tiled_partition<32>(cg::this_thread_block())",
    "tile1": "cg::tiled_partition<1>(cg::this_thread_block())",
    "tile64": "cg::tiled_partition<64>(cg::this_thread_block(s))",
    "tile512": "cg::tiled_partition<512>(cg::this_thread_block(s))",
    "typed_tile": "(cg::thread_block_tile<16>)cg::tiled_partition<16>"
    "(cg::this_thread_block())",
    "tile_of_tile": "cg::tiled_partition<4>(cg::tiled_partition<32>"
    "(cg::this_thread_block()))",
    "dynamic_tile": "cg::tiled_partition(cg::this_thread_block(), 16)",
    "labeled": "cg::labeled_partition(cg::coalesced_threads(), *p)",
    "labeled_of_tile": "cg::labeled_partition(cg::tiled_partition<32>"
    "(cg::this_thread_block()), *p)",
    "binary": "cg::binary_partition(cg::coalesced_threads(), *p > 1)",
    "binary_of_tile": "cg::binary_partition(cg::tiled_partition<32>"
    "(cg::this_thread_block()), *p > 1)",
    "dynamic_of_coalesced": "cg::tiled_partition(cg::coalesced_threads(), 4)",
    "multi_grid": "cg::this_multi_grid()",
}
MEMBERS = """
sync() thread_rank() size() num_threads() is_valid() group_index()
thread_index() group_dim() dim_threads() dim_blocks() block_index()
block_rank() num_blocks() cluster_index() cluster_rank() num_clusters()
dim_clusters() thread_index().x meta_group_rank() meta_group_size() get_type()
barrier_arrive() barrier_wait() barrier_wait(g.barrier_arrive()) barrier_sync()
shfl(v,1) shfl_up(v,1) shfl_down(v,1) shfl_xor(v,1) any(v) all(v) ballot(v)
match_any(v) match_all(v,b) shfl(f,1) shfl(d4,1) shfl_down(f2,1) shfl_xor(l,1)
map_shared_rank(p,0) query_shared_rank(p) grid_rank() num_grids() no_such()
""".split()
FUNCTIONS = {
    "sync": "cg::sync(g)",
    "thread_rank": "*p = cg::thread_rank(g)",
    "group_size": "*p = cg::group_size(g)",
    "is_valid": "*p = cg::is_valid(g)",
    "invoke_one": "cg::invoke_one(g, [&] { *p = 1; })",
    "invoke_one_broadcast": "*p = cg::invoke_one_broadcast(g, [&] {"
    " return 1; })",
    "reduce": "*p = cg::reduce(g, *p, cg::plus<int>())",
    "reduce lambda": "*p = cg::reduce(g, *p, [](int a, int b) {"
    " return a > b ? a : b; })",
    "inclusive_scan": "*p = cg::inclusive_scan(g, *p)",
    "inclusive_scan op": "*p = cg::inclusive_scan(g, *p, cg::less<int>())",
    "exclusive_scan": "*p = cg::exclusive_scan(g, *p)",
    "exclusive_scan op": "*p = cg::exclusive_scan(g, *p, cg::greater<int>())",
    "inclusive_scan_update": "cuda::atomic<int, cuda::thread_scope_device>"
    " *a = 0; *p = cg::inclusive_scan_update(g, *a, *p)",
    "exclusive_scan_update": "cuda::atomic<int, cuda::thread_scope_device>"
    " *a = 0; *p = cg::exclusive_scan_update(g, *a, *p, cg::plus<int>())",
    "reduce_update_async": "cuda::atomic<int, cuda::thread_scope_device>"
    " *a = 0; cg::reduce_update_async(g, *a, *p, cg::plus<int>())",
    "reduce_store_async": "cg::reduce_store_async(g, p, *p, cg::plus<int>())",
    "memcpy_async": "cg::memcpy_async(g, p, p + 32, 128)",
    "memcpy_async layouts": "cg::memcpy_async(g, p, 32, p + 64, 32)",
    "memcpy_async aligned": "cg::memcpy_async(g, p, p + 64,"
    " cuda::aligned_size_t<16>(128))",
    "wait": "cg::wait(g)",
    "wait_prior": "cg::wait_prior<1>(g)",
    "tiled_partition<4>": "auto t = cg::tiled_partition<4>(g)",
    "tiled_partition": "auto t = cg::tiled_partition(g, 4)",
    "labeled_partition": "auto t = cg::labeled_partition(g, *p)",
    "binary_partition": "auto t = cg::binary_partition(g, *p > 0)",
    "copy": "auto t = g; t.sync()",
    "reference": "const auto &t = g; t.sync()",
    "to thread_group": "cg::thread_group t = g; t.sync()",
    "default": "decltype(g) t; t = g",
}
OPERATORS = """plus less greater bit_and bit_or bit_xor""".split()
VALUES = "int,unsigned,float,double,long long,unsigned long long,char,short"
TYPES = """
grid_group thread_block thread_group coalesced_group cluster_group
multi_grid_group thread_block_tile<32> thread_block_tile<4,cg::thread_block>
thread_block_tile<64,cg::thread_block> block_tile_memory<256>
block_tile_memory<1024> block_tile_memory<64> tile_type no_such
experimental::block_tile_memory<4,128> plus<int> less<float> greater<int>
bit_and<int> bit_or<int> bit_xor<int> thread_block::arrival_token
grid_group::arrival_token cluster_group::arrival_token
""".split()
HEAD = "namespace cg = cooperative_groups;\n"
SHARED = "__shared__ cg::block_tile_memory<512> s;"


def entry(name: str, statement: str, group: str = "") -> Entry:
    """A kernel that runs one statement on the group `g`."""
    begun = f"{SHARED} " if "(s)" in group else ""
    begun += f"auto g = {group}; " if group else ""
    code = (
        f"{HEAD}__global__ void k$(int *p, int v, float f, float2 f2,"
        f" double4_16a d4, long l, bool b) {{ {begun}{statement}; }}"
    )
    return Entry("groups", name, code, HEADERS)


def entries() -> Iterator[Entry]:
    """Every member and every function with every group."""
    for group, made in GROUPS.items():
        yield entry(group, "", made)
        for member in MEMBERS:
            yield (
                entry(f"{group}.{member}", f"auto r = g.{member}", made)
                if member
                not in (
                    "sync()",
                    "barrier_sync()",
                    "barrier_wait(g.barrier_arrive())",
                )
                else entry(f"{group}.{member}", f"g.{member}", made)
            )
        for name, statement in FUNCTIONS.items():
            yield entry(f"{name} of {group}", statement, made)
    tile = GROUPS["tile32"]
    for operator in OPERATORS:
        for value in VALUES.split(","):
            statement = (
                f"{value} x = *p; x = cg::reduce(g, x,"
                f" cg::{operator}<{value}>()); *p = x"
            )
            yield entry(f"reduce {operator} {value}", statement, tile)
            statement = statement.replace("reduce", "inclusive_scan")
            yield entry(f"inclusive_scan {operator} {value}", statement, tile)
    for name in TYPES:
        value = f"sizeof(cg::{name}) > 0"
        yield Entry("groups", f"type {name}", HEAD, HEADERS, value)
        code = f"{HEAD}__device__ void f$(const cg::{name} &g) {{ }}"
        yield Entry("groups", f"parameter {name}", code, HEADERS)
    for size in (1, 2, 3, 4, 8, 16, 32, 33, 64, 128, 256, 512, 1024, 2048):
        for parent in (BLOCK, "cg::this_thread_block(s)"):
            group = f"cg::tiled_partition<{size}>({parent})"
            yield entry(f"tile {size} of {parent[4:]}", "g.sync()", group)
