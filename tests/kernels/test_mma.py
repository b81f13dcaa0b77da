"""mma.h: matrix products by warps, in every shape, type and layout."""

import numpy as np
import pytest
from nvidia_headers import skip_without

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

#: name -> element type in C, in NumPy, of accumulators, minimum capability
TYPES = {
    "half": ("half", np.uint16, ("float", "half"), (7, 0)),
    "bfloat16": ("__nv_bfloat16", np.uint16, ("float",), (8, 0)),
    "tf32": ("wmma::precision::tf32", np.float32, ("float",), (8, 0)),
    "schar": ("signed char", np.int8, ("int",), (7, 2)),
    "uchar": ("unsigned char", np.uint8, ("int",), (7, 2)),
    "double": ("double", np.float64, ("double",), (8, 0)),
}
SUMS = {
    "float": np.float32,
    "half": np.float16,
    "int": np.int32,
    "double": np.float64,
}
SHAPES = {"tf32": [(16, 16, 8)], "double": [(8, 8, 4)]}
WIDE = [(16, 16, 16), (32, 8, 16), (8, 32, 16)]
CASES = [
    (name, sums, shape)
    for name, (_, _, accumulators, _) in TYPES.items()
    for sums in accumulators
    for shape in SHAPES.get(name, WIDE)
]
HEAD = "#include <mma.h>\nusing namespace nvcuda;\n"


@pytest.fixture(scope="module", autouse=True)
def header(device):
    """Return the header under test."""
    skip_without("mma.h", device)


def needs(name, device):
    capability = cuda.Context.get_device().compute_capability()
    if device == "gpu" and capability < TYPES[name][3]:
        pytest.skip(f"{name} needs compute capability {TYPES[name][3]}")


def numbers(name, shape, seed):
    """Return elements in their memory format, and their values as float64."""
    random = np.random.default_rng(seed)
    if name in ("schar", "uchar"):
        limits = np.iinfo(TYPES[name][1])
        x = random.integers(limits.min, limits.max, shape, endpoint=True)
        return x.astype(TYPES[name][1]), x.astype(np.float64)
    x = random.standard_normal(shape)
    if name == "double":
        return x, x
    if name == "half":
        x = x.astype(np.float16)
        return x.view(np.uint16), x.astype(np.float64)
    bits = x.astype(np.float32).view(np.uint32)
    if name == "bfloat16":
        bits &= np.uint32(0xFFFF0000)
        return (bits >> 16).astype(np.uint16), values(bits)
    bits &= np.uint32(0xFFFFE000)
    return bits.view(np.float32), values(bits)


def values(bits):
    return bits.view(np.float32).astype(np.float64)


def in_memory(x, layout, stride):
    """Return the matrix by rows or columns, with a leading dimension."""
    x = x if layout == "row" else x.T
    wide = np.zeros((x.shape[0], stride), x.dtype)
    wide[:, : x.shape[1]] = x
    return wide


def tolerance(sums):
    return {"float": 3e-6, "half": 2e-3, "int": 0, "double": 1e-14}[sums]


def run(source, *arrays, block=(32, 1, 1), grid=(1, 1), name="k"):
    SourceModule(HEAD + source).get_function(name)(
        *(cuda.InOut(x) for x in arrays), block=block, grid=grid
    )


@pytest.mark.sweep(most=12)
@pytest.mark.parametrize(
    "layouts", ["row row", "row col", "col row", "col col"]
)
@pytest.mark.parametrize(
    ("name", "sums", "shape"),
    CASES,
    ids=[f"{n}-{s}-{'x'.join(map(str, z))}" for n, s, z in CASES],
)
def test_a_product(device, name, sums, shape, layouts):
    needs(name, device)
    m, n, k = shape
    layout_a, layout_b = layouts.split()
    layout_c = layout_b if m != n else layout_a
    a, exact_a = numbers(name, (m, k), 1)
    b, exact_b = numbers(name, (k, n), 2)
    c = (np.arange(m * n).reshape(m, n) % 31 - 15).astype(SUMS[sums])
    strides = (48, 64, 80)
    given = [
        in_memory(x, layout, stride)
        for x, layout, stride in zip(
            (a, b, c), (layout_a, layout_b, layout_c), strides, strict=True
        )
    ]
    element = TYPES[name][0]
    out = np.zeros((m, 40), SUMS[sums])
    stored = {np.dtype("u2"): element, np.dtype("f4"): "float"}.get(
        a.dtype, element
    )
    run(
        f"""
        __global__ void k(const {stored} *a, const {stored} *b,
                          const {sums} *c, {sums} *out)
        {{
            wmma::fragment<wmma::matrix_a, {m}, {n}, {k}, {element},
                           wmma::{layout_a}_major> fa;
            wmma::fragment<wmma::matrix_b, {m}, {n}, {k}, {element},
                           wmma::{layout_b}_major> fb;
            wmma::fragment<wmma::accumulator, {m}, {n}, {k}, {sums}> fc, fd;
            wmma::load_matrix_sync(fa, a, {strides[0]});
            wmma::load_matrix_sync(fb, b, {strides[1]});
            wmma::load_matrix_sync(fc, c, {strides[2]},
                                   wmma::mem_{layout_c}_major);
            wmma::mma_sync(fd, fa, fb, fc);
            wmma::mma_sync(fd, fa, fb, fd);
            wmma::store_matrix_sync(out, fd, 40, wmma::mem_row_major);
        }}
        """,
        *given,
        out,
    )
    wanted = 2 * (exact_a @ exact_b) + c.astype(np.float64)
    scale = 2 * (abs(exact_a) @ abs(exact_b)) + abs(c.astype(np.float64))
    assert (abs(out[:, :n] - wanted) <= tolerance(sums) * scale).all()
    assert not out[:, n:].any()


def test_halves_to_floats_and_back():
    """Matrices c and d may have different types."""
    a, exact_a = numbers("half", (16, 16), 3)
    b, exact_b = numbers("half", (16, 16), 4)
    out, back = np.zeros((16, 16), np.float32), np.zeros((16, 16), np.float16)
    run(
        """
        __global__ void k(const half *a, const half *b, float *o, half *p)
        {
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>
                fa;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>
                fb;
            wmma::fragment<wmma::accumulator, 16, 16, 16, half> fh;
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> ff;
            wmma::fill_fragment(fh, __float2half(2.0f));
            wmma::mma_sync(ff, fa, fb, fh);
            wmma::load_matrix_sync(fa, a, 16);
            wmma::load_matrix_sync(fb, b, 16);
            wmma::mma_sync(ff, fa, fb, fh);
            wmma::mma_sync(fh, fa, fb, ff);
            wmma::store_matrix_sync(o, ff, 16, wmma::mem_row_major);
            wmma::store_matrix_sync(p, fh, 16, wmma::mem_col_major);
        }
        """,
        *(a, b, out, back),
    )
    wanted = exact_a @ exact_b + 2
    assert np.allclose(out, wanted, rtol=1e-5, atol=1e-5)
    wanted += exact_a @ exact_b
    assert np.allclose(back.T, wanted, rtol=2e-3, atol=2e-3)


@pytest.mark.parametrize("block", [(32, 2, 1), (64, 1, 1), (16, 4, 1)])
def test_elements(block):
    """Each lane processes its own elements; blocks of 16 by 4 split warps."""
    a, exact_a = numbers("half", (16, 16), 5)
    c = np.arange(256, dtype=np.float32).reshape(16, 16)
    out = np.zeros((2, 16, 16), np.float32)
    count = np.zeros(4, np.int32)
    run(
        """
        __global__ void k(const half *a, const float *c, float *out,
                          int *count)
        {
            int t = threadIdx.y * blockDim.x + threadIdx.x;
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>
                fa;
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major>
                fb;
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc, sum, one;
            wmma::load_matrix_sync(fa, a, 16);
            wmma::load_matrix_sync(fb, a, 16);
            wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
            wmma::fill_fragment(sum, 0.0f);
            wmma::fill_fragment(one, 1.0f);
            for (int i = 0; i < fa.num_elements; i++)
                fa.x[i] = __float2half(__half2float(fa.x[i]) * (t / 32 + 1));
            wmma::mma_sync(sum, fa, fb, sum);
            for (int i = 0; i < sum.num_elements; i++)
                sum.x[i] = sum.x[i] + 3.0f * fc.x[i] - one.x[i];
            wmma::store_matrix_sync(out + t / 32 * 256, sum, 16,
                                    wmma::mem_row_major);
            atomicAdd(count, fc.num_elements);
            typedef decltype(fc)::element_type element;
            typedef decltype(fa)::storage_element_type stored;
            count[1] = sizeof(element) * 10 + sizeof(stored);
        }
        """,
        *(a, c, out, count),
        block=block,
    )
    for warp in range(2):
        wanted = (warp + 1) * (exact_a @ exact_a.T) + 3 * c - 1
        assert np.allclose(out[warp], wanted, rtol=1e-5, atol=1e-4)
    assert count.tolist() == [512, 42, 0, 0]


GEMM = """
__global__ void gemm(const half *a, const half *b, float *c)
{
    enum { SIZE = 96, DEEP = 80 };
    __shared__ __align__(32) half left[32 * 16], right[16 * 32];
    int t = threadIdx.y * blockDim.x + threadIdx.x, warp = t / 32;
    int row = blockIdx.y * 32, column = blockIdx.x * 32;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k = 0; k < DEEP; k += 16) {
        for (int i = t; i < 512; i += 128) {
            left[i] = a[(row + i / 16) * DEEP + k + i % 16];
            right[i] = b[(k + i / 32) * SIZE + column + i % 32];
        }
        __syncthreads();
        wmma::load_matrix_sync(fa, left + warp / 2 * 256, 16);
        wmma::load_matrix_sync(fb, right + warp % 2 * 16, 32);
        wmma::mma_sync(sum, fa, fb, sum);
        __syncthreads();
    }
    c += (row + warp / 2 * 16) * SIZE + column + warp % 2 * 16;
    wmma::store_matrix_sync(c, sum, SIZE, wmma::mem_row_major);
}
"""


@pytest.mark.parametrize("block", [(128, 1, 1), (32, 4, 1), (8, 16, 1)])
def test_a_large_product_by_tiles(block):
    a, exact_a = numbers("half", (96, 80), 6)
    b, exact_b = numbers("half", (80, 96), 7)
    c = np.zeros((96, 96), np.float32)
    run(GEMM, a, b, c, block=block, grid=(3, 3), name="gemm")
    assert np.allclose(c, exact_a @ exact_b, rtol=1e-4, atol=1e-4)


def test_many_products_in_turn():
    """Arrays of fragments; a warp may skip all products."""
    a, exact_a = numbers("half", (2, 16, 16), 8)
    b, exact_b = numbers("half", (2, 16, 16), 9)
    out = np.zeros((4, 16, 16), np.float32)
    run(
        """
        __global__ void k(const half *a, const half *b, float *out)
        {
            if (threadIdx.x < 32) return;
            wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>
                fa[2];
            wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major>
                fb[2];
            wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum[2][2];
            for (int i = 0; i < 2; i++) {
                wmma::load_matrix_sync(fa[i], a + 256 * i, 16);
                wmma::load_matrix_sync(fb[i], b + 256 * i, 16);
                for (int j = 0; j < 2; j++)
                    wmma::fill_fragment(sum[i][j], i - 2.0f * j);
            }
            for (int i = 0; i < 2; i++)
                for (int j = 0; j < 2; j++)
                    wmma::mma_sync(sum[i][j], fa[i], fb[j], sum[i][j]);
            for (int i = 0; i < 4; i++)
                wmma::store_matrix_sync(out + 256 * i, sum[i / 2][i % 2], 16,
                                        wmma::mem_row_major);
        }
        """,
        *(a, b, out),
        block=(64, 1, 1),
    )
    for i in range(2):
        for j in range(2):
            wanted = exact_a[i] @ exact_b[j] + i - 2 * j
            assert np.allclose(out[2 * i + j], wanted, rtol=1e-5, atol=1e-5)


SATURATION = """
__global__ void k(const T *a, const S *c, S *out)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, T, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, T, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, S> fc, fd;
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, a, 16);
    wmma::load_matrix_sync(fc, c, 16, wmma::mem_row_major);
    wmma::mma_sync(fd, fa, fb, fc, true);
    wmma::store_matrix_sync(out, fd, 16, wmma::mem_row_major);
    wmma::mma_sync(fd, fa, fb, fc);
    wmma::store_matrix_sync(out + 256, fd, 16, wmma::mem_row_major);
}
"""


def test_sums_of_integers_saturate_or_wrap(device):
    needs("schar", device)
    a, exact = numbers("schar", (16, 16), 10)
    random = np.random.default_rng(11)
    c = random.choice([2**31 - 1, -(2**31), 2**31 - 9000, 0], (16, 16))
    c = c.astype(np.int32)
    out = np.zeros((2, 16, 16), np.int32)
    source = SATURATION.replace("T", "signed char").replace("S", "int")
    run(source, a, c, out)
    wanted = (exact @ exact.T).astype(np.int64) + c
    assert np.array_equal(out[0], np.clip(wanted, -(2**31), 2**31 - 1))
    assert np.array_equal(out[1], wanted.astype(np.int32))
    assert (out[0] != out[1]).any()


def test_floats_to_tf32(device):
    """Rounding is to nearest with 11 digits, ties away from zero."""
    needs("tf32", device)
    random = np.random.default_rng(12)
    bits = random.integers(0, 2**32, 4096).astype(np.uint32)
    bits[:1024] = bits[:1024] & ~np.uint32(0x1FFF) | np.uint32(0x1000)
    bits = bits[(bits & 0x7F800000) != 0x7F800000]
    x = np.concatenate([bits.view(np.float32), np.float32([np.inf, -np.inf])])
    found = x.copy()
    run(
        "__global__ void k(float *x) { int i = blockIdx.x * blockDim.x"
        " + threadIdx.x; x[i] = wmma::__float_to_tf32(x[i]); }",
        found,
        block=(1, 1, 1),
        grid=(len(x), 1),
    )
    # the low bits are ignored
    wanted = (x.view(np.uint32) + np.uint32(0x1000)) >> 13
    assert np.array_equal(found.view(np.uint32) >> 13, wanted)


@pytest.mark.parametrize(
    "fragment",
    [
        "wmma::matrix_a, 16, 16, 8, half, wmma::row_major",
        "wmma::matrix_a, 16, 16, 16, half",
        "wmma::matrix_b, 16, 16, 16, wmma::precision::tf32, wmma::row_major",
        "wmma::accumulator, 16, 16, 16, __nv_bfloat16",
        "wmma::accumulator, 8, 8, 4, float",
    ],
)
def test_what_there_is_not(fragment):
    source = (
        f"__global__ void k() {{ wmma::fragment<{fragment}> f; (void)f; }}"
    )
    with pytest.raises(cuda.CompileError, match="fragment"):
        SourceModule(HEAD + source)


@pytest.mark.cpu  # as in NVRTC 13; older versions may accept the argument
@pytest.mark.parametrize("sums", ["half", "float"])
def test_sums_of_floats_do_not_saturate(sums):
    source = SATURATION.replace("T", "half").replace("S", sums)
    with pytest.raises(cuda.CompileError, match="mma_sync"):
        SourceModule(HEAD + source)
