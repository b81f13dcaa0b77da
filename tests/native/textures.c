/* textures.c - arrays, copies of boxes, textures and surfaces.
 *
 * SPDX-License-Identifier: MIT */
#include <math.h>

#include "native.h"

#define W 8
#define H 5

static const char source[] =
    "extern \"C\" {\n"
    "__global__ void sample(float *out, cudaTextureObject_t t,\n"
    "                       const float *x, const float *y, int n)\n"
    "{\n"
    "    int i = threadIdx.x;\n"
    "    if (i < n) out[i] = tex2D<float>(t, x[i], y[i]);\n"
    "}\n"
    "__global__ void fetch(float *out, cudaTextureObject_t t, int n)\n"
    "{\n"
    "    int i = threadIdx.x;\n"
    "    if (i < n) out[i] = tex1Dfetch<float>(t, i);\n"
    "}\n"
    "__global__ void write(cudaSurfaceObject_t s)\n"
    "{\n"
    "    int x = threadIdx.x, y = threadIdx.y;\n"
    "    float old;\n"
    "    surf2Dread(&old, s, x * 4, y);\n"
    "    surf2Dwrite(old + 100 * y + x, s, x * 4, y);\n"
    "}\n"
    "}\n";

static float image[H][W];

static CUarray
array_make(unsigned flags)
{
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {.Width = W,
                                          .Height = H,
                                          .Format = CU_AD_FORMAT_FLOAT,
                                          .NumChannels = 1,
                                          .Flags = flags};
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                          .srcHost = image,
                          .srcPitch = sizeof image[0],
                          .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                          .WidthInBytes = sizeof image[0],
                          .Height = H};
    CUarray array = NULL;

    OK(cu.cuArray3DCreate(&array, &descriptor));
    copy.dstArray = array;
    OK(cu.cuMemcpy2D(&copy));
    return array;
}

static CUtexObject
texture_make(CUarray array, CUfilter_mode filter, CUaddress_mode address,
             unsigned flags)
{
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_TEXTURE_DESC how = {.addressMode = {address, address, address},
                             .filterMode = filter,
                             .flags = flags};
    CUtexObject texture = 0;

    resource.res.array.hArray = array;
    OK(cu.cuTexObjectCreate(&texture, &resource, &how, NULL));
    return texture;
}

/* Samples at up to 16 points. */
static void
sample(CUmodule module, CUtexObject texture, const float *x, const float *y,
       int n, float *out)
{
    CUdeviceptr memory, dx, dy;
    void *parameters[] = {&memory, &texture, &dx, &dy, &n};

    OK(cu.cuMemAlloc(&memory, 192));
    dx = memory + 64;
    dy = memory + 128;
    OK(cu.cuMemcpyHtoD(dx, x, (size_t)n * 4));
    OK(cu.cuMemcpyHtoD(dy, y, (size_t)n * 4));
    OK(native_launch(native_function(module, "sample"), 1, 16, NULL,
                     parameters));
    OK(cu.cuMemcpyDtoH(out, memory, (size_t)n * 4));
    OK(cu.cuMemFree(memory));
}

static void
test_point(CUmodule module, CUarray array)
{
    static const float x[] = {0.5f, 3.99f, -2, 100, 7.5f};
    static const float y[] = {0.5f, 2.01f, 1.5f, 4.5f, -9};
    float out[5];

    CUtexObject texture = texture_make(array, CU_TR_FILTER_MODE_POINT,
                                       CU_TR_ADDRESS_MODE_CLAMP, 0);
    sample(module, texture, x, y, 5, out);
    CHECK(out[0] == image[0][0] && out[1] == image[2][3]);
    CHECK(out[2] == image[1][0] && out[3] == image[4][7]);
    CHECK(out[4] == image[0][7]);
    OK(cu.cuTexObjectDestroy(texture));
    texture = texture_make(array, CU_TR_FILTER_MODE_POINT,
                           CU_TR_ADDRESS_MODE_BORDER, 0);
    sample(module, texture, x, y, 5, out);
    CHECK(out[0] == image[0][0] && out[2] == 0 && out[3] == 0);
    OK(cu.cuTexObjectDestroy(texture));
}

static void
test_linear(CUmodule module, CUarray array)
{
    static const float x[] = {1.0f, 2.5f, 2.75f, 0.0f};
    static const float y[] = {0.5f, 2.0f, 1.5f, 0.5f};
    static const float unit_x[] = {0.5f / W, 1 + 1.5f / W, -0.5f / W, 0.5f};
    static const float unit_y[] = {0.5f / H, 0.5f / H, 0.5f / H, 0.5f};
    float out[4];

    CUtexObject texture = texture_make(array, CU_TR_FILTER_MODE_LINEAR,
                                       CU_TR_ADDRESS_MODE_CLAMP, 0);
    sample(module, texture, x, y, 4, out);
    CHECK(fabsf(out[0] - (image[0][0] + image[0][1]) / 2) < 1e-4f);
    CHECK(fabsf(out[1] - (image[1][2] + image[2][2]) / 2) < 1e-4f);
    CHECK(fabsf(out[2] - (0.75f * image[1][2] + 0.25f * image[1][3])) < 1e-4f);
    CHECK(out[3] == image[0][0]);
    OK(cu.cuTexObjectDestroy(texture));
    texture =
        texture_make(array, CU_TR_FILTER_MODE_POINT, CU_TR_ADDRESS_MODE_WRAP,
                     CU_TRSF_NORMALIZED_COORDINATES);
    sample(module, texture, unit_x, unit_y, 4, out);
    CHECK(out[0] == image[0][0] && out[1] == image[0][1]);
    CHECK(out[2] == image[0][7] && out[3] == image[2][4]);
    OK(cu.cuTexObjectDestroy(texture));
}

static void
test_fetch(CUmodule module)
{
    static const unsigned char bytes[8] = {0, 51, 102, 153, 204, 255, 1, 2};
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_LINEAR};
    CUDA_TEXTURE_DESC how = {.filterMode = CU_TR_FILTER_MODE_POINT};
    CUtexObject texture;
    CUdeviceptr memory, out;
    float host[8];
    int n = 8;
    void *parameters[] = {&out, &texture, &n};

    OK(cu.cuMemAlloc(&memory, sizeof bytes));
    OK(cu.cuMemAlloc(&out, sizeof host));
    OK(cu.cuMemcpyHtoD(memory, bytes, sizeof bytes));
    resource.res.linear.devPtr = memory;
    resource.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT8;
    resource.res.linear.numChannels = 1;
    resource.res.linear.sizeInBytes = sizeof bytes;
    OK(cu.cuTexObjectCreate(&texture, &resource, &how, NULL));
    OK(native_launch(native_function(module, "fetch"), 1, 8, NULL,
                     parameters));
    OK(cu.cuMemcpyDtoH(host, out, sizeof host));
    for (int i = 0; i < 8; i++) {
        CHECK(fabsf(host[i] - (float)bytes[i] / 255) < 1e-6f);
    }
    OK(cu.cuTexObjectDestroy(texture));
    OK(cu.cuMemFree(memory));
    OK(cu.cuMemFree(out));
}

static void
test_surface(CUmodule module)
{
    CUarray array = array_make(CUDA_ARRAY3D_SURFACE_LDST);
    CUDA_RESOURCE_DESC resource = {.resType = CU_RESOURCE_TYPE_ARRAY};
    CUDA_MEMCPY2D copy = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                          .srcArray = array,
                          .dstMemoryType = CU_MEMORYTYPE_HOST,
                          .WidthInBytes = sizeof image[0],
                          .Height = H};
    float out[H][W];
    CUsurfObject surface;
    void *parameters[] = {&surface};

    resource.res.array.hArray = array;
    OK(cu.cuSurfObjectCreate(&surface, &resource));
    OK(cu.cuLaunchKernel(native_function(module, "write"), 1, 1, 1, W, H, 1, 0,
                         NULL, parameters, NULL));
    copy.dstHost = out;
    copy.dstPitch = sizeof out[0];
    OK(cu.cuMemcpy2D(&copy));
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            CHECK(out[y][x] == image[y][x] + (float)(100 * y + x));
        }
    }
    OK(cu.cuSurfObjectDestroy(surface));
    OK(cu.cuArrayDestroy(array));
}

/* A box from the middle of a 3-D array, and back. */
static void
test_boxes(void)
{
    static int cube[4][5][6], got[2][3][4];
    CUDA_ARRAY3D_DESCRIPTOR descriptor = {.Width = 6,
                                          .Height = 5,
                                          .Depth = 4,
                                          .Format = CU_AD_FORMAT_SIGNED_INT32,
                                          .NumChannels = 1};
    CUDA_MEMCPY3D in = {.srcMemoryType = CU_MEMORYTYPE_HOST,
                        .srcHost = cube,
                        .srcPitch = 24,
                        .srcHeight = 5,
                        .dstMemoryType = CU_MEMORYTYPE_ARRAY,
                        .WidthInBytes = 24,
                        .Height = 5,
                        .Depth = 4};
    CUDA_MEMCPY3D out = {.srcMemoryType = CU_MEMORYTYPE_ARRAY,
                         .srcXInBytes = 4,
                         .srcY = 2,
                         .srcZ = 1,
                         .dstMemoryType = CU_MEMORYTYPE_HOST,
                         .dstHost = got,
                         .dstPitch = 16,
                         .dstHeight = 3,
                         .WidthInBytes = 16,
                         .Height = 3,
                         .Depth = 2};

    for (int i = 0; i < 120; i++) {
        (&cube[0][0][0])[i] = i;
    }
    OK(cu.cuArray3DCreate(&in.dstArray, &descriptor));
    OK(cu.cuMemcpy3D(&in));
    out.srcArray = in.dstArray;
    OK(cu.cuMemcpy3D(&out));
    for (int i = 0; i < 24; i++) {
        int z = i / 12, y = i / 4 % 3, x = i % 4;
        CHECK(got[z][y][x] == cube[z + 1][y + 2][x + 1]);
    }
    out.srcZ = 3; /* beyond the last slice */
    EXPECT(CUDA_ERROR_INVALID_VALUE, cu.cuMemcpy3D(&out));
    OK(cu.cuArrayDestroy(in.dstArray));
    EXPECT_STALE(CUDA_ERROR_INVALID_HANDLE, cu.cuArrayDestroy(in.dstArray));
}

int
main(int argc, char **argv)
{
    native_start(argc, argv);
    CUcontext ctx = native_context();
    CUmodule module = native_module(source);

    for (int i = 0; i < W * H; i++) {
        (&image[0][0])[i] = (float)(i * i);
    }
    CUarray array = array_make(0);
    test_point(module, array);
    test_linear(module, array);
    test_fetch(module);
    test_surface(module);
    test_boxes();
    OK(cu.cuArrayDestroy(array));
    OK(cu.cuModuleUnload(module));
    OK(cu.cuCtxDestroy(ctx));
    return native_end("textures");
}
