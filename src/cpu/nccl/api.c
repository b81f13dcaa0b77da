/* api.c - implements the functions of src/api/nccl_rows.h.
 *
 * Called by users of the library. The ranks are threads and processes of one
 * machine and user; any number of them may use one device. Buffers must be in
 * memory that the device knows. Calls block where NCCL blocks; the settings of
 * ncclConfig_t are ignored.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/memory/memory.h"
#include "cpu/nccl/groups.h"

/* The version that ncclGetVersion reports: this library implements the
 * interface of NCCL 2.28.9. */
#define VERSION 22809

#define NCCL_ROW(base, since, parameters, arguments)                          \
    ncclResult_t base parameters;
#include "api/nccl_rows.h"

const char *ncclGetErrorString(ncclResult_t result);
const char *ncclGetLastError(ncclComm_t comm);
ncclResult_t ncclCommInitRankConfig(ncclComm_t *made, int ranks,
                                    ncclUniqueId id, int rank, void *config);
ncclResult_t ncclCommInitRankScalable(ncclComm_t *made, int ranks, int rank,
                                      int id_count, ncclUniqueId *ids,
                                      void *config);
ncclResult_t ncclCommRegister(const ncclComm_t comm, void *buffer,
                              size_t bytes, void **handle);
ncclResult_t ncclCommDeregister(const ncclComm_t comm, void *handle);
ncclResult_t ncclMemAlloc(void **pointer, size_t bytes);
ncclResult_t ncclMemFree(void *pointer);
void pycuda_cpu_nccl_limit(ncclComm_t comm, double seconds);
void pycuda_cpu_nccl_stop(ncclComm_t comm);

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes);
CUresult cuMemFree_v2(CUdeviceptr pointer);

/* ---- errors ---- */

CPU_API const char *
ncclGetErrorString(ncclResult_t result)
{
    static const char *const texts[] = {
        "no error",
        "unhandled cuda error",
        "unhandled system error",
        "internal error",
        "invalid argument",
        "invalid usage",
        "remote process exited or there was a network error",
        "NCCL operation in progress",
    };
    return result >= 0 && result <= ncclInProgress ? texts[result]
                                                   : "unknown result code";
}

CPU_API const char *
ncclGetLastError(ncclComm_t comm)
{
    if (comm && atomic_load(&comm->result)) {
        return comm->text;
    }
    return nccl_error_text();
}

CPU_API ncclResult_t
ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t *error)
{
    if (!comm || !error) {
        return nccl_error(ncclInvalidArgument, "a pointer is NULL");
    }
    *error = (ncclResult_t)atomic_load(&comm->result);
    return ncclSuccess;
}

CPU_API ncclResult_t
ncclGetVersion(int *version)
{
    if (!version) {
        return nccl_error(ncclInvalidArgument, "the version is NULL");
    }
    *version = VERSION;
    return ncclSuccess;
}

/* ---- communicators ---- */

CPU_API ncclResult_t
ncclGetUniqueId(ncclUniqueId *id)
{
    char text[NCCL_TEXT];

    if (!id) {
        return nccl_error(ncclInvalidArgument, "the id is NULL");
    }
    ncclResult_t result = nccl_shared_make(id, text);
    return result ? nccl_error(result, "%s", text) : ncclSuccess;
}

static ncclResult_t
comm_join(ncclComm_t *made, int ranks, const ncclUniqueId *id, int rank,
          int device)
{
    char text[NCCL_TEXT];

    if (!made) {
        return nccl_error(ncclInvalidArgument, "the communicator is NULL");
    }
    if (ranks < 1 || ranks > NCCL_RANKS || rank < 0 || rank >= ranks) {
        return nccl_error(ncclInvalidArgument,
                          "rank %d of %d: there must be 1 to %d ranks, "
                          "numbered from 0",
                          rank, ranks, NCCL_RANKS);
    }
    ncclResult_t result = nccl_comm_new(made, id, ranks, rank, device, text);
    return result ? nccl_error(result, "%s", text) : ncclSuccess;
}

CPU_API ncclResult_t
ncclCommInitRank(ncclComm_t *made, int ranks, ncclUniqueId id, int rank)
{
    struct cpu_context *ctx;

    if (cpu_context_current(&ctx)) {
        return nccl_error(ncclUnhandledCudaError,
                          "no usable context is current: make one for the "
                          "rank's device");
    }
    ncclResult_t result = comm_join(made, ranks, &id, rank, ctx->device);
    return result ? result : nccl_group_join(*made);
}

CPU_API ncclResult_t
ncclCommInitRankConfig(ncclComm_t *made, int ranks, ncclUniqueId id, int rank,
                       void *config)
{
    (void)config;
    return ncclCommInitRank(made, ranks, id, rank);
}

/* NCCL takes several ids, so that the ranks of a large communicator do not all
 * connect to one root. All ranks pass the same ids. Shared memory needs only
 * the first one. */
CPU_API ncclResult_t
ncclCommInitRankScalable(ncclComm_t *made, int ranks, int rank, int id_count,
                         ncclUniqueId *ids, void *config)
{
    if (id_count < 1 || id_count > ranks || !ids) {
        return nccl_error(ncclInvalidArgument,
                          "%d ids at %p: there must be 1 to %d, the number of "
                          "ranks",
                          id_count, (void *)ids, ranks);
    }
    return ncclCommInitRankConfig(made, ranks, ids[0], rank, config);
}

CPU_API ncclResult_t
ncclCommInitAll(ncclComm_t *made, int count, const int *devices)
{
    ncclUniqueId id;
    ncclResult_t result = ncclGetUniqueId(&id);

    if (result) {
        return result;
    }
    ncclGroupStart();
    for (int rank = 0; rank < count && !result; rank++) {
        result = comm_join(&made[rank], count, &id, rank,
                           devices ? devices[rank] : rank);
        result = result ? result : nccl_group_join(made[rank]);
    }
    ncclResult_t end = ncclGroupEnd();
    return result ? result : end;
}

CPU_API ncclResult_t
ncclCommSplit(ncclComm_t comm, int color, int key, ncclComm_t *made,
              void *config)
{
    (void)config;
    if (!comm || !made) {
        return nccl_error(ncclInvalidArgument, "a communicator is NULL");
    }
    if (color < NCCL_SPLIT_NOCOLOR) {
        return nccl_error(ncclInvalidArgument, "the color %d is negative",
                          color);
    }
    return nccl_group_split(comm, color, key, made);
}

CPU_API ncclResult_t
ncclCommFinalize(ncclComm_t comm)
{
    if (!comm) {
        return nccl_error(ncclInvalidArgument, "the communicator is NULL");
    }
    nccl_comm_drain(comm);
    return (ncclResult_t)atomic_load(&comm->result);
}

static ncclResult_t
comm_end(ncclComm_t comm, bool abort)
{
    if (comm && !atomic_load(&cpu_state.forked)) {
        nccl_comm_end(comm, abort);
    }
    return ncclSuccess;
}

CPU_API ncclResult_t
ncclCommDestroy(ncclComm_t comm)
{
    return comm_end(comm, false);
}

CPU_API ncclResult_t
ncclCommAbort(ncclComm_t comm)
{
    return comm_end(comm, true);
}

#define COMM_QUERY(name, value)                                               \
    CPU_API ncclResult_t name(const ncclComm_t comm, int *number)             \
    {                                                                         \
        if (!comm || !number) {                                               \
            return nccl_error(ncclInvalidArgument, "a pointer is NULL");      \
        }                                                                     \
        *number = value;                                                      \
        return ncclSuccess;                                                   \
    }

COMM_QUERY(ncclCommCount, comm->shared.ranks)
COMM_QUERY(ncclCommCuDevice, comm->device)
COMM_QUERY(ncclCommUserRank, comm->shared.rank)

CPU_API void
pycuda_cpu_nccl_limit(ncclComm_t comm, double seconds)
{
    comm->shared.limit = seconds;
}

CPU_API void
pycuda_cpu_nccl_stop(ncclComm_t comm)
{
    atomic_store(&comm->shared.stopped, true);
}

/* ---- memory: registration has no effect ---- */

CPU_API ncclResult_t
ncclCommRegister(const ncclComm_t comm, void *buffer, size_t bytes,
                 void **handle)
{
    (void)comm;
    (void)bytes;
    *handle = buffer;
    return ncclSuccess;
}

CPU_API ncclResult_t
ncclCommDeregister(const ncclComm_t comm, void *handle)
{
    (void)comm;
    (void)handle;
    return ncclSuccess;
}

CPU_API ncclResult_t
ncclMemAlloc(void **pointer, size_t bytes)
{
    return cuMemAlloc_v2((CUdeviceptr *)pointer, bytes)
               ? nccl_error(ncclUnhandledCudaError, "cuMemAlloc failed")
               : ncclSuccess;
}

CPU_API ncclResult_t
ncclMemFree(void *pointer)
{
    return cuMemFree_v2((CUdeviceptr)pointer)
               ? nccl_error(ncclUnhandledCudaError, "cuMemFree failed")
               : ncclSuccess;
}

/* ---- scaled sums ---- */

CPU_API ncclResult_t
ncclRedOpCreatePreMulSum(ncclRedOp_t *op, void *scalar, ncclDataType_t type,
                         ncclScalarResidence_t residence, ncclComm_t comm)
{
    size_t bytes = nccl_type_bytes(type);

    if (!comm || !op || !scalar || !bytes) {
        return nccl_error(ncclInvalidArgument, "a pointer is NULL, or the "
                                               "type is unknown");
    }
    for (int i = 0; i < NCCL_SCALARS; i++) {
        struct nccl_scalar *row = &comm->scalars[i];

        if (!row->used) {
            *row = (struct nccl_scalar){.used = true, .type = type};
            if (residence == ncclScalarDevice) {
                row->device = scalar;
            } else {
                memcpy(row->value, scalar, bytes);
            }
            *op = (ncclRedOp_t)(ncclNumOps + i);
            return ncclSuccess;
        }
    }
    return nccl_error(ncclInvalidUsage,
                      "the communicator already has %d operations of the "
                      "program; destroy some",
                      NCCL_SCALARS);
}

/* Returns the scaled sum that the program has created as operation `op`, or
 * NULL if there is none. */
static struct nccl_scalar *
scalar_find(ncclComm_t comm, ncclRedOp_t op)
{
    int index = (int)op - ncclNumOps;

    return index >= 0 && index < NCCL_SCALARS && comm->scalars[index].used
               ? &comm->scalars[index]
               : NULL;
}

CPU_API ncclResult_t
ncclRedOpDestroy(ncclRedOp_t op, ncclComm_t comm)
{
    struct nccl_scalar *row = comm ? scalar_find(comm, op) : NULL;

    if (!row) {
        return nccl_error(ncclInvalidArgument,
                          "%d is no operation that the program has created",
                          (int)op);
    }
    row->used = false;
    return ncclSuccess;
}

/* ---- operations ---- */

/* Returns ncclInvalidArgument unless a buffer of `parts` times `count`
 * elements is in memory of the CPU device. */
static ncclResult_t
buffer_check(const char *name, const void *buffer, size_t count, size_t parts,
             size_t bytes)
{
    if (!count || !parts) {
        return ncclSuccess;
    }
    if (count > SIZE_MAX / parts / bytes ||
        cpu_memory_check((CUdeviceptr)buffer, count * parts * bytes)) {
        return nccl_error(ncclInvalidArgument,
                          "the %s buffer at %p has no room for %zu elements "
                          "of %zu bytes in the memory of a device",
                          name, buffer, count * parts, bytes);
    }
    return ncclSuccess;
}

/* Returns ncclInvalidArgument unless the reduction operation is one of NCCL's,
 * or a scaled sum (ncclRedOpCreatePreMulSum) of this communicator and element
 * type. For a scaled sum, copies the factor to `work`. */
static ncclResult_t
reduction_check(ncclComm_t comm, struct nccl_work *work)
{
    ncclRedOp_t op = (ncclRedOp_t)work->what.op;

    if (op >= ncclSum && op < ncclNumOps) {
        return ncclSuccess;
    }
    struct nccl_scalar *row = scalar_find(comm, op);
    if (!row || (int)row->type != work->what.type) {
        return nccl_error(ncclInvalidArgument,
                          "%d is no reduction of elements of %s", (int)op,
                          nccl_type_name(work->what.type));
    }
    work->what.op = ncclNumOps;
    memcpy(work->scalar, row->value, sizeof work->scalar);
    work->device_scalar = row->device;
    return ncclSuccess;
}

/* Checks the arguments of a collective operation and issues the operation. */
static ncclResult_t
collective(struct nccl_work work, ncclComm_t comm, CUstream stream)
{
    enum nccl_kind kind = (enum nccl_kind)work.what.kind;
    size_t bytes = nccl_type_bytes((ncclDataType_t)work.what.type);

    if (!comm) {
        return nccl_error(ncclInvalidArgument, "the communicator is NULL");
    }
    if (atomic_load(&comm->result)) {
        return nccl_error(ncclRemoteError, "%s", comm->text);
    }
    int ranks = comm->shared.ranks, root = work.what.root;
    bool is_root = comm->shared.rank == root;
    if (!bytes) {
        return nccl_error(ncclInvalidArgument, "the data type %d is unknown",
                          (int)work.what.type);
    }
    if (root < 0 || root >= ranks) {
        return nccl_error(ncclInvalidArgument,
                          "the root %d is no rank from 0 to %d", root,
                          ranks - 1);
    }
    ncclResult_t result = reduction_check(comm, &work);
    result = result
                 ? result
                 : buffer_check("send", work.send, work.what.count,
                                nccl_send_parts(kind, ranks, is_root), bytes);
    result = result
                 ? result
                 : buffer_check("receive", work.recv, work.what.count,
                                nccl_recv_parts(kind, ranks, is_root), bytes);
    return result ? result : nccl_group_work(comm, &work, stream);
}

#define COLLECTIVE(kind_, op_, root_)                                         \
    collective((struct nccl_work){.what = {.kind = kind_,                     \
                                           .count = count,                    \
                                           .type = (int)type,                 \
                                           .op = (int)(op_),                  \
                                           .root = root_},                    \
                                  .send = send,                               \
                                  .recv = recv},                              \
               comm, stream)

CPU_API ncclResult_t
ncclReduce(const void *send, void *recv, size_t count, ncclDataType_t type,
           ncclRedOp_t op, int root, ncclComm_t comm, CUstream stream)
{
    return COLLECTIVE(NCCL_REDUCE, op, root);
}

CPU_API ncclResult_t
ncclBroadcast(const void *send, void *recv, size_t count, ncclDataType_t type,
              int root, ncclComm_t comm, CUstream stream)
{
    return COLLECTIVE(NCCL_BROADCAST, ncclSum, root);
}

CPU_API ncclResult_t
ncclBcast(void *buffer, size_t count, ncclDataType_t type, int root,
          ncclComm_t comm, CUstream stream)
{
    return ncclBroadcast(buffer, buffer, count, type, root, comm, stream);
}

CPU_API ncclResult_t
ncclAllReduce(const void *send, void *recv, size_t count, ncclDataType_t type,
              ncclRedOp_t op, ncclComm_t comm, CUstream stream)
{
    return COLLECTIVE(NCCL_ALL_REDUCE, op, 0);
}

CPU_API ncclResult_t
ncclReduceScatter(const void *send, void *recv, size_t count,
                  ncclDataType_t type, ncclRedOp_t op, ncclComm_t comm,
                  CUstream stream)
{
    return COLLECTIVE(NCCL_REDUCE_SCATTER, op, 0);
}

CPU_API ncclResult_t
ncclAllGather(const void *send, void *recv, size_t count, ncclDataType_t type,
              ncclComm_t comm, CUstream stream)
{
    return COLLECTIVE(NCCL_ALL_GATHER, ncclSum, 0);
}

CPU_API ncclResult_t
ncclAlltoAll(const void *send, void *recv, size_t count, ncclDataType_t type,
             ncclComm_t comm, CUstream stream)
{
    return COLLECTIVE(NCCL_ALL_TO_ALL, ncclSum, 0);
}

CPU_API ncclResult_t
ncclGather(const void *send, void *recv, size_t count, ncclDataType_t type,
           int root, ncclComm_t comm, CUstream stream)
{
    return COLLECTIVE(NCCL_GATHER, ncclSum, root);
}

CPU_API ncclResult_t
ncclScatter(const void *send, void *recv, size_t count, ncclDataType_t type,
            int root, ncclComm_t comm, CUstream stream)
{
    return COLLECTIVE(NCCL_SCATTER, ncclSum, root);
}

/* Checks the arguments of ncclSend or ncclRecv and issues the operation. */
static ncclResult_t
message(struct nccl_message given, ncclComm_t comm, CUstream stream)
{
    size_t bytes = nccl_type_bytes(given.type);

    if (!comm) {
        return nccl_error(ncclInvalidArgument, "the communicator is NULL");
    }
    if (atomic_load(&comm->result)) {
        return nccl_error(ncclRemoteError, "%s", comm->text);
    }
    if (!bytes || given.peer < 0 || given.peer >= comm->shared.ranks) {
        return nccl_error(ncclInvalidArgument,
                          "the peer is %d and the data type is %d; the "
                          "communicator has %d ranks",
                          given.peer, (int)given.type, comm->shared.ranks);
    }
    ncclResult_t result = buffer_check(given.sends ? "send" : "receive",
                                       given.data, given.count, 1, bytes);
    if (result) {
        return result;
    }
    struct nccl_work work = {.what = {.kind = NCCL_MESSAGES},
                             .messages = malloc(sizeof given),
                             .message_count = 1};
    if (!work.messages) {
        return nccl_error(ncclSystemError, "out of memory");
    }
    work.messages[0] = given;
    return nccl_group_work(comm, &work, stream);
}

CPU_API ncclResult_t
ncclSend(const void *send, size_t count, ncclDataType_t type, int peer,
         ncclComm_t comm, CUstream stream)
{
    return message(
        (struct nccl_message){true, peer, type, (char *)send, count}, comm,
        stream);
}

CPU_API ncclResult_t
ncclRecv(void *recv, size_t count, ncclDataType_t type, int peer,
         ncclComm_t comm, CUstream stream)
{
    return message((struct nccl_message){false, peer, type, recv, count}, comm,
                   stream);
}
