"""mma.h: factors of 4 bits and of one bit."""

import numpy as np
import pytest
from nvidia_headers import skip_without

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

SOURCE = """
#include <mma.h>
using namespace nvcuda;
namespace bits = wmma::experimental::precision;
template <class T, int k>
using A = wmma::fragment<wmma::matrix_a, 8, 8, k, T, wmma::row_major>;
template <class T, int k>
using B = wmma::fragment<wmma::matrix_b, 8, 8, k, T, wmma::col_major>;
template <int k> using C = wmma::fragment<wmma::accumulator, 8, 8, k, int>;

/* Each warp has matrices of its own; strides are wider than the matrices. */
template <class T>
__device__ void product(const unsigned char *a, const unsigned char *b,
                        const int *c, int *out, bool satf)
{
    int warp = (threadIdx.y * blockDim.x + threadIdx.x) / 32;
    A<T, 32> fa;
    B<T, 32> fb;
    C<32> fc, fd;
    wmma::load_matrix_sync(fa, a + 256 * warp, 64);
    wmma::load_matrix_sync(fb, b + 384 * warp, 96);
    wmma::load_matrix_sync(fc, c, 8, wmma::mem_row_major);
    wmma::mma_sync(fd, fa, fb, fc, satf);
    wmma::store_matrix_sync(out + 96 * warp, fd, 12, wmma::mem_row_major);
}
template <class T> __device__ void filled(int *out, int v)
{
    A<T, 32> fa;
    B<T, 32> fb;
    C<32> fc, fd;
    wmma::fill_fragment(fa, v);
    wmma::fill_fragment(fb, 1);
    wmma::fill_fragment(fc, 100);
    wmma::mma_sync(fd, fa, fb, fc);
    wmma::store_matrix_sync(out, fd, 8, wmma::mem_col_major);
    out[64] = fa.num_elements * 100 + fa.num_storage_elements;
    out[65] = sizeof(fa) * 10 + sizeof(fa.x[0]);
}
extern "C" {
__global__ void product_s4(const unsigned char *a, const unsigned char *b,
                           const int *c, int *out, int satf)
{
    product<bits::s4>(a, b, c, out, satf);
}
__global__ void product_u4(const unsigned char *a, const unsigned char *b,
                           const int *c, int *out, int satf)
{
    product<bits::u4>(a, b, c, out, satf);
}
__global__ void filled_4(int *out, int v)
{
    filled<bits::s4>(out, v);
    filled<bits::u4>(out + 66, v);
}
__global__ void product_b1(const unsigned *a, const unsigned *b, const int *c,
                           int *out, int op)
{
    int warp = (threadIdx.y * blockDim.x + threadIdx.x) / 32;
    A<bits::b1, 128> fa;
    B<bits::b1, 128> fb;
    C<128> fc, fd;
    wmma::load_matrix_sync(fa, a + 64 * warp, 256);
    wmma::load_matrix_sync(fb, b + 32 * warp, 128);
    wmma::load_matrix_sync(fc, c, 8, wmma::mem_col_major);
    if (op) {
        wmma::bmma_sync(fd, fa, fb, fc, wmma::experimental::bmmaBitOpAND,
                        wmma::experimental::bmmaAccumulateOpPOPC);
    } else {
        wmma::bmma_sync(fd, fa, fb, fc);
    }
    wmma::store_matrix_sync(out + 96 * warp, fd, 12, wmma::mem_row_major);
}
__global__ void filled_1(int *out, unsigned v)
{
    A<bits::b1, 128> fa;
    B<bits::b1, 128> fb;
    C<128> fc;
    wmma::fill_fragment(fa, v);
    wmma::fill_fragment(fb, 1);
    wmma::fill_fragment(fc, -5);
    fb.x[0] &= 0x00ff0f03;
    wmma::bmma_sync(fc, fa, fb, fc, wmma::experimental::bmmaBitOpAND);
    wmma::store_matrix_sync(out, fc, 8, wmma::mem_row_major);
    out[64] = fa.num_elements * 100 + fa.num_storage_elements;
    out[65] = sizeof(fa) * 10 + sizeof(fa.x[0]);
}
}
"""
#: blocks with whole warps as rows, and blocks with several rows per warp
BLOCKS = pytest.mark.parametrize("block", [(64, 1, 1), (8, 8, 1)])


@pytest.fixture(scope="module")
def module(device):
    """Compile all kernels together."""
    skip_without("mma.h", device)
    capability = cuda.Context.get_device().compute_capability()
    if device == "gpu" and capability < (8, 0):
        pytest.skip("bmmaBitOpAND needs compute capability 8.0")
    return SourceModule(SOURCE, no_extern_c=True, options=["-std=c++17"])


def packed(x, width, bits):
    """Pack rows of small integers into bytes, padded with random bits."""
    random = np.random.default_rng(3)
    wide = random.integers(0, 1 << bits, (*x.shape[:-1], width))
    wide[..., : x.shape[-1]] = x & ((1 << bits) - 1)
    each = (wide[..., None] >> np.arange(bits)) & 1
    return np.packbits(
        each.astype(np.uint8).reshape(*x.shape[:-1], -1),
        axis=-1,
        bitorder="little",
    )


def matrices(low, high, shape, seed):
    """Return random matrices; each first row has the extreme values."""
    random = np.random.default_rng(seed)
    x = random.integers(low, high, shape, endpoint=True)
    x[:, 0] = low
    x[:, 1] = high
    return x


@BLOCKS
@pytest.mark.parametrize("satf", [0, 1])
@pytest.mark.parametrize("kind", ["s4", "u4"])
def test_products_of_4_bits(module, kind, satf, block):
    low, high = (-8, 7) if kind == "s4" else (0, 15)
    a = matrices(low, high, (2, 8, 32), 1)
    b = matrices(low, high, (2, 8, 32), 2)  # column-major
    c = matrices(-(2**31), 2**31 - 1, (1, 8, 8), 4)[0]
    c[:, 4:] //= 1 << 16
    out = np.zeros((2, 8, 12), np.int32)
    module.get_function(f"product_{kind}")(
        cuda.In(packed(a, 64, 4)),
        cuda.In(packed(b, 96, 4)),
        cuda.In(c.astype(np.int32)),
        cuda.InOut(out),
        np.int32(satf),
        block=block,
    )
    for warp in range(2):
        wanted = a[warp] @ b[warp].T + c
        if satf:
            wanted = wanted.clip(-(2**31), 2**31 - 1)
        assert np.array_equal(out[warp, :, :8], wanted.astype(np.int32))
    assert not out[:, :, 8:].any()


@BLOCKS
@pytest.mark.parametrize("op", [0, 1])
def test_products_of_single_bits(module, op, block):
    a = matrices(0, 1, (2, 8, 128), 5)
    b = matrices(0, 1, (2, 8, 128), 6)
    c = matrices(-(2**31), 2**31 - 1, (1, 8, 8), 7)[0]
    out = np.zeros((2, 8, 12), np.int32)
    module.get_function("product_b1")(
        cuda.In(packed(a, 256, 1)),
        cuda.In(packed(b, 128, 1)),
        cuda.In(np.ascontiguousarray(c.T, np.int32)),
        cuda.InOut(out),
        np.int32(op),
        block=block,
    )
    for warp in range(2):
        left, right = a[warp][:, None], b[warp][None]
        count = ((left & right) if op else (left ^ right)).sum(-1)
        wanted = (count + c).astype(np.int32)
        assert np.array_equal(out[warp, :, :8], wanted)
    assert not out[:, :, 8:].any()


def test_filled_fragments(module):
    """All elements become the low bits of the value."""
    for v in (0, 1, 5, 7, 8, 15, -1, -8, 16 + 3, 1 << 30):
        out = np.zeros((2, 66), np.int32)
        module.get_function("filled_4")(
            cuda.InOut(out), np.int32(v), block=(32, 1, 1)
        )
        low = v & 15
        signed = low - 16 if low > 7 else low
        assert (out[0, :64] == 100 + 32 * signed).all(), v
        assert (out[1, :64] == 100 + 32 * low).all(), v
        assert out[:, 64:].tolist() == [[801, 84]] * 2
    for v in (0, 1, 2, 3, 0xFFFFFFFF):
        out = np.zeros(66, np.int32)
        module.get_function("filled_1")(
            cuda.InOut(out), np.uint32(v), block=(32, 1, 1)
        )
        assert (out[:64] == (4 * 14 if v & 1 else 0) - 5).all(), v
        assert out[64:].tolist() == [3201, 84]


@pytest.mark.parametrize(
    "statement",
    [
        "wmma::fragment<wmma::matrix_a, 8, 8, 32, bits::s4, wmma::col_major>"
        " f",
        "wmma::fragment<wmma::matrix_b, 8, 8, 128, bits::b1, wmma::row_major>"
        " f",
        "wmma::fragment<wmma::matrix_a, 16, 16, 32, bits::u4,"
        " wmma::row_major> f",
        "C<128> f; A<bits::b1, 128> a; B<bits::b1, 128> b;"
        " wmma::mma_sync(f, a, b, f)",
        "C<32> f; A<bits::s4, 32> a; B<bits::u4, 32> b;"
        " wmma::mma_sync(f, a, b, f)",
    ],
)
def test_what_there_is_not(device, statement):
    skip_without("mma.h", device)
    head = SOURCE[: SOURCE.index("/* Each warp")]
    source = f"{head} __global__ void k() {{ {statement}; (void)f; }}"
    with pytest.raises(cuda.CompileError, match="wmma"):
        SourceModule(source, no_extern_c=True, options=["-std=c++17"])
