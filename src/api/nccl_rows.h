/* nccl_rows.h - the functions of NCCL that pycuda.nccl calls, one row (X-macro
 * entry) each, and their enumerations.
 *
 * Define NCCL_ROW(base, since, (parameters), (argument names)) and include
 * this file, which undefines NCCL_ROW. All functions return ncclResult_t;
 * `since` is the version of NCCL that added the function, as ncclGetVersion
 * reports it. ncclGetErrorString and ncclGetLastError return texts and are
 * declared where they are needed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_API_NCCL_ROWS_H
#define PYCUDA_API_NCCL_ROWS_H

#include <stddef.h>

#include "api/cuda_types.h"

typedef struct ncclComm *ncclComm_t;

#define NCCL_UNIQUE_ID_BYTES 128
typedef struct {
    char internal[NCCL_UNIQUE_ID_BYTES];
} ncclUniqueId;

typedef enum {
    ncclSuccess = 0,
    ncclUnhandledCudaError = 1,
    ncclSystemError = 2,
    ncclInternalError = 3,
    ncclInvalidArgument = 4,
    ncclInvalidUsage = 5,
    ncclRemoteError = 6,
    ncclInProgress = 7,
} ncclResult_t;

typedef enum {
    ncclSum = 0,
    ncclProd = 1,
    ncclMax = 2,
    ncclMin = 3,
    ncclAvg = 4,
    ncclNumOps = 5,
    /* NCCL's largest value, which determines the size of the enum. The values
     * from ncclNumOps on are operations that a program has created. */
    ncclMaxRedOp = 0x7fffffff,
} ncclRedOp_t;

typedef enum {
    ncclInt8 = 0,
    ncclUint8 = 1,
    ncclInt32 = 2,
    ncclUint32 = 3,
    ncclInt64 = 4,
    ncclUint64 = 5,
    ncclFloat16 = 6,
    ncclFloat32 = 7,
    ncclFloat64 = 8,
    ncclBfloat16 = 9,
    ncclFloat8e4m3 = 10,
    ncclFloat8e5m2 = 11,
    ncclNumTypes = 12,
} ncclDataType_t;

typedef enum {
    ncclScalarDevice = 0,
    ncclScalarHostImmediate = 1,
} ncclScalarResidence_t;

/* Colour of ncclCommSplit for a rank that gets no communicator. */
#define NCCL_SPLIT_NOCOLOR (-1)

#endif

/* clang-format off */

#ifdef NCCL_ROW
NCCL_ROW(ncclGetVersion, 2304, (int *version), (version))
NCCL_ROW(ncclGetUniqueId, 2304, (ncclUniqueId *id), (id))
NCCL_ROW(ncclCommInitRank, 2304,
    (ncclComm_t *comm, int ranks, ncclUniqueId id, int rank),
    (comm, ranks, id, rank))
NCCL_ROW(ncclCommInitAll, 2304,
    (ncclComm_t *comms, int count, const int *devices),
    (comms, count, devices))
NCCL_ROW(ncclCommSplit, 21800,
    (ncclComm_t comm, int color, int key, ncclComm_t *made, void *config),
    (comm, color, key, made, config))
NCCL_ROW(ncclCommFinalize, 21400, (ncclComm_t comm), (comm))
NCCL_ROW(ncclCommDestroy, 2304, (ncclComm_t comm), (comm))
NCCL_ROW(ncclCommAbort, 2404, (ncclComm_t comm), (comm))
NCCL_ROW(ncclCommGetAsyncError, 2404,
    (ncclComm_t comm, ncclResult_t *error), (comm, error))
NCCL_ROW(ncclCommCount, 2304, (const ncclComm_t comm, int *count),
    (comm, count))
NCCL_ROW(ncclCommCuDevice, 2304, (const ncclComm_t comm, int *device),
    (comm, device))
NCCL_ROW(ncclCommUserRank, 2304, (const ncclComm_t comm, int *rank),
    (comm, rank))
NCCL_ROW(ncclRedOpCreatePreMulSum, 21100,
    (ncclRedOp_t *op, void *scalar, ncclDataType_t type,
     ncclScalarResidence_t residence, ncclComm_t comm),
    (op, scalar, type, residence, comm))
NCCL_ROW(ncclRedOpDestroy, 21100, (ncclRedOp_t op, ncclComm_t comm),
    (op, comm))
NCCL_ROW(ncclReduce, 2304,
    (const void *send, void *recv, size_t count, ncclDataType_t type,
     ncclRedOp_t op, int root, ncclComm_t comm, CUstream stream),
    (send, recv, count, type, op, root, comm, stream))
NCCL_ROW(ncclBcast, 2304,
    (void *buffer, size_t count, ncclDataType_t type, int root,
     ncclComm_t comm, CUstream stream),
    (buffer, count, type, root, comm, stream))
NCCL_ROW(ncclBroadcast, 2304,
    (const void *send, void *recv, size_t count, ncclDataType_t type,
     int root, ncclComm_t comm, CUstream stream),
    (send, recv, count, type, root, comm, stream))
NCCL_ROW(ncclAllReduce, 2304,
    (const void *send, void *recv, size_t count, ncclDataType_t type,
     ncclRedOp_t op, ncclComm_t comm, CUstream stream),
    (send, recv, count, type, op, comm, stream))
NCCL_ROW(ncclReduceScatter, 2304,
    (const void *send, void *recv, size_t count, ncclDataType_t type,
     ncclRedOp_t op, ncclComm_t comm, CUstream stream),
    (send, recv, count, type, op, comm, stream))
NCCL_ROW(ncclAllGather, 2304,
    (const void *send, void *recv, size_t count, ncclDataType_t type,
     ncclComm_t comm, CUstream stream),
    (send, recv, count, type, comm, stream))
NCCL_ROW(ncclAlltoAll, 22800,
    (const void *send, void *recv, size_t count, ncclDataType_t type,
     ncclComm_t comm, CUstream stream),
    (send, recv, count, type, comm, stream))
NCCL_ROW(ncclGather, 22800,
    (const void *send, void *recv, size_t count, ncclDataType_t type,
     int root, ncclComm_t comm, CUstream stream),
    (send, recv, count, type, root, comm, stream))
NCCL_ROW(ncclScatter, 22800,
    (const void *send, void *recv, size_t count, ncclDataType_t type,
     int root, ncclComm_t comm, CUstream stream),
    (send, recv, count, type, root, comm, stream))
NCCL_ROW(ncclSend, 20700,
    (const void *send, size_t count, ncclDataType_t type, int peer,
     ncclComm_t comm, CUstream stream),
    (send, count, type, peer, comm, stream))
NCCL_ROW(ncclRecv, 20700,
    (void *recv, size_t count, ncclDataType_t type, int peer,
     ncclComm_t comm, CUstream stream),
    (recv, count, type, peer, comm, stream))
NCCL_ROW(ncclGroupStart, 2304, (void), ())
NCCL_ROW(ncclGroupEnd, 2304, (void), ())
#undef NCCL_ROW
#endif
