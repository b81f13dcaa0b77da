"""Statements of hostile kernels: CUDA C++ text and required outcomes.

A statement (`Piece`) uses the variables that `generator` declares in the
kernel. Its fate is the required outcome if a thread reaches it:

* OK: no effect; the kernel continues, with right results;
* FAIL: the launch ends with an error;
* END: the thread ends normally;
* ANY: an error or not, but the process survives and nothing hangs.

No statement waits for an event that never occurs: that would hang on a GPU
too.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from dataclasses import dataclass

OK, FAIL, END, ANY = "ok", "fail", "end", "any"


@dataclass(frozen=True)
class Piece:
    """A statement; the generator fills in `{...}` in its texts."""

    name: str
    fate: str
    body: str
    # Text before the kernel, one copy per kernel: {k} is its name.
    before: str = ""
    # The fate if PYCUDA_CPU_CHECK has `memory`, if it differs.
    checked: str = ""
    # Undefined without `memory`: a wild address that may be mapped.
    only_checked: bool = False
    # All threads of the block must reach it, because it has barriers.
    uniform: bool = False


def _addresses() -> list[tuple[str, str, str, bool]]:
    """Yield name, pointer, fate under `memory`, and if it is required."""
    return [
        ("null", "(char *)(size_t)zero", FAIL, False),
        ("null literal", "(char *)0", FAIL, False),
        ("null and some", "(char *)(size_t)zero + 8 * (i % 100)", FAIL, False),
        ("low", "(char *)(size_t)(0x8000 + 16 * t)", FAIL, False),
        ("not canonical", "(char *)0x8000000000000000ull", FAIL, False),
        ("dead beef", "(char *)0xdeadbeefdeadbee0ull", FAIL, False),
        ("top", "(char *)0xffffffffffffff00ull", FAIL, False),
        ("a page without access", "none + 16 * (t % 200)", FAIL, False),
        ("the gap behind", "gap + 16 * (t % 200)", FAIL, False),
        ("freed", "freed + 16 * (t % 200)", FAIL, False),
        ("the end", "data + data_bytes", FAIL, True),
        ("before the start", "data - 16", FAIL, True),
        ("freed and small", "small + 16 * (t % 8)", FAIL, True),
        ("host memory", "host + 16 * (t % 8)", FAIL, True),
    ]


# Statements that access {p}; all loaded values have a visible use.
_ACCESSES = [
    ("byte stored", "*(volatile char *)({p}) = 1;"),
    ("plain store", "*(int *)({p}) = (int)i;"),
    ("short stored", "*(volatile short *)({p}) = 1;"),
    ("int stored", "*(volatile int *)({p}) = 1;"),
    ("long stored", "*(volatile long long *)({p}) = 1;"),
    ("float4 stored", "*(float4 *)({p}) = make_float4(1, 2, 3, t);"),
    ("double2 stored", "*(double2 *)({p}) = make_double2(1, t);"),
    ("int loaded", "acc += *(volatile int *)({p});"),
    ("double loaded", "acc += *(volatile double *)({p}) > 0;"),
    ("float4 loaded", "((float4 *)scratch)[i] = *(float4 *)({p});"),
    ("int2 loaded", "((int2 *)scratch)[i] = *(int2 *)({p});"),
    ("__ldg", "((int *)scratch)[i] = __ldg((int *)({p}));"),
    ("struct copied", "((struct wide *)scratch)[i] = *(struct wide *)({p});"),
    ("atomicAdd", "atomicAdd((unsigned *)({p}), 1u);"),
    ("atomicAdd float", "atomicAdd((float *)({p}), 1.f);"),
    ("atomicAdd double", "atomicAdd((double *)({p}), 1.);"),
    (
        "atomicCAS",
        "acc += atomicCAS((unsigned long long *)({p}), 1ull, 2ull);",
    ),
    ("atomicMax", "acc += atomicMax((int *)({p}), 5);"),
    ("atomicExch", "acc += atomicExch((unsigned *)({p}), 5u);"),
    ("atomicInc", "acc += atomicInc((unsigned *)({p}), 5u);"),
    ("memcpy from", "memcpy(scratch + 64 * i, {p}, 24 + zero);"),
    ("memcpy to", "memcpy({p}, data, 24 + zero);"),
    ("memset", "memset({p}, 1, 24 + zero);"),
    (
        "row stored",
        "for (int j = 0; j < 4 + zero; j++) ((volatile int *)({p}))[j] = j;",
    ),
    ("call", "((void (*)(int))({p}))(1);"),
]
# Without `memory`, the effect of a misaligned access depends on the device.
_ALIGNED = [row for row in _ACCESSES if row[0] not in {
    "byte stored", "memcpy from", "memcpy to", "memset", "call",
}]  # fmt: skip


def _bad_addresses() -> list[Piece]:
    parts = []
    for where, pointer, fate, only_checked in _addresses():
        for what, text in _ACCESSES:
            if what == "call" and only_checked:
                continue  # code pointers are not checked
            if what == "float4 loaded" and where == "the end":
                continue
            parts.append(
                Piece(
                    f"{what}: {where}",
                    fate,
                    text.replace("{p}", pointer),
                    only_checked=only_checked,
                )
            )
    parts += [
        Piece(
            f"{what}: misaligned by {{odd}}",
            ANY,
            text.replace("{p}", "data + 64 * (i % 4) + {odd}"),
            checked=FAIL,
        )
        for what, text in _ALIGNED
    ]
    parts += [
        Piece(
            f"{what}: read only",
            FAIL,
            text.replace("{p}", "fixed + 16 * (t % 8)"),
        )
        for what, text in _ACCESSES
        if "stored" in what or "store" in what or "atomic" in what
    ]
    return parts


RECURSION = [
    Piece(
        "endless recursion", FAIL, "acc += {k}_deep(1, words);",
        "__device__ int {k}_deep(int n, volatile unsigned *p)\n"
        "{ if (n < 0) *p = n; return {k}_deep(n + 1, p) + (int)p[0]; }",
    ),
    Piece(
        "endless recursion, frames of {frame} words", FAIL,
        "acc += {k}_wide(1, words);",
        "__device__ int {k}_wide(int n, volatile unsigned *p)\n"
        "{ volatile int a[{frame}]; a[n % {frame}] = n;\n"
        "  return n < 0 ? (int)*p : {k}_wide(n + 1, p) + a[n % 7]; }",
    ),
    Piece(
        "endless recursion, two functions", FAIL, "acc += {k}_a(1, words);",
        "__device__ int {k}_b(int n, volatile unsigned *p);\n"
        "__device__ __noinline__ int {k}_a(int n, volatile unsigned *p)\n"
        "{ return {k}_b(n + 2, p) + (int)p[0]; }\n"
        "__device__ __noinline__ int {k}_b(int n, volatile unsigned *p)\n"
        "{ return n < 0 ? 0 : {k}_a(n - 1, p) + (int)p[0]; }",
    ),
    Piece(
        "endless recursion by a pointer", FAIL,
        "{k}_t f = {k}_table[zero]; acc += f(1, words);",
        "typedef int (*{k}_t)(int, volatile unsigned *);\n"
        "__device__ int {k}_p(int n, volatile unsigned *p);\n"
        "__device__ {k}_t {k}_table[1] = {{k}_p};\n"
        "__device__ int {k}_p(int n, volatile unsigned *p)\n"
        "{ return {k}_table[p[0] == 0x12345u && n < 0](n + 1, p)"
        " + (int)p[0]; }",
    ),
    Piece(
        "endless recursion of a virtual function", FAIL,
        "{k}_c object; object.next = &object; acc += object.f(1, words);",
        "struct {k}_c { {k}_c *next;\n"
        "  __device__ virtual int f(int n, volatile unsigned *p)\n"
        "  { return next->f(n + 1, p) + (int)p[0]; } };",
    ),
    Piece(
        "recursion, {depth} deep", OK,
        "acc += {k}_some(zero + {depth}, words);",
        "__device__ int {k}_some(int n, volatile unsigned *p)\n"
        "{ return n <= 0 ? 0 : {k}_some(n - 1, p) + (int)p[0]; }",
    ),
    # by some threads only: with all checks it takes 0.01 s of each
    Piece(
        "recursion, 100000 deep", ANY,
        "if (i < 16 || i % 4096 == 33) acc += {k}_far(zero + 100000, words);",
        "__device__ int {k}_far(int n, volatile unsigned *p)\n"
        "{ return n <= 0 ? 0 : {k}_far(n - 1, p) + (int)p[0]; }",
    ),
    Piece(
        "alloca of {huge} bytes", ANY,
        "volatile char *a = (char *)"
        "/* __PYCUDA_CPU__ */__builtin_alloca((size_t){huge} + zero);"
        " a[0] = 1; a[t] = 2; acc += a[0];",
    ),
    Piece(
        "alloca in a loop", ANY,
        "for (int j = 0; j < 5000 + zero; j++) {"
        " volatile char *a = (char *)"
        "/* __PYCUDA_CPU__ */__builtin_alloca(1024 + zero);"
        " a[t % 1024] = 2; acc += a[t % 512]; }",
    ),
    Piece(
        "alloca of 64 bytes", OK,
        "volatile char *a = (char *)"
        "/* __PYCUDA_CPU__ */__builtin_alloca(64 + zero);"
        " for (int j = 0; j < 64; j++) a[j] = j; acc += a[t % 64];",
    ),
    Piece(
        "a local array of {local} words", OK,
        "volatile int a[{local}]; a[t] = 1; a[{local} - 1 - t] = 2;"
        " acc += a[t];",
    ),
]  # fmt: skip

ARITHMETIC = [
    Piece("division by zero", OK, "acc += (int)i / zero;"),
    Piece("remainder by zero", OK, "acc += i % (unsigned)zero;"),
    Piece("division by zero, 64 bits", OK, "acc += (long long)i / zero;"),
    Piece("division by zero, bytes", OK, "acc += (char)i / (char)zero;"),
    Piece("division by a zero that is seen", OK, "acc += i / 0; acc %= 0u;"),
    Piece(
        "INT_MIN / -1",
        OK,
        "acc += (INT_MIN + zero) / (zero - 1);"
        " acc += (INT_MIN + zero) % (zero - 1);",
    ),
    Piece(
        "LLONG_MIN / -1",
        OK,
        "acc += (LLONG_MIN + zero) / (zero - 1);"
        " acc += (LLONG_MIN + zero) % (zero - 1);",
    ),
    Piece(
        "divisions of the index by zero",
        OK,
        "for (int j = 0; j < 8; j++) acc += (int)(i + j) / (zero * j);",
    ),
    Piece("shift by 100", OK, "acc += i << (100 + zero); acc >>= 64 + zero;"),
    Piece(
        "what is no integer",
        OK,
        "float x = zero / (float)zero, y = 1e30f + zero;"
        " acc += (int)x + (unsigned)y + (unsigned char)-y + (long long)y;",
    ),
    Piece(
        "what is no number",
        OK,
        "double x = sqrt(-1. - zero) * log(-1. - zero) + 1. / zero;"
        " acc += x > 0; acc += isnan(x);",
    ),
]

ENDS = [
    Piece("__trap", FAIL, "__trap();"),
    Piece("__builtin_trap", FAIL, "__builtin_trap();"),
    Piece("assert", FAIL, "assert(zero);"),
    Piece("assert that holds", OK, "assert(!zero);"),
    Piece("assert of some", FAIL, "assert((int)t < -one);"),
    Piece("return", END, "return;"),
    Piece("__exit", END, "__exit();"),
    Piece("__brkpt", ANY, "__brkpt();"),
    Piece(
        "no return",
        ANY,
        "acc += {k}_none(zero);",
        "__device__ __noinline__ int {k}_none(int n)\n{ if (n) return 5; }",
    ),
    Piece(
        "a pure virtual function",
        ANY,
        "{k}_d object; acc += object.k(zero);",
        "struct {k}_v { __device__ {k}_v() { g(); }\n"
        "  __device__ virtual int f() = 0; __device__ int g();\n"
        "  __device__ int k(int n) { return n ? f() : 1; } };\n"
        "struct {k}_d : {k}_v { __device__ int f() override { return 1; } };\n"
        "__device__ __noinline__ int {k}_v::g() { return f(); }",
    ),
    Piece("__nanosleep", OK, "__nanosleep(100);"),
]

BARRIERS = [
    Piece("a barrier", OK, "__syncthreads();", uniform=True),
    Piece("a barrier somewhere", ANY, "__syncthreads();"),
    Piece(
        "barriers of two branches",
        ANY,
        "if (t % 3 == 1) __syncthreads(); else __syncthreads();",
    ),
    Piece(
        "a barrier less",
        ANY,
        "for (unsigned j = 0; j < t % 4; j++) __syncthreads();",
    ),
    Piece("counts", ANY, "acc += __syncthreads_count(t & 1);"),
    Piece(
        "a barrier and a shuffle",
        ANY,
        "if (t % 32 < 16) acc += __shfl_sync(~0u, acc, 20);"
        " else __syncthreads();",
    ),
    Piece("mask 0", ANY, "acc += __shfl_sync(0u, acc, 1);"),
    Piece(
        "a mask without the caller",
        ANY,
        "acc += __shfl_xor_sync(~(1u << t % 32), acc, 1);",
    ),
    Piece("a mask of one", ANY, "acc += __ballot_sync(1u, t);"),
    Piece(
        "masks that differ",
        ANY,
        "acc += __shfl_down_sync(0xffu << t % 5, acc, 1);",
    ),
    Piece("a mask of half", ANY, "__syncwarp(0xffffu);"),
    Piece("__syncwarp somewhere", ANY, "__syncwarp();"),
    Piece("odd widths", ANY, "acc += __shfl_sync(~0u, acc, -5, 7 + zero);"),
    Piece("width 0", ANY, "acc += __shfl_up_sync(~0u, acc, 3, zero);"),
    Piece("far lanes", ANY, "acc += __shfl_xor_sync(~0u, acc, 1000 + zero);"),
    Piece("match", ANY, "acc += __match_any_sync(0x0f0f0f0fu, t / 3);"),
    Piece("reduce", ANY, "acc += __reduce_add_sync(1u << t % 32, 3u);"),
    Piece("grid.sync", ANY, "cooperative_groups::this_grid().sync();"),
    Piece(
        "a tile somewhere",
        ANY,
        "auto g = cooperative_groups::tiled_partition<8>("
        "cooperative_groups::this_thread_block());"
        " acc += g.shfl(acc, 9 + zero); g.sync();",
    ),
    Piece(
        "coalesced threads",
        ANY,
        "auto g = cooperative_groups::coalesced_threads();"
        " acc += g.shfl(acc, 31); g.sync();",
    ),
]

HEAP = [
    Piece(
        "malloc until there is none",
        OK,
        "for (int j = 0; j < 20; j++) {"
        " char *p = (char *)malloc(100000 + zero); if (p) *p = 1; }",
    ),
    Piece("malloc of too much", OK, "acc += malloc(~(size_t)zero) == 0;"),
    Piece(
        "malloc and free",
        OK,
        "for (int j = 0; j < 3; j++) {"
        " int *p = (int *)malloc(4 * j + 4); if (p) p[j] = j; free(p); }",
    ),
    Piece("malloc of nothing", OK, "free(malloc(zero)); free((void *)0);"),
    Piece(
        "free twice", FAIL, "void *p = malloc(64 + zero); free(p); free(p);"
    ),
    Piece("free of null and some", FAIL, "free((void *)(size_t)(48 + zero));"),
    Piece("free of an array", FAIL, "free(data + 64);"),
    Piece("free of a local", FAIL, "int a[9]; a[t % 9] = 1; free(a + 4);"),
    Piece("free of a wild one", FAIL, "free((void *)0xdeadbeefdead0000ull);"),
    Piece("free within a block", FAIL, "free((char *)malloc(640) + 64);"),
    Piece("free, misaligned", FAIL, "free((char *)malloc(640) + 3);"),
    Piece(
        "new and delete",
        OK,
        "int *p = new int[9 + zero]; if (p) p[8] = 1; delete[] p;",
    ),
    Piece("new of too much", ANY, "int *p = new int[zero - 1]; p[0] = 1;"),
    Piece(
        "past a block",
        ANY,
        "int *p = (int *)malloc(64); if (p) ((volatile int *)p)[16] = 1;",
        checked=ANY,
        only_checked=True,
    ),
    Piece(
        "a freed block",
        ANY,
        "int *p = (int *)malloc(64); free(p); ((volatile int *)p)[3] = 1;",
        only_checked=True,
    ),
]

SPACES = [
    Piece(
        "past a shared array", FAIL, "{k}_s[64 + one * 7] = 1;",
        "__shared__ volatile int {k}_s[64];", only_checked=True,
    ),
    Piece(
        "far past a shared array", FAIL,
        "{k}_s2[(1 << 28) * one] = 1;",
        "__shared__ volatile int {k}_s2[64];", only_checked=True,
    ),
    Piece(
        "past a constant array", FAIL, "acc += {k}_c3[32 + one + t % 3];",
        "__constant__ int {k}_c3[32];", only_checked=True,
    ),
    Piece(
        "past a variable", FAIL, "{k}_v4[32 + one] = 1;",
        "__device__ volatile int {k}_v4[32];", only_checked=True,
    ),
    Piece(
        "past a local array", FAIL,
        "volatile int a[16]; a[t % 16] = 1; a[16 + one] = 2; acc += a[t % 4];",
        only_checked=True,
    ),
    Piece(
        "before a local array", FAIL,
        "volatile int a[16]; a[t % 16] = 1; a[-one] = 2; acc += a[t % 4];",
        only_checked=True,
    ),
    Piece(
        "past dynamic shared memory", FAIL,
        "extern __shared__ volatile int dynamic[];"
        " dynamic[(dynamic_bytes + 3) / 4 + one] = 1;", only_checked=True,
    ),
    Piece(
        "a shared pointer from null", FAIL,
        "*(volatile int *)__cvta_shared_to_generic(0x7fffff0 + zero) = 1;",
        only_checked=True,
    ),
]  # fmt: skip

PRINTS = [
    Piece("a flood", OK,
          'for (int j = 0; j < 50; j++) printf("%d %u\\n", j, i);'),
    Piece("every format", OK,
          'printf("%d %i %u %o %x %X %c %e %E %f %F %g %G %a %A %p %s %%\\n",'
          ' 1, -2, 3u, 4u, 5u, 6u, 65, 1., 2., 3., 4., 5., 6., 7., 8., data,'
          ' "text");'),
    Piece("lengths", OK,
          'printf("%hhd %hd %ld %lld %zu %jd %td\\n", 1, 2, 3l, 4ll,'
          ' (size_t)5, 6ll, 7l);'),
    Piece("%n", ANY, 'int a = 0; printf("text%n\\n", &a); acc += a == 7;'),
    Piece("arguments that lack", ANY, 'printf("%d %s %f %d\\n");'),
    Piece("flags without end", OK,
          'printf("%-+ #0-+ #0-+ #0-+ #0-+ #0-+ #0-+ #0-+ #0-+ #0-+ #0'
          '-+ #0-+ #0-+ #0-+ #0-+ #0d\\n", 1);'),
    Piece("a wide field", OK,
          'if (i < 2) printf("%{width}d|%-{width}s|%{width}f\\n",'
          ' 1, "x", 2.);'),
    Piece("a wide field by number", OK,
          'if (i < 2) printf("%*d %.*f\\n", {width} + zero,'
          ' 1, {width} + zero, 1.);'),
    Piece("a precision", OK,
          'if (i < 2) printf("%.{width}f %.{width}e %.{width}g\\n",'
          ' 1e300, 1. / 3, 1e-300);'),
    Piece("ends in the middle", OK,
          'printf("%"); printf("%-"); printf("%l");'),
    Piece("no such conversion", OK, 'printf("%y %k %1$d %\\n", 1, 2, 3, 4);'),
    Piece("%s of null", OK, 'printf("%s\\n", (char *)(size_t)zero);'),
    Piece("%s of a bad pointer", FAIL, 'printf("%s\\n", none + t);'),
    Piece("%s of a low pointer", FAIL,
          'printf("%s\\n", (char *)(size_t)(16 + zero));'),
    Piece("%s that is no address", FAIL,
          'printf("%s\\n", (char *)0xdeadbeefdeadbeefull);'),
    Piece("a bad format", FAIL, 'printf(none + t);'),
    Piece("a format from memory", ANY, 'printf((char *)data);'),
]  # fmt: skip

TEXTURES = [
    Piece("NaN", OK, "acc += tex2D<float>(texture, {odd_x}, {odd_y}) > 0;"),
    Piece("NaN, 1d", OK, "acc += tex1D<float>(texture, {odd_x}) > 0;"),
    Piece("NaN, 3d", ANY,
          "acc += tex3D<float>(texture, {odd_x}, {odd_y}, {odd_x}) > 0;"),
    Piece("layers", ANY,
          "acc += tex2DLayered<float>(texture, {odd_x}, 1.f, -5) > 0;"),
    Piece("a cube", ANY,
          "acc += texCubemap<float>(texture, {odd_x}, {odd_y}, 0.f) > 0;"),
    Piece("a level", ANY,
          "acc += tex2DLod<float>(texture, {odd_x}, {odd_y}, {odd_x}) > 0;"),
    Piece("gradients", ANY,
          "acc += tex2DGrad<float>(texture, {odd_x}, 0.f,"
          " make_float2({odd_x}, 1), make_float2(0, {odd_y})) > 0;"),
    Piece("a gather", ANY,
          "acc += tex2Dgather<float4>(texture, {odd_x}, {odd_y}, 3).x > 0;"),
    Piece("a fetch", OK,
          "acc += tex1Dfetch<float>(linear, {odd_int}) > 0;"),
    Piece("no texture", FAIL, "acc += tex2D<float>(zero, 1.f, 1.f) > 0;"),
    Piece("a wild texture", FAIL,
          "acc += tex2D<float>(0xdeadbeefull + i, 1.f, 1.f) > 0;"),
    Piece("a texture that is gone", FAIL,
          "acc += tex2D<float>(gone, 1.f, 1.f) > 0;"),
    Piece("a pointer as texture", FAIL,
          "acc += tex1D<float>((cudaTextureObject_t)data, 1.f) > 0;"),
    Piece("a surface as texture", FAIL,
          "acc += tex2D<float>(surface, 1.f, 1.f) > 0;"),
    Piece("a texture as surface", FAIL,
          "surf2Dwrite(1.f, (cudaSurfaceObject_t)texture, 0, 0);"),
    Piece("past a surface", FAIL,
          "surf2Dwrite(1.f, surface, {odd_int}, 1 << 20);"),
    Piece("past a surface, clamped", OK,
          "surf2Dwrite(1.f, surface, {odd_int}, {odd_int},"
          " cudaBoundaryModeClamp);"),
    Piece("past a surface, left out", OK,
          "acc += surf2Dread<float>(surface, {odd_int}, {odd_int},"
          " cudaBoundaryModeZero) > 0;"),
    Piece("a surface, misaligned", ANY,
          "surf2Dwrite(make_float4(1, 2, 3, 4), surface, 3 + zero, 1,"
          " cudaBoundaryModeClamp);"),
    Piece("another shape of surface", ANY,
          "surf3Dwrite(1.f, surface, 0, 0, {odd_int});"),
]  # fmt: skip

# Statements that determine how the kernel runs: as loops, regions, warps or on
# fibers.
FILLERS = [
    Piece("a loop", OK, "for (int j = 0; j < 10 + zero; j++) acc += j * i;"),
    Piece("a sum", OK,
          "__syncthreads(); {k}_x[t] = acc; __syncthreads();"
          " acc += {k}_x[(t + 1) % threads];",
          "__shared__ unsigned {k}_x[1024];", uniform=True),
    Piece("a shuffle", OK, "acc += __shfl_xor_sync(~0u, acc, 1);",
          uniform=True),
    Piece("a shuffle of some", OK,
          "if (t % 32 < 16) acc += __shfl_down_sync(0xffffu, acc, 2, 16);",
          uniform=True),
    Piece("a vote", OK, "acc += __syncthreads_or(t == 3);", uniform=True),
    Piece("a counter", OK, "atomicAdd((unsigned *)scratch - 4, 1u);"),
    Piece("a stride", OK,
          "for (unsigned j = i; j < data_bytes / 4; j += 4096)"
          " acc += ((unsigned *)data)[j];"),
    Piece("a table", OK,
          "unsigned a[8]; for (int j = 0; j < 8; j++) a[j] = i + j;"
          " acc += a[i % 8];"),
]  # fmt: skip

GROUPS: dict[str, list[Piece]] = {
    "address": _bad_addresses(),
    "recursion": RECURSION,
    "arithmetic": ARITHMETIC,
    "end": ENDS,
    "barrier": BARRIERS,
    "heap": HEAP,
    "space": SPACES,
    "print": PRINTS,
    "texture": TEXTURES,
}
