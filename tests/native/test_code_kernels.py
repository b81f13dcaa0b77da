"""Code of whole kernels: vectorized operations and their word types.

Vectors have 16 floats.
"""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import pytest
from kernel_code import count, ir

pytestmark = [pytest.mark.cpu, pytest.mark.no_sanitizer]

KERNEL = """
struct four { float of[4]; };
extern "C" __global__ void k(%s)
{
    int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
    %s
}
"""


def kernel(parameters: str, body: str, *options: str) -> str:
    """Return the code of a kernel: `t` in the block is `i` of all threads."""
    return ir(KERNEL % (parameters, body), *options)


SUM = """
    __shared__ float s[64];
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[%s];
    s[t] = sum;
    __syncthreads();
    out[t] = s[63 - t];
"""


@pytest.mark.parametrize(
    "index", ["64 * k + t", "k - t", "2 * t + k", "100 * t + k"]
)
def test_loops_that_all_threads_make_together(index):
    """Neighbouring threads run as lanes, also if each reads its own row."""
    text = kernel("float *out, const float *a, int n", SUM % index)
    assert count("fadd .*<16 x float>", text)


def test_neighbouring_words_are_loaded_at_once():
    text = kernel(
        "float *x",
        "float a = x[2 * i]; x[2 * i] = a * 2;"
        "float b = x[2 * i + 1]; x[2 * i + 1] = b * 3;",
    )
    assert count("load <32 x float>", text) == count(
        "store <32 x float>", text
    )
    assert 0 < count("load <32 x float>", text) <= 4


def test_neighbouring_words_of_two_memories():
    text = kernel(
        "float *out, const float *in",
        """
    __shared__ float s[128];
    float a = in[2 * t];
    s[t] = a;
    float b = in[2 * t + 1];
    s[t + 64] = b;
    __syncthreads();
    out[t] = s[63 - t] * s[127 - t];
    """,
    )
    assert count("load <32 x float>", text) == 1


@pytest.mark.parametrize("operation", ["/", "%"])
@pytest.mark.parametrize("kind", ["int", "unsigned"])
def test_divisions_are_vectors(operation, kind):
    text = kernel(
        f"{kind} *out, const {kind} *a", f"out[i] = a[i] {operation} out[i];"
    )
    assert count("fdiv <16 x double>", text) > 0
    assert count("(div|rem) i32", text) == 0


@pytest.mark.parametrize(
    "operation", ["Add", "Sub", "Max", "Min", "And", "Or", "Xor", "Exch"]
)
@pytest.mark.parametrize("kind", ["int", "unsigned"])
def test_atomics_of_shared_memory_are_plain(operation, kind):
    """One machine thread runs a block."""
    text = kernel(
        f"{kind} *out, const {kind} *in",
        f"""
    __shared__ {kind} s[4];
    if (t < 4) s[t] = 0;
    __syncthreads();
    atomic{operation}(&s[in[i] & 3], in[i]);
    __syncthreads();
    if (t < 4) out[t] = s[t];
    """,
    )
    assert count("atomicrmw", text) == 0


ROUNDS = """
    __shared__ int s[64];
    int sum = 0;
    for (int k = 0; k < 16; k++) {
        s[t] = in[t] + k;
        __syncthreads();
        sum += s[63 - t];
        __syncthreads();
    }
    out[t] = sum;
"""


def test_loops_with_barriers_stay_loops():
    """Rows are whole vectors, so there is no remainder loop."""
    text = kernel("int *out, const int *in", ROUNDS)
    assert 0 < count("^vector.body.*:", text) < 10
    assert count("^vec.epilog", text) == 0
    text = kernel("int *out, const int *in", "out[i] = in[i];")
    assert count("^vec.epilog", text) > 0


def test_structs_by_value_are_read_where_they_are():
    text = kernel(
        "float *out, four scale, int n",
        "out[i] *= scale.of[n];",
    )
    assert count("fmul .*<16 x float>", text) > 0
    assert count("alloca", text) == 0


def test_what_is_rare_is_told():
    assert count("br i1 .*!prof", kernel("float *x", "x[i] = sinf(x[i]);")) > 0


TREE = """
    __shared__ float part[256];
    i = blockIdx.x * 256 + t;
    part[t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (t < half) part[t] += part[t + half];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = part[0];
"""


def test_trees_in_registers():
    """Half vectors need no shifts, and whole rows need no masks."""
    text = kernel("float *out, const float *in, int n", TREE)
    assert count("fadd .*<2 x float>", text) > 0
    assert count("bitcast i[0-9]+ .* to <", text) == 0
    assert count("or <16 x i1>", text) == 0
    # the work of the last warps is not a loop of one vector
    assert count("fadd .*<16 x float>", text) > 15


def test_barriers_for_the_compiler_alone_cost_nothing():
    text = kernel(
        "int *out, const int *in",
        'out[i] = in[i]; asm volatile("" ::: "memory"); out[i] += 1;',
    )
    assert count("add .*<16 x i32>", text) > 0


@pytest.mark.parametrize(
    ("options", "quotients"), [((), True), (("-use_fast_math",), False)]
)
def test_fast_quotients_are_products(options, quotients):
    text = kernel("float *x, float c", "x[i] = x[i] / c;", *options)
    assert bool(count("fdiv .*<16 x float>", text)) is quotients


def test_pairs_are_copied_at_once():
    """Layouts that would make threads race are assumed not to occur."""
    text = kernel(
        "uint2 *out, const uint2 *in, int n",
        "if (i < n) { out[i].x = in[i].x * 3; out[i].y = in[i].y * 5; }",
    )
    assert count("load <32 x i32>", text) > 0
    assert count("store <32 x i32>", text) > 0


@pytest.mark.parametrize("word", ["", "__restrict__"])
def test_restrict_tells_arrays_apart(word):
    """Without restrict, the second load follows the store between them."""
    text = kernel(
        f"float *{word} out, const float *{word} in, int n",
        "float a = in[2 * i]; out[i] = a * 2; out[i + n] = in[2 * i + 1] + a;",
    )
    assert bool(count("load <32 x float>", text)) is bool(word)
