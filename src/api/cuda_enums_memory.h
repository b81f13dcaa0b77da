/* cuda_enums_memory.h - enumerations for memory, arrays and textures.
 *
 * Included by cuda_types.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_API_CUDA_ENUMS_MEMORY_H
#define PYCUDA_API_CUDA_ENUMS_MEMORY_H

/* The columns are aligned by hand, so clang-format is switched off. */
/* clang-format off */

typedef enum CUmemAttach_flags_enum {
    CU_MEM_ATTACH_GLOBAL = 1,
    CU_MEM_ATTACH_HOST   = 2,
    CU_MEM_ATTACH_SINGLE = 4,
} CUmemAttach_flags;

typedef enum CUarray_format_enum {
    CU_AD_FORMAT_UNSIGNED_INT8           = 1,
    CU_AD_FORMAT_UNSIGNED_INT16          = 2,
    CU_AD_FORMAT_UNSIGNED_INT32          = 3,
    CU_AD_FORMAT_SIGNED_INT8             = 8,
    CU_AD_FORMAT_SIGNED_INT16            = 9,
    CU_AD_FORMAT_SIGNED_INT32            = 10,
    CU_AD_FORMAT_HALF                    = 16,
    CU_AD_FORMAT_FLOAT                   = 32,
    CU_AD_FORMAT_UNORM_INT_101010_2      = 80,
    CU_AD_FORMAT_BC1_UNORM               = 145,
    CU_AD_FORMAT_BC1_UNORM_SRGB          = 146,
    CU_AD_FORMAT_BC2_UNORM               = 147,
    CU_AD_FORMAT_BC2_UNORM_SRGB          = 148,
    CU_AD_FORMAT_BC3_UNORM               = 149,
    CU_AD_FORMAT_BC3_UNORM_SRGB          = 150,
    CU_AD_FORMAT_BC4_UNORM               = 151,
    CU_AD_FORMAT_BC4_SNORM               = 152,
    CU_AD_FORMAT_BC5_UNORM               = 153,
    CU_AD_FORMAT_BC5_SNORM               = 154,
    CU_AD_FORMAT_BC6H_UF16               = 155,
    CU_AD_FORMAT_BC6H_SF16               = 156,
    CU_AD_FORMAT_BC7_UNORM               = 157,
    CU_AD_FORMAT_BC7_UNORM_SRGB          = 158,
    CU_AD_FORMAT_P010                    = 159,
    CU_AD_FORMAT_P016                    = 161,
    CU_AD_FORMAT_NV16                    = 162,
    CU_AD_FORMAT_P210                    = 163,
    CU_AD_FORMAT_P216                    = 164,
    CU_AD_FORMAT_YUY2                    = 165,
    CU_AD_FORMAT_Y210                    = 166,
    CU_AD_FORMAT_Y216                    = 167,
    CU_AD_FORMAT_AYUV                    = 168,
    CU_AD_FORMAT_Y410                    = 169,
    CU_AD_FORMAT_NV12                    = 176,
    CU_AD_FORMAT_Y416                    = 177,
    CU_AD_FORMAT_Y444_PLANAR8            = 178,
    CU_AD_FORMAT_Y444_PLANAR10           = 179,
    CU_AD_FORMAT_YUV444_8bit_SemiPlanar  = 180,
    CU_AD_FORMAT_YUV444_16bit_SemiPlanar = 181,
    CU_AD_FORMAT_UNORM_INT8X1            = 192,
    CU_AD_FORMAT_UNORM_INT8X2            = 193,
    CU_AD_FORMAT_UNORM_INT8X4            = 194,
    CU_AD_FORMAT_UNORM_INT16X1           = 195,
    CU_AD_FORMAT_UNORM_INT16X2           = 196,
    CU_AD_FORMAT_UNORM_INT16X4           = 197,
    CU_AD_FORMAT_SNORM_INT8X1            = 198,
    CU_AD_FORMAT_SNORM_INT8X2            = 199,
    CU_AD_FORMAT_SNORM_INT8X4            = 200,
    CU_AD_FORMAT_SNORM_INT16X1           = 201,
    CU_AD_FORMAT_SNORM_INT16X2           = 202,
    CU_AD_FORMAT_SNORM_INT16X4           = 203,
} CUarray_format;

typedef enum CUaddress_mode_enum {
    CU_TR_ADDRESS_MODE_WRAP   = 0,
    CU_TR_ADDRESS_MODE_CLAMP  = 1,
    CU_TR_ADDRESS_MODE_MIRROR = 2,
    CU_TR_ADDRESS_MODE_BORDER = 3,
} CUaddress_mode;

typedef enum CUfilter_mode_enum {
    CU_TR_FILTER_MODE_POINT  = 0,
    CU_TR_FILTER_MODE_LINEAR = 1,
} CUfilter_mode;

typedef enum CUmemorytype_enum {
    CU_MEMORYTYPE_HOST    = 1,
    CU_MEMORYTYPE_DEVICE  = 2,
    CU_MEMORYTYPE_ARRAY   = 3,
    CU_MEMORYTYPE_UNIFIED = 4,
} CUmemorytype;

typedef enum CUmem_advise_enum {
    CU_MEM_ADVISE_SET_READ_MOSTLY          = 1,
    CU_MEM_ADVISE_UNSET_READ_MOSTLY        = 2,
    CU_MEM_ADVISE_SET_PREFERRED_LOCATION   = 3,
    CU_MEM_ADVISE_UNSET_PREFERRED_LOCATION = 4,
    CU_MEM_ADVISE_SET_ACCESSED_BY          = 5,
    CU_MEM_ADVISE_UNSET_ACCESSED_BY        = 6,
} CUmem_advise;

typedef enum CUmem_range_attribute_enum {
    CU_MEM_RANGE_ATTRIBUTE_READ_MOSTLY                 = 1,
    CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION          = 2,
    CU_MEM_RANGE_ATTRIBUTE_ACCESSED_BY                 = 3,
    CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION      = 4,
    CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_TYPE     = 5,
    CU_MEM_RANGE_ATTRIBUTE_PREFERRED_LOCATION_ID       = 6,
    CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_TYPE = 7,
    CU_MEM_RANGE_ATTRIBUTE_LAST_PREFETCH_LOCATION_ID   = 8,
} CUmem_range_attribute;

typedef enum CUarray_cubemap_face_enum {
    CU_CUBEMAP_FACE_POSITIVE_X = 0,
    CU_CUBEMAP_FACE_NEGATIVE_X = 1,
    CU_CUBEMAP_FACE_POSITIVE_Y = 2,
    CU_CUBEMAP_FACE_NEGATIVE_Y = 3,
    CU_CUBEMAP_FACE_POSITIVE_Z = 4,
    CU_CUBEMAP_FACE_NEGATIVE_Z = 5,
} CUarray_cubemap_face;

typedef enum CUresourcetype_enum {
    CU_RESOURCE_TYPE_ARRAY           = 0,
    CU_RESOURCE_TYPE_MIPMAPPED_ARRAY = 1,
    CU_RESOURCE_TYPE_LINEAR          = 2,
    CU_RESOURCE_TYPE_PITCH2D         = 3,
} CUresourcetype;

typedef enum CUresourceViewFormat_enum {
    CU_RES_VIEW_FORMAT_NONE          = 0,
    CU_RES_VIEW_FORMAT_UINT_1X8      = 1,
    CU_RES_VIEW_FORMAT_UINT_2X8      = 2,
    CU_RES_VIEW_FORMAT_UINT_4X8      = 3,
    CU_RES_VIEW_FORMAT_SINT_1X8      = 4,
    CU_RES_VIEW_FORMAT_SINT_2X8      = 5,
    CU_RES_VIEW_FORMAT_SINT_4X8      = 6,
    CU_RES_VIEW_FORMAT_UINT_1X16     = 7,
    CU_RES_VIEW_FORMAT_UINT_2X16     = 8,
    CU_RES_VIEW_FORMAT_UINT_4X16     = 9,
    CU_RES_VIEW_FORMAT_SINT_1X16     = 10,
    CU_RES_VIEW_FORMAT_SINT_2X16     = 11,
    CU_RES_VIEW_FORMAT_SINT_4X16     = 12,
    CU_RES_VIEW_FORMAT_UINT_1X32     = 13,
    CU_RES_VIEW_FORMAT_UINT_2X32     = 14,
    CU_RES_VIEW_FORMAT_UINT_4X32     = 15,
    CU_RES_VIEW_FORMAT_SINT_1X32     = 16,
    CU_RES_VIEW_FORMAT_SINT_2X32     = 17,
    CU_RES_VIEW_FORMAT_SINT_4X32     = 18,
    CU_RES_VIEW_FORMAT_FLOAT_1X16    = 19,
    CU_RES_VIEW_FORMAT_FLOAT_2X16    = 20,
    CU_RES_VIEW_FORMAT_FLOAT_4X16    = 21,
    CU_RES_VIEW_FORMAT_FLOAT_1X32    = 22,
    CU_RES_VIEW_FORMAT_FLOAT_2X32    = 23,
    CU_RES_VIEW_FORMAT_FLOAT_4X32    = 24,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC1  = 25,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC2  = 26,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC3  = 27,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC4  = 28,
    CU_RES_VIEW_FORMAT_SIGNED_BC4    = 29,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC5  = 30,
    CU_RES_VIEW_FORMAT_SIGNED_BC5    = 31,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC6H = 32,
    CU_RES_VIEW_FORMAT_SIGNED_BC6H   = 33,
    CU_RES_VIEW_FORMAT_UNSIGNED_BC7  = 34,
} CUresourceViewFormat;

typedef enum CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS_enum {
    CU_POINTER_ATTRIBUTE_ACCESS_FLAG_NONE      = 0,
    CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ      = 1,
    CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE = 3,
} CUDA_POINTER_ATTRIBUTE_ACCESS_FLAGS;

typedef enum CUmemAllocationHandleType_enum {
    CU_MEM_HANDLE_TYPE_NONE                  = 0,
    CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR = 1,
    CU_MEM_HANDLE_TYPE_WIN32                 = 2,
    CU_MEM_HANDLE_TYPE_WIN32_KMT             = 4,
    CU_MEM_HANDLE_TYPE_FABRIC                = 8,
} CUmemAllocationHandleType;

typedef enum CUmemAccess_flags_enum {
    CU_MEM_ACCESS_FLAGS_PROT_NONE      = 0,
    CU_MEM_ACCESS_FLAGS_PROT_READ      = 1,
    CU_MEM_ACCESS_FLAGS_PROT_READWRITE = 3,
} CUmemAccess_flags;

typedef enum CUmemcpyFlags_enum {
    CU_MEMCPY_FLAG_DEFAULT                     = 0,
    CU_MEMCPY_FLAG_PREFER_OVERLAP_WITH_COMPUTE = 1,
} CUmemcpyFlags;

typedef enum CUmemcpySrcAccessOrder_enum {
    CU_MEMCPY_SRC_ACCESS_ORDER_INVALID         = 0,
    CU_MEMCPY_SRC_ACCESS_ORDER_STREAM          = 1,
    CU_MEMCPY_SRC_ACCESS_ORDER_DURING_API_CALL = 2,
    CU_MEMCPY_SRC_ACCESS_ORDER_ANY             = 3,
} CUmemcpySrcAccessOrder;

typedef enum CUmemcpy3DOperandType_enum {
    CU_MEMCPY_OPERAND_TYPE_POINTER = 1,
    CU_MEMCPY_OPERAND_TYPE_ARRAY   = 2,
} CUmemcpy3DOperandType;

typedef enum CUmemLocationType_enum {
    CU_MEM_LOCATION_TYPE_INVALID           = 0,
    CU_MEM_LOCATION_TYPE_NONE              = 0,
    CU_MEM_LOCATION_TYPE_DEVICE            = 1,
    CU_MEM_LOCATION_TYPE_HOST              = 2,
    CU_MEM_LOCATION_TYPE_HOST_NUMA         = 3,
    CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT = 4,
} CUmemLocationType;

typedef enum CUmemAllocationType_enum {
    CU_MEM_ALLOCATION_TYPE_INVALID = 0,
    CU_MEM_ALLOCATION_TYPE_PINNED  = 1,
    CU_MEM_ALLOCATION_TYPE_MANAGED = 2,
} CUmemAllocationType;

typedef enum CUmemAllocationGranularity_flags_enum {
    CU_MEM_ALLOC_GRANULARITY_MINIMUM     = 0,
    CU_MEM_ALLOC_GRANULARITY_RECOMMENDED = 1,
} CUmemAllocationGranularity_flags;

typedef enum CUmemAllocationCompType_enum {
    CU_MEM_ALLOCATION_COMP_NONE    = 0,
    CU_MEM_ALLOCATION_COMP_GENERIC = 1,
} CUmemAllocationCompType;

typedef enum CUmemPool_attribute_enum {
    CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES   = 1,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC         = 2,
    CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES = 3,
    CU_MEMPOOL_ATTR_RELEASE_THRESHOLD                 = 4,
    CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT              = 5,
    CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH                 = 6,
    CU_MEMPOOL_ATTR_USED_MEM_CURRENT                  = 7,
    CU_MEMPOOL_ATTR_USED_MEM_HIGH                     = 8,
} CUmemPool_attribute;

#endif
