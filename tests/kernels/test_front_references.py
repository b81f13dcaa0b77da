"""Texture and surface references: every form of declaration and use."""

import pytest

from pycuda.compiler import SourceModule, compile

pytestmark = pytest.mark.usefixtures("context")

KERNEL = "__global__ void kernel(float *o) "

FORMS = {
    "plain": "texture<float, 2> t;" + KERNEL + "{ o[0] = tex2D(t, 1, 2.5f); }",
    "static": "static texture<float, 1, cudaReadModeElementType> t;"
    + KERNEL
    + "{ o[0] = tex1Dfetch(t, 1) + tex1D(t, .5f); }",
    "two lines": "texture<uchar4, 2,\n   cudaReadModeNormalizedFloat> t;"
    + KERNEL
    + "{ float4 v = tex2D(t, 1.f, 2.5f); o[0] = v.x; }",
    "beside an object": "texture<float, 2> t;"
    "__global__ void kernel(float *o, cudaTextureObject_t obj)"
    "{ o[0] = tex2D<float>(obj, 1.f, 2.f) + tex2D(t, 0, 0); }",
    "parameter of that name": "texture<int2, 1> t;"
    "__global__ void kernel(float *o, cudaTextureObject_t texture)"
    "{ o[0] = tex2D<float>(texture, 1, 2) + tex1Dfetch(t, 3).x; }",
    "member of that name": "texture<float, 3> t;"
    "struct S { cudaTextureObject_t texture; int surface; };"
    "__global__ void kernel(float *o, S s)"
    "{ o[0] = tex3D<float>(s.texture, 1, 2, 3) + tex3D(t, 1, 2, 3); }",
    "variable of that name": "texture<float, 2> t;"
    + KERNEL
    + "{ int texture = 3; o[texture] = tex2D(t, 0, 0); }",
    "function parameter": "texture<float, 2> t;"
    "__device__ float f(texture<float, 2> r) { return tex2D(r, 0, 0); }"
    + KERNEL
    + "{ o[0] = f(t); }",
    "template argument": "texture<float, 2> t;"
    'extern "C++" { template <texture<float, 2> &r> __device__ float f()'
    "{ return tex2D(r, 0, 0); } }" + KERNEL + "{ o[0] = f<t>(); }",
    "typedef": "typedef texture<float, cudaTextureType2DLayered> T; T t;"
    + KERNEL
    + "{ o[0] = tex2DLayered(t, 3, 4, 1); }",
    "surface": "texture<float, 2> t; surface<void, 2> s;"
    + KERNEL
    + "{ surf2Dwrite(tex2D(t, 0, 0), s, 4, 1); float v;"
    " surf2Dread(&v, s, 4, 1, cudaBoundaryModeClamp);"
    " o[0] = v + surf2Dread<float>(s, 0, 0); }",
    "every function": "texture<float, 2> t; texture<uchar4, 2,"
    " cudaReadModeNormalizedFloat> u; texture<int, 2> i; texture<float, 3> d;"
    "texture<float4, cudaTextureTypeCubemapLayered> c;"
    "texture<float, cudaTextureType2DLayered> l;"
    "surface<void, cudaSurfaceTypeCubemap> s;"
    + KERNEL
    + "{ float2 g = make_float2(0, 0); float4 h = tex2Dgather(t, 1, 2);"
    " h = tex2Dgather(u, 1, 2, 3); o[0] = tex2Dgather(i, 1, 2).x + h.x;"
    " o[1] = texCubemapLayered(c, 1, 2, 3, 4).x + tex2DGrad(t, 1, 2, g, g);"
    " o[2] = tex2DLayeredLod(l, 1, 2, 3, 0) + tex3DGrad(d, 1, 2, 3, h, h);"
    " surfCubemapwrite(2.f, s, 0, 1, 2);"
    " o[3] = surfCubemapread<float>(s, 0, 1, 2); }",
    "other globals": "texture<float, 2> t; __constant__ float c[4];"
    "__device__ int d = 3; int plain = 4; static const float table[] = {1, 2};"
    "const int N = 5; int host(int x) { return x + N; }"
    "__device__ int counter() { static int n = 0; return n++; }"
    + KERNEL
    + "{ __shared__ float s[N]; extern __shared__ float e[];"
    " s[threadIdx.x] = c[1] + d + plain; __syncthreads(); e[0] = s[0];"
    " o[0] = tex2D(t, 0, 0) + table[1] + e[0] + counter() + host(2); }",
}


@pytest.mark.parametrize("form", FORMS)
def test_form_compiles(form):
    module = SourceModule(FORMS[form])
    address, size = module.get_global("t")
    assert address and size == 8, "a reference is one texture object"


HELPERS = """
#include <pycuda-helpers.hpp>
texture<fp_tex_double, 1, cudaReadModeElementType> td;
texture<fp_tex_cdouble, 2> tcd;
texture<float, cudaTextureType2DLayered> tl;
texture<fp_tex_cfloat, 3> tc;
surface<void, cudaSurfaceType2DLayered> sl;
surface<void, cudaSurfaceType3D> s3;
__global__ void kernel(double *o, pycuda::complex<double> *z,
                       pycuda::complex<float> *c)
{
    o[0] = fp_tex1Dfetch(td, 3);
    z[0] = fp_tex2D(tcd, 1, 2);
    o[1] = fp_tex2DLayered(tl, 1, 2, 0);
    c[0] = fp_tex3D(tc, 1, 2, 3);
    fp_surf2DLayeredwrite(o[0], sl, 1, 2, 0, cudaBoundaryModeClamp);
    fp_surf2DLayeredread(&o[1], sl, 1, 2, 0, cudaBoundaryModeTrap);
    fp_surf3Dwrite(z[0], s3, 1, 2, 3, cudaBoundaryModeTrap);
    fp_surf3Dread(&z[1], s3, 1, 2, 3, cudaBoundaryModeTrap);
    fp_surf3Dwrite(1.f, s3, 1, 2, 3, cudaBoundaryModeTrap);
}
"""


def test_helpers_compile():
    assert compile(HELPERS)


def test_wrong_dimension_is_an_error():
    import pycuda.driver as cuda

    source = "texture<float, 1> t;" + KERNEL + "{ o[0] = tex2D(t, 1, 2); }"
    with pytest.raises(cuda.CompileError, match="tex2D"):
        compile(source)
