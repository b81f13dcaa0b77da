"""Mipmapped arrays: levels, and the functions that select them."""

import gc

import numpy as np
import pytest

import pycuda.autoinit  # noqa: F401
import pycuda.driver as cuda
from pycuda import _driver
from pycuda.compiler import SourceModule

LINEAR, POINT = cuda.filter_mode.LINEAR, cuda.filter_mode.POINT
FLAGS = cuda.array3d_flags
ON_CPU = _driver._device_kind() == "cpu"
#: A GPU's level has 8 bits of fraction, fewer if found from gradients.
STEP = 1 / 256


def descriptor(
    width: int,
    height: int = 0,
    depth: int = 0,
    flags: int = 0,
    form: cuda.array_format = cuda.array_format.FLOAT,
) -> cuda.ArrayDescriptor3D:
    made = cuda.ArrayDescriptor3D()
    made.width, made.height, made.depth = width, height, depth
    made.format, made.num_channels, made.flags = form, 1, flags
    return made


def fill(array: cuda.Array, values: np.ndarray) -> None:
    """Copy an array of shape (slices, rows, texels) to a level."""
    slices, rows, texels = values.shape
    copy = cuda.Memcpy3D()
    copy.set_src_host(values)
    copy.set_dst_array(array)
    copy.width_in_bytes = copy.src_pitch = texels * values.itemsize
    copy.src_height = copy.height = rows
    copy.depth = slices
    copy()


def numbered(made: cuda.ArrayDescriptor3D) -> cuda.MipmappedArray:
    """Fill level n with the value n."""
    chain = cuda.MipmappedArray(made)
    for level in range(chain.levels):
        array = chain.get_level(level)
        d = array.get_descriptor_3d()
        shape = (max(d.depth, 1), max(d.height, 1), d.width)
        fill(array, np.full(shape, level, np.float32))
    return chain


SHAPES = {
    "1D": ((16,), "float", "x"),
    "2D": ((16, 8), "float2", "x, x"),
    "3D": ((8, 16, 4), "float4", "x, x, x"),
    "1DLayered": ((16, 0, 3, FLAGS.ARRAY3D_LAYERED), "float", "x, 2"),
    "2DLayered": ((4, 16, 3, FLAGS.ARRAY3D_LAYERED), "float2", "x, x, 1"),
    "Cubemap": ((16, 16, 6, FLAGS.CUBEMAP), "float4", "1, x - .5f, .1f"),
    "CubemapLayered": (
        (16, 16, 12, FLAGS.CUBEMAP | FLAGS.ARRAY3D_LAYERED),
        "float4",
        "-.2f, x - .5f, -1, 1",
    ),
}
# Gradients along dx of 2**level texels of the longest side, 16: on a face of a
# cubemap 1 / 16 is twice as long in the components of the direction.
CHANGES = {
    "float": ("exp2f(l) / 16", "0.f"),
    "float2": ("make_float2({x}, {y})", "make_float2(0, 0)"),
    "float4": ("make_float4({x}, {y}, {z}, 0)", "make_float4(0, 0, 0, 0)"),
}


def changes_of(name: str, vector: str) -> tuple[str, str]:
    axes = {"2D": "x", "3D": "y", "2DLayered": "y"}
    long, zero = CHANGES[vector]
    used = {"x": "0", "y": "0", "z": "0"}
    if name.startswith("Cubemap"):
        used["y"] = "exp2f(l) / 8"
    else:
        used[axes.get(name, "x")] = "exp2f(l) / 16"
    return long.format(**used), zero


@pytest.mark.parametrize("name", SHAPES)
def test_the_level_asked_for_is_read(name: str) -> None:
    size, vector, place = SHAPES[name]
    dx, dy = changes_of(name, vector)
    function = SourceModule(f"""
    __global__ void f(float *out, const float *levels, cudaTextureObject_t t)
    {{
        int i = threadIdx.x, n = blockDim.x;
        float l = levels[i], x = (i % 7) / 8.f;
        out[i] = tex{name}Lod<float>(t, {place}, l);
        out[n + i] = tex{name}Grad<float>(t, {place}, {dx}, {dy});
        out[2 * n + i] = tex{name}Grad<float>(t, {place}, {dy}, {dx});
        out[3 * n + i] = tex{name}<float>(t, {place});
        tex{name}Lod(&out[4 * n + i], t, {place}, l);
        tex{name}Grad(&out[5 * n + i], t, {place}, {dx}, {dy});
    }}
    """).get_function("f")
    chain = numbered(descriptor(*size))
    assert chain.levels == 5
    levels = np.linspace(-1, 6, 71).astype(np.float32)
    texture = cuda.TextureObject(
        chain, normalized_coordinates=True, mipmap_filter_mode=LINEAR
    )
    out = np.empty((6, 71), np.float32)
    function(cuda.Out(out), cuda.In(levels), texture, block=(71, 1, 1))
    expected = np.clip(levels, 0, 4)
    assert np.abs(out[[0, 4]] - expected).max() <= STEP
    gradients = STEP if ON_CPU else 1 / 16
    # A GPU bends gradients that leave the cube's face.
    inside = levels < (7 if ON_CPU or not name.startswith("Cubemap") else 3)
    differ = np.abs(out[[1, 2, 5]] - expected)[:, inside]
    assert differ.max() <= gradients
    assert not out[3].any(), "no level asked for: the first"


LOOK = """
__global__ void level(float *out, const float *x, const float *y,
                      const float *l, cudaTextureObject_t t)
{
    int i = threadIdx.x;
    out[i] = tex2DLod<float>(t, x[i], y[i], l[i]);
}
__global__ void plain(float *out, const float *x, const float *y,
                      cudaTextureObject_t t)
{
    int i = threadIdx.x;
    out[i] = tex2D<float>(t, x[i], y[i]);
}
"""
POINTS = 96


@pytest.fixture(scope="module")
def image() -> cuda.MipmappedArray:
    """Return five levels of random numbers, the largest 16 by 8."""
    chance = np.random.RandomState(4)
    chain = cuda.MipmappedArray(descriptor(16, 8))
    for level in range(chain.levels):
        array = chain.get_level(level)
        d = array.get_descriptor()
        fill(array, chance.rand(1, d.height, d.width).astype(np.float32))
    return chain


@pytest.mark.parametrize("levels_filter", [POINT, LINEAR])
@pytest.mark.parametrize("texel_filter", [POINT, LINEAR])
@pytest.mark.parametrize(
    ("bias", "least", "most"),
    [(0, 0, None), (1.25, 0, None), (-0.75, 0, None), (0, 1, 2.5), (9, 0, 3)],
)
def test_bias_and_clamps(
    image: cuda.MipmappedArray,
    levels_filter: cuda.filter_mode,
    texel_filter: cuda.filter_mode,
    bias: float,
    least: float,
    most: float | None,
) -> None:
    """Results are mixtures of the levels' results as plain textures."""
    how = {
        "normalized_coordinates": True,
        "filter_mode": texel_filter,
        "address_mode": cuda.address_mode.WRAP,
    }
    chance = np.random.RandomState(5)
    x, y = chance.uniform(-1, 2, (2, POINTS)).astype(np.float32)
    # No level half-way between two, where rounding depends on the device.
    wanted = np.round(chance.uniform(-1, 6, POINTS) * 8) / 8 + 1 / 16
    wanted = wanted.astype(np.float32)
    module = SourceModule(LOOK)
    block = {"block": (POINTS, 1, 1)}
    each = np.empty((image.levels, POINTS), np.float32)
    for level in range(image.levels):
        texture = cuda.TextureObject(image.get_level(level), **how)
        module.get_function("plain")(
            cuda.Out(each[level]), cuda.In(x), cuda.In(y), texture, **block
        )
    texture = cuda.TextureObject(
        image,
        mipmap_filter_mode=levels_filter,
        mipmap_level_bias=bias,
        min_mipmap_level_clamp=least,
        max_mipmap_level_clamp=most,
        **how,
    )
    out = np.empty(POINTS, np.float32)
    module.get_function("level")(
        cuda.Out(out),
        cuda.In(x),
        cuda.In(y),
        cuda.In(wanted),
        texture,
        **block,
    )
    level = np.clip(wanted + bias, least, 9 if most is None else most)
    level = np.clip(level, 0, image.levels - 1)
    at = np.arange(POINTS)
    if levels_filter == POINT:
        nearest = np.floor(level + 0.5).astype(int)
        assert np.array_equal(out, each[nearest, at])
        return
    low = np.floor(level).astype(int)
    high = np.minimum(low + 1, image.levels - 1)
    expected = each[low, at] + (level - low) * (each[high, at] - each[low, at])
    assert np.abs(out - expected).max() <= (1e-6 if ON_CPU else 2 * STEP)


def test_normalised_integers_are_mixed() -> None:
    chain = cuda.MipmappedArray(
        descriptor(2, 2, form=cuda.array_format.UNSIGNED_INT8), levels=2
    )
    fill(chain.get_level(0), np.full((1, 2, 2), 255, np.uint8))
    fill(chain.get_level(1), np.zeros((1, 1, 1), np.uint8))
    texture = cuda.TextureObject(
        chain,
        normalized_coordinates=True,
        normalized_float=True,
        mipmap_filter_mode=LINEAR,
    )
    half = np.full(POINTS, 0.25, np.float32)
    out = np.empty(POINTS, np.float32)
    SourceModule(LOOK).get_function("level")(
        *(cuda.Out(out), cuda.In(half), cuda.In(half), cuda.In(half)),
        texture,
        block=(POINTS, 1, 1),
    )
    assert np.abs(out - 0.75).max() <= STEP


def test_a_kernel_makes_the_levels() -> None:
    """Each level is computed from the previous one, through surfaces."""
    shrink = SourceModule("""
    __global__ void shrink(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
    {
        int x = threadIdx.x, y = threadIdx.y;
        float sum = 0;
        for (int i = 0; i < 4; i++)
            sum += surf2Dread<float>(from, (2 * x + i % 2) * 4, 2 * y + i / 2);
        surf2Dwrite(sum / 4, to, x * 4, y);
    }
    """).get_function("shrink")
    chain = cuda.MipmappedArray(descriptor(8, 8, 0, FLAGS.SURFACE_LDST))
    base = np.random.RandomState(6).rand(1, 8, 8).astype(np.float32)
    fill(chain.get_level(0), base)
    for level in range(1, chain.levels):
        side = 8 >> level
        shrink(
            cuda.SurfaceObject(chain.get_level(level - 1)),
            cuda.SurfaceObject(chain.get_level(level)),
            block=(side, side, 1),
        )
    texture = cuda.TextureObject(chain, normalized_coordinates=True)
    out = np.empty(1, np.float32)
    half, last = np.full(1, 0.5, np.float32), np.full(1, 3, np.float32)
    SourceModule(LOOK).get_function("level")(
        *(cuda.Out(out), cuda.In(half), cuda.In(half), cuda.In(last)),
        texture,
        block=(1, 1, 1),
    )
    assert abs(out[0] - base.mean()) < 1e-6


def test_levels() -> None:
    flat = cuda.ArrayDescriptor()
    flat.width, flat.height = 20, 7
    flat.format, flat.num_channels = cuda.array_format.FLOAT, 1
    chain = cuda.MipmappedArray(flat)
    sizes = [
        (d.width, d.height)
        for d in (
            chain.get_level(i).get_descriptor() for i in range(chain.levels)
        )
    ]
    assert sizes == [(20, 7), (10, 3), (5, 1), (2, 1), (1, 1)]
    assert cuda.MipmappedArray(flat, 2).levels == 2
    assert cuda.MipmappedArray(flat, levels=99).levels == 5
    deep = cuda.MipmappedArray(descriptor(4, 4, 9))
    last = deep.get_level(3).get_descriptor_3d()
    assert (last.width, last.height, last.depth) == (1, 1, 1)
    layers = cuda.MipmappedArray(descriptor(4, 4, 9, FLAGS.ARRAY3D_LAYERED))
    last = layers.get_level(2).get_descriptor_3d()
    assert layers.levels == 3 and last.depth == 9


def test_a_level_keeps_the_chain() -> None:
    level = cuda.MipmappedArray(descriptor(8, 8)).get_level(1)
    gc.collect()
    others = [cuda.MipmappedArray(descriptor(8, 8)) for _ in range(4)]
    ones = np.ones((1, 4, 4), np.float32)
    fill(level, ones)
    back = np.zeros(16, np.float32)
    copy = cuda.Memcpy2D()
    copy.set_src_array(level)
    copy.set_dst_host(back)
    copy.width_in_bytes = copy.dst_pitch = 16
    copy.height = 4
    copy(aligned=True)
    assert back.all(), len(others)


def test_freed() -> None:
    chain = cuda.MipmappedArray(descriptor(8, 8))
    texture = cuda.TextureObject(chain, normalized_coordinates=True)
    level = chain.get_level(0)
    assert chain.handle > 0
    chain.free()
    chain.free()
    function = SourceModule(LOOK).get_function("plain")
    ones = np.ones(1, np.float32)
    for use in (
        lambda: chain.get_level(0),
        lambda: level.get_descriptor(),
        lambda: cuda.TextureObject(chain, normalized_coordinates=True),
        lambda: function(
            *(cuda.Out(ones), cuda.In(ones), cuda.In(ones), texture),
            block=(1, 1, 1),
        ),
    ):
        with pytest.raises(cuda.LogicError, match="was freed"):
            use()
    level.free()
    with pytest.raises(cuda.LogicError, match="was freed"):
        level.get_descriptor()


@pytest.mark.parametrize(
    ("keywords", "error", "message"),
    [
        ({}, ValueError, "needs normalized_coordinates=True"),
        ({"mipmap_filter_mode": 2}, ValueError, "mipmap_filter_mode must be"),
        ({"mipmap_level_bias": "x"}, TypeError, "real number"),
        ({"mipmap_level_bias": float("nan")}, ValueError, "not nan"),
        ({"bytes": 4}, TypeError, "own format"),
    ],
)
def test_wrong_keywords(
    keywords: dict, error: type[Exception], message: str
) -> None:
    chain = cuda.MipmappedArray(descriptor(8, 8))
    with pytest.raises(error, match=message):
        cuda.TextureObject(
            chain, normalized_coordinates=bool(keywords), **keywords
        )


def test_wrong_arguments() -> None:
    array = cuda.Array(descriptor(8, 8))
    with pytest.raises(TypeError, match="is only valid for a MipmappedArray"):
        cuda.TextureObject(array, mipmap_level_bias=1)
    integers = cuda.MipmappedArray(
        descriptor(8, 8, form=cuda.array_format.UNSIGNED_INT8)
    )
    with pytest.raises(ValueError, match="interpolates floats"):
        cuda.TextureObject(
            integers, normalized_coordinates=True, mipmap_filter_mode=LINEAR
        )
    with pytest.raises(IndexError, match="levels 0 to 3"):
        integers.get_level(4)
    with pytest.raises(IndexError):
        integers.get_level(-1)
    with pytest.raises(ValueError, match="1 or more"):
        cuda.MipmappedArray(descriptor(8, 8), 0)
    with pytest.raises(TypeError, match="expected an ArrayDescriptor"):
        cuda.MipmappedArray(array)
    with pytest.raises(cuda.LogicError, match="cuMipmappedArrayCreate"):
        cuda.MipmappedArray(descriptor(0, 8))
