/* cuda_structs_graph.h - structs that describe launches and graph nodes.
 *
 * Included by cuda_types.h. Sizes and member offsets are the driver's;
 * tests/api compares them with an installed toolkit.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_API_CUDA_STRUCTS_GRAPH_H
#define PYCUDA_API_CUDA_STRUCTS_GRAPH_H

/* The columns are aligned by hand, so clang-format is switched off. */
/* clang-format off */

typedef struct CUaccessPolicyWindow_st {
    void             *base_ptr;
    size_t           num_bytes;
    float            hitRatio;
    CUaccessProperty hitProp;
    CUaccessProperty missProp;
} CUaccessPolicyWindow;

typedef struct CUDA_KERNEL_NODE_PARAMS_st {
    CUfunction   func;
    unsigned int gridDimX;
    unsigned int gridDimY;
    unsigned int gridDimZ;
    unsigned int blockDimX;
    unsigned int blockDimY;
    unsigned int blockDimZ;
    unsigned int sharedMemBytes;
    void         **kernelParams;
    void         **extra;
} CUDA_KERNEL_NODE_PARAMS_v1;

typedef struct CUDA_KERNEL_NODE_PARAMS_v2_st {
    CUfunction   func;
    unsigned int gridDimX;
    unsigned int gridDimY;
    unsigned int gridDimZ;
    unsigned int blockDimX;
    unsigned int blockDimY;
    unsigned int blockDimZ;
    unsigned int sharedMemBytes;
    void         **kernelParams;
    void         **extra;
    CUkernel     kern;
    CUcontext    ctx;
} CUDA_KERNEL_NODE_PARAMS;

typedef struct CUDA_KERNEL_NODE_PARAMS_v3_st {
    CUfunction   func;
    unsigned int gridDimX;
    unsigned int gridDimY;
    unsigned int gridDimZ;
    unsigned int blockDimX;
    unsigned int blockDimY;
    unsigned int blockDimZ;
    unsigned int sharedMemBytes;
    void         **kernelParams;
    void         **extra;
    CUkernel     kern;
    CUcontext    ctx;
} CUDA_KERNEL_NODE_PARAMS_v3;

typedef struct CUDA_MEMSET_NODE_PARAMS_st {
    CUdeviceptr  dst;
    size_t       pitch;
    unsigned int value;
    unsigned int elementSize;
    size_t       width;
    size_t       height;
} CUDA_MEMSET_NODE_PARAMS;

typedef struct CUDA_MEMSET_NODE_PARAMS_v2_st {
    CUdeviceptr  dst;
    size_t       pitch;
    unsigned int value;
    unsigned int elementSize;
    size_t       width;
    size_t       height;
    CUcontext    ctx;
} CUDA_MEMSET_NODE_PARAMS_v2;

typedef struct CUDA_HOST_NODE_PARAMS_st {
    CUhostFn fn;
    void     *userData;
} CUDA_HOST_NODE_PARAMS;

typedef struct CUDA_HOST_NODE_PARAMS_v2_st {
    CUhostFn fn;
    void     *userData;
} CUDA_HOST_NODE_PARAMS_v2;

typedef struct CUDA_CONDITIONAL_NODE_PARAMS {
    CUgraphConditionalHandle   handle;
    CUgraphConditionalNodeType type;
    unsigned int               size;
    CUgraph                    *phGraph_out;
    CUcontext                  ctx;
} CUDA_CONDITIONAL_NODE_PARAMS;

typedef struct CUgraphEdgeData_st {
    unsigned char from_port;
    unsigned char to_port;
    unsigned char type;
    unsigned char reserved[5];
} CUgraphEdgeData;

typedef struct CUDA_GRAPH_INSTANTIATE_PARAMS_st {
    cuuint64_t               flags;
    CUstream                 hUploadStream;
    CUgraphNode              hErrNode_out;
    CUgraphInstantiateResult result_out;
} CUDA_GRAPH_INSTANTIATE_PARAMS;

typedef struct CUlaunchMemSyncDomainMap_st {
    unsigned char default_;
    unsigned char remote;
} CUlaunchMemSyncDomainMap;

typedef union CUlaunchAttributeValue_union {
    char                      pad[64];
    CUaccessPolicyWindow      accessPolicyWindow;
    int                       cooperative;
    CUsynchronizationPolicy   syncPolicy;
    struct {
        unsigned int x;
        unsigned int y;
        unsigned int z;
    } clusterDim;
    CUclusterSchedulingPolicy clusterSchedulingPolicyPreference;
    int                       programmaticStreamSerializationAllowed;
    struct {
        CUevent event;
        int     flags;
        int     triggerAtBlockStart;
    } programmaticEvent;
    struct {
        CUevent event;
        int     flags;
    } launchCompletionEvent;
    int                       priority;
    CUlaunchMemSyncDomainMap  memSyncDomainMap;
    CUlaunchMemSyncDomain     memSyncDomain;
    struct {
        unsigned int x;
        unsigned int y;
        unsigned int z;
    } preferredClusterDim;
    struct {
        int               deviceUpdatable;
        CUgraphDeviceNode devNode;
    } deviceUpdatableKernelNode;
    unsigned int              sharedMemCarveout;
    unsigned int              nvlinkUtilCentricScheduling;
} CUlaunchAttributeValue;

typedef struct CUlaunchAttribute_st {
    CUlaunchAttributeID    id;
    char                   pad[4];
    CUlaunchAttributeValue value;
} CUlaunchAttribute;

typedef struct CUlaunchConfig_st {
    unsigned int      gridDimX;
    unsigned int      gridDimY;
    unsigned int      gridDimZ;
    unsigned int      blockDimX;
    unsigned int      blockDimY;
    unsigned int      blockDimZ;
    unsigned int      sharedMemBytes;
    CUstream          hStream;
    CUlaunchAttribute *attrs;
    unsigned int      numAttrs;
} CUlaunchConfig;

typedef struct CUDA_MEMCPY_NODE_PARAMS_st {
    int           flags;
    int           reserved;
    CUcontext     copyCtx;
    CUDA_MEMCPY3D copyParams;
} CUDA_MEMCPY_NODE_PARAMS;

typedef struct CUgraphExecUpdateResultInfo_st {
    CUgraphExecUpdateResult result;
    CUgraphNode             errorNode;
    CUgraphNode             errorFromNode;
} CUgraphExecUpdateResultInfo;

typedef struct CUDA_MEM_ALLOC_NODE_PARAMS_v1_st {
    CUmemPoolProps        poolProps;
    const CUmemAccessDesc *accessDescs;
    size_t                accessDescCount;
    size_t                bytesize;
    CUdeviceptr           dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS;

typedef struct CUDA_MEM_ALLOC_NODE_PARAMS_v2_st {
    CUmemPoolProps        poolProps;
    const CUmemAccessDesc *accessDescs;
    size_t                accessDescCount;
    size_t                bytesize;
    CUdeviceptr           dptr;
} CUDA_MEM_ALLOC_NODE_PARAMS_v2;

typedef struct CUDA_MEM_FREE_NODE_PARAMS_st {
    CUdeviceptr dptr;
} CUDA_MEM_FREE_NODE_PARAMS;

typedef struct CUDA_CHILD_GRAPH_NODE_PARAMS_st {
    CUgraph                        graph;
    CUgraphChildGraphNodeOwnership ownership;
} CUDA_CHILD_GRAPH_NODE_PARAMS;

typedef struct CUDA_EVENT_RECORD_NODE_PARAMS_st {
    CUevent event;
} CUDA_EVENT_RECORD_NODE_PARAMS;

typedef struct CUDA_EVENT_WAIT_NODE_PARAMS_st {
    CUevent event;
} CUDA_EVENT_WAIT_NODE_PARAMS;

typedef union CUstreamBatchMemOpParams_union {
    CUstreamBatchMemOpType operation;
    struct {
        CUstreamBatchMemOpType operation;
        CUdeviceptr            address;
        union {
            cuuint32_t value;
            cuuint64_t value64;
        };
        unsigned int           flags;
        CUdeviceptr            alias;
    } waitValue;
    struct {
        CUstreamBatchMemOpType operation;
        CUdeviceptr            address;
        union {
            cuuint32_t value;
            cuuint64_t value64;
        };
        unsigned int           flags;
        CUdeviceptr            alias;
    } writeValue;
    struct {
        CUstreamBatchMemOpType operation;
        unsigned int           flags;
    } flushRemoteWrites;
    struct {
        CUstreamBatchMemOpType operation;
        unsigned int           flags;
    } memoryBarrier;
    cuuint64_t pad[6];
} CUstreamBatchMemOpParams;

typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v1_st {
    CUcontext                ctx;
    unsigned int             count;
    CUstreamBatchMemOpParams *paramArray;
    unsigned int             flags;
} CUDA_BATCH_MEM_OP_NODE_PARAMS;

typedef struct CUDA_BATCH_MEM_OP_NODE_PARAMS_v2_st {
    CUcontext                ctx;
    unsigned int             count;
    CUstreamBatchMemOpParams *paramArray;
    unsigned int             flags;
} CUDA_BATCH_MEM_OP_NODE_PARAMS_v2;

typedef struct CUgraphNodeParams_st {
    CUgraphNodeType type;
    int             reserved0[3];
    union {
        long long                     reserved1[29];
        CUDA_KERNEL_NODE_PARAMS_v3    kernel;
        CUDA_MEMCPY_NODE_PARAMS       memcpy;
        CUDA_MEMSET_NODE_PARAMS_v2    memset;
        CUDA_HOST_NODE_PARAMS_v2      host;
        CUDA_CHILD_GRAPH_NODE_PARAMS  graph;
        CUDA_EVENT_WAIT_NODE_PARAMS   eventWait;
        CUDA_EVENT_RECORD_NODE_PARAMS eventRecord;
        CUDA_MEM_ALLOC_NODE_PARAMS_v2 alloc;
        CUDA_MEM_FREE_NODE_PARAMS     free;
        CUDA_BATCH_MEM_OP_NODE_PARAMS_v2 memOp;
        CUDA_CONDITIONAL_NODE_PARAMS  conditional;
    };
    long long       reserved2;
} CUgraphNodeParams;

#endif
