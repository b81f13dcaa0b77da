"""cuda::atomic and cuda::atomic_ref; compare-and-swap of every width."""

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

# On a GPU the header is NVIDIA's own.
pytestmark = pytest.mark.cpu
N = 4 * 96


def run(body, words, ctype="int", head=""):
    source = (
        f"#include <cuda/atomic>\n#include <cuda/std/atomic>\n{head}\n"
        f"__global__ void k({ctype} *p)"
        "{ int t = blockIdx.x * blockDim.x + threadIdx.x; (void)t;"
        f"{body} }}"
    )
    words = words.copy()
    SourceModule(source).get_function("k")(
        cuda.InOut(words), block=(96, 1, 1), grid=(4, 1)
    )
    return words


def test_operations_of_a_reference():
    out = run(
        """
        typedef cuda::atomic_ref<int, cuda::thread_scope_device> ref;
        ref(p[0]).fetch_add(t, cuda::memory_order_relaxed);
        ref(p[1]).fetch_sub(1);
        ref(p[2]).fetch_max(t * 7 % 101);
        ref(p[3]).fetch_min(-(t * 7 % 101));
        ref(p[4]).fetch_or(1 << t % 20);
        ref(p[5]).fetch_xor(t);
        ref(p[6]).fetch_and(~(1 << t % 4));
        ref seven(p[7]);
        ++seven; seven += 2; seven--;
        int seen = seven.load();
        while (!ref(p[8]).compare_exchange_weak(seen, seen + 3)) { }
        cuda::std::atomic_ref<int> nine(p[9]);
        nine.store(5);
        p[10] = nine.exchange(5) + (int)nine;
        """,
        np.array([0, 0, 0, 0, 0, 0, 15, 0, 0, 0, 0], np.int32),
    )
    t = np.arange(N)
    assert out.tolist() == [
        t.sum(),
        -N,
        (t * 7 % 101).max(),
        -(t * 7 % 101).max(),
        2**20 - 1,
        np.bitwise_xor.reduce(t),
        0,
        2 * N,
        3 * N,
        5,
        10,
    ]


def test_a_lock_and_a_ticket():
    out = run(
        """
        while (busy.exchange(1, cuda::memory_order_acquire)) { }
        p[0] = p[0] * 3 % 1009 + 1;      // not atomic: under the lock
        busy.store(0, cuda::memory_order_release);
        p[1 + ticket++] = 1;
        """,
        np.zeros(1 + N, np.int32),
        head="__device__ cuda::atomic<int, cuda::thread_scope_device> busy{0};"
        "__device__ cuda::atomic<int> ticket{0};",
    )
    value = 0
    for _ in range(N):
        value = value * 3 % 1009 + 1
    assert out[0] == value
    assert (out[1:] == 1).all(), "each ticket once"


SWAPPED = [
    ("int", np.int32),
    ("unsigned int", np.uint32),
    ("unsigned long long", np.uint64),
]


@pytest.mark.parametrize(
    ("ctype", "dtype", "suffix"),
    [
        ("unsigned short", np.uint16, ""),
        *(
            (*row, suffix)
            for row in SWAPPED
            for suffix in ("", "_block", "_system")
        ),
    ],
)
def test_compare_and_swap(ctype, dtype, suffix):
    out = run(
        f"""
        {ctype} old = p[0], seen;
        do {{
            seen = old;
            old = atomicCAS{suffix}(&p[0], seen, ({ctype})(seen + 3));
        }} while (old != seen);
        """,
        np.array([5], dtype),
        ctype,
    )
    assert out[0] == 5 + 3 * N


@pytest.mark.parametrize("suffix", ["_block", "_system"])
def test_scopes_do_not_swap_16_bits(suffix):
    """CUDA has no scoped 16-bit compare-and-swap; both devices reject it."""
    with pytest.raises(cuda.CompileError, match=f"atomicCAS{suffix}"):
        SourceModule(
            "__global__ void k(unsigned short *p) {"
            f"*p = atomicCAS{suffix}(p, p[1], (unsigned short)3); }}"
        )


def test_the_header_of_cuda_has_the_names_of_std():
    module = SourceModule("""
        #include <cuda/atomic>
        __global__ void k(int *p)
        {
            static_assert(sizeof(cuda::std::atomic<int>) == 4, "");
            auto *q = (cuda::std::atomic_int *)p;
            q->fetch_add(2);
            cuda::std::atomic_thread_fence(cuda::std::memory_order_seq_cst);
            cuda::std::int32_t more = 1;
            cuda::std::atomic_ref<cuda::std::int32_t>(*p) += more;
        }""")
    words = np.zeros(1, np.int32)
    module.get_function("k")(cuda.InOut(words), block=(96, 1, 1))
    assert words[0] == 288
