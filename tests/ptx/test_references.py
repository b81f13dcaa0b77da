"""Texture and surface references of modules in PTX, on the CPU device.

A reference is a variable with the handle of an object; ``get_texref`` and
``get_surfref`` find it. On a GPU, references of modules belong to functions
of the driver that this package does not use.
"""

# SPDX-License-Identifier: MIT

import numpy as np
import pytest
from test_refused_modifiers import message_of

import pycuda.driver as drv

HEAD = ".version 7.0\n.target sm_70\n.address_size 64\n"
MODULE = (
    HEAD
    + """
.global .texref source;
.visible .global .surfref target, other;
.visible .entry k(.param .u64 out)
{
    .reg .b32 x, y, r<4>; .reg .f32 f<4>; .reg .b64 d, q, handle;
    .reg .b32 width;
    mov.u32 x, %tid.x; mov.u32 y, %tid.y; ld.param.u64 d, [out];
    tex.2d.v4.f32.s32 {f0, f1, f2, f3}, [source, {x, y}];
    mov.u64 handle, source;
    tex.2d.v4.f32.s32 {f1, f2, f3, f3}, [handle, {y, x}];
    add.f32 f0, f0, f1; mov.b32 r0, f0;
    txq.width.b32 width, [source];
    shl.b32 x, x, 2; sust.b.2d.b32.trap [target, {x, y}], r0;
    suld.b.2d.b32.trap r1, [target, {x, y}]; mov.b32 f1, r1;
    mad.lo.u32 x, y, 32, x; cvt.u64.u32 q, x; add.u64 d, d, q;
    cvt.rn.f32.u32 f2, width; add.f32 f1, f1, f2;
    st.global.f32 [d], f1; ret;
}
"""
)

pytestmark = pytest.mark.cpu


def test_references(context: None) -> None:
    module = drv.module_from_buffer(MODULE.encode())
    rng = np.random.default_rng(5)
    values = rng.integers(0, 99, (8, 8)).astype("f4")
    texture = module.get_texref("source")
    drv.matrix_to_texref(values, texture, order="C")
    descriptor = drv.ArrayDescriptor3D()
    descriptor.width = descriptor.height = 8
    descriptor.depth = 0
    descriptor.format = drv.array_format.FLOAT
    descriptor.num_channels = 1
    descriptor.flags = drv.array3d_flags.SURFACE_LDST
    array = drv.Array(descriptor)
    module.get_surfref("target").set_array(array)
    out = np.zeros((8, 8), "f4")
    module.get_function("k")(drv.Out(out), block=(8, 8, 1), texrefs=[texture])
    np.testing.assert_array_equal(out, values + values.T + 8)


@pytest.mark.parametrize(
    "text",
    [
        "tex.1d.v4.f32.s32 {r0, r1, r2, r3}, [global_variable, {r4}]",
        "suld.b.1d.b32.trap r0, [global_variable, {r4}]",
        "txq.width.b32 r0, [global_variable]",
    ],
)
def test_other_variables(text: str) -> None:
    message = message_of(text)
    assert "'global_variable' is neither a texture nor a surface" in message


@pytest.mark.parametrize(
    "text, reason",
    [
        (".shared .texref t;", "the reference 't' is initialised or not in"),
        (".global .texref t = {1};", "the reference 't' is initialised"),
        (".visible .entry k(.param .texref t) { ret; }", "parameter 't'"),
        (".global .samplerref t;", "'.samplerref' is not supported"),
    ],
)
def test_wrong_declarations(text: str, reason: str, context: None) -> None:
    with pytest.raises(drv.Error, match=reason.replace(".", r"\.")):
        drv.module_from_buffer((HEAD + text).encode())
