"""nvcuda::wmma: fragments of all shapes and types, and what works on them.

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
SUMS = ("float", "__half", "int", "double")
HEAD = "using namespace nvcuda;\n"


def entries() -> Iterator[Entry]:
    """All entries."""
    for shape, kinds in SHAPES.items():
        for kind in kinds:
            for layout in ("row_major", "col_major"):
                for use in ("matrix_a", "matrix_b"):
                    made = (
                        f"wmma::fragment<wmma::{use}, {shape}, {kind},"
                        f" wmma::{layout}> f"
                    )
                    name = f"{use} {shape} {kind} {layout}"
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
    for name in ("wmma::__float_to_tf32(1.0f)", "wmma::mem_row_major",
                 "wmma::experimental::bmmaBitOpXOR",
                 "wmma::experimental::bmmaBitOpAND",
                 "wmma::experimental::bmmaAccumulateOpPOPC"):  # fmt: skip
        code = f"{HEAD}__device__ auto f$() {{ return {name}; }}"
        yield Entry("matrices", name, code, HEADERS)
