"""Reads of textures and surfaces, and the types that describe them.

SPDX-License-Identifier: MIT
"""

from collections.abc import Iterator

from entries import Entry
from survey import names, survey

TEXELS = [
    "char",
    "uchar",
    "short",
    "ushort",
    "int",
    "uint",
    "float",
    "char1",
    "uchar1",
    "short1",
    "int1",
    "float1",
    "char2",
    "uchar2",
    "short2",
    "ushort2",
    "int2",
    "uint2",
    "float2",
    "char4",
    "uchar4",
    "short4",
    "ushort4",
    "int4",
    "uint4",
    "float4",
    "double",
    "long",
    "longlong",
    "float3",
    "int3",
    "ulonglong",
    "longlong1",
    "longlong2",
    "ulonglong2",
    "longlong4",
    "double2",
    "bool",
    "__half",
]
READS = {
    "tex1Dfetch": "int",
    "tex1D": "float", "tex1DLod": "float,float",
    "tex1DGrad": "float,float,float",
    "tex1DLayered": "float,int", "tex1DLayeredLod": "float,int,float",
    "tex1DLayeredGrad": "float,int,float,float",
    "tex2D": "float,float", "tex2D sparse": "float,float,bool *",
    "tex2DLod": "float,float,float",
    "tex2DLod sparse": "float,float,float,bool *",
    "tex2DGrad": "float,float,float2,float2",
    "tex2DGrad sparse": "float,float,float2,float2,bool *",
    "tex2Dgather": "float,float", "tex2Dgather 2": "float,float,int",
    "tex2Dgather sparse": "float,float,bool *,int",
    "tex2DLayered": "float,float,int",
    "tex2DLayered sparse": "float,float,int,bool *",
    "tex2DLayeredLod": "float,float,int,float",
    "tex2DLayeredGrad": "float,float,int,float2,float2",
    "tex3D": "float,float,float", "tex3D sparse": "float,float,float,bool *",
    "tex3DLod": "float,float,float,float",
    "tex3DLod sparse": "float,float,float,float,bool *",
    "tex3DGrad": "float,float,float,float4,float4",
    "tex3DGrad sparse": "float,float,float,float4,float4,bool *",
    "texCubemap": "float,float,float",
    "texCubemapLod": "float,float,float,float",
    "texCubemapGrad": "float,float,float,float4,float4",
    "texCubemapLayered": "float,float,float,int",
    "texCubemapLayeredLod": "float,float,float,int,float",
    "texCubemapLayeredGrad": "float,float,float,int,float4,float4",
    "surf1Dread": "int", "surf1Dread mode": "int,cudaSurfaceBoundaryMode",
    "surf2Dread": "int,int",
    "surf2Dread mode": "int,int,cudaSurfaceBoundaryMode",
    "surf3Dread": "int,int,int",
    "surf3Dread mode": "int,int,int,cudaSurfaceBoundaryMode",
    "surf1DLayeredread": "int,int", "surf2DLayeredread": "int,int,int",
    "surf2DLayeredread mode": "int,int,int,cudaSurfaceBoundaryMode",
    "surf1DLayeredread mode": "int,int,cudaSurfaceBoundaryMode",
    "surfCubemapread": "int,int,int",
    "surfCubemapread mode": "int,int,int,cudaSurfaceBoundaryMode",
    "surfCubemapLayeredread": "int,int,int",
    "surfCubemapLayeredread mode": "int,int,int,cudaSurfaceBoundaryMode",
    "texNoSuch": "int",
}  # fmt: skip
DESCRIPTIONS = names("""
cudaTextureObject_t cudaSurfaceObject_t cudaChannelFormatDesc
cudaChannelFormatKind cudaResourceDesc cudaTextureDesc cudaResourceViewDesc
cudaTextureAddressMode cudaTextureFilterMode cudaTextureReadMode
cudaSurfaceBoundaryMode cudaSurfaceFormatMode textureReference cudaArray_t
cudaMipmappedArray_t cudaArray_const_t cudaExtent cudaPos cudaPitchedPtr
cudaMemcpy3DParms surfaceReference
""")
VALUES = names("""
cudaAddressMode{Wrap,Clamp,Mirror,Border} cudaFilterMode{Point,Linear}
cudaRead{Mode,}{ElementType,NormalizedFloat} cudaReadModeElementType
cudaReadModeNormalizedFloat cudaBoundaryMode{Zero,Clamp,Trap}
cudaFormatMode{Forced,Auto} cudaTextureType{1D,2D,3D,Cubemap}
cudaTextureType{1DLayered,2DLayered,CubemapLayered}
cudaSurfaceType{1D,2D,3D,Cubemap,1DLayered,2DLayered,CubemapLayered}
cudaResourceType{Array,MipmappedArray,Linear,Pitch2D}
""")


def entries() -> Iterator[Entry]:
    """Yield every function with every type of texel."""
    for name, arguments in READS.items():
        function = name.split()[0]
        objects = "cudaTextureObject_t"
        if function.startswith("surf"):
            objects = "cudaSurfaceObject_t"
        call = (objects, *arguments.split(","))
        for texel in TEXELS:
            headers = ("cuda_fp16.h",) if texel == "__half" else ()
            yield survey("textures", f"{function}<{texel}>", [call], headers,
                         f"{name}<{texel}>")  # fmt: skip
            yield survey("textures", function,
                         [(f"{texel} *", *call)], headers,
                         f"{name} to {texel} *")  # fmt: skip
            if function.startswith("surf"):
                write = function.replace("read", "write")
                label = f"{name.replace('read', 'write')} {texel}"
                yield survey(
                    "textures", write, [(texel, *call)], headers, label
                )
    for name in DESCRIPTIONS:
        yield Entry("textures", f"sizeof({name})",
                    value=f"sizeof({name}), alignof({name})")  # fmt: skip
    for name in VALUES:
        yield Entry("textures", name, value=f"(int){name}")
    for texel in TEXELS:
        for function in ("cudaCreateChannelDesc",):
            headers = ("cuda_fp16.h",) if texel == "__half" else ()
            yield survey("textures", f"{function}<{texel}>", [()], headers)
