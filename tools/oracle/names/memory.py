"""Atomic functions, cached loads and stores, fences, address spaces, malloc.

SPDX-License-Identifier: MIT
"""

from collections.abc import Iterator

from entries import Entry
from survey import INTEGERS, SCALARS, VECTORS, names, survey, surveys

ATOMIC = names("""
atomic{Add,Sub,Exch,Min,Max,Inc,Dec,CAS,And,Or,Xor,Nand}{,_block,_system}
__{i,u,f,d,ll,ull,h}Atomic{Add,Sub,Exch,Min,Max,Inc,Dec,CAS,And,Or,Xor}
__{i,u,f,d,ll,ull}Atomic{Add,Exch,Min,Max,CAS}_{block,system}
""")
LOADS = names(
    "__ld{g,cg,ca,cs,lu,cv,gv} __st{wb,cg,cs,wt} __builtin_nontemporal"
)
OTHERS = names("""
__threadfence{,_block,_system} __syncwarp
__barrier_sync{,_count} __bar_sync __prof_trigger __trap __brkpt __nanosleep
__is{Global,Shared,Constant,Local,GridConstant,ClusterShared}
__cvta_{generic_to,}{_shared,_global}{,_to_generic}
__cvta_generic_to_{global,shared,constant,local,grid_constant}
__cvta_{global,shared,constant,local,grid_constant}_to_generic
malloc free calloc memcpy memset memcmp memmove memchr strlen strcmp strcpy
strncmp strncpy strcat strchr alloca __builtin_alloca clock clock64
globaltimer __globaltimer printf vprintf fprintf puts putchar snprintf sprintf
__assertfail __assert_fail abort exit __nv_aligned_device_malloc
aligned_alloc realloc rand srand atoi atof qsort time getenv
__builtin_expect __builtin_assume
__builtin_unreachable __builtin_popcount
__builtin_clz __builtin_ctz __builtin_bswap32 __builtin_memcpy __assume
__builtin_trap __builtin_prefetch __builtin_constant_p __nv_isClosureType
__nv_ptx_builtin_ocg_fence __builtin_offsetof __builtin_addressof
__builtin_bit_cast __builtin_launder __builtin_huge_val __builtin_inf
__builtin_inff __builtin_nan __builtin_nanf __builtin_fabs __builtin_sqrt
__builtin_abs __builtin_fma __builtin_parity __builtin_ffs __builtin_clzll
__builtin_popcountll __builtin_bswap64 __builtin_bswap16 __builtin_isnan
__builtin_strlen __builtin_memset __builtin_memcmp __builtin_va_start
__fence_async __mbarrier_init __mbarrier_arrive __mbarrier_inval
__mbarrier_test_wait __mbarrier_arrive_and_drop __mbarrier_pending_count
__mbarrier_maximum_count __mbarrier_token_pending_count
__cluster_barrier_arrive __cluster_barrier_wait
__cluster_barrier_arrive_relaxed __clusterDim __clusterIdx
__clusterGridDimInClusters __clusterRelativeBlockIdx
__clusterRelativeBlockRank __clusterSizeInBlocks __cluster_map_shared_rank
__cluster_query_shared_rank __clusterDimIsSpecified __setmaxnreg_inc
__pipeline_memcpy_async __pipeline_commit __pipeline_wait_prior
__pipeline_arrive_on
__nv_make_nothrow
__builtin_choose_expr __builtin_types_compatible_p
""")
TARGETS = (*INTEGERS, "float", "double", "float2", "float4", "int2")
ORDERS = names("__NV_ATOMIC_{RELAXED,CONSUME,ACQUIRE,RELEASE,ACQ_REL,SEQ_CST}")
SCOPES = names("__NV_THREAD_SCOPE_{THREAD,BLOCK,CLUSTER,DEVICE,SYSTEM}")
NV_FETCH = names("__nv_atomic{,_fetch}_{add,sub,and,or,xor,max,min}{,_n}")
CALLS = (
    [(f"{t} *", t, *more) for t in TARGETS for more in ((), (t,))]
    + [("volatile int *", "int"), ("void *", "int"), ("float *", "int")]
    + [("float *", "double"), ("unsigned *", "int"), ("int *", "float")]
    + [("unsigned short *",) + ("unsigned short",) * 2]
)


def nv_atomics() -> Iterator[Entry]:
    """Yield the family of `__nv_atomic_*`: each type, order and scope."""
    scope = "__NV_THREAD_SCOPE_DEVICE"
    for kind in (*INTEGERS, "float", "double", "float4", "unsigned __int128"):

        def use(name: str, call: str, kind: str = kind) -> Entry:
            code = (
                f"__global__ void k$({kind} *p, {kind} *q, {kind} v)"
                f" {{ {call}; }}"
            )
            return Entry("nv_atomic", f"{name}({kind})", code)

        order = "__NV_ATOMIC_RELAXED"
        for word in NV_FETCH:
            result = "*q = " if "fetch" in word else ""
            for more in ("", f", {scope}"):
                call = f"{result}{word}(p, v, {order}{more})"
                yield use(word + more, call)
        for more in ("", f", {scope}"):
            yield use("load" + more, f"__nv_atomic_load(p, q, {order}{more})")
            yield use(
                "load_n" + more, f"*q = __nv_atomic_load_n(p, {order}{more})"
            )
            yield use(
                "store" + more, f"__nv_atomic_store(p, q, {order}{more})"
            )
            yield use(
                "store_n" + more, f"__nv_atomic_store_n(p, v, {order}{more})"
            )
            yield use(
                "exchange" + more,
                f"__nv_atomic_exchange(p, q, &v, {order}{more})",
            )
            yield use(
                "exchange_n" + more,
                f"*q = __nv_atomic_exchange_n(p, v, {order}{more})",
            )
            two = f"{order}, {order}{more}"
            yield use(
                "compare_exchange" + more,
                f"*(bool *)q = __nv_atomic_compare_exchange(p, q, &v,"
                f" false, {two})",
            )
            yield use(
                "compare_exchange_n" + more,
                f"*(bool *)q = __nv_atomic_compare_exchange_n(p, q, v,"
                f" true, {two})",
            )
    for order in ORDERS:
        for name in (
            "load_n(p, {})",
            "fetch_add(p, 1, {})",
            "store_n(p, 1, {})",
            "exchange_n(p, 1, {})",
        ):
            call = "__nv_atomic_" + name.format(order)
            code = f"__global__ void k$(int *p) {{ {call}; }}"
            yield Entry("nv_atomic", call, code)
    for scope in SCOPES:
        for call in (
            f"__nv_atomic_load_n(p, __NV_ATOMIC_RELAXED, {scope})",
            f"__nv_atomic_thread_fence(__NV_ATOMIC_SEQ_CST, {scope})",
            f"__nv_atomic_fetch_add(p, 1, __NV_ATOMIC_ACQ_REL, {scope})",
        ):
            code = f"__global__ void k$(int *p) {{ {call}; }}"
            yield Entry("nv_atomic", call, code)
    for name in (*ORDERS, *SCOPES):
        yield Entry("nv_atomic", name, value=f"(int){name}")
    code = "__global__ void k$(int *p, int o) { __nv_atomic_load_n(p, o); }"
    yield Entry("nv_atomic", "an order that is no constant", code)


LAMBDA = "__nv_is_extended_device_lambda_closure_type"
USES = {
    LAMBDA: f"*p = {LAMBDA}(int)",
    "__builtin_assume_aligned": "q = (float *)__builtin_assume_aligned(q, 16)",
    "__builtin_assume": "__builtin_assume(*p > 0)",
    "__assume": "__assume(*p > 0)",
    "__builtin_expect": "*p = __builtin_expect(*p > 0, 1)",
    "__builtin_unreachable": "if (*p) __builtin_unreachable()",
    "assert": "assert(*p > 0)",
    "__pipeline_memcpy_async": "__pipeline_memcpy_async(p, q, 16)",
    "__barrier_sync": "__barrier_sync(1)",
    "__barrier_sync_count": "__barrier_sync_count(1, 32)",
    "printf": 'printf("%d %f\\n", *p, *q)',
    "printf return": '*p = printf("x")',
    "malloc": "p = (int *)malloc(8); free(p)",
    "new": "p = new int[3]; delete[] p",
    "memcpy": "memcpy(p, q, 4)",
    "memset": "memset(p, 0, 4)",
    "memcmp": "*p = memcmp(p, q, 4)",
    "memmove": "memmove(p, q, 4)",
    "alloca": "p = (int *)alloca(*p); *q = *p",
    "clock": "*p = clock()",
    "clock64": "*p = clock64()",
    "__nanosleep": "__nanosleep(100)",
    "__trap": "if (*p) __trap()",
    "__brkpt": "if (*p) __brkpt()",
    "__prof_trigger": "__prof_trigger(0)",
    "constant": "*p = __builtin_is_constant_evaluated()",
    "__syncthreads": "__syncthreads()",
    "__syncthreads_and": "*p = __syncthreads_and(*p)",
    "__syncthreads_or": "*p = __syncthreads_or(*p)",
    "__syncthreads_count": "*p = __syncthreads_count(*p)",
    "cudaDeviceSynchronize": "cudaDeviceSynchronize()",
    "cudaGetLastError": "*p = cudaGetLastError()",
    "cudaMalloc": "void *v; cudaMalloc(&v, 4)",
}  # fmt: skip


def entries() -> Iterator[Entry]:
    """Yield all entries."""
    yield from surveys("memory", ATOMIC, CALLS)
    pointers = [
        f"{c}{t} *" for t in (*SCALARS, *VECTORS) for c in ("", "const ")
    ]
    loads = [(p,) for p in pointers] + [
        (p, p.removeprefix("const ").removesuffix(" *")) for p in pointers
    ]
    yield from surveys("memory", LOADS, loads)
    plain = [(), ("int",), ("unsigned",), ("unsigned", "unsigned")]
    plain += [("void *",), ("const void *",), ("unsigned long",)]
    plain += [("void *", "const void *", "unsigned long"), ("float",)]
    plain += [("void *", "int", "unsigned long"), ("unsigned long long",)]
    plain += [("const char *",), ("const char *", "const char *")]
    plain += [("char *", "const char *"), ("double",), ("const char *", "int")]
    plain += [("const void *", "const void *", "unsigned long")]
    plain += [("unsigned long", "unsigned long"), ("bool",), ("int *",)]
    plain += [("unsigned long long *", "unsigned"), ("unsigned long long *",)]
    yield from surveys("memory", OTHERS, plain)
    for name, statement in USES.items():
        code = f"__global__ void k$(int *p, float *q) {{ {statement}; }}"
        yield Entry("memory", f"use of {name}", code)
    yield from nv_atomics()
    yield survey("memory", "__nv_bswap", [("int",)])
