"""Texture references: sampling, filters, addressing, integers."""

import numpy as np
import pytest
import reference

import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

SAMPLE_2D = """
texture<float, 2> tex;
__global__ void kernel(float *out, const float *x, const float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex2D(tex, x[i], y[i]);
}
"""


class Sampler:
    """A matrix bound to `tex`, sampled at given points."""

    def __init__(self, matrix: np.ndarray) -> None:
        module = SourceModule(SAMPLE_2D)
        self.texture = module.get_texref("tex")
        self.function = module.get_function("kernel")
        cuda.matrix_to_texref(matrix, self.texture, order="C")

    def __call__(self, x: np.ndarray, y: np.ndarray) -> np.ndarray:
        x, y = np.broadcast_arrays(x, y)
        out = np.empty(x.shape, np.float32)
        self.function(
            cuda.Out(out),
            cuda.In(np.ascontiguousarray(x, np.float32)),
            cuda.In(np.ascontiguousarray(y, np.float32)),
            np.int32(x.size),
            block=(64, 1, 1),
            grid=(-(-x.size // 64), 1),
            texrefs=[self.texture],
        )
        return out


MATRIX = np.random.default_rng(1).standard_normal((7, 9)).astype(np.float32)
X, Y = np.meshgrid(np.linspace(-2, 11, 53), np.linspace(-2, 9, 45))


def clamped(x, y):
    """Return the texel at integer coordinates, clamped to the border."""
    return MATRIX[np.clip(y, 0, 6), np.clip(x, 0, 8)]


def test_nearest_texel():
    found = Sampler(MATRIX)(X, Y)
    x, y = np.floor(X).astype(int), np.floor(Y).astype(int)
    assert np.array_equal(found, clamped(x, y))


def test_linear_filter():
    sampler = Sampler(MATRIX)
    sampler.texture.set_filter_mode(cuda.filter_mode.LINEAR)
    # Multiples of 1/8 are exact in a texture unit's 8 bits of fraction.
    gx, gy = np.meshgrid(np.arange(-16, 88) / 8, np.arange(-16, 72) / 8)
    found = sampler(gx, gy)
    x0, y0 = np.floor(gx - 0.5).astype(int), np.floor(gy - 0.5).astype(int)
    a, b = gx - 0.5 - x0, gy - 0.5 - y0
    expected = (
        (1 - a) * (1 - b) * clamped(x0, y0)
        + a * (1 - b) * clamped(x0 + 1, y0)
        + (1 - a) * b * clamped(x0, y0 + 1)
        + a * b * clamped(x0 + 1, y0 + 1)
    )
    assert np.allclose(found, expected, atol=1e-5)


@pytest.mark.parametrize("mode", ["WRAP", "MIRROR"])
def test_addressing_of_normalized_coordinates(mode):
    sampler = Sampler(MATRIX)
    texture = sampler.texture
    texture.set_flags(cuda.TRSF_NORMALIZED_COORDINATES)
    for axis in (0, 1):
        texture.set_address_mode(axis, getattr(cuda.address_mode, mode))
    # Texel centers, on all sides of the matrix.
    i, j = np.arange(-18, 27), np.arange(-14, 21)
    gx, gy = np.meshgrid((i + 0.5) / 9, (j + 0.5) / 7)
    found = sampler(gx, gy)

    def index(k, n):
        if mode == "WRAP":
            return k % n
        k = k % (2 * n)
        return np.where(k < n, k, 2 * n - 1 - k)

    assert np.array_equal(
        found, MATRIX[index(j, 7)[:, None], index(i, 9)[None, :]]
    )


def test_border_is_zero():
    sampler = Sampler(MATRIX)
    for axis in (0, 1):
        sampler.texture.set_address_mode(axis, cuda.address_mode.BORDER)
    x, y = np.floor(X).astype(int), np.floor(Y).astype(int)
    inside = (x >= 0) & (x < 9) & (y >= 0) & (y < 7)
    assert np.array_equal(
        sampler(X, Y), np.where(inside, clamped(x, y), np.float32(0))
    )


INTEGERS = """
texture<{ctype}, 1, cudaReadModeElementType> numbers;
__global__ void kernel(long long *out, int n)
{{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = tex1Dfetch(numbers, i);
}}
"""


@pytest.mark.parametrize(
    ("ctype", "dtype"),
    [
        ("int", np.int32),
        ("unsigned int", np.uint32),
        ("short", np.int16),
        ("unsigned char", np.uint8),
        ("signed char", np.int8),
    ],
)
def test_integers_from_linear_memory(ctype, dtype):
    module = SourceModule(INTEGERS.format(ctype=ctype))
    texture = module.get_texref("numbers")
    limits = np.iinfo(dtype)
    x = np.random.default_rng(2).integers(
        limits.min, limits.max, 300, dtype, endpoint=True
    )
    x_gpu = gpuarray.to_gpu(x)
    assert x_gpu.bind_to_texref_ext(texture) == 0
    out = np.empty(300, np.int64)
    module.get_function("kernel")(
        cuda.Out(out),
        np.int32(300),
        block=(100, 1, 1),
        grid=(3, 1),
        texrefs=[texture],
    )
    assert np.array_equal(out, x)


CHANNELS = """
texture<float4, 1> quads;
__global__ void kernel(float *out)
{
    float4 v = tex1Dfetch(quads, threadIdx.x);
    out[threadIdx.x] = v.x + 10 * v.y + 100 * v.z + 1000 * v.w;
}
"""


def test_four_channels():
    module = SourceModule(CHANNELS)
    texture = module.get_texref("quads")
    x = np.random.default_rng(3).integers(0, 9, (32, 4)).astype(np.float32)
    x_gpu = gpuarray.to_gpu(x)
    x_gpu.bind_to_texref_ext(texture, channels=4)
    out = np.empty(32, np.float32)
    module.get_function("kernel")(
        cuda.Out(out), block=(32, 1, 1), texrefs=[texture]
    )
    assert np.array_equal(out, x @ [1, 10, 100, 1000])


NAMES = """
/* A comment about texture<float, 3> and a "texture <" in a string. */
typedef texture<float, 1> float_texture;
static texture<float, 1> first;
float_texture second;

__device__ float read(texture<float, 1> t, int i)
{
    return tex1Dfetch(t, i);
}

struct holder { int texture; };
__constant__ float factor = 2;
__device__ int launches;

__global__ void kernel(float *out, int texture)
{
    struct holder h = { texture };
    __shared__ float shared[32];
    shared[threadIdx.x] = read(first, threadIdx.x) * factor;
    __syncthreads();
    out[threadIdx.x] = shared[31 - threadIdx.x]
        + tex1Dfetch(second, h.texture);
    if (threadIdx.x == 0)
        ++launches;
}
"""


def test_references_beside_everything_else():
    module = SourceModule(NAMES)
    first, second = module.get_texref("first"), module.get_texref("second")
    x, y = np.random.default_rng(4).standard_normal((2, 32))
    x, y = x.astype(np.float32), y.astype(np.float32)
    x_gpu, y_gpu = gpuarray.to_gpu(x), gpuarray.to_gpu(y)
    x_gpu.bind_to_texref_ext(first)
    y_gpu.bind_to_texref_ext(second)
    out = np.empty(32, np.float32)
    function = module.get_function("kernel")
    textures = [first, second]
    function(cuda.Out(out), np.int32(3), block=(32, 1, 1), texrefs=textures)
    assert np.array_equal(out, x[::-1] * 2 + y[3])
    # The reference is bound to another array between two launches.
    y_gpu.bind_to_texref_ext(first)
    function(cuda.Out(out), np.int32(5), block=(32, 1, 1), texrefs=textures)
    assert np.array_equal(out, y[::-1] * 2 + y[5])


OBJECTS = """
__global__ void kernel(float *out, cudaTextureObject_t texture)
{
    out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x);
}
"""


def test_a_parameter_may_be_called_texture():
    assert reference.kernel(OBJECTS) is not None
