/* describe.c - operations as text, for messages about failures.
 *
 * Called by the other files of this folder. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "cpu/nccl/shared.h"

static const char *const kinds[] = {
    [NCCL_BROADCAST] = "ncclBroadcast",
    [NCCL_REDUCE] = "ncclReduce",
    [NCCL_ALL_REDUCE] = "ncclAllReduce",
    [NCCL_ALL_GATHER] = "ncclAllGather",
    [NCCL_REDUCE_SCATTER] = "ncclReduceScatter",
    [NCCL_ALL_TO_ALL] = "ncclAlltoAll",
    [NCCL_GATHER] = "ncclGather",
    [NCCL_SCATTER] = "ncclScatter",
    [NCCL_EXCHANGE] = "ncclCommSplit",
    [NCCL_MESSAGES] = "ncclSend or ncclRecv",
};

static const char *const types[ncclNumTypes] = {
    "int8",    "uint8",   "int32",   "uint32",   "int64",       "uint64",
    "float16", "float32", "float64", "bfloat16", "float8_e4m3", "float8_e5m2",
};

static const char *const ops[] = {"sum", "prod", "max",
                                  "min", "avg",  "scaled sum"};

const char *
nccl_type_name(int type)
{
    return type >= 0 && type < ncclNumTypes ? types[type] : "unknown type";
}

void
nccl_describe(char *text, size_t room, const struct nccl_description *what)
{
    bool reduces = what->kind == NCCL_REDUCE ||
                   what->kind == NCCL_ALL_REDUCE ||
                   what->kind == NCCL_REDUCE_SCATTER;
    bool rooted = what->kind == NCCL_REDUCE || what->kind == NCCL_BROADCAST ||
                  what->kind == NCCL_GATHER || what->kind == NCCL_SCATTER;
    char op[16] = "", root[24] = "";

    if (what->kind == NCCL_EXCHANGE) {
        snprintf(text, room, "%s", kinds[what->kind]);
        return;
    }
    if (reduces) {
        snprintf(op, sizeof op, ", %s",
                 ops[what->op < ncclNumOps ? what->op : ncclNumOps]);
    }
    if (rooted) {
        snprintf(root, sizeof root, ", root %d", (int)what->root);
    }
    snprintf(text, room, "%s(%llu elements of %s%s%s)", kinds[what->kind],
             (unsigned long long)what->count, nccl_type_name(what->type), op,
             root);
}

void
nccl_describe_current(const struct nccl_shared *shared, int rank, char *text,
                      size_t room)
{
    const struct nccl_rank *slot = &shared->slots[rank];
    uint64_t current = atomic_load(&slot->current);
    int kind = (int)(current & 255);

    if (kind == NCCL_IDLE) {
        snprintf(text, room, "executes no operation of the communicator");
        return;
    }
    if (kind == NCCL_MESSAGES) {
        snprintf(text, room, "%s", kinds[kind]);
        return;
    }
    /* If the rank is just writing the description of its next operation, the
     * copy is a mixture of two operations. This does no harm, since it is only
     * used in a message. */
    struct nccl_description copy = slot->description[(current >> 8) & 1];
    copy.kind = kind;
    int used = snprintf(text, room, "operation %llu, ",
                        (unsigned long long)(current >> 8));
    nccl_describe(text + used, room - (size_t)used, &copy);
}
