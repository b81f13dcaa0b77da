"""Surfaces: reads and writes of every shape, element and boundary mode."""

import numpy as np
import pytest
import texture_cases as cases

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda.compiler import SourceModule

#: shape of texture_cases -> (size in texels as (slices, height, width),
#: coordinates after x in the call)
SHAPES = {
    "1D": ((1, 1, 8), ""),
    "2D": ((1, 5, 8), ", y"),
    "3D": ((3, 5, 8), ", y, z"),
    "1DLayered": ((3, 1, 8), ", z"),
    "2DLayered": ((3, 5, 8), ", y, z"),
    "Cubemap": ((6, 4, 4), ", y, z"),
    "CubemapLayered": ((12, 4, 4), ", y, z"),
}
DTYPES = {
    "unsigned char": (np.uint8, 1),
    "short2": (np.int16, 2),
    "float": (np.float32, 1),
    "int2": (np.int32, 2),
    "float4": (np.float32, 4),
}

OBJECTS = """
__global__ void roll(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w)
{
    int x = threadIdx.x, y = threadIdx.y, z = blockIdx.x;
    (void)y; (void)z;
    T value = surfSHAPEread<T>(from, x * (int)sizeof(T) AT);
    T again;
    surfSHAPEread(&again, from, x * (int)sizeof(T) AT,
                  cudaBoundaryModeClamp);
    x = (x + 1) % w;
    surfSHAPEwrite(again, to, x * (int)sizeof(T) AT);
    surfSHAPEwrite(value, to, x * (int)sizeof(T) AT, cudaBoundaryModeZero);
}
"""

REFERENCES = """
surface<void, cudaSurfaceTypeSHAPE> from;
surface<void, cudaSurfaceTypeSHAPE> to;
""" + OBJECTS.replace("cudaSurfaceObject_t from, cudaSurfaceObject_t to, ", "")


def made(dtype, channels, shape):
    """Return random texels of a shape, and an array that contains them."""
    size = (*SHAPES[shape][0], channels)
    random = np.random.default_rng(5)
    data = random.integers(0, 100, size).astype(dtype)
    flags = cuda.array3d_flags.SURFACE_LDST
    return data, cases.fill_array(data, shape, flags)


def read_back(array, like):
    slices, height, width, channels = like.shape
    out = np.empty_like(like)
    copy = cuda.Memcpy3D()
    copy.set_src_array(array)
    copy.set_dst_host(out)
    copy.width_in_bytes = copy.dst_pitch = width * channels * like.itemsize
    copy.dst_height = copy.height = height
    copy.depth = slices
    copy()
    return out


def text(template, T, shape):
    template = template.replace("SHAPE", shape).replace("AT", SHAPES[shape][1])
    return (
        template.replace("<T>", f"<{T}>")
        .replace("(T)", f"({T})")
        .replace(" T ", f" {T} ")
    )


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("T", DTYPES)
def test_objects(T, shape):
    data, source = made(*DTYPES[T], shape)
    _, target = made(*DTYPES[T], shape)
    slices, height, width, _ = data.shape
    SourceModule(text(OBJECTS, T, shape)).get_function("roll")(
        cuda.SurfaceObject(source),
        cuda.SurfaceObject(target),
        np.int32(width),
        block=(width, height, 1),
        grid=(slices, 1),
    )
    found = read_back(target, data)
    assert np.array_equal(found, np.roll(data, 1, axis=2))


@pytest.mark.parametrize("shape", SHAPES)
def test_references(shape):
    data, source = made(np.float32, 1, shape)
    _, target = made(np.float32, 1, shape)
    module = SourceModule(text(REFERENCES, "float", shape))
    module.get_surfref("from").set_array(source)
    to = module.get_surfref("to")
    to.set_array(target)
    assert to.get_array().handle == target.handle > 0
    slices, height, width, _ = data.shape
    module.get_function("roll")(
        np.int32(width), block=(width, height, 1), grid=(slices, 1)
    )
    found = read_back(target, data)
    assert np.array_equal(found, np.roll(data, 1, axis=2))


BOUNDARIES = """
__global__ void clamp(cudaSurfaceObject_t s, float *out, int w, int h)
{
    int x = (int)threadIdx.x - 2, y = (int)threadIdx.y - 2;
    int i = threadIdx.y * blockDim.x + threadIdx.x;
    out[i] = surf2Dread<float>(s, x * 4, y, cudaBoundaryModeClamp);
    out[i + blockDim.x * blockDim.y]
        = surf2Dread<float>(s, x * 4, y, cudaBoundaryModeZero);
    if (x < 0 || y < 0 || x >= w || y >= h)
        surf2Dwrite(1e9f, s, x * 4, y, cudaBoundaryModeZero);
}
__global__ void corners(cudaSurfaceObject_t s)
{
    surf2Dwrite(-5.f, s, -400, -7, cudaBoundaryModeClamp);
    surf2Dwrite(-6.f, s, 400, 70, cudaBoundaryModeClamp);
}
"""


def test_clamp_and_zero():
    data, array = made(np.float32, 1, "2D")
    surface = cuda.SurfaceObject(array)
    module = SourceModule(BOUNDARIES)
    out = np.empty((2, 9, 12), np.float32)
    module.get_function("clamp")(
        surface,
        cuda.Out(out),
        np.int32(8),
        np.int32(5),
        block=(12, 9, 1),
    )
    plane = data[0, :, :, 0]
    assert np.array_equal(out[0], np.pad(plane, 2, mode="edge"))
    assert np.array_equal(out[1], np.pad(plane, 2))
    assert np.array_equal(read_back(array, data), data), "nothing was written"
    module.get_function("corners")(surface, block=(1, 1, 1))
    data[0, 0, 0], data[0, -1, -1] = -5, -6
    assert np.array_equal(read_back(array, data), data)


@pytest.mark.cpu
def test_trap_names_the_launch():
    source = """
    __global__ void outside(cudaSurfaceObject_t s)
    { surf2Dwrite(1.f, s, 4 * (8 + threadIdx.x), 0); }
    """
    context = cuda.Device(0).make_context()
    try:
        _, array = made(np.float32, 1, "2D")
        function = SourceModule(source).get_function("outside")
        function(cuda.SurfaceObject(array), block=(1, 1, 1))
        with pytest.raises(cuda.Error, match=r"launch failed|failure|719"):
            context.synchronize()
    finally:
        context.pop()


@pytest.mark.cpu  # a GPU's driver accepts it
def test_an_array_without_the_flag_is_refused():
    plain = cases.fill_array(np.zeros((1, 4, 4, 1), np.float32), "2D")
    with pytest.raises(cuda.Error, match="SURFACE_LDST"):
        cuda.SurfaceObject(plain)
    with pytest.raises(TypeError, match="expected an Array, got int"):
        cuda.SurfaceObject(5)
