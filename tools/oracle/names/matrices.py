"""nvcuda::wmma: fragments of all shapes and types, and their functions.

SPDX-License-Identifier: MIT
"""

from collections.abc import Iterator

from entries import Entry

HEADERS = ("mma.h", "cuda_bf16.h")
SHAPES = {
    "16, 16, 16": ("__half", "__nv_bfloat16", "signed char", "unsigned char"),
    "32, 8, 16": ("__half", "__nv_bfloat16", "signed char", "unsigned char"),
    "8, 32, 16": ("__half", "__nv_bfloat16", "signed char", "unsigned char"),
    "16, 16, 8": ("wmma::precision::tf32", "float"),
    "8, 8, 4": ("double",),
    "8, 8, 32": ("wmma::experimental::precision::s4",
                 "wmma::experimental::precision::u4"),
    "8, 8, 128": ("wmma::experimental::precision::b1",),
    "16, 16, 4": ("float", "__half"),
}  # fmt: skip
FACTORS_OF_BITS = """
namespace bits = wmma::experimental::precision;
template <class T, int k>
using A = wmma::fragment<wmma::matrix_a, 8, 8, k, T, wmma::row_major>;
template <class T, int k>
using B = wmma::fragment<wmma::matrix_b, 8, 8, k, T, wmma::col_major>;
template <int k> using C = wmma::fragment<wmma::accumulator, 8, 8, k, int>;
"""
ONE_BIT = "A<bits::b1, 128> a; B<bits::b1, 128> b; C<128> c;"
FOUR_BITS = "A<bits::s4, 32> a; B<bits::s4, 32> b; C<32> c;"
AND = "wmma::experimental::bmmaBitOpAND"
POPC = "wmma::experimental::bmmaAccumulateOpPOPC"
STATEMENTS = {
    "bmma_sync(c, a, b, c)": ONE_BIT + "wmma::bmma_sync(c, a, b, c)",
    "bmma_sync(and)": ONE_BIT + f"wmma::bmma_sync(c, a, b, c, {AND})",
    "bmma_sync(and, popc)": ONE_BIT
    + f"wmma::bmma_sync(c, a, b, c, {AND}, {POPC})",
    "bmma_sync(popc)": ONE_BIT + f"wmma::bmma_sync(c, a, b, c, {POPC})",
    "mma_sync of b1": ONE_BIT + "wmma::mma_sync(c, a, b, c)",
    "bmma_sync of s4": FOUR_BITS + "wmma::bmma_sync(c, a, b, c)",
    "mma_sync of s4 and u4": FOUR_BITS
    + "A<bits::u4, 32> u; wmma::mma_sync(c, u, b, c)",
    "another accumulator": FOUR_BITS + "C<128> d; wmma::mma_sync(d, a, b, c)",
    "load from char": FOUR_BITS + "wmma::load_matrix_sync(a, (char *)p, 32)",
    "load from void": FOUR_BITS + "wmma::load_matrix_sync(a, (void *)p, 32)",
    "load b1 from long": ONE_BIT + "wmma::load_matrix_sync(b, (long *)p, 128)",
    "fill s4": FOUR_BITS + "wmma::fill_fragment(a, 3.5f)",
    "fill b1": ONE_BIT + "wmma::fill_fragment(b, true)",
    "sizeof s4": "p[0] = sizeof(bits::s4)",
}
SUMS = ("float", "__half", "int", "double")
HEAD = "using namespace nvcuda;\n"


def entries() -> Iterator[Entry]:
    """Yield all entries."""
    for shape, kinds in SHAPES.items():
        for kind in kinds:
            for layout in ("row_major", "col_major"):
                for use in ("matrix_a", "matrix_b"):
                    made = (
                        f"wmma::fragment<wmma::{use}, {shape}, {kind},"
                        f" wmma::{layout}> f"
                    )
                    name = f"{use} {shape} {kind} {layout}"
                    one = made.removesuffix(" f")
                    yield Entry(
                        "matrices",
                        f"elements of {name}",
                        f"{HEAD}typedef {one} fragment_$;",
                        HEADERS,
                        "fragment_$::num_elements,"
                        "fragment_$::num_storage_elements",
                    )
                    pointer = kind
                    if "tf32" in kind:
                        pointer = "float"
                    if "experimental" in kind:
                        pointer = "void"
                    for what, text in (
                        ("load", "wmma::load_matrix_sync(f, p, 16)"),
                        ("fill", "wmma::fill_fragment(f, f.x[0])"),
                        ("elements", "f.x[0] = f.x[f.num_elements - 1]"),
                    ):
                        code = (
                            f"{HEAD}__global__ void k$({pointer} *p)"
                            f" {{ {made}; {text}; }}"
                        )
                        yield Entry(
                            "matrices", f"{what} {name}", code, HEADERS
                        )
            for total in SUMS:
                made = (
                    f"wmma::fragment<wmma::accumulator, {shape}, {total}> c;"
                    f"wmma::fragment<wmma::matrix_a, {shape}, {kind},"
                    f" wmma::row_major> a;"
                    f"wmma::fragment<wmma::matrix_b, {shape}, {kind},"
                    f" wmma::col_major> b;"
                )
                multiply = "bmma" if "b1" in kind else "mma"
                for what, text in (
                    ("mma", f"wmma::{multiply}_sync(c, a, b, c)"),
                    (
                        "store row",
                        "wmma::store_matrix_sync(p, c, 16,"
                        " wmma::mem_row_major)",
                    ),
                    (
                        "load col",
                        "wmma::load_matrix_sync(c, p, 16,"
                        " wmma::mem_col_major)",
                    ),
                    ("saturate", "wmma::mma_sync(c, a, b, c, true)"),
                ):
                    code = (
                        f"{HEAD}__global__ void k$({total} *p)"
                        f" {{ {made} {text}; }}"
                    )
                    name = f"{what} {shape} {kind} {total}"
                    yield Entry("matrices", name, code, HEADERS)
    for name, text in STATEMENTS.items():
        code = (
            f"namespace oracle_$ {{ {HEAD}{FACTORS_OF_BITS}"
            f"__global__ void k(int *p) {{ {text}; }} }}"
        )
        yield Entry("matrices", name, code, HEADERS)
    for name in ("wmma::__float_to_tf32(1.0f)", "wmma::mem_row_major",
                 "wmma::experimental::bmmaBitOpXOR",
                 "wmma::experimental::bmmaBitOpAND",
                 "wmma::experimental::bmmaAccumulateOpPOPC"):  # fmt: skip
        code = f"{HEAD}__device__ auto f$() {{ return {name}; }}"
        yield Entry("matrices", name, code, HEADERS)
