"""Texture and surface instructions of PTX against the functions of CUDA C++.

Each kernel executes an instruction and the function with the same meaning. A
GPU needs compute capability 7.0.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import pycuda.driver as drv
from pycuda.compiler import SourceModule

pytestmark = pytest.mark.usefixtures("context")

FLAGS = drv.array3d_flags
FORMATS = drv.array_format
N = 32

# The size of the array and its flags, the instruction with the coordinates x,
# y, z and the layer l as %5 to %8, and the call of the function.
SAMPLES = {
    "1d": ((16, 0, 0), 0, "tex.1d T, [%4, {%5}]", "tex1D<V>(t, x)"),
    "2d": ((16, 8, 0), 0, "tex.2d T, [%4, {%5, %6}]", "tex2D<V>(t, x, y)"),
    "3d": (
        (8, 8, 4),
        0,
        "tex.3d T, [%4, {%5, %6, %7, %7}]",
        "tex3D<V>(t, x, y, z)",
    ),
    "a1d": (
        (16, 0, 3),
        FLAGS.ARRAY3D_LAYERED,
        "tex.a1d T, [%4, {%8, %5}]",
        "tex1DLayered<V>(t, x, l)",
    ),
    "a2d": (
        (8, 8, 3),
        FLAGS.ARRAY3D_LAYERED,
        "tex.a2d T, [%4, {%8, %5, %6, %6}]",
        "tex2DLayered<V>(t, x, y, l)",
    ),
    "cube": (
        (8, 8, 6),
        FLAGS.CUBEMAP,
        "tex.cube T, [%4, {%5, %6, %7, %7}]",
        "texCubemap<V>(t, x, y, z)",
    ),
    "acube": (
        (8, 8, 12),
        FLAGS.CUBEMAP | FLAGS.ARRAY3D_LAYERED,
        "tex.acube T, [%4, {%8, %5, %6, %7}]",
        "texCubemapLayered<V>(t, x, y, z, l & 1)",
    ),
    "level": (
        (16, 8, 0),
        0,
        "tex.level.2d T, [%4, {%5, %6}], %7",
        "tex2DLod<V>(t, x, y, z)",
    ),
    "grad": (
        (16, 8, 0),
        0,
        "tex.grad.2d T, [%4, {%5, %6}], {%5, %7}, {%6, %7}",
        "tex2DGrad<V>(t, x, y, make_float2(x, z), make_float2(y, z))",
    ),
    "gather": (
        (16, 8, 0),
        0,
        "tld4.g.2d T, [%4, {%5, %6}]",
        "tex2Dgather<V>(t, x, y, 1)",
    ),
}


def filled(
    size: tuple[int, int, int], form: drv.array_format, flags: int, word: type
) -> drv.Array:
    """Return an array of four channels with random texels."""
    descriptor = drv.ArrayDescriptor3D()
    descriptor.width, descriptor.height, descriptor.depth = size
    descriptor.format, descriptor.num_channels = form, 4
    descriptor.flags = flags
    array = drv.Array(descriptor)
    rng = np.random.default_rng(3)
    shape = (max(size[2], 1), max(size[1], 1), size[0] * 4)
    values = rng.integers(0, 100, shape).astype(word)
    copy = drv.Memcpy3D()
    copy.set_src_host(values)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = shape[2] * values.itemsize
    copy.src_height = copy.height = shape[1]
    copy.depth = shape[0]
    copy()
    return array


def sampling_source(text: str, call: str, kind: str) -> str:
    """Return a kernel that stores both results; `kind` is f32, s32 or u32."""
    name, vector, letter = {
        "f32": ("float", "float4", "f"),
        "s32": ("int", "int4", "r"),
        "u32": ("unsigned", "uint4", "r"),
    }[kind]
    operation, rest = text.split(" T,")
    layer = '"r"(l & 1)' if "acube" in text else '"r"(l)'
    return f"""
    __global__ void k(cudaTextureObject_t t, const float *at, {vector} *out)
    {{
        typedef {vector} V;
        int i = threadIdx.x, l = i % 3;
        float x = at[3 * i], y = at[3 * i + 1], z = at[3 * i + 2];
        {name} a, b, c, d;
        asm volatile("{operation}.v4.{kind}.f32 {{%0, %1, %2, %3}},{rest};"
            : "={letter}"(a), "={letter}"(b), "={letter}"(c), "={letter}"(d)
            : "l"(t), "f"(x), "f"(y), "f"(z), {layer});
        out[i] = make_{vector}(a, b, c, d);
        out[i + {N}] = {call};
    }}"""


@pytest.mark.parametrize("kind", ["f32", "s32", "u32"])
@pytest.mark.parametrize("name", SAMPLES)
def test_sampling(name: str, kind: str) -> None:
    size, flags, text, call = SAMPLES[name]
    form, word = {
        "f32": (FORMATS.FLOAT, np.float32),
        "s32": (FORMATS.SIGNED_INT32, np.int32),
        "u32": (FORMATS.UNSIGNED_INT32, np.uint32),
    }[kind]
    if name == "gather":
        flags |= FLAGS.TEXTURE_GATHER
    texture = drv.TextureObject(filled(size, form, flags, word))
    module = SourceModule(sampling_source(text, call, kind))
    rng = np.random.default_rng(4)
    at = rng.uniform(-1, 17, (N, 3)).astype("f4")
    if "cube" in name:
        at = rng.uniform(-1, 1, (N, 3)).astype("f4")
    out = np.zeros((2, N, 4), word)
    module.get_function("k")(
        texture, drv.In(at), drv.Out(out), block=(N, 1, 1)
    )
    assert np.array_equal(out[0], out[1])
    assert len(np.unique(out[0])) > 4


def test_integer_coordinates_residency_and_halves() -> None:
    array = filled((16, 8, 0), FORMATS.FLOAT, 0, np.float32)
    texture = drv.TextureObject(array)
    source = f"""
    __global__ void k(cudaTextureObject_t t, float4 *out, uint2 *halves)
    {{
        int i = threadIdx.x, x = i % 16, y = i / 16;
        float4 v; unsigned there;
        asm volatile("{{ .reg .pred p; "
            "tex.2d.v4.f32.s32 {{%0, %1, %2, %3}}|p, "
            "[%5, {{%6, %7}}]; selp.u32 %4, 1, 0, p; }}"
            : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w), "=r"(there)
            : "l"(t), "r"(x), "r"(y));
        out[i] = v;
        out[i].x *= there;
        out[i + {N}] = tex2D<float4>(t, x + .5f, y + .5f);
        asm volatile("tex.2d.v2.f16x2.s32 {{%0, %1}}, [%2, {{%3, %4}}];"
            : "=r"(halves[i].x), "=r"(halves[i].y)
            : "l"(t), "r"(x), "r"(y));
    }}"""
    out, halves = np.zeros((2, N, 4), "f4"), np.zeros((N, 4), "f2")
    SourceModule(source).get_function("k")(
        texture, drv.Out(out), drv.Out(halves), block=(N, 1, 1)
    )
    assert np.array_equal(out[0], out[1])
    assert np.array_equal(halves, out[1].astype("f2"))


SURFACES = {
    "1d": ((16, 0, 0), 0, "{%r}", "surf1D", "x * S"),
    "2d": ((8, 4, 0), 0, "{%r, %y}", "surf2D", "x * S, y"),
    "3d": ((8, 4, 3), 0, "{%r, %y, %z, %z}", "surf3D", "x * S, y, z"),
    "a1d": (
        (8, 0, 3),
        FLAGS.ARRAY3D_LAYERED,
        "{%z, %r}",
        "surf1DLayered",
        "x * S, z",
    ),
    "a2d": (
        (8, 4, 3),
        FLAGS.ARRAY3D_LAYERED,
        "{%z, %r, %y, %y}",
        "surf2DLayered",
        "x * S, y, z",
    ),
}


@pytest.mark.parametrize("name", SURFACES)
def test_surfaces(name: str) -> None:
    """Read, write and update texels; those outside are clamped or zero."""
    size, flags, at, call, where = SURFACES[name]
    array = filled(
        size, FORMATS.UNSIGNED_INT32, flags | FLAGS.SURFACE_LDST, np.uint32
    )
    surface = drv.SurfaceObject(array)

    def coordinates(first: int) -> str:
        text = at
        for i, mark in enumerate(("%r", "%y", "%z")):
            text = text.replace(mark, f"%{first + i}")
        return text

    # sured has no form for layers.
    updates = f"""
        asm volatile("sured.b.add.{name}.u32.trap [%0, {coordinates(1)}], %4;"
            :: "l"(s), "r"(x * S), "r"(y), "r"(z), "r"(i) : "memory");
        asm volatile("sured.b.add.{name}.u32.zero [%0, {coordinates(1)}], %4;"
            :: "l"(s), "r"(far), "r"(y), "r"(z), "r"(1) : "memory");"""
    source = f"""
    typedef uint4 V;
    __global__ void k(cudaSurfaceObject_t s, uint4 *out)
    {{
        const int S = 16;
        int i = threadIdx.x, x = i % 8, y = i / 8 % 4, z = i % 3;
        int far = x * S + 4096;
        uint4 v, w;
        asm volatile("suld.b.{name}.v4.b32.trap {{%0, %1, %2, %3}}, "
            "[%4, {coordinates(5)}];"
            : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
            : "l"(s), "r"(x * S), "r"(y), "r"(z));
        out[i] = v;
        {call}read(&out[i + {N}], s, {where});
        asm volatile("suld.b.{name}.v4.b32.zero {{%0, %1, %2, %3}}, "
            "[%4, {coordinates(5)}];"
            : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
            : "l"(s), "r"(far), "r"(y), "r"(z));
        out[i + {2 * N}] = w;
        __syncthreads();
        {updates if name[0] != "a" else ""}
        asm volatile("sust.b.{name}.v2.b32.trap [%0, {coordinates(1)}], "
            "{{%4, %5}};"
            :: "l"(s), "r"(x * S + 8), "r"(y), "r"(z), "r"(x), "r"(y)
            : "memory");
        __syncthreads();
        {call}read(&out[i + {3 * N}], s, {where});
    }}"""
    out = np.zeros((4, N, 4), "u4")
    SourceModule(source).get_function("k")(
        surface, drv.Out(out), block=(N, 1, 1)
    )
    assert np.array_equal(out[0], out[1])
    assert not out[2].any()
    i = np.arange(N)
    x, y, z = i % 8, i // 8 % 4, i % 3
    axes = [
        x,
        y * ("2" in name or "3" in name),
        z * (name not in ("1d", "2d")),
    ]
    cells = [tuple(cell) for cell in np.transpose(axes)]
    for k, cell in enumerate(cells):
        same = [j for j in range(N) if cells[j] == cell]
        added = sum(same) if name[0] != "a" else 0
        assert out[3, k, 0] == out[0, k, 0] + added
        assert out[3, k, 1] == out[0, k, 1]
        assert out[3, k, 2] == x[k]


def test_queries() -> None:
    layered = FLAGS.ARRAY3D_LAYERED
    array = filled((8, 4, 3), FORMATS.UNSIGNED_INT8, layered, np.uint8)
    texture = drv.TextureObject(array, normalized_coordinates=True)
    flags = layered | FLAGS.SURFACE_LDST
    surface = drv.SurfaceObject(
        filled((6, 5, 2), FORMATS.FLOAT, flags, np.float32)
    )
    names = ["width", "height", "depth"]
    asks = "".join(
        f'asm volatile("txq.{name}.b32 %0, [%1];" : "=r"(r) : "l"(t)); '
        f"out[{2 * i}] = r; "
        f'asm volatile("suq.{name}.b32 %0, [%1];" : "=r"(r) : "l"(s)); '
        f"out[{2 * i + 1}] = r;\n"
        for i, name in enumerate(names)
    )
    source = f"""
    __global__ void k(cudaTextureObject_t t, cudaSurfaceObject_t s,
                      unsigned *out)
    {{
        unsigned r;
        {asks}
    }}"""
    out = np.zeros(6, "u4")
    SourceModule(source).get_function("k")(
        texture, surface, drv.Out(out), block=(1, 1, 1)
    )
    assert out.tolist() == [8, 6, 4, 5, 3, 2]


@pytest.mark.cpu
def test_queries_that_gpus_lack() -> None:
    """Drivers for an H100 load no module that has such a query."""
    array = filled(
        (8, 4, 3), FORMATS.UNSIGNED_INT8, FLAGS.ARRAY3D_LAYERED, np.uint8
    )
    texture = drv.TextureObject(array, normalized_coordinates=True)
    source = """
    __global__ void k(cudaTextureObject_t t, unsigned *out)
    {
        unsigned r;
        asm volatile("txq.array_size.b32 %0, [%1];" : "=r"(r) : "l"(t));
        out[0] = r;
        asm volatile("txq.normalized_coords.b32 %0, [%1];" : "=r"(r) : "l"(t));
        out[1] = r;
    }"""
    out = np.zeros(2, "u4")
    SourceModule(source).get_function("k")(
        texture, drv.Out(out), block=(1, 1, 1)
    )
    assert out.tolist() == [3, 1]


@pytest.mark.cpu
def test_queries_of_channels() -> None:
    """The numbers are those of OpenCL, as the PTX ISA lists them."""
    array = filled((8, 4, 0), FORMATS.UNSIGNED_INT8, 0, np.uint8)
    source = """
    __global__ void k(cudaTextureObject_t t, unsigned *out)
    {
        asm("txq.channel_data_type.b32 %0, [%1];" : "=r"(out[0]) : "l"(t));
        asm("txq.channel_order.b32 %0, [%1];" : "=r"(out[1]) : "l"(t));
    }"""
    out = np.zeros(2, "u4")
    SourceModule(source).get_function("k")(
        drv.TextureObject(array), drv.Out(out), block=(1, 1, 1)
    )
    assert out.tolist() == [0x10DA, 0x10B5]
