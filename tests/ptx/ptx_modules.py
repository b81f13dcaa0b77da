"""Modules in PTX, written by hand, and the words that they store.

Each module has the kernel ``k``, whose first parameter is the address of 64
words. ``CODE`` modules have only the kernel's statements: a prologue loads the
address to ``%out`` and the thread's index to ``%t``.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

HEAD = ".version 7.0\n.target sm_70\n.address_size 64\n"
PROLOGUE = """
.visible .entry k(.param .u64 out)
{
    .reg .pred %p<8>;
    .reg .b16 %h<8>;
    .reg .b32 %r<16>;
    .reg .f32 %f<8>;
    .reg .b64 %d<16>;
    .reg .f64 %e<8>;
    .reg .u32 %t;
    .reg .u64 %out, %mine;
    ld.param.u64 %out, [out];
    cvta.to.global.u64 %out, %out;
    mov.u32 %t, %tid.x;
    mul.wide.u32 %mine, %t, 4;
    add.u64 %mine, %mine, %out;
"""


@dataclass
class Module:
    """A module, the words that it stores, and how it is launched."""

    text: str
    words: list[int]
    threads: int = 1
    arguments: tuple = ()
    shared: int = 0


MODULES: dict[str, Module] = {}


def code(name: str, words: list[int], body: str, before: str = "", **more):
    """Add a module with a kernel of these statements."""
    text = HEAD + before + PROLOGUE + body + "\n    ret;\n}\n"
    MODULES[name] = Module(text, words, **more)


def bits(value: float) -> int:
    """Return the bits of a float."""
    return int(np.float32(value).view(np.uint32))


def each(function: Callable[[int], int], threads: int = 32) -> list[int]:
    """Return the word of each thread."""
    return [function(t) & 0xFFFFFFFF for t in range(threads)]


# ---- registers, numbers, moves ----

code("store", [42], "st.global.u32 [%out], 42;")
code("octal_and_hex", [0x1F, 8], "st.global.v2.u32 [%out], {0x1f, 010};")
code("unsigned_suffix", [7], "mov.u32 %r1, 7U; st.global.u32 [%out], %r1;")
code("negative", [0xFFFFFFFB], "mov.s32 %r1, -5; st.global.s32 [%out], %r1;")
code(
    "float_bits",
    [bits(1.0), bits(0.5)],
    "mov.f32 %f1, 0f3F800000; mov.f32 %f2, 0.5;"
    " st.global.v2.f32 [%out], {%f1, %f2};",
)
code(
    "double_bits",
    [0, 0x3FF80000],
    "mov.f64 %e1, 0d3FF8000000000000; st.global.f64 [%out], %e1;",
)
code(
    "pack_and_unpack",
    [0x33334444, 0x11112222],
    "mov.u32 %r1, 0x11112222; mov.u32 %r2, 0x33334444;"
    " mov.b64 %d1, {%r1, %r2}; mov.b64 {%r3, %r4}, %d1;"
    " st.global.v2.u32 [%out], {%r4, %r3};",
)
code(
    "comments",
    [3],
    "// a comment ; with a semicolon\n /* more\n lines */ mov.u32 %r1, 3;"
    " st.global.u32 [%out], %r1; // end",
)
code(
    "vector_register",
    [1, 2, 3, 4],
    ".reg .v4 .u32 v; mov.u32 v.x, 1; mov.u32 v.y, 2; mov.u32 v.z, 3;"
    " mov.u32 v.w, 4; st.global.v4.u32 [%out], v;",
)
code(
    "vector_load",
    [5, 6],
    "st.global.v2.u32 [%out], {6, 5}; ld.global.v2.u32 {%r1, %r2}, [%out];"
    " st.global.v2.u32 [%out], {%r2, %r1};",
)
code(
    "narrow_stores",
    [0x04030201],
    "mov.u32 %r1, 1; st.global.u8 [%out], %r1; st.global.u8 [%out+1], 2;"
    " mov.u16 %h1, 0x403; st.global.u16 [%out+2], %h1;",
)
code(
    "signed_byte",
    [0xFFFFFF80],
    "st.global.u8 [%out], 0x80; ld.global.s8 %r1, [%out];"
    " st.global.u32 [%out], %r1;",
)
code(
    "negative_offset",
    [0, 9],
    "add.u64 %d1, %out, 16; st.global.u32 [%d1+-12], 9;",
)
code("warp_size", [32], "mov.u32 %r1, WARP_SZ; st.global.u32 [%out], %r1;")
code(
    "registers_without_percent",
    [11],
    ".reg .u32 a, b; mov.u32 a, 5; add.u32 b, a, 6; st.global.u32 [%out], b;",
)
code(
    "dollar_and_underscore",
    [4],
    ".reg .u32 $x, _y; mov.u32 $x, 4; mov.u32 _y, $x;"
    " st.global.u32 [%out], _y;",
)

CLASSES = ("finite", "infinite", "number", "notanumber", "normal", "subnormal")

# ---- threads ----

code("index", each(lambda t: t), "st.global.u32 [%mine], %t;", threads=32)
code(
    "geometry",
    [64, 1, 0, 1],
    "mov.u32 %r1, %ntid.x; mov.u32 %r2, %ntid.y; mov.u32 %r3, %ctaid.x;"
    " mov.u32 %r4, %nctaid.x; st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};",
    threads=64,
)
code(
    "lane",
    each(lambda t: t % 32, 64),
    "mov.u32 %r1, %laneid; st.global.u32 [%mine], %r1;",
    threads=64,
)

# ---- predicates and branches ----

code(
    "predicate",
    each(lambda t: 1 if t < 5 else 2),
    "setp.lt.u32 %p1, %t, 5; mov.u32 %r1, 2; @%p1 mov.u32 %r1, 1;"
    " st.global.u32 [%mine], %r1;",
    threads=32,
)
code(
    "predicated_store",
    each(lambda t: t if t & 1 else 0),
    "and.b32 %r1, %t, 1; setp.eq.u32 %p1, %r1, 1;"
    " @%p1 st.global.u32 [%mine], %t;",
    threads=32,
)
code(
    "negated_predicate",
    each(lambda t: 0 if t & 1 else 7),
    "and.b32 %r1, %t, 1; setp.ne.u32 %p1, %r1, 0;"
    " @!%p1 st.global.u32 [%mine], 7;",
    threads=32,
)
code(
    "predicate_register_file",
    [1],
    ".reg .pred q<4>; setp.eq.u32 q0, %t, 0; and.pred q3, q0, q0;"
    " not.pred q1, q3; @q1 bra SKIP; st.global.u32 [%out], 1; SKIP:",
)
code(
    "if_else",
    each(lambda t: 10 if t < 16 else 20),
    "setp.ge.u32 %p1, %t, 16; @%p1 bra ELSE; mov.u32 %r1, 10; bra JOIN;"
    " ELSE: mov.u32 %r1, 20; JOIN: st.global.u32 [%mine], %r1;",
    threads=32,
)
code(
    "loop",
    each(lambda t: t * (t + 1) // 2),
    "mov.u32 %r1, 0; mov.u32 %r2, 0; NEXT: add.u32 %r1, %r1, %r2;"
    " add.u32 %r2, %r2, 1; setp.le.u32 %p1, %r2, %t; @%p1 bra NEXT;"
    " st.global.u32 [%mine], %r1;",
    threads=32,
)
code(
    "uniform_branch",
    [6],
    "mov.u32 %r1, 6; bra.uni END; mov.u32 %r1, 5; END:"
    " st.global.u32 [%out], %r1;",
)
code(
    "nested_loops",
    [45],
    "mov.u32 %r1, 0; mov.u32 %r2, 0; OUTER: mov.u32 %r3, 0;"
    " INNER: add.u32 %r1, %r1, 1; add.u32 %r3, %r3, 1;"
    " setp.lt.u32 %p1, %r3, 9; @%p1 bra INNER; add.u32 %r2, %r2, 1;"
    " setp.lt.u32 %p2, %r2, 5; @%p2 bra OUTER; st.global.u32 [%out], %r1;",
)
code(
    "early_return",
    each(lambda t: 1 if t < 9 else 0),
    "setp.ge.u32 %p1, %t, 9; @%p1 ret; st.global.u32 [%mine], 1;",
    threads=32,
)
code(
    "early_exit",
    each(lambda t: 1 if t < 9 else 0),
    "setp.ge.u32 %p1, %t, 9; @%p1 exit; st.global.u32 [%mine], 1;",
    threads=32,
)
code(
    "branch_table",
    each(lambda t: [100, 101, 102, 100][t % 4]),
    "and.b32 %r1, %t, 3; L: .branchtargets A, B, C, A; brx.idx %r1, L;"
    " A: mov.u32 %r2, 100; bra D; B: mov.u32 %r2, 101; bra D;"
    " C: mov.u32 %r2, 102; D: st.global.u32 [%mine], %r2;",
    threads=32,
)
code(
    "scopes",
    [2, 1],
    ".reg .u32 x; mov.u32 x, 1; { .reg .u32 x; mov.u32 x, 2;"
    " st.global.u32 [%out], x; } st.global.u32 [%out+4], x;",
)
code(
    "labels_of_scopes",
    [3],
    "mov.u32 %r1, 0; { bra L; add.u32 %r1, %r1, 100; L:"
    " add.u32 %r1, %r1, 1; } { bra L; add.u32 %r1, %r1, 100; L:"
    " add.u32 %r1, %r1, 2; } st.global.u32 [%out], %r1;",
)
code(
    "branch_out_of_scope",
    [8],
    "mov.u32 %r1, 8; { { bra OUT; } mov.u32 %r1, 9; } OUT:"
    " st.global.u32 [%out], %r1;",
)
code(
    "branch_back_out_of_scope",
    [4],
    "mov.u32 %r1, 0; BACK: { add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 4;"
    " @%p1 bra BACK; } st.global.u32 [%out], %r1;",
)
code(
    "selection",
    each(lambda t: 3 if t == 4 else 8),
    "setp.eq.u32 %p1, %t, 4; selp.u32 %r1, 3, 8, %p1;"
    " st.global.u32 [%mine], %r1;",
    threads=32,
)
code(
    "trap_not_reached",
    [1],
    "setp.ne.u32 %p1, %t, 0; @%p1 trap; st.global.u32 [%out], 1;",
)
code(
    "carry_chain",
    [0, 1],
    "mov.u32 %r1, 0xffffffff; add.cc.u32 %r2, %r1, 1; addc.u32 %r3, 0, 0;"
    " st.global.v2.u32 [%out], {%r2, %r3};",
)

# ---- variables ----

code(
    "global_list",
    [1, 2, 3, 0],
    "ld.global.u32 %r1, [a]; ld.global.u32 %r2, [a+4];"
    " ld.global.u32 %r3, [a+8]; ld.global.u32 %r4, [a+12];"
    " st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};",
    ".visible .global .align 4 .u32 a[4] = {1, 2, 3};\n",
)
code(
    "global_scalar",
    [17],
    "ld.global.u32 %r1, [a]; st.global.u32 [%out], %r1;",
    ".global .u32 a = 17;\n",
)
code(
    "several_variables",
    [5, 6],
    "ld.global.u32 %r1, [a]; ld.global.u32 %r2, [b];"
    " st.global.v2.u32 [%out], {%r1, %r2};",
    ".global .u32 a = 5, b = 6;\n",
)
code(
    "two_dimensions",
    [1, 2, 3, 0],
    "mov.u64 %d1, a; ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];"
    " st.global.v4.u32 [%out], {%r1, %r2, %r3, %r4};",
    ".global .align 16 .u32 a[2][2] = {{1}, {2, 3}};\n",
)
code(
    "rows_without_count",
    [1, 2, 3, 0, 4],
    "ld.global.u32 %r1, [a]; st.global.u32 [%out], %r1;"
    " ld.global.u32 %r1, [a+4]; st.global.u32 [%out+4], %r1;"
    " ld.global.u32 %r1, [a+8]; st.global.u32 [%out+8], %r1;"
    " ld.global.u32 %r1, [a+12]; st.global.u32 [%out+12], %r1;"
    " ld.global.u32 %r1, [b]; st.global.u32 [%out+16], %r1;",
    ".global .align 4 .u32 a[][2] = {{1}, {2, 3}};\n"
    ".global .align 4 .u32 b = 4;\n",
)
code(
    "array_without_size",
    [3],
    "ld.global.u32 %r1, [a+8]; st.global.u32 [%out], %r1;",
    ".global .u32 a[] = {1, 2, 3};\n",
)
code(
    "array_elements",
    [13, 12, 12, 23, 11, 8],
    "mov.u32 %r1, 1; mov.u64 %d1, -1; mov.u64 %d2, a[2];"
    " ld.global.u32 %r2, [%d2+4]; ld.global.u32 %r3, a[%r1];"
    " st.shared.u32 s[%r1], %r3; ld.shared.u32 %r3, [s+4]; mov.u32 %r4, s[1];"
    " ld.shared.u32 %r4, [%r4]; st.global.u32 a[1+1], 23;"
    " mov.u64 %d3, a[%r1+1]; ld.global.u32 %r5, [%d3];"
    " cvta.global.u64 %d4, a[0]; ld.u32 %r6, [%d4]; mov.u64 %d5, b[%d1+2];"
    " mov.u64 %d6, b; sub.u64 %d5, %d5, %d6; cvt.u32.u64 %r7, %d5;"
    " st.global.v4.u32 [%out], {%r2, %r3, %r4, %r5};"
    " st.global.v2.u32 [%out+16], {%r6, %r7};",
    ".global .u32 a[2][2] = {{11, 12}, {10, 13}};\n"
    ".global .u64 b[3];\n.shared .u32 s[4];\n",
)
code(
    "float_list",
    [bits(1.5), bits(-2.0)],
    "mov.u64 %d1, a; ld.global.v2.u32 {%r1, %r2}, [%d1];"
    " st.global.v2.u32 [%out], {%r1, %r2};",
    ".global .align 8 .f32 a[2] = {1.5, 0fC0000000};\n",
)
code(
    "double_list",
    [0, 0x40040000],
    "ld.global.f64 %e1, [a]; st.global.f64 [%out], %e1;",
    ".global .align 8 .f64 a[1] = {0d4004000000000000};\n",
)
code(
    "bytes",
    [0x04030201],
    "ld.global.u32 %r1, [a]; st.global.u32 [%out], %r1;",
    ".global .align 4 .b8 a[4] = {1, 2, 3, 4};\n",
)
code(
    "constant",
    [9],
    "ld.const.u32 %r1, [a+4]; st.global.u32 [%out], %r1;",
    ".const .align 4 .u32 a[2] = {8, 9};\n",
)
code(
    "constant_by_address",
    each(lambda t: [8, 9, 10, 11][t], 4),
    "mov.u64 %d1, a; mul.wide.u32 %d2, %t, 4; add.u64 %d1, %d1, %d2;"
    " ld.const.u32 %r1, [%d1]; st.global.u32 [%mine], %r1;",
    ".const .align 4 .u32 a[4] = {8, 9, 10, 11};\n",
    threads=4,
)
code(
    "address_of_variable",
    [6],
    "ld.global.u64 %d1, [p]; ld.global.u32 %r1, [%d1];"
    " st.global.u32 [%out], %r1;",
    ".global .u32 a[3] = {5, 6, 7};\n.global .u64 p = a+4;\n",
)
code(
    "generic_address_of_constant",
    [7],
    "ld.global.u64 %d1, [p]; ld.u32 %r1, [%d1]; st.global.u32 [%out], %r1;",
    ".const .u32 a = 7;\n.global .u64 p[2] = {generic(a), 0};\n",
)
code(
    "moved_address_with_offset",
    [6],
    "mov.u64 %d1, a+4; ld.global.u32 %r1, [%d1]; st.global.u32 [%out], %r1;",
    ".global .u32 a[3] = {5, 6, 7};\n",
)
code(
    "weak_variable",
    [3],
    "ld.global.u32 %r1, [a]; st.global.u32 [%out], %r1;",
    ".weak .global .u32 a = 3;\n",
)
code(
    "managed_variable",
    [3],
    "ld.global.u32 %r1, [a]; st.global.u32 [%out], %r1;",
    ".visible .global .attribute(.managed) .u32 a = 3;\n",
)
code(
    "zeros",
    [1],
    "ld.global.u32 %r1, [a+1020]; add.u32 %r1, %r1, 1;"
    " st.global.u32 [%out], %r1;",
    ".global .align 4 .b8 a[1024];\n",
)
code(
    "shared_static",
    each(lambda t: 31 - t),
    ".shared .align 4 .u32 s[32]; mov.u64 %d1, s; mul.wide.u32 %d2, %t, 4;"
    " add.u64 %d3, %d1, %d2; st.shared.u32 [%d3], %t; bar.sync 0;"
    " sub.u64 %d4, %d1, %d2; ld.shared.u32 %r1, [%d4+124];"
    " st.global.u32 [%mine], %r1;",
    threads=32,
)
code(
    "shared_of_32_bits",
    each(lambda t: 63 - t, 64),
    "mov.u32 %r1, s; shl.b32 %r2, %t, 2; add.u32 %r3, %r1, %r2;"
    " st.shared.u32 [%r3], %t; bar.sync 0; sub.u32 %r4, %r1, %r2;"
    " ld.shared.u32 %r5, [%r4+252]; st.global.u32 [%mine], %r5;",
    ".shared .align 4 .b8 s[256];\n",
    threads=64,
)
code(
    "shared_dynamic",
    each(lambda t: (t + 1) % 32),
    "mov.u32 %r1, s; shl.b32 %r2, %t, 2; add.u32 %r2, %r1, %r2;"
    " st.shared.u32 [%r2], %t; bar.sync 0; add.u32 %r3, %t, 1;"
    " and.b32 %r3, %r3, 31; shl.b32 %r3, %r3, 2; add.u32 %r3, %r1, %r3;"
    " ld.shared.u32 %r4, [%r3]; st.global.u32 [%mine], %r4;",
    ".extern .shared .align 16 .b8 s[];\n",
    threads=32,
    shared=128,
)
code(
    "shared_generic",
    [5, 5],
    "st.shared.u32 [s+4], 5; mov.u64 %d1, s; cvta.shared.u64 %d2, %d1;"
    " ld.u32 %r1, [%d2+4]; cvta.to.shared.u64 %d3, %d2;"
    " ld.shared.u32 %r2, [%d3+4]; st.global.v2.u32 [%out], {%r1, %r2};",
    ".shared .u32 pad[3];\n.shared .align 8 .u32 s[2];\n",
)
code(
    "shared_atomic",
    [64 * 63 // 2],
    "setp.eq.u32 %p1, %t, 0; @%p1 st.shared.u32 [s], 0; bar.sync 0;"
    " red.shared.add.u32 [s], %t; bar.sync 0; ld.shared.u32 %r1, [s];"
    " @%p1 st.global.u32 [%out], %r1;",
    ".shared .u32 s;\n",
    threads=64,
)
code(
    "global_atomic",
    [2 + 31 * 32 // 2],
    "setp.eq.u32 %p1, %t, 0; atom.global.add.u32 %r1, [%out], %t;"
    " @%p1 red.global.add.u32 [%out], 2;",
    threads=32,
)
code(
    "local_array",
    each(lambda t: 3 * (t % 4)),
    ".local .align 4 .u32 l[4]; mov.u64 %d1, l; mov.u32 %r1, 0;"
    " FILL: mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d2, %d1;"
    " mul.lo.u32 %r2, %r1, 3; st.local.u32 [%d2], %r2;"
    " add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 4; @%p1 bra FILL;"
    " and.b32 %r3, %t, 3; mul.wide.u32 %d3, %r3, 4; add.u64 %d3, %d3, %d1;"
    " ld.local.u32 %r4, [%d3]; st.global.u32 [%mine], %r4;",
    threads=32,
)
code(
    "local_generic",
    [12],
    ".local .align 8 .b8 l[16]; st.local.u32 [l+8], 12; mov.u64 %d1, l;"
    " cvta.local.u64 %d2, %d1; ld.u32 %r1, [%d2+8];"
    " st.global.u32 [%out], %r1;",
)

code(
    "float_classes",
    [0b010101, 0b000110, 0b100101, 0b001000],
    "".join(
        f"mov.f32 %f1, 0f{value}; mov.u32 %r1, 0; "
        + "".join(
            f"testp.{name}.f32 %p1, %f1; selp.u32 %r2, {1 << i}, 0, %p1;"
            " or.b32 %r1, %r1, %r2; "
            for i, name in enumerate(CLASSES)
        )
        + f"st.global.u32 [%out+{4 * k}], %r1; "
        for k, value in enumerate(
            ("3F800000", "7F800000", "80000001", "7FC00000")
        )
    ),
)

# ---- functions ----

ADD = """.func (.param .b32 sum) add(.param .b32 a, .param .b32 b)
{
    .reg .b32 r<3>;
    ld.param.u32 r0, [a];
    ld.param.u32 r1, [b];
    add.u32 r2, r0, r1;
    st.param.b32 [sum], r2;
    ret;
}
"""
CALL_ADD = """{ .param .b32 p0; .param .b32 p1; .param .b32 r;
    st.param.b32 [p0], %t; st.param.b32 [p1+0], 40;
    call.uni (r), add, (p0, p1);
    ld.param.b32 %r1, [r+0]; }
    st.global.u32 [%mine], %r1;"""
code("call", each(lambda t: t + 40), CALL_ADD, ADD, threads=32)
code(
    "call_of_a_prototype",
    [40],
    CALL_ADD,
    ".func (.param .b32 sum) add(.param .b32 a, .param .b32 b);\n" + ADD,
)
code(
    "call_with_registers",
    [42],
    "mov.u32 %r1, 2; call (%r2), add, (%r1, 40); st.global.u32 [%out], %r2;",
    ".func (.reg .u32 s) add(.reg .u32 a, .reg .u32 b)"
    " { add.u32 s, a, b; ret; }\n",
)
code(
    "call_without_results",
    [77],
    "{ .param .b64 p; st.param.b64 [p], %out; call put, (p); }",
    ".func put(.param .b64 a) { .reg .u64 d; ld.param.u64 d, [a];"
    " st.global.u32 [d], 77; ret; }\n",
)
code(
    "call_with_struct",
    [30],
    "{ .param .align 4 .b8 p[12]; .param .b32 r; st.param.b32 [p], 5;"
    " st.param.b32 [p+4], 10; st.param.b32 [p+8], 15;"
    " call (r), total, (p); ld.param.b32 %r1, [r]; }"
    " st.global.u32 [%out], %r1;",
    ".func (.param .b32 r) total(.param .align 4 .b8 s[12]) {"
    " .reg .u32 x<3>; ld.param.u32 x0, [s]; ld.param.u32 x1, [s+4];"
    " ld.param.u32 x2, [s+8]; add.u32 x0, x0, x1; add.u32 x0, x0, x2;"
    " st.param.b32 [r], x0; ret; }\n",
)
code(
    "call_that_returns_struct",
    [1, 2],
    "{ .param .align 8 .b8 r[8]; call (r), pair, ();"
    " ld.param.v2.b32 {%r1, %r2}, [r]; }"
    " st.global.v2.u32 [%out], {%r1, %r2};",
    ".func (.param .align 8 .b8 r[8]) pair() { st.param.b32 [r], 1;"
    " st.param.b32 [r+4], 2; ret; }\n",
)
code(
    "indirect_call",
    [43],
    "mov.u64 %d1, add; { .param .b32 a; .param .b32 b; .param .b32 r;"
    " st.param.b32 [a], 3; st.param.b32 [b], 40;"
    " proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);"
    " call (r), %d1, (a, b), proto; ld.param.b32 %r1, [r]; }"
    " st.global.u32 [%out], %r1;",
    ADD,
)
code(
    "function_table",
    [43],
    "ld.global.u64 %d1, [table+8]; { .param .b32 a; .param .b32 b;"
    " .param .b32 r; st.param.b32 [a], 3; st.param.b32 [b], 40;"
    " proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .b32 _);"
    " call (r), %d1, (a, b), proto; ld.param.b32 %r1, [r]; }"
    " st.global.u32 [%out], %r1;",
    ADD + ".global .u64 table[2] = {0, add};\n",
)
code(
    "recursion",
    [120],
    "{ .param .b32 n; .param .b32 r; st.param.b32 [n], 5;"
    " call (r), factorial, (n); ld.param.b32 %r1, [r]; }"
    " st.global.u32 [%out], %r1;",
    ".func (.param .b32 r) factorial(.param .b32 n) { .reg .u32 a<4>;"
    " .reg .pred p; ld.param.u32 a0, [n]; setp.gt.u32 p, a0, 1;"
    " mov.u32 a1, 1; @!p bra END; { .param .b32 m; .param .b32 s;"
    " sub.u32 a2, a0, 1; st.param.b32 [m], a2; call (s), factorial, (m);"
    " ld.param.b32 a3, [s]; } mul.lo.u32 a1, a0, a3; END:"
    " st.param.b32 [r], a1; ret; }\n",
)
code(
    "predicated_call",
    each(lambda t: t + 40 if t < 3 else 0),
    "setp.lt.u32 %p1, %t, 3; { .param .b32 a; .param .b32 b; .param .b32 r;"
    " st.param.b32 [a], %t; st.param.b32 [b], 40; mov.u32 %r1, 0;"
    " @!%p1 bra END; call (r), add, (a, b); ld.param.b32 %r1, [r]; END: }"
    " st.global.u32 [%mine], %r1;",
    ADD,
    threads=32,
)
code(
    "alias",
    [43],
    "{ .param .b32 a; .param .b32 b; .param .b32 r; st.param.b32 [a], 3;"
    " st.param.b32 [b], 40; call (r), plus, (a, b); ld.param.b32 %r1, [r]; }"
    " st.global.u32 [%out], %r1;",
    ".visible "
    + ADD
    + ".visible .func (.param .b32 s) plus(.param .b32 a, .param .b32 b);\n"
    ".alias plus, add;\n",
)
code(
    "malloc_and_free",
    [13],
    "{ .param .b64 n; .param .b64 r; st.param.b64 [n], 16;"
    " call (r), malloc, (n); ld.param.b64 %d1, [r]; } st.u32 [%d1+12], 13;"
    " ld.u32 %r1, [%d1+12]; st.global.u32 [%out], %r1;"
    " { .param .b64 p; st.param.b64 [p], %d1; call free, (p); }",
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n"
    ".extern .func free(.param .b64 p);\n",
)

# ---- directives ----

code(
    "locations",
    [1],
    ".loc 1 10 3\n st.global.u32 [%out], 1;\n .loc 1 11 1\n",
    '.file 1 "kernel.cu"\n',
)
code(
    "pragmas",
    [2],
    '.pragma "nounroll"; st.global.u32 [%out], 2;',
)
code(
    "sections",
    [2],
    "st.global.u32 [%out], 2;",
    ".section .debug_str { .b8 65,0 }\n",
)


def entry(name: str, words: list[int], text: str, **more):
    """Add a whole module."""
    MODULES[name] = Module(HEAD + text, words, **more)


STORE = (
    "{ .reg .u64 d; .reg .u32 r<4>; ld.param.u64 d, [out];"
    " ld.param.u32 r0, [a]; st.global.u32 [d], r0; ret; }\n"
)
entry(
    "launch_bounds",
    [5],
    ".visible .entry k(.param .u64 out, .param .u32 a)\n.maxntid 128, 1, 1\n"
    ".minnctapersm 2\n" + STORE,
    arguments=(np.uint32(5),),
)
entry(
    "required_threads",
    [5],
    ".visible .entry k(.param .u64 out, .param .u32 a)\n.reqntid 1\n" + STORE,
    arguments=(np.uint32(5),),
)
entry(
    "pointer_attributes",
    [5],
    ".visible .entry k(.param .u64 .ptr .global .align 16 out,"
    " .param .u32 a)\n" + STORE,
    arguments=(np.uint32(5),),
)
entry(
    "weak_entry",
    [5],
    ".weak .entry k(.param .u64 out, .param .u32 a)\n" + STORE,
    arguments=(np.uint32(5),),
)
entry(
    "small_parameters",
    [0xFFFFFFFE, 300, bits(2.5), 0xFFFFFFFF],
    ".visible .entry k(.param .u64 out, .param .s8 a, .param .u16 b,"
    " .param .f32 c, .param .s64 e) { .reg .u64 d<2>; .reg .u32 r<4>;"
    " .reg .f32 f; ld.param.u64 d0, [out]; ld.param.s8 r0, [a];"
    " ld.param.u16 r1, [b]; ld.param.f32 f, [c]; ld.param.s64 d1, [e];"
    " st.global.u32 [d0], r0; st.global.u32 [d0+4], r1;"
    " st.global.f32 [d0+8], f; shr.s64 d1, d1, 32; st.global.u32 [d0+12], d1;"
    " ret; }\n",
    arguments=(np.int8(-2), np.uint16(300), np.float32(2.5), np.int64(-1)),
)
entry(
    "struct_parameter",
    [1, 2, 3],
    ".visible .entry k(.param .u64 out, .param .align 4 .b8 s[12]) {"
    " .reg .u64 d; .reg .u32 r<3>; ld.param.u64 d, [out];"
    " ld.param.u32 r0, [s]; ld.param.u32 r1, [s+4]; ld.param.u32 r2, [s+8];"
    " st.global.u32 [d], r0; st.global.u32 [d+4], r1;"
    " st.global.u32 [d+8], r2; ret; }\n",
    arguments=(np.array((1, 2, 3), dtype="u4,u4,u4"),),
)
entry(
    "address_in_struct",
    [9],
    ".visible .entry k(.param .u64 out, .param .align 8 .b8 s[16]) {"
    " .reg .u64 d; .reg .u32 r; ld.param.u64 d, [out];"
    " ld.param.u32 r, [s+8]; st.global.u32 [d], r; ret; }\n",
    arguments=(np.array((0, 9, 0), dtype="u8,u4,u4"),),
)
entry(
    "several_entries",
    [1],
    ".visible .entry other() { ret; }\n"
    ".visible .entry k(.param .u64 out) { .reg .u64 d;"
    " ld.param.u64 d, [out]; st.global.u32 [d], 1; ret; }\n",
)
MODULES["no_final_return"] = Module(
    HEAD + ".visible .entry k(.param .u64 out) { .reg .u64 d;"
    " ld.param.u64 d, [out]; st.global.u32 [d], 1; }\n",
    [1],
)
MODULES["header_with_comments"] = Module(
    "//\n// made by hand\n//\n\n.version 6.4\n"
    ".target sm_70, texmode_independent\n"
    ".address_size 64\n\n.visible .entry k(\n\t.param .u64 out\n)\n{\n"
    "\t.reg .u64 d;\n\tld.param.u64 d, [out];\n\tst.global.u32 [d], 1;\n"
    "\tret;\n\n}\n",
    [1],
)

# ---- conversions and NaNs that random modules found ----

code(
    "narrow_saturation",
    [0x7FFF, 0x8000, 0xFFFF, 0, 0, 0x8000],
    "cvt.rni.s16.f32 %h1, 0f4F000000; cvt.rni.s16.f32 %h2, 0fCF000000;"
    " ld.global.f32 %f1, [%out]; add.f32 %f2, %f1, 0f49800000;"
    " cvt.rzi.u16.f32 %h3, %f2; neg.f32 %f2, %f2; cvt.rzi.u16.f32 %h4, %f2;"
    " div.rn.f32 %f3, %f1, %f1; cvt.rni.s16.f32 %h5, %f3;"
    " cvt.f64.f32 %e1, %f3; cvt.rni.s16.f64 %h6, %e1;"
    " cvt.u32.u16 %r1, %h1; st.global.u32 [%out], %r1;"
    " cvt.u32.u16 %r1, %h2; st.global.u32 [%out+4], %r1;"
    " cvt.u32.u16 %r1, %h3; st.global.u32 [%out+8], %r1;"
    " cvt.u32.u16 %r1, %h4; st.global.u32 [%out+12], %r1;"
    " cvt.u32.u16 %r1, %h5; st.global.u32 [%out+16], %r1;"
    " cvt.u32.u16 %r1, %h6; st.global.u32 [%out+20], %r1;",
)
code(
    "conversion_of_constants",
    [0xFFFFFFFF, 0, 0x7FFFFFFF, 0, 0x80000000],
    "mov.f32 %f1, 0f7F800000; cvt.rmi.u32.f32 %r1, %f1;"
    " mov.f32 %f2, 0f7FC00000; cvt.rmi.u32.f32 %r2, %f2;"
    " mov.f32 %f3, 0f7F800000; cvt.rzi.s32.f32 %r3, %f3;"
    " mov.f64 %e1, 0d7FF8000000000000; cvt.rzi.s64.f64 %d1, %e1;"
    " mov.b64 {%r4, %r5}, %d1; st.global.u32 [%out], %r1;"
    " st.global.v2.u32 [%out+8], {%r3, %r4}; st.global.u32 [%out+4], %r2;"
    " st.global.u32 [%out+16], %r5;",
)
code(
    "signaling_nan",
    [0x7FFFFFFF, 0x7FFFFFFF],
    "mov.b32 %f1, 0x7f8cfc76; st.global.f32 [%out], %f1;"
    " ld.volatile.global.f32 %f1, [%out]; cvt.rn.f32.u32 %f2, %t;"
    " min.NaN.f32 %f3, %f1, %f2; max.NaN.f32 %f4, %f1, %f2;"
    " st.global.v2.f32 [%out], {%f3, %f4};",
)
code(
    "directed_wide_integer",
    [bits(16777216), bits(16777218), 0x5F7FFFFF],
    "mov.u64 %d1, 16777217; cvt.rz.f32.u64 %f1, %d1;"
    " cvt.rp.f32.s64 %f2, %d1; mov.u64 %d2, -1;"
    " cvt.rm.f32.u64 %f3, %d2; st.global.v2.f32 [%out], {%f1, %f2};"
    " st.global.f32 [%out+8], %f3;",
)
MODULES["signaling_nan"].text = MODULES["signaling_nan"].text.replace(
    "sm_70", "sm_80"
)
