/* cuda_structs_memory.h - structs that describe copies, arrays, textures and
 * pools.
 *
 * Included by cuda_types.h. Sizes and member offsets are the driver's;
 * tests/api compares them with an installed toolkit.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_API_CUDA_STRUCTS_MEMORY_H
#define PYCUDA_API_CUDA_STRUCTS_MEMORY_H

/* The columns are aligned by hand, so clang-format is switched off. */
/* clang-format off */

typedef struct CUDA_MEMCPY2D_st {
    size_t       srcXInBytes;
    size_t       srcY;
    CUmemorytype srcMemoryType;
    const void   *srcHost;
    CUdeviceptr  srcDevice;
    CUarray      srcArray;
    size_t       srcPitch;
    size_t       dstXInBytes;
    size_t       dstY;
    CUmemorytype dstMemoryType;
    void         *dstHost;
    CUdeviceptr  dstDevice;
    CUarray      dstArray;
    size_t       dstPitch;
    size_t       WidthInBytes;
    size_t       Height;
} CUDA_MEMCPY2D;

typedef struct CUDA_MEMCPY3D_st {
    size_t       srcXInBytes;
    size_t       srcY;
    size_t       srcZ;
    size_t       srcLOD;
    CUmemorytype srcMemoryType;
    const void   *srcHost;
    CUdeviceptr  srcDevice;
    CUarray      srcArray;
    void         *reserved0;
    size_t       srcPitch;
    size_t       srcHeight;
    size_t       dstXInBytes;
    size_t       dstY;
    size_t       dstZ;
    size_t       dstLOD;
    CUmemorytype dstMemoryType;
    void         *dstHost;
    CUdeviceptr  dstDevice;
    CUarray      dstArray;
    void         *reserved1;
    size_t       dstPitch;
    size_t       dstHeight;
    size_t       WidthInBytes;
    size_t       Height;
    size_t       Depth;
} CUDA_MEMCPY3D;

typedef struct CUDA_MEMCPY3D_PEER_st {
    size_t       srcXInBytes;
    size_t       srcY;
    size_t       srcZ;
    size_t       srcLOD;
    CUmemorytype srcMemoryType;
    const void   *srcHost;
    CUdeviceptr  srcDevice;
    CUarray      srcArray;
    CUcontext    srcContext;
    size_t       srcPitch;
    size_t       srcHeight;
    size_t       dstXInBytes;
    size_t       dstY;
    size_t       dstZ;
    size_t       dstLOD;
    CUmemorytype dstMemoryType;
    void         *dstHost;
    CUdeviceptr  dstDevice;
    CUarray      dstArray;
    CUcontext    dstContext;
    size_t       dstPitch;
    size_t       dstHeight;
    size_t       WidthInBytes;
    size_t       Height;
    size_t       Depth;
} CUDA_MEMCPY3D_PEER;

typedef struct CUDA_ARRAY_DESCRIPTOR_st {
    size_t         Width;
    size_t         Height;
    CUarray_format Format;
    unsigned int   NumChannels;
} CUDA_ARRAY_DESCRIPTOR;

typedef struct CUDA_ARRAY3D_DESCRIPTOR_st {
    size_t         Width;
    size_t         Height;
    size_t         Depth;
    CUarray_format Format;
    unsigned int   NumChannels;
    unsigned int   Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

typedef struct CUDA_ARRAY_MEMORY_REQUIREMENTS_st {
    size_t       size;
    size_t       alignment;
    unsigned int reserved[4];
} CUDA_ARRAY_MEMORY_REQUIREMENTS;

typedef struct CUDA_RESOURCE_DESC_st {
    CUresourcetype resType;
    union {
        struct {
            CUarray hArray;
        } array;
        struct {
            CUmipmappedArray hMipmappedArray;
        } mipmap;
        struct {
            CUdeviceptr    devPtr;
            CUarray_format format;
            unsigned int   numChannels;
            size_t         sizeInBytes;
        } linear;
        struct {
            CUdeviceptr    devPtr;
            CUarray_format format;
            unsigned int   numChannels;
            size_t         width;
            size_t         height;
            size_t         pitchInBytes;
        } pitch2D;
        struct {
            int reserved[32];
        } reserved;
    } res;
    unsigned int   flags;
} CUDA_RESOURCE_DESC;

typedef struct CUDA_TEXTURE_DESC_st {
    CUaddress_mode addressMode[3];
    CUfilter_mode  filterMode;
    unsigned int   flags;
    unsigned int   maxAnisotropy;
    CUfilter_mode  mipmapFilterMode;
    float          mipmapLevelBias;
    float          minMipmapLevelClamp;
    float          maxMipmapLevelClamp;
    float          borderColor[4];
    int            reserved[12];
} CUDA_TEXTURE_DESC;

typedef struct CUDA_RESOURCE_VIEW_DESC_st {
    CUresourceViewFormat format;
    size_t               width;
    size_t               height;
    size_t               depth;
    unsigned int         firstMipmapLevel;
    unsigned int         lastMipmapLevel;
    unsigned int         firstLayer;
    unsigned int         lastLayer;
    unsigned int         reserved[16];
} CUDA_RESOURCE_VIEW_DESC;

typedef struct CUmemLocation_st {
    CUmemLocationType type;
    int               id;
} CUmemLocation;

typedef struct CUmemcpyAttributes_st {
    CUmemcpySrcAccessOrder srcAccessOrder;
    CUmemLocation          srcLocHint;
    CUmemLocation          dstLocHint;
    unsigned int           flags;
} CUmemcpyAttributes;

typedef struct CUoffset3D_st {
    size_t x;
    size_t y;
    size_t z;
} CUoffset3D;

typedef struct CUextent3D_st {
    size_t width;
    size_t height;
    size_t depth;
} CUextent3D;

typedef struct CUmemcpy3DOperand_st {
    CUmemcpy3DOperandType type;
    union {
        struct {
            CUdeviceptr   ptr;
            size_t        rowLength;
            size_t        layerHeight;
            CUmemLocation locHint;
        } ptr;
        struct {
            CUarray    array;
            CUoffset3D offset;
        } array;
    } op;
} CUmemcpy3DOperand;

typedef struct CUDA_MEMCPY3D_BATCH_OP_st {
    CUmemcpy3DOperand      src;
    CUmemcpy3DOperand      dst;
    CUextent3D             extent;
    CUmemcpySrcAccessOrder srcAccessOrder;
    unsigned int           flags;
} CUDA_MEMCPY3D_BATCH_OP;

typedef struct CUmemAllocationProp_st {
    CUmemAllocationType       type;
    CUmemAllocationHandleType requestedHandleTypes;
    CUmemLocation             location;
    void                      *win32HandleMetaData;
    struct {
        unsigned char  compressionType;
        unsigned char  gpuDirectRDMACapable;
        unsigned short usage;
        unsigned char  reserved[4];
    } allocFlags;
} CUmemAllocationProp;

typedef struct CUmemAccessDesc_st {
    CUmemLocation     location;
    CUmemAccess_flags flags;
} CUmemAccessDesc;

typedef struct CUmemPoolProps_st {
    CUmemAllocationType       allocType;
    CUmemAllocationHandleType handleTypes;
    CUmemLocation             location;
    void                      *win32SecurityAttributes;
    size_t                    maxSize;
    unsigned short            usage;
    unsigned char             reserved[54];
} CUmemPoolProps;

#endif
