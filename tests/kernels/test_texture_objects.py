"""Texture objects, and texture references beyond plain sampling."""

import gc

import numpy as np
import pytest
import texture_cases as cases

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda import gpuarray
from pycuda.compiler import SourceModule

LINE = """
__global__ void line(float *out, cudaTextureObject_t t)
{ out[threadIdx.x] = tex1Dfetch<float>(t, (int)threadIdx.x - 1); }
"""


def test_linear_memory_of_an_array():
    x = gpuarray.arange(30, dtype=np.float32)
    texture = cuda.TextureObject(x)
    assert texture.resource is x
    out = np.empty(32, np.float32)
    function = SourceModule(LINE).get_function("line")
    function(cuda.Out(out), texture, block=(32, 1, 1))
    assert np.array_equal(out, [0, *range(30), 0]), "0 outside"
    function.prepare("PQ")
    out_gpu = gpuarray.empty(32, np.float32)
    function.prepared_call((1, 1), (32, 1, 1), out_gpu.gpudata, int(texture))
    assert np.array_equal(out_gpu.get(), out)


def test_the_object_keeps_its_memory():
    x = gpuarray.arange(30, dtype=np.float32)
    texture = cuda.TextureObject(x)
    del x
    gc.collect()
    others = [gpuarray.zeros(30, np.float32) + 7 for _ in range(4)]
    out = np.empty(32, np.float32)
    SourceModule(LINE).get_function("line")(
        cuda.Out(out), texture, block=(32, 1, 1)
    )
    assert np.array_equal(out[1:31], np.arange(30)), len(others)


def test_pitched_memory():
    memory, pitch = cuda.mem_alloc_pitch(6 * 4, 4, 4)
    image = np.arange(24, dtype=np.int32).reshape(4, 6)
    copy = cuda.Memcpy2D()
    copy.set_src_host(image)
    copy.set_dst_device(memory)
    copy.src_pitch = copy.width_in_bytes = 24
    copy.dst_pitch, copy.height = pitch, 4
    copy(aligned=True)
    descr = cuda.ArrayDescriptor()
    descr.width, descr.height = 6, 4
    descr.format, descr.num_channels = cuda.array_format.SIGNED_INT32, 1
    source = """
    texture<int, 2> reference;
    __global__ void f(int *out, cudaTextureObject_t t)
    {
        int i = threadIdx.y * 6 + threadIdx.x;
        out[i] = tex2D<int>(t, threadIdx.x + .5f, threadIdx.y + .5f);
        out[i + 24] = tex2D(reference, threadIdx.x, threadIdx.y);
    }
    """
    module = SourceModule(source)
    reference = module.get_texref("reference")
    reference.set_address_2d(memory, descr, pitch)
    assert reference.get_address() == int(memory)
    out = np.empty((2, 4, 6), np.int32)
    module.get_function("f")(
        cuda.Out(out),
        cuda.TextureObject(memory, descr=descr, pitch=pitch),
        block=(6, 4, 1),
        texrefs=[reference],
    )
    assert np.array_equal(out[0], image) and np.array_equal(out[1], image)
    attributes = cuda.Device(0).get_attributes()
    step = attributes[cuda.device_attribute.TEXTURE_PITCH_ALIGNMENT]
    with pytest.raises(cuda.LogicError, match="cuTexObjectCreate"):
        cuda.TextureObject(memory, descr=descr, pitch=pitch - step // 4)


def test_free_is_repeatable_and_use_after_it_an_error():
    texture = cuda.TextureObject(gpuarray.zeros(8, np.float32))
    assert texture.handle == int(texture) != 0
    texture.free()
    texture.free()
    assert texture.resource is None
    function = SourceModule(LINE).get_function("line")
    with pytest.raises(cuda.LogicError, match="this object was freed"):
        function(cuda.Out(np.empty(8, "f4")), texture, block=(8, 1, 1))
    with pytest.raises(cuda.LogicError, match="this object was freed"):
        int(texture)


def test_objects_go_while_a_kernel_uses_them():
    slow = SourceModule("""
    __global__ void slow(float *out, cudaTextureObject_t t)
    {
        float sum = 0;
        for (int i = 0; i < 200000; i++)
            sum += tex1Dfetch<float>(t, i & 7);
        out[threadIdx.x] = sum;
    }
    """).get_function("slow")
    out = gpuarray.zeros(32, np.float32)
    ones = gpuarray.zeros(8, np.float32) + 1
    stream = cuda.Stream()
    slow(out, cuda.TextureObject(ones), block=(32, 1, 1), stream=stream)
    stream.synchronize()
    assert np.array_equal(out.get(), np.full(32, 200000, "f4"))


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"address_mode": 9}, "address_mode must be"),
        ({"address_mode": (0, 1, 2, 3)}, "one to three modes"),
        ({"filter_mode": 7}, "filter_mode must be"),
        ({"filter_mode": 1, "format": 8}, "integers need normalized_float"),
        ({"border_color": (1, 2)}, "four numbers, not 2"),
        ({"format": 10, "normalized_float": True}, "8- or 16-bit"),
    ],
)
def test_wrong_values(keywords, message):
    with pytest.raises(ValueError, match=message):
        cuda.TextureObject(gpuarray.zeros(8, np.float32), **keywords)


def test_wrong_resources():
    array = cases.fill_array(np.zeros((1, 4, 4, 1), np.float32), "2D")
    with pytest.raises(TypeError, match="own format"):
        cuda.TextureObject(array, bytes=5)
    with pytest.raises(TypeError, match="requires format"):
        cuda.TextureObject(gpuarray.zeros(8, np.float64))
    with pytest.raises(TypeError, match="requires bytes"):
        cuda.TextureObject(cuda.mem_alloc(64), format=32)
    with pytest.raises(TypeError, match="descr requires pitch"):
        cuda.TextureObject(
            cuda.mem_alloc(64), descr=cuda.ArrayDescriptor(), bytes=4
        )
    with pytest.raises(cuda.Error, match="TEXTURE_ALIGNMENT"):
        cuda.TextureObject(
            int(gpuarray.zeros(64, np.float32).gpudata) + 4,
            format=cuda.array_format.FLOAT,
            bytes=16,
        )
    array.free()
    with pytest.raises(cuda.Error, match="array was freed"):
        cuda.TextureObject(array)


GATHER = """
texture<uchar4, 2, cudaReadModeNormalizedFloat> reference;
texture<char, 2, cudaReadModeNormalizedFloat> lowest;
__global__ void gather(float4 *out, uint4 *bytes, float4 *least,
                       cudaTextureObject_t t, cudaTextureObject_t u)
{
    float x = threadIdx.x, y = threadIdx.y;
    int i = threadIdx.y * blockDim.x + threadIdx.x;
    out[2 * i] = tex2Dgather<float4>(t, x, y);
    out[2 * i + 1] = tex2Dgather(reference, x, y, 2);
    bytes[i] = tex2Dgather<uint4>(u, x, y, 1);
    least[i] = tex2Dgather(lowest, x, y);
}
"""


def test_gather():
    random = np.random.default_rng(6)
    flags = cuda.array3d_flags.TEXTURE_GATHER
    floats = random.standard_normal((1, 5, 7, 1)).astype(np.float32)
    quads = random.integers(0, 256, (1, 5, 7, 4)).astype(np.uint8)
    module = SourceModule(GATHER)
    reference = module.get_texref("reference")
    quads_array = cases.fill_array(quads, "2D", flags)
    reference.set_array(quads_array)
    signed = random.integers(-128, -125, (1, 5, 7, 1)).astype(np.int8)
    lowest = module.get_texref("lowest")
    lowest.set_array(cases.fill_array(signed, "2D", flags))
    out = np.empty((5, 7, 2, 4), np.float32)
    words = np.empty((5, 7, 4), np.uint32)
    least = np.empty((5, 7, 4), np.float32)
    module.get_function("gather")(
        cuda.Out(out),
        cuda.Out(words),
        cuda.Out(least),
        cuda.TextureObject(cases.fill_array(floats, "2D", flags)),
        cuda.TextureObject(quads_array),
        block=(7, 5, 1),
        texrefs=[reference, lowest],
    )

    def four(plane):
        # The result at integer coordinates is the mean of four texels.
        p = np.pad(plane, 1, mode="edge")
        h, w = plane.shape
        return np.stack(
            [p[1:, :w][:h], p[1:, 1:][:h, :w], p[:h, 1:][:, :w], p[:h, :w]],
            axis=-1,
        )

    assert np.array_equal(out[:, :, 0], four(floats[0, :, :, 0]))
    wanted = four(quads[0, :, :, 2]) / np.float32(255)
    assert np.allclose(out[:, :, 1], wanted, atol=1e-6)
    assert np.array_equal(words, four(quads[0, :, :, 1]))
    wanted = np.maximum(four(signed[0, :, :, 0]) / np.float32(127), -1)
    assert np.allclose(least, wanted, atol=1e-6)


LEVELS = """
texture<float, 2> flat; texture<float, 3> deep;
texture<float, cudaTextureType2DLayered> layers;
__global__ void levels(float *o, cudaTextureObject_t f, cudaTextureObject_t d)
{
    float2 g = make_float2(0, 0);
    float4 h = make_float4(0, 0, 0, 0);
    o[0] = tex2DLod<float>(f, 1.5f, 2.5f, 0);
    o[1] = tex2DGrad<float>(f, 1.5f, 2.5f, g, g);
    o[2] = tex3DLod<float>(d, 1.5f, 2.5f, 1.5f, 0);
    o[3] = tex3DGrad<float>(d, 1.5f, 2.5f, 1.5f, h, h);
    o[4] = tex2DLod(flat, 1.5f, 2.5f, 0);
    o[5] = tex2DGrad(flat, 1.5f, 2.5f, g, g);
    o[6] = tex3DLod(deep, 1.5f, 2.5f, 1.5f, 0);
    o[7] = tex2DLayered(layers, 1.5f, 2.5f, 1);
    o[8] = tex2DLayeredLod(layers, 1.5f, 2.5f, 7, 0);
}
"""


def test_levels_of_plain_arrays():
    data = np.arange(120, dtype=np.float32).reshape(3, 5, 8, 1)
    flat = cases.fill_array(data[1:2], "2D")
    deep = cases.fill_array(data, "3D")
    module = SourceModule(LEVELS)
    arrays = {
        "flat": flat,
        "deep": deep,
        "layers": cases.fill_array(data, "2DLayered"),
    }
    for name, array in arrays.items():
        module.get_texref(name).set_array(array)
    out = np.empty(9, np.float32)
    module.get_function("levels")(
        cuda.Out(out),
        cuda.TextureObject(flat, normalized_coordinates=False),
        cuda.TextureObject(deep),
        block=(1, 1, 1),
    )
    here, last = data[1, 2, 1, 0], data[2, 2, 1, 0]
    assert out.tolist() == [here] * 8 + [last]


def test_srgb():
    data = np.arange(256, dtype=np.uint8).reshape(1, 8, 8, 4)
    texture = cuda.TextureObject(
        cases.fill_array(data, "2D"), normalized_float=True, srgb=True
    )
    source = """
    __global__ void f(float4 *out, cudaTextureObject_t t)
    { out[threadIdx.y * 8 + threadIdx.x]
          = tex2D<float4>(t, threadIdx.x, threadIdx.y); }
    """
    out = np.empty((8, 8, 4), np.float32)
    SourceModule(source).get_function("f")(
        cuda.Out(out), texture, block=(8, 8, 1)
    )
    x = data[0] / 255
    wanted = np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)
    wanted[:, :, 3] = x[:, :, 3]
    # A GPU converts through a table, with 8 bits near 1.
    assert np.allclose(out, wanted, atol=4e-3)
    assert not np.allclose(out[..., :3], x[..., :3], atol=0.01)


MODES = """
texture<unsigned char, 1, cudaReadModeNormalizedFloat> unit;
texture<unsigned char, 1> whole;
texture<float, 1> plain;
__global__ void f(float *out)
{
    int i = threadIdx.x;
    out[i] = tex1Dfetch(unit, i);
    out[i + 16] = tex1Dfetch(whole, i);
    out[i + 32] = tex1Dfetch(plain, i);
}
"""


def test_the_declaration_decides_the_read_mode():
    """The flag is ignored, since it could only garble the result."""
    module = SourceModule(MODES)
    x = gpuarray.to_gpu(np.arange(0, 256, 16, dtype=np.uint8))
    for name in ("unit", "whole", "plain"):
        x.bind_to_texref_ext(module.get_texref(name))
    out = np.empty((3, 16), np.float32)
    module.get_function("f")(cuda.Out(out), block=(16, 1, 1))
    assert np.allclose(out[0], x.get() / 255, atol=1e-6)
    assert np.array_equal(out[1], x.get())
    assert np.allclose(out[2], x.get() / 255, atol=1e-6)


def test_border_color_of_a_reference():
    module = SourceModule("""
    texture<float4, 2> t;
    __global__ void f(float4 *o) { o[0] = tex2D(t, -3.f, 1.f); }
    """)
    texture = module.get_texref("t")
    texture.set_array(
        cases.fill_array(np.ones((1, 4, 4, 4), np.float32), "2D")
    )
    assert texture.get_border_color() == (0, 0, 0, 0)
    texture.set_border_color([0.25, 0.5, 0.75, 1])
    for axis in (0, 1):
        texture.set_address_mode(axis, cuda.address_mode.BORDER)
    out = np.empty(4, np.float32)
    module.get_function("f")(cuda.Out(out), block=(1, 1, 1))
    assert out.tolist() == [0.25, 0.5, 0.75, 1]
    with pytest.raises(ValueError, match="four numbers, not 3"):
        texture.set_border_color((1, 2, 3))


HELPERS = """
#include <pycuda-helpers.hpp>
typedef pycuda::complex<float> cfloat;
typedef pycuda::complex<double> cdouble;
texture<fp_tex_double, 1> line;
texture<fp_tex_cfloat, 2> flat;
texture<fp_tex_cdouble, 3> deep;
texture<fp_tex_double, cudaTextureType2DLayered> layers;
surface<void, cudaSurfaceType3D> box;
surface<void, cudaSurfaceType2DLayered> stack;
__global__ void f(double *a, cfloat *b, cdouble *c, double *d, cdouble *e)
{
    int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z;
    int i = (z * 3 + y) * 4 + x;
    a[i] = fp_tex1Dfetch(line, i);
    if (z == 0)
        b[i] = fp_tex2D(flat, x, y);
    c[i] = fp_tex3D(deep, x, y, z);
    d[i] = fp_tex2DLayered(layers, x, y, z);
    fp_surf3Dwrite(c[i] * 2.0, box, x, y, z, cudaBoundaryModeTrap);
    fp_surf3Dread(&e[i], box, x, y, z, cudaBoundaryModeTrap);
    fp_surf2DLayeredwrite(d[i] + 1, stack, x, y, z, cudaBoundaryModeTrap);
    double back;
    fp_surf2DLayeredread(&back, stack, x, y, z, cudaBoundaryModeTrap);
    d[i] = back;
}
"""


def test_helpers_read_doubles_and_complex_numbers():
    random = np.random.default_rng(8)
    x = random.standard_normal((2, 3, 4))
    z = x + 1j * random.standard_normal((2, 3, 4))
    module = SourceModule(HELPERS)
    x_gpu = gpuarray.to_gpu(x)
    x_gpu.bind_to_texref_ext(module.get_texref("line"), allow_double_hack=True)
    flat = cuda.np_to_array(z[0].astype(np.complex64), "C")
    module.get_texref("flat").set_array(flat)
    module.get_texref("deep").set_array(cuda.np_to_array(z, "C"))
    words = x.view(np.int32).reshape(2, 3, 4, 2)
    module.get_texref("layers").set_array(cases.fill_array(words, "2DLayered"))
    box = cuda.np_to_array(z, "C", allowSurfaceBind=True)
    module.get_surfref("box").set_array(box)
    module.get_surfref("stack").set_array(
        cases.fill_array(words, "2DLayered", cuda.array3d_flags.SURFACE_LDST)
    )
    a, d = np.empty_like(x), np.empty_like(x)
    b = np.empty((3, 4), np.complex64)
    c, e = np.empty_like(z), np.empty_like(z)
    module.get_function("f")(
        *(cuda.Out(array) for array in (a, b, c, d, e)), block=(4, 3, 2)
    )
    assert np.array_equal(a, x)
    assert np.array_equal(b, z[0].astype(np.complex64))
    assert np.array_equal(c, z)
    assert np.array_equal(d, x + 1)
    assert np.array_equal(e, 2 * z)


def test_an_object_in_a_graph():
    if not hasattr(cuda.Stream, "capture"):
        pytest.skip("no graphs")
    x = gpuarray.arange(30, dtype=np.float32)
    out = gpuarray.zeros(32, np.float32)
    function = SourceModule(LINE).get_function("line")
    stream = cuda.Stream()
    with stream.capture() as graph:
        function(out, cuda.TextureObject(x), block=(32, 1, 1), stream=stream)
    gc.collect()
    graph.instantiate().launch(stream)
    stream.synchronize()
    assert np.array_equal(out.get(), [0, *range(30), 0])


def test_an_object_freed_while_it_is_captured():
    """The graph keeps the object and its array alive."""
    x = gpuarray.arange(30, dtype=np.float32)
    out = gpuarray.zeros(32, np.float32)
    function = SourceModule(LINE).get_function("line")
    stream = cuda.Stream()
    texture = cuda.TextureObject(x)
    with stream.capture() as graph:
        function(out, texture, block=(32, 1, 1), stream=stream)
        texture.free()
    del x, texture
    gc.collect()
    others = [gpuarray.zeros(30, np.float32) + 7 for _ in range(4)]
    graph.instantiate().launch(stream)
    stream.synchronize()
    assert np.array_equal(out.get(), [0, *range(30), 0]), len(others)


@pytest.mark.parametrize(
    "call",
    [
        "tex1Dfetch<double>(t, 0)",
        "tex1D<float3>(t, 0.f)",
        "tex2D<long long>(t, 0.f, 0.f)",
        "tex3DLod<bool>(t, 0.f, 0.f, 0.f, 0.f)",
        "tex2DGrad<long>(t, 0.f, 0.f, float2(), float2())",
        "surf2Dread<double>(t, 0, 0)",
        "surf1Dread<float3>(t, 0)",
    ],
)
def test_types_that_are_no_texels(call):
    source = (
        "__global__ void k(char *o, unsigned long long t)"
        f" {{ auto v = {call}; *(decltype(v) *)o = v; }}"
    )
    with pytest.raises(cuda.CompileError):
        SourceModule(source, cache_dir=False)


def test_resident_forms_of_layered_levels():
    SourceModule("""
    __global__ void k(float *o, cudaTextureObject_t t)
    {
        bool r; float2 d = make_float2(0, 0);
        *o = tex2DLayeredLod<float>(t, 1.f, 1.f, 0, 0.f, &r)
             + tex2DLayeredGrad<float>(t, 1.f, 1.f, 0, d, d, &r);
    }
    """)
