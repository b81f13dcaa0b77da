"""Instructions of PTX about addresses, clusters, barriers and counters.

A GPU needs compute capability 9.0.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

SOURCE = r"""
#define RED(OP, I)                                                          \
    asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, 40; "               \
        "bar.red." OP ".pred q, 0, p; selp.u32 %0, 1, 0, q; }"              \
        : "=r"(r) : "r"(t)); out[64 * I + t] = r;
__global__ void k(unsigned *out, unsigned *counter)
{
    __shared__ unsigned s[64];
    unsigned t = threadIdx.x, r, q;
    s[t] = t;
    RED("and", 0)
    RED("or", 1)
    asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, 40; "
        "bar.red.popc.u32 %0, 0, p; }" : "=r"(r) : "r"(t));
    out[128 + t] = r;
    asm volatile("nanosleep.u32 20;");
    asm volatile("{ .reg .pred p, q; isspacep.shared p, %2; "
        "isspacep.global q, %3; selp.u32 %0, 1, 0, p; selp.u32 %1, 1, 0, q; }"
        : "=r"(r), "=r"(q) : "l"(s + t), "l"(out));
    out[192 + t] = r + 2 * q;
    asm volatile("atom.global.inc.u32 %0, [%1], 9;" : "=r"(r)
        : "l"(counter) : "memory");
    asm volatile("red.global.dec.u32 [%0], 9;" :: "l"(counter + 1)
        : "memory");
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;"
        : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.u32 %0, [%1], %2;" : "=r"(r)
        : "l"(out + t), "l"(policy));
    asm volatile("{ .reg .u32 a, b; mov.u32 a, %%cluster_ctarank; "
        "mov.u32 b, %%cluster_nctarank; add.u32 %0, a, b; }" : "=r"(q));
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
    out[256 + t] = 10 * q + r;
}
"""


def test_barriers_addresses_and_counters() -> None:
    out, counter = np.zeros((5, 64), "u4"), np.array([0, 0], "u4")
    SourceModule(SOURCE).get_function("k")(
        drv.Out(out), drv.InOut(counter), block=(64, 1, 1)
    )
    np.testing.assert_array_equal(out[0], 0)
    np.testing.assert_array_equal(out[1], 1)
    np.testing.assert_array_equal(out[2], 40)
    np.testing.assert_array_equal(out[3], 3)
    np.testing.assert_array_equal(out[4], 10)
    np.testing.assert_array_equal(counter, [64 % 10, (10 - 64 % 10) % 10])


@pytest.mark.cpu
@pytest.mark.parametrize(
    "statement",
    [
        '"barrier.cluster.arrive.aligned;"',
        '"mapa.u64 %0, %0, 1;" : "+l"(a)',
        '"getctarank.u64 %0, %1;" : "=r"(r) : "l"(a)',
    ],
)
def test_clusters_of_several_blocks_are_refused(statement: str) -> None:
    source = (
        "__global__ __cluster_dims__(2) void k(unsigned *o) {"
        "unsigned long long a = 0; unsigned r = 0;"
        f"asm volatile({statement}); *o = r + a; }}"
    )
    with pytest.raises(drv.CompileError, match="more than one block"):
        SourceModule(source)


@pytest.mark.cpu
@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("add.ftz.bf16 %0, %0, %0;", "'add' does not exist"),
        ("cvt.rzi.satfinite.u16.f32 %0, 1.0;", "'cvt' does not exist"),
    ],
)
def test_modifiers_without_effect_are_refused(
    statement: str, reason: str
) -> None:
    """A modifier that is accepted and ignored would give wrong results."""
    source = f"""__global__ void k(unsigned short *out)
    {{ asm volatile("{statement}" : "+h"(out[0])); }}"""
    with pytest.raises(drv.CompileError, match=reason):
        SourceModule(source)
