/* groups.c - groups of NCCL calls (ncclGroupStart to ncclGroupEnd).
 *
 * Called by api.c. A group belongs to a thread and collects its calls. A call
 * outside of ncclGroupStart and ncclGroupEnd is a group of its own. At the end
 * of a group, the collective operations are issued in their order, then the
 * sends and receives, in one batch per communicator. Then the splits
 * (ncclCommSplit) are executed, and the thread waits for the other ranks of
 * new communicators. So one thread may make the calls of many ranks.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/nccl/groups.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/device/context.h"
#include "cpu/exports/visibility.h"

/* Data that each rank of a communicator sends to all others in
 * ncclCommSplit. */
struct split_entry {
    int32_t color, key;
    /* id for the new communicator; used if the sender becomes its rank 0 */
    ncclUniqueId id;
};

struct split {
    struct split_entry mine;
    /* array with the received entry of each rank; owned */
    struct split_entry *all;
    bool ended;
    struct ncclComm **made;
    struct nccl_call call;
};

/* A call in a group: an operation (`operation`), the creation of a
 * communicator (`joins`) or ncclCommSplit (`split`). */
struct entry {
    struct ncclComm *comm;
    struct nccl_operation *operation;
    CUstream stream;
    CUcontext context; /* context that was current in the thread at the call */
    bool joins;
    struct split *split;
};

static _Thread_local struct {
    int depth;
    unsigned count; /* number of entries; capacity: 8, 16, 32, ... */
    struct entry *entries;
    /* latest error message of this thread; allocated at the first error */
    char *text;
} group;

ncclResult_t
nccl_error(ncclResult_t result, const char *format, ...)
{
    va_list arguments;

    group.text = group.text ? group.text : malloc(NCCL_TEXT);
    if (group.text) {
        va_start(arguments, format);
        vsnprintf(group.text, NCCL_TEXT, format, arguments);
        va_end(arguments);
    }
    return result;
}

const char *
nccl_error_text(void)
{
    return group.text ? group.text : "";
}

/* Appends an entry to the thread's group. Returns NULL if memory is short. */
static struct entry *
entry_new(struct ncclComm *comm)
{
    bool is_full =
        group.count == 0 ||
        (group.count >= 8 && (group.count & (group.count - 1)) == 0);
    if (is_full) {
        size_t capacity = group.count == 0 ? 8 : 2 * (size_t)group.count;
        struct entry *entries =
            realloc(group.entries, capacity * sizeof *entries);

        if (!entries) {
            return NULL;
        }
        group.entries = entries;
    }
    struct entry *entry = &group.entries[group.count++];
    *entry = (struct entry){.comm = comm};
    return entry;
}

/* ---- messages ---- */

/* Moves the messages of `entry` to the batch of an earlier entry for the same
 * communicator, if there is one. Returns false if memory is short. */
static bool
messages_merge(struct entry *entry)
{
    struct nccl_work *work = &entry->operation->work;

    for (struct entry *other = group.entries; other < entry; other++) {
        struct nccl_work *batch =
            other->operation ? &other->operation->work : NULL;

        if (!batch || other->comm != entry->comm ||
            batch->what.kind != NCCL_MESSAGES) {
            continue;
        }
        struct nccl_message *messages =
            realloc(batch->messages,
                    (batch->message_count + 1) * sizeof *batch->messages);
        if (!messages) {
            return false;
        }
        batch->messages = messages;
        messages[batch->message_count++] = work->messages[0];
        nccl_operation_release(entry->operation);
        entry->operation = NULL;
        return true;
    }
    return true;
}

/* Issues the group's batches of sends and receives (`messages` true), or its
 * collective operations (false). */
static ncclResult_t
operations_submit(bool messages)
{
    ncclResult_t result = ncclSuccess;

    for (size_t i = 0; i < group.count && !result; i++) {
        struct entry *entry = &group.entries[i];

        if (entry->operation &&
            messages == (entry->operation->work.what.kind == NCCL_MESSAGES)) {
            result = nccl_operation_submit(entry->operation, entry->context,
                                           entry->stream);
            if (result) {
                nccl_error(result,
                           result == ncclInvalidUsage
                               ? "another thread is ending the communicator"
                               : "the stream cannot be used");
            }
        }
    }
    return result;
}

/* ---- splits ---- */

/* Starts the exchange of the ranks' split entries for ncclCommSplit. */
static ncclResult_t
split_post(struct ncclComm *comm, struct split *split)
{
    char text[NCCL_TEXT];
    struct nccl_work work = {.what = {.kind = NCCL_EXCHANGE,
                                      .type = ncclUint8,
                                      .count = sizeof split->mine},
                             .send = (const char *)&split->mine};

    split->all = calloc((size_t)comm->shared.ranks, sizeof *split->all);
    work.recv = (char *)split->all;
    ncclResult_t result =
        split->all ? nccl_shared_make(&split->mine.id, text) : ncclSystemError;
    if (result) {
        return nccl_error(result, "%s", split->all ? text : "out of memory");
    }
    nccl_comm_drain(comm);
    split->call.operation = nccl_operation_new(comm, &work);
    split->call.ended = &split->ended;
    if (!split->call.operation) {
        return nccl_error(ncclSystemError, "out of memory");
    }
    nccl_call_post(&split->call);
    return ncclSuccess;
}

/* Returns the calling rank's number in the new communicator. Stores in *ranks
 * the number of ranks that have the calling rank's color. Stores in *first the
 * one of these ranks that has the lowest key. The new communicator gets the id
 * in the entry of rank *first. */
static int
split_place(const struct ncclComm *comm, const struct split *split, int *ranks,
            int *first)
{
    int new_rank = 0, mine = comm->shared.rank;

    *ranks = 0;
    *first = mine;
    for (int rank = 0; rank < comm->shared.ranks; rank++) {
        const struct split_entry *other = &split->all[rank];
        const struct split_entry *least = &split->all[*first];

        if (other->color != split->mine.color) {
            continue;
        }
        ++*ranks;
        new_rank += other->key < split->mine.key ||
                    (other->key == split->mine.key && rank < mine);
        if (other->key < least->key ||
            (other->key == least->key && rank < *first)) {
            *first = rank;
        }
    }
    return new_rank;
}

/* Waits for the split entries of all ranks and joins the new communicator. */
static ncclResult_t
split_join(struct ncclComm *comm, struct split *split)
{
    char text[NCCL_TEXT];
    int ranks, first;

    nccl_call_wait(&split->call);
    if (atomic_load(&comm->result)) {
        return nccl_error(ncclRemoteError, "%s", comm->text);
    }
    int new_rank = split_place(comm, split, &ranks, &first);
    if (split->mine.color == NCCL_SPLIT_NOCOLOR ||
        first != comm->shared.rank) {
        nccl_shared_discard(&split->mine.id);
    }
    if (split->mine.color == NCCL_SPLIT_NOCOLOR) {
        *split->made = NULL;
        return ncclSuccess;
    }
    ncclResult_t result = nccl_comm_new(split->made, &split->all[first].id,
                                        ranks, new_rank, comm->device, text);
    return result ? nccl_error(result, "%s", text) : ncclSuccess;
}

/* ---- groups ---- */

static ncclResult_t
join_wait(struct ncclComm *comm)
{
    ncclResult_t result = nccl_comm_wait_joined(comm);

    return result ? nccl_error(result, "%s", comm->text) : ncclSuccess;
}

/* Executes the group's splits (ncclCommSplit), then waits until all ranks have
 * joined each new communicator. */
static ncclResult_t
joins_finish(void)
{
    ncclResult_t result = ncclSuccess;

    for (size_t i = 0; i < group.count && !result; i++) {
        if (group.entries[i].split) {
            result = split_post(group.entries[i].comm, group.entries[i].split);
        }
    }
    for (size_t i = 0; i < group.count && !result; i++) {
        struct split *split = group.entries[i].split;

        if (split) {
            result = split_join(group.entries[i].comm, split);
            group.entries[i].joins = !result && *split->made;
            group.entries[i].comm = *split->made;
        }
    }
    for (size_t i = 0; i < group.count && !result; i++) {
        if (group.entries[i].joins) {
            result = join_wait(group.entries[i].comm);
        }
    }
    return result;
}

/* Frees the entries of the group. */
static void
group_clear(void)
{
    for (size_t i = 0; i < group.count; i++) {
        struct entry *entry = &group.entries[i];

        nccl_operation_release(entry->operation);
        if (entry->split) {
            if (entry->split->call.operation && !entry->split->ended) {
                nccl_call_wait(&entry->split->call);
            }
            nccl_operation_release(entry->split->call.operation);
            free(entry->split->all);
            free(entry->split);
        }
    }
    free(group.entries);
    group.entries = NULL;
    group.count = 0;
}

CPU_API ncclResult_t
ncclGroupStart(void)
{
    group.depth++;
    return ncclSuccess;
}

CPU_API ncclResult_t
ncclGroupEnd(void)
{
    ncclResult_t result = ncclSuccess;

    if (!group.depth) {
        return nccl_error(ncclInvalidUsage,
                          "ncclGroupEnd without ncclGroupStart");
    }
    if (--group.depth) {
        return ncclSuccess;
    }
    for (size_t i = 0; i < group.count && !result; i++) {
        struct entry *entry = &group.entries[i];

        if (entry->operation &&
            entry->operation->work.what.kind == NCCL_MESSAGES &&
            !messages_merge(entry)) {
            result = nccl_error(ncclSystemError, "out of memory");
        }
    }
    result = result ? result : operations_submit(false);
    result = result ? result : operations_submit(true);
    result = result ? result : joins_finish();
    group_clear();
    return result;
}

ncclResult_t
nccl_group_work(struct ncclComm *comm, const struct nccl_work *work,
                CUstream stream)
{
    struct cpu_context *ctx = NULL;

    cpu_context_current(&ctx);
    ncclGroupStart();
    struct entry *entry = entry_new(comm);
    struct nccl_operation *operation =
        entry ? nccl_operation_new(comm, work) : NULL;
    ncclResult_t result = ncclSuccess;

    if (operation) {
        entry->operation = operation;
        entry->stream = stream;
        entry->context = ctx ? ctx->handle : NULL;
    } else {
        if (!entry) {
            free(work->messages);
        }
        result = nccl_error(ncclSystemError, "out of memory");
    }
    ncclResult_t end = ncclGroupEnd();
    return result ? result : end;
}

ncclResult_t
nccl_group_join(struct ncclComm *comm)
{
    ncclGroupStart();
    struct entry *entry = entry_new(comm);
    if (entry) {
        entry->joins = true;
    }
    ncclResult_t end = ncclGroupEnd();
    return entry ? end : nccl_error(ncclSystemError, "out of memory");
}

ncclResult_t
nccl_group_split(struct ncclComm *comm, int color, int key,
                 struct ncclComm **made)
{
    ncclGroupStart();
    struct entry *entry = entry_new(comm);
    struct split *split = entry ? calloc(1, sizeof *split) : NULL;
    if (split) {
        split->mine.color = color;
        split->mine.key = key;
        split->made = made;
        entry->split = split;
    }
    ncclResult_t end = ncclGroupEnd();
    return split ? end : nccl_error(ncclSystemError, "out of memory");
}
