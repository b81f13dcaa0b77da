"""Attributes after a class's closing brace, which nvcc applies to the class.

NVRTC ignores them there; for a GPU `compile` moves them.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda._compile.class_attributes import moved
from pycuda.compiler import SourceModule

# Each declares a type T, and has its size.
DECLARATIONS = [
    ("struct T { char a; int b; } __attribute__((packed));", 5),
    ("typedef struct { char a; int b; } __attribute__((packed)) T;", 5),
    ("typedef struct U { char a; int b; } __attribute((__packed__)) T;", 5),
    (
        "struct T { char a; int b; } // packed\n  __attribute__((packed,"
        "\n aligned(2)));",
        6,
    ),
    ("struct T { char a; int b; } __align__(16);", 16),
    ("typedef struct { char a; } __align__(8) T;", 8),
    ("union T { char a; int b; } __attribute__((aligned(32)));", 32),
    ("enum T { one } __attribute__((packed));", 1),
    ("enum class T : int { one } __attribute__((aligned(4)));", 4),
    ("class T { char a; int b; } __attribute__((packed)) *pointer;", 5),
    (
        "struct T { char a; struct { char c; int d; } "
        "__attribute__((packed)) in; };",
        6,
    ),
    (
        "#define PACKED __attribute__((packed))\n"
        "struct T { char a; int b; int f() { return 1; } } PACKED;",
        5,
    ),
    (
        "#define ALIGNED(n) __align__(n) \\\n  __attribute__((unused))\n"
        "struct T { char a; int b; } ALIGNED(16);",
        16,
    ),
    ("struct E {}; struct T : E { char a; int b; } __align__(16);", 16),
    ("struct T { char a; int b; } __attribute__((packed)) __device__ v;", 5),
]


def in_namespaces():
    """Return one source of all declarations, and a kernel of their sizes."""
    lines = [
        f"namespace n{i} {{\n{text}\n}}"
        for i, (text, _) in enumerate(DECLARATIONS)
    ]
    sizes = ", ".join(f"sizeof(n{i}::T)" for i in range(len(DECLARATIONS)))
    return "\n".join(lines) + (
        f"\n__global__ void k(int *o) {{ int s[] = {{{sizes}}};"
        f" for (int i = 0; i < {len(DECLARATIONS)}; i++) o[i] = s[i]; }}"
    )


def test_sizes(context):
    out = np.zeros(len(DECLARATIONS), np.int32)
    SourceModule(in_namespaces()).get_function("k")(
        drv.Out(out), block=(1, 1, 1)
    )
    assert out.tolist() == [size for _, size in DECLARATIONS]


def test_a_packed_struct_is_read_as_numpy_packs_it(context):
    record = np.dtype([("kind", "u1"), ("value", "f4"), ("flag", "u1")])
    data = np.zeros(3, record)
    data["value"] = [1.5, 2.5, 4]
    data["flag"] = [1, 2, 3]
    module = SourceModule("""
        typedef struct {
            unsigned char kind; float value; unsigned char flag;
        } __attribute__((packed)) record;
        __global__ void k(const record *in, float *out)
        { out[threadIdx.x] = in[threadIdx.x].value * in[threadIdx.x].flag; }
    """)
    out = np.zeros(3, np.float32)
    module.get_function("k")(drv.In(data), drv.Out(out), block=(3, 1, 1))
    assert out.tolist() == [1.5, 5, 12]


@pytest.mark.parametrize(
    "text",
    [
        "// } __attribute__((packed))",
        'const char *s = "struct P { } __attribute__((packed))";',
        "__device__ int f() { return 1; } __attribute__((aligned(8))) int v;",
        "struct Q g() { } __attribute__((aligned(8))) __device__ char w;",
        "struct Q q = { 1 } __attribute__((aligned(8)));",
        "struct P { char a; } __attribute__((shared)) v;",
        "namespace n { } __attribute__((aligned(8))) __device__ char w;",
        "struct __attribute__((packed)) P { char a; int b; };",
        "typedef struct { char a; } P __align__(8);",
        "#define P struct { char a; } __attribute__((packed))",
    ],
)
def test_other_attributes_are_not_moved(text):
    assert moved(text) == text


def test_lines_stay_where_they_are():
    text = "struct P {\n char a;\n}\n__attribute__((\npacked)) v;\nint w;"
    fresh = moved(text)
    assert fresh.splitlines()[0].startswith("struct __attribute__((")
    assert fresh.splitlines()[-1] == "int w;"
    assert fresh.count("\n") == text.count("\n")
