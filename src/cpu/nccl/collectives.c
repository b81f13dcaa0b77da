/* collectives.c - execution of collective operations in shared memory.
 *
 * Called by the progress threads of communicators. An operation is executed in
 * chunks. For each chunk a rank writes its part to its stage (a buffer in
 * shared memory), waits for the other ranks, and reads their stages. The
 * stages alternate between two buffers, so that one wait per chunk suffices: a
 * rank overwrites a buffer only after the barrier of the following chunk, and
 * every rank has read the buffer before it arrives at that barrier.
 *
 * The ranks also compare the operations that they execute, before the first
 * chunk is read. If the operations differ, all ranks report the same failure,
 * and no rank writes to its receive buffer.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <string.h>

#include "cpu/check/hooks.h"
#include "cpu/nccl/operation.h"

/* Properties of the kinds of collective operations. */
static const struct row {
    bool sends_parts; /* the send buffer has a part for each rank */
    bool recvs_parts; /* the receive buffer has a part for each rank */
    bool root_sends;  /* only the root sends */
    bool root_recvs;  /* only the root receives */
    bool reduces;
} rows[] = {
    [NCCL_BROADCAST] = {.root_sends = true},
    [NCCL_REDUCE] = {.root_recvs = true, .reduces = true},
    [NCCL_ALL_REDUCE] = {.reduces = true},
    [NCCL_ALL_GATHER] = {.recvs_parts = true},
    [NCCL_REDUCE_SCATTER] = {.sends_parts = true, .reduces = true},
    [NCCL_ALL_TO_ALL] = {.sends_parts = true, .recvs_parts = true},
    [NCCL_GATHER] = {.recvs_parts = true, .root_recvs = true},
    [NCCL_SCATTER] = {.sends_parts = true, .root_sends = true},
    [NCCL_EXCHANGE] = {.recvs_parts = true},
};

size_t
nccl_send_parts(enum nccl_kind kind, int ranks, bool is_root)
{
    if (rows[kind].root_sends && !is_root) {
        return 0;
    }
    return rows[kind].sends_parts ? (size_t)ranks : 1;
}

size_t
nccl_recv_parts(enum nccl_kind kind, int ranks, bool is_root)
{
    if (rows[kind].root_recvs && !is_root) {
        return 0;
    }
    return rows[kind].recvs_parts ? (size_t)ranks : 1;
}

/* One chunk of a collective operation, as one rank executes it. */
struct chunk {
    struct nccl_shared *shared;
    const struct nccl_work *work;
    const struct row *row;
    unsigned parity;
    size_t item; /* size of an element in bytes */
    /* index of the chunk's first element in each rank's part of the buffers,
     * and number of elements in the chunk */
    size_t first, count;
};

static void
part_write(const struct chunk *chunk, char *to, size_t part)
{
    const struct nccl_work *work = chunk->work;
    size_t at = part * (size_t)work->what.count + chunk->first;
    const char *from = work->send + at * chunk->item;

    if (chunk->count == 0) { /* for an empty chunk, `send` may be NULL */
        return;
    }
    if (work->what.op == ncclNumOps && chunk->row->reduces) {
        const char *scalar =
            work->device_scalar ? work->device_scalar : work->scalar;
        nccl_scale((ncclDataType_t)work->what.type, to, from, scalar,
                   chunk->count);
    } else {
        memcpy(to, from, chunk->count * chunk->item);
    }
}

/* Copies the chunk of the send buffer to the rank's stage, a buffer in shared
 * memory. */
static void
chunk_write(const struct chunk *chunk)
{
    const struct nccl_shared *shared = chunk->shared;
    bool is_root = shared->rank == chunk->work->what.root;
    char *stage = nccl_shared_stage(shared, shared->rank, chunk->parity);
    size_t parts = nccl_send_parts((enum nccl_kind)chunk->work->what.kind,
                                   shared->ranks, is_root);

    for (size_t part = 0; part < parts; part++) {
        part_write(chunk, stage + part * chunk->count * chunk->item, part);
    }
}

/* Returns the address of the data that the stage (shared buffer) of `rank` has
 * for the calling rank. */
static const char *
chunk_source(const struct chunk *chunk, int rank)
{
    size_t part = chunk->row->sends_parts ? (size_t)chunk->shared->rank : 0;

    return nccl_shared_stage(chunk->shared, rank, chunk->parity) +
           part * chunk->count * chunk->item;
}

static void
chunk_store(const struct chunk *chunk, size_t part, const char *from)
{
    size_t at = part * (size_t)chunk->work->what.count + chunk->first;
    char *to = chunk->work->recv + at * chunk->item;

    if (chunk->count == 0) { /* for an empty chunk, `recv` may be NULL */
        return;
    }
    memcpy(to, from, chunk->count * chunk->item);
    cpu_check_filled(to, chunk->count * chunk->item);
}

/* Combines the elements [low, high) of the chunk from the stages (shared
 * buffers) of all ranks, and stores the result in `to`. */
static void
chunk_reduce(const struct chunk *chunk, char *to, size_t low, size_t high)
{
    struct nccl_reduction reduction = {(ncclDataType_t)chunk->work->what.type,
                                       (ncclRedOp_t)chunk->work->what.op};
    const void *from[NCCL_RANKS];

    for (int rank = 0; rank < chunk->shared->ranks; rank++) {
        from[rank] = chunk_source(chunk, rank) + low * chunk->item;
    }
    nccl_reduce(&reduction, to, from, chunk->shared->ranks, high - low);
}

/* Reduces the chunk for all ranks: each rank reduces one part of the chunk,
 * then all ranks copy the whole result. */
static bool
chunk_all_reduce(const struct chunk *chunk)
{
    const struct nccl_shared *shared = chunk->shared;
    size_t share = chunk->count / (size_t)shared->ranks + 1;
    size_t low = share * (size_t)shared->rank, high = low + share;
    char *result = nccl_shared_result(shared, chunk->parity);

    high = high < chunk->count ? high : chunk->count;
    if (low < high) {
        chunk_reduce(chunk, result + low * chunk->item, low, high);
    }
    if (!nccl_shared_step(chunk->shared)) {
        return false;
    }
    chunk_store(chunk, 0, result);
    return true;
}

/* Writes the chunk of the receive buffer from the stages (shared buffers) of
 * all ranks. Returns false on failure. */
static bool
chunk_read(const struct chunk *chunk)
{
    const struct nccl_work *work = chunk->work;
    const struct nccl_shared *shared = chunk->shared;
    bool is_root = shared->rank == work->what.root;
    char *to = work->recv + chunk->first * chunk->item;

    if (work->what.kind == NCCL_ALL_REDUCE) {
        return chunk_all_reduce(chunk);
    }
    if (chunk->row->root_recvs && !is_root) {
        return true;
    }
    if (chunk->row->reduces) {
        chunk_reduce(chunk, to, 0, chunk->count);
        cpu_check_filled(to, chunk->count * chunk->item);
    } else if (chunk->row->recvs_parts) {
        for (int rank = 0; rank < shared->ranks; rank++) {
            chunk_store(chunk, (size_t)rank, chunk_source(chunk, rank));
        }
    } else {
        chunk_store(chunk, 0, chunk_source(chunk, work->what.root));
    }
    return true;
}

static bool
is_same(const struct nccl_description *a, const struct nccl_description *b)
{
    return a->number == b->number && a->count == b->count &&
           a->kind == b->kind && a->type == b->type && a->op == b->op &&
           a->root == b->root;
}

/* Compares the descriptions of the operation that the ranks have written to
 * shared memory. Returns true if all are equal. Otherwise reports the failure
 * to all ranks. */
static bool
descriptions_agree(struct nccl_shared *shared, uint64_t number)
{
    const struct nccl_description *first =
        &shared->slots[0].description[number & 1];

    for (int rank = 1; rank < shared->ranks; rank++) {
        const struct nccl_description *other =
            &shared->slots[rank].description[number & 1];
        char texts[2][160];

        if (!is_same(first, other)) {
            nccl_describe(texts[0], sizeof texts[0], first);
            nccl_describe(texts[1], sizeof texts[1], other);
            nccl_shared_fail(shared,
                             "the ranks execute different operations: "
                             "operation %llu of rank 0 is %s, operation %llu "
                             "of rank %d is %s",
                             (unsigned long long)first->number, texts[0],
                             (unsigned long long)other->number, rank,
                             texts[1]);
            return false;
        }
    }
    return true;
}

bool
nccl_collective_run(struct nccl_shared *shared, const struct nccl_work *work,
                    uint64_t number)
{
    struct nccl_rank *own = &shared->slots[shared->rank];
    size_t item = nccl_type_bytes((ncclDataType_t)work->what.type);
    const struct row *row = &rows[work->what.kind];
    size_t parts = row->sends_parts ? (size_t)shared->ranks : 1;
    size_t most = NCCL_STAGE / item / parts, rest = work->what.count;
    struct chunk chunk = {shared, work, row, 0, item, 0, 0};
    bool compared = false;

    own->description[number & 1] = work->what;
    own->description[number & 1].number = number;
    atomic_store(&own->current, number << 8 | (uint64_t)work->what.kind);
    do {
        chunk.count = rest < most ? rest : most;
        chunk.parity = atomic_load(&own->step) & 1;
        chunk_write(&chunk);
        if (!nccl_shared_step(shared) ||
            (!compared && !descriptions_agree(shared, number)) ||
            !chunk_read(&chunk)) {
            return false;
        }
        compared = true;
        chunk.first += chunk.count;
        rest -= chunk.count;
    } while (rest);
    return true;
}
