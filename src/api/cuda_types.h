/* cuda_types.h - the types of the CUDA driver API, under CUDA's own names.
 *
 * Declares what a program and libcuda.so must agree on: handles, enumeration
 * values and struct layouts of CUDA 13.0. The text was written for this
 * project; no file of NVIDIA's is needed or included. In older versions of the
 * driver, the functions of driver_rows.h use the same types. Where CUDA
 * numbers its types (CUDA_MEMCPY2D_v2), the name without a number is the type
 * that the driver's current functions take.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_API_CUDA_TYPES_H
#define PYCUDA_API_CUDA_TYPES_H

/* The columns are aligned by hand, so clang-format is switched off. */
/* clang-format off */

#include <stddef.h>
#include <stdint.h>

#define CUDAAPI /* the default calling convention of C */
#define CUDA_CB

typedef uint32_t           cuuint32_t;
typedef uint64_t           cuuint64_t;
typedef unsigned long long CUdeviceptr;
typedef int                CUdevice;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;
typedef unsigned long long CUmemGenericAllocationHandle;
typedef cuuint64_t         CUgraphConditionalHandle;

/* Handles: pointers that only the driver library dereferences. */
typedef struct CUctx_st                      *CUcontext;
typedef struct CUmod_st                      *CUmodule;
typedef struct CUfunc_st                     *CUfunction;
typedef struct CUlib_st                      *CUlibrary;
typedef struct CUkern_st                     *CUkernel;
typedef struct CUarray_st                    *CUarray;
typedef struct CUmipmappedArray_st           *CUmipmappedArray;
typedef struct CUevent_st                    *CUevent;
typedef struct CUstream_st                   *CUstream;
typedef struct CUgraph_st                    *CUgraph;
typedef struct CUgraphNode_st                *CUgraphNode;
typedef struct CUgraphExec_st                *CUgraphExec;
typedef struct CUmemPoolHandle_st            *CUmemoryPool;
typedef struct CUuserObject_st               *CUuserObject;
typedef struct CUgraphDeviceUpdatableNode_st *CUgraphDeviceNode;
typedef struct CUgreenCtx_st                 *CUgreenCtx;
typedef struct CUdevResourceDesc_st          *CUdevResourceDesc;
typedef struct CUlinkState_st                *CUlinkState;

#define CUDA_VERSION 13000 /* CUDA version of these declarations */

#define CU_IPC_HANDLE_SIZE 64

/* Handles of the predefined streams. */
#define CU_STREAM_LEGACY     ((CUstream)0x1)
#define CU_STREAM_PER_THREAD ((CUstream)0x2)

#define CU_MEMHOSTALLOC_PORTABLE      0x01
#define CU_MEMHOSTALLOC_DEVICEMAP     0x02
#define CU_MEMHOSTALLOC_WRITECOMBINED 0x04

#define CU_MEMHOSTREGISTER_PORTABLE  0x01
#define CU_MEMHOSTREGISTER_DEVICEMAP 0x02
#define CU_MEMHOSTREGISTER_IOMEMORY  0x04
#define CU_MEMHOSTREGISTER_READ_ONLY 0x08

#define CUDA_ARRAY3D_LAYERED          0x01
#define CUDA_ARRAY3D_2DARRAY          0x01
#define CUDA_ARRAY3D_SURFACE_LDST     0x02
#define CUDA_ARRAY3D_CUBEMAP          0x04
#define CUDA_ARRAY3D_TEXTURE_GATHER   0x08
#define CUDA_ARRAY3D_DEPTH_TEXTURE    0x10
#define CUDA_ARRAY3D_COLOR_ATTACHMENT 0x20
#define CUDA_ARRAY3D_SPARSE           0x40
#define CUDA_ARRAY3D_DEFERRED_MAPPING 0x80

/* Flags of texture references: cuTexRefSetFormat, cuTexRefSetFlags. */
#define CU_TRSA_OVERRIDE_FORMAT                0x01
#define CU_TRSF_READ_AS_INTEGER                0x01
#define CU_TRSF_NORMALIZED_COORDINATES         0x02
#define CU_TRSF_SRGB                           0x10
#define CU_TRSF_DISABLE_TRILINEAR_OPTIMIZATION 0x20
#define CU_TRSF_SEAMLESS_CUBEMAP               0x40

/* Output ports of a kernel node, for the data of graph edges. */
#define CU_GRAPH_KERNEL_NODE_PORT_DEFAULT      0
#define CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC 1
#define CU_GRAPH_KERNEL_NODE_PORT_LAUNCH_ORDER 2

/* Flags of cuGraphConditionalHandleCreate. */
#define CU_GRAPH_COND_ASSIGN_DEFAULT 0x1

/* Special entries of cuLaunchKernel's `extra` list. */
#define CU_LAUNCH_PARAM_END            ((void *)0x00)
#define CU_LAUNCH_PARAM_BUFFER_POINTER ((void *)0x01)
#define CU_LAUNCH_PARAM_BUFFER_SIZE    ((void *)0x02)

#define CU_DEVICE_CPU     ((CUdevice)-1)
#define CU_DEVICE_INVALID ((CUdevice)-2)

#include "api/cuda_enums_device.h"
#include "api/cuda_enums_memory.h"
#include "api/cuda_enums_graph.h"

/* Types of callback functions: a program passes them to the driver, which
 * calls them. */
typedef void (*CUhostFn)(void *user_data);

typedef void (*CUstreamCallback)(CUstream stream, CUresult status, void
                                 *user_data);

typedef size_t (*CUoccupancyB2DSize)(int threads);

typedef struct CUuuid_st {
    char bytes[16];
} CUuuid;

typedef struct CUipcEventHandle_st {
    char reserved[64];
} CUipcEventHandle;

typedef struct CUipcMemHandle_st {
    char reserved[64];
} CUipcMemHandle;

typedef struct CUdevprop_st {
    int maxThreadsPerBlock;
    int maxThreadsDim[3];
    int maxGridSize[3];
    int sharedMemPerBlock;
    int totalConstantMemory;
    int SIMDWidth;
    int memPitch;
    int regsPerBlock;
    int clockRate;
    int textureAlign;
} CUdevprop;

typedef struct CUexecAffinitySmCount_st {
    unsigned int val;
} CUexecAffinitySmCount;

typedef struct CUexecAffinityParam_st {
    CUexecAffinityType type;
    union {
        CUexecAffinitySmCount smCount;
    } param;
} CUexecAffinityParam;

typedef struct CUctxCigParam_st {
    CUcigDataType sharedDataType;
    void          *sharedData;
} CUctxCigParam;

typedef struct CUctxCreateParams_st {
    CUexecAffinityParam *execAffinityParams;
    int                 numExecAffinityParams;
    CUctxCigParam       *cigParams;
} CUctxCreateParams;

typedef struct CUdevSmResource_st {
    unsigned int smCount;
    unsigned int minSmPartitionSize;
    unsigned int smCoscheduledAlignment;
} CUdevSmResource;

typedef struct CUdevResource_st {
    CUdevResourceType type;
    unsigned char     _internal_padding[92];
    union {
        CUdevSmResource sm;
        unsigned char   _oversize[48];
    };
} CUdevResource;

#include "api/cuda_structs_memory.h"
#include "api/cuda_structs_graph.h"

/* CUDA's other names of the types of launch attributes. */
typedef CUlaunchAttributeID    CUkernelNodeAttrID;
typedef CUlaunchAttributeValue CUkernelNodeAttrValue;
typedef CUlaunchAttributeID    CUstreamAttrID;
typedef CUlaunchAttributeValue CUstreamAttrValue;

/* Returns the bytes of one channel of the elements of a CUDA array; 0 for
 * formats that combine channels, such as those of videos. */
static inline size_t
cuda_format_bytes(CUarray_format format)
{
    switch ((int)format) {
    case CU_AD_FORMAT_UNSIGNED_INT8:
    case CU_AD_FORMAT_SIGNED_INT8:
        return 1;
    case CU_AD_FORMAT_UNSIGNED_INT16:
    case CU_AD_FORMAT_SIGNED_INT16:
    case CU_AD_FORMAT_HALF:
        return 2;
    case CU_AD_FORMAT_UNSIGNED_INT32:
    case CU_AD_FORMAT_SIGNED_INT32:
    case CU_AD_FORMAT_FLOAT:
        return 4;
    default:
        return 0;
    }
}

#endif
