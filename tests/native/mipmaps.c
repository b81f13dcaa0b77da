/* mipmaps.c - mipmapped arrays: level counts, sizes, and wrong calls.
 *
 * SPDX-License-Identifier: MIT */
#include "native.h"

static CUmipmappedArray
chain_make(size_t width, size_t height, size_t depth, unsigned flags,
           unsigned levels)
{
    CUDA_ARRAY3D_DESCRIPTOR shape = {width, height, depth, CU_AD_FORMAT_FLOAT,
                                     1,     flags};
    CUmipmappedArray chain = NULL;

    OK(cu.cuMipmappedArrayCreate(&chain, &shape, levels));
    return chain;
}

static void
expect_level(CUmipmappedArray chain, unsigned level, size_t width,
             size_t height, size_t depth)
{
    CUDA_ARRAY3D_DESCRIPTOR shape = {0};
    CUarray array = NULL, repeated = NULL;

    OK(cu.cuMipmappedArrayGetLevel(&array, chain, level));
    OK(cu.cuMipmappedArrayGetLevel(&repeated, chain, level));
    CHECK(array && array == repeated);
    OK(cu.cuArray3DGetDescriptor(&shape, array));
    CHECK(shape.Width == width && shape.Height == height &&
          shape.Depth == depth);
}

static void
expect_end(CUmipmappedArray chain, unsigned count)
{
    CUarray array = NULL;

    OK(cu.cuMipmappedArrayGetLevel(&array, chain, count - 1));
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuMipmappedArrayGetLevel(&array, chain, count));
}

static void
test_levels(void)
{
    CUmipmappedArray chain = chain_make(24, 5, 0, 0, 99);

    expect_level(chain, 0, 24, 5, 0);
    expect_level(chain, 1, 12, 2, 0);
    expect_level(chain, 2, 6, 1, 0);
    expect_level(chain, 4, 1, 1, 0);
    expect_end(chain, 5);
    OK(cu.cuMipmappedArrayDestroy(chain));
    chain = chain_make(4, 4, 16, 0, 3);
    expect_level(chain, 2, 1, 1, 4);
    expect_end(chain, 3);
    OK(cu.cuMipmappedArrayDestroy(chain));
    chain = chain_make(8, 8, 6, CUDA_ARRAY3D_CUBEMAP, 99);
    expect_level(chain, 3, 1, 1, 6);
    expect_end(chain, 4);
    OK(cu.cuMipmappedArrayDestroy(chain));
    chain = chain_make(8, 0, 40, CUDA_ARRAY3D_LAYERED, 99);
    expect_level(chain, 3, 1, 0, 40);
    expect_end(chain, 4);
    OK(cu.cuMipmappedArrayDestroy(chain));
}

static void
test_texture(void)
{
    CUmipmappedArray chain = chain_make(8, 8, 0, 0, 99);
    CUDA_RESOURCE_DESC resource = {.resType =
                                       CU_RESOURCE_TYPE_MIPMAPPED_ARRAY};
    CUDA_RESOURCE_DESC found = {0};
    CUDA_TEXTURE_DESC how = {.flags = CU_TRSF_NORMALIZED_COORDINATES,
                             .mipmapFilterMode = CU_TR_FILTER_MODE_LINEAR,
                             .mipmapLevelBias = 0.5f,
                             .maxMipmapLevelClamp = 2};
    CUDA_TEXTURE_DESC told = {0};
    CUtexObject texture = 0;

    resource.res.mipmap.hMipmappedArray = chain;
    OK(cu.cuTexObjectCreate(&texture, &resource, &how, NULL));
    OK(cu.cuTexObjectGetResourceDesc(&found, texture));
    CHECK(found.resType == CU_RESOURCE_TYPE_MIPMAPPED_ARRAY &&
          found.res.mipmap.hMipmappedArray == chain);
    OK(cu.cuTexObjectGetTextureDesc(&told, texture));
    CHECK(told.mipmapLevelBias == 0.5f && told.maxMipmapLevelClamp == 2);
    OK(cu.cuTexObjectDestroy(texture));
    if (native_on_cpu) { /* a chain's levels differ in size */
        CUDA_RESOURCE_VIEW_DESC view = {.firstMipmapLevel = 1,
                                        .lastMipmapLevel = 9};

        EXPECT(CUDA_ERROR_INVALID_VALUE,
               cu.cuTexObjectCreate(&texture, &resource, &how, &view));
        view.lastMipmapLevel = 2;
        OK(cu.cuTexObjectCreate(&texture, &resource, &how, &view));
        OK(cu.cuTexObjectDestroy(texture));
        how.flags = 0;
        EXPECT(CUDA_ERROR_INVALID_VALUE,
               cu.cuTexObjectCreate(&texture, &resource, &how, NULL));
    }
    OK(cu.cuMipmappedArrayDestroy(chain));
}

static void
test_wrong_calls(void)
{
    CUDA_ARRAY3D_DESCRIPTOR shape = {8, 8, 0, CU_AD_FORMAT_FLOAT, 1, 0};
    CUmipmappedArray chain = chain_make(8, 8, 0, 0, 2);
    CUarray array = NULL;

    OK(cu.cuMipmappedArrayGetLevel(&array, chain, 1));
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE,
                cu.cuMipmappedArrayGetLevel(NULL, chain, 0));
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE,
                cu.cuMipmappedArrayCreate(NULL, &shape, 1));
    EXPECT_NULL(CUDA_ERROR_INVALID_VALUE,
                cu.cuMipmappedArrayCreate(&chain, NULL, 1));
    EXPECT_STALE(CUDA_ERROR_INVALID_HANDLE, cu.cuArrayDestroy(array));
    OK(cu.cuMipmappedArrayDestroy(chain));
    EXPECT_STALE(CUDA_ERROR_INVALID_HANDLE, cu.cuMipmappedArrayDestroy(chain));
    EXPECT_STALE(CUDA_ERROR_INVALID_HANDLE,
                 cu.cuMipmappedArrayGetLevel(&array, chain, 0));
    EXPECT_STALE(CUDA_ERROR_INVALID_HANDLE,
                 cu.cuArray3DGetDescriptor(&shape, array));
    shape.NumChannels = 3;
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuMipmappedArrayCreate(&chain, &shape, 1));
    shape.NumChannels = 1;
    shape.Width = 0;
    EXPECT(CUDA_ERROR_INVALID_VALUE,
           cu.cuMipmappedArrayCreate(&chain, &shape, 1));
}

int
main(int argc, char **argv)
{
    native_start(argc, argv);
    CUcontext ctx = native_context();
    test_levels();
    test_texture();
    test_wrong_calls();
    OK(cu.cuCtxDestroy(ctx)); /* frees the remaining arrays */
    return native_end("mipmaps");
}
