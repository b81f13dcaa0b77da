"""Vector types and their constructors, dim3, and the geometry variables.

SPDX-License-Identifier: MIT
"""

from collections.abc import Iterator

from entries import Entry
from survey import SCALARS, VECTORS, survey

ALIGNED = [f"{s}4_{n}a" for s in ("double", "long", "ulong") for n in (16, 32)]
ALIGNED += [f"{s}4_{n}a" for s in ("longlong", "ulonglong") for n in (16, 32)]
GEOMETRY = ("threadIdx", "blockIdx", "blockDim", "gridDim")


def entries() -> Iterator[Entry]:
    """Yield all entries."""
    for name in (*VECTORS, *ALIGNED, "dim3"):
        count = (
            3 if name == "dim3" else int(name.rstrip("a").split("_")[0][-1])
        )
        members = "xyzw"[:count]
        last = members[-1]
        value = f"sizeof({name}), alignof({name}), sizeof({name}::{last})"
        yield Entry("vectors", f"sizeof({name})", value=value)
        code = (
            f"__global__ void k$({name} *a) {{ {name} b = *a;"
            f" b.{last} += b.x; const {name} c = {{b.x}}; a[1] = b;"
            f" a[2] = c; }}\n"
            f"__constant__ {name} c$; __device__ {name} d$;"
            f"__device__ {name} *f$() {{ __shared__ {name} s[2];"
            " return s; }"
        )
        # The source is rewritten for shared variables with constructors.
        alone = name == "dim3"
        code = code.replace("$", "") if alone else code
        yield Entry("vectors", f"use of {name}", code, alone=alone)
        for kind in ("float", "int", "double"):
            calls = [(kind,) * n for n in range(1, 5)]
            yield survey(
                "vectors", f"make_{name}", calls, label=f"make_{name} {kind}"
            )
        if name == "dim3":
            continue
        typed = f"decltype({name}::x)"
        code = f"static_assert(sizeof({typed}) * {count} <= sizeof({name}));"
        yield Entry("vectors", f"{name}::x", code)
        code = (
            f"__device__ int f$(int i) {{ constexpr {name} c{{1, }};"
            f" static_assert(c.x == 1); return i; }}"
        )
        yield Entry("vectors", f"constexpr {name}", code)
        for operator in ("+", "=="):
            code = (
                f"__global__ void k$({name} *a) {{"
                f" auto b = a[0] {operator} a[1]; }}"
            )
            yield Entry("vectors", f"{name} {operator} {name}", code)
    for scalar in SCALARS:
        yield survey(
            "vectors",
            f"oracle_implicit<{scalar}1>",
            [(scalar,), (f"{scalar}1",)] if scalar[0] != "u" else [],
        )
    for variable in GEOMETRY:
        for member in "xyz":
            code = (
                "__global__ void k$(unsigned *a)"
                f" {{ *a = {variable}.{member}; }}"
            )
            yield Entry("vectors", f"{variable}.{member}", code)
        target = "uint3" if variable.endswith("Idx") else "dim3"
        code = f"__global__ void k$({target} *a) {{ *a = {variable}; }}"
        yield Entry("vectors", f"{target} of {variable}", code)
        code = f"__global__ void k$() {{ {variable}.x = 1; }}"
        yield Entry("vectors", f"assignment to {variable}", code)
        code = f"__device__ auto f$() {{ return &{variable}; }}"
        yield Entry("vectors", f"address of {variable}", code)
        code = "template <class T> __device__ T g$(T v) { return v; }\n"
        code += f"__global__ void k$(int *a) {{ *a = g$({variable}).x; }}"
        yield Entry("vectors", f"copy of {variable}", code)
    code = "__global__ void k$(int *a) { *a = warpSize; }"
    yield Entry("vectors", "warpSize", code)
    code = "__global__ void k$() { warpSize = 3; }"
    yield Entry("vectors", "assignment to warpSize", code)
    code = "__global__ void k$(int *a) { int x[warpSize]; *a = x[0]; }"
    yield Entry("vectors", "array of warpSize", code)
    for name in ("dim3(2)", "dim3(2, 3)", "dim3(2, 3, 4)", "dim3()",
                 "dim3(make_uint3(1, 2, 3))", "uint3(dim3(1))",
                 "dim3{1, 2}", "float4{}", "float4{1}", "float4(1, 2, 3, 4)",
                 "make_float4(float4())", "make_dim3(1, 2, 3)"):  # fmt: skip
        code = f"__device__ auto f$() {{ return {name}; }}"
        yield Entry("vectors", name, code)
