/* messages.c - execution of sends and receives in shared memory.
 *
 * Called by the progress threads of communicators. Each pair of ranks has a
 * ring buffer in each direction. A message begins with a header that has its
 * count and type; the receiver compares them with its own. The messages of a
 * batch progress at the same time. Only messages with the same sender and the
 * same receiver are transferred one after the other.
 *
 * SPDX-License-Identifier: MIT */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/hooks.h"
#include "cpu/nccl/operation.h"

struct header {
    uint64_t count;
    int64_t type;
};

/* A send or receive in progress: first its header is transferred, then its
 * data. */
struct transfer {
    struct nccl_message message;
    struct header header;
    /* `done`: number of transferred bytes, including the header; `bytes`:
     * number of bytes of data, without the header */
    size_t done, bytes;
    /* the header that was received has been compared with the expected one */
    bool checked;
};

struct batch {
    struct nccl_shared *shared;
    /* number of collective operations that this rank has executed */
    uint64_t completed;
    struct transfer *transfers;
    size_t count;
    /* Two flags for each peer, cleared whenever the batch is advanced:
     * busy[peer] says that an earlier receive from the peer is not complete,
     * busy[ranks + peer] that an earlier send to it is not. */
    bool *busy;
};

/* ---- ring buffers ---- */

/* Copies as many of the `bytes` bytes to the ring buffer as fit into its free
 * space. Returns the number of bytes copied. */
static size_t
ring_write(const struct nccl_shared *shared, struct nccl_channel *ring,
           const char *from, size_t bytes)
{
    uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    size_t used = (size_t)(head - atomic_load(&ring->tail));
    size_t room = shared->ring_bytes - used;
    size_t n = bytes < room ? bytes : room;
    size_t at = head % shared->ring_bytes;
    size_t before_end = shared->ring_bytes - at;

    if (n == 0) { /* if nothing is to be copied, `from` may be NULL */
        return 0;
    }
    before_end = before_end < n ? before_end : n;
    memcpy(ring->data + at, from, before_end);
    memcpy(ring->data, from + before_end, n - before_end);
    atomic_store(&ring->head, head + n);
    return n;
}

static size_t
ring_read(const struct nccl_shared *shared, struct nccl_channel *ring,
          char *to, size_t bytes)
{
    uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    size_t used = (size_t)(atomic_load(&ring->head) - tail);
    size_t n = bytes < used ? bytes : used;
    size_t at = tail % shared->ring_bytes;
    size_t before_end = shared->ring_bytes - at;

    if (n == 0) { /* if nothing is to be copied, `to` may be NULL */
        return 0;
    }
    before_end = before_end < n ? before_end : n;
    memcpy(to, ring->data + at, before_end);
    memcpy(to + before_end, ring->data, n - before_end);
    atomic_store(&ring->tail, tail + n);
    return n;
}

/* ---- transfers ---- */

/* Moves bytes of `array` (`bytes` bytes, of which `done` have been moved) to
 * or from the ring buffer. Returns the number of bytes moved. */
static size_t
span_move(const struct nccl_shared *shared, const struct transfer *transfer,
          char *array, size_t done, size_t bytes)
{
    int peer = transfer->message.peer;

    if (transfer->message.sends) {
        return ring_write(shared,
                          nccl_shared_channel(shared, shared->rank, peer),
                          array + done, bytes - done);
    }
    return ring_read(shared, nccl_shared_channel(shared, peer, shared->rank),
                     array + done, bytes - done);
}

/* Tests whether a received header has the expected count and type. Reports a
 * failure otherwise. */
static bool
header_check(struct nccl_shared *shared, struct transfer *transfer)
{
    const struct nccl_message *message = &transfer->message;
    const struct header *header = &transfer->header;

    transfer->checked = true;
    if (header->count == message->count &&
        header->type == (int64_t)message->type) {
        return true;
    }
    nccl_shared_fail(shared,
                     "rank %d receives %zu elements of %s from rank %d, which "
                     "sends %llu elements of %s",
                     shared->rank, message->count,
                     nccl_type_name((int)message->type), message->peer,
                     (unsigned long long)header->count,
                     nccl_type_name((int)header->type));
    return false;
}

static bool
transfer_ended(const struct transfer *transfer)
{
    return transfer->done == sizeof transfer->header + transfer->bytes;
}

/* Moves as many bytes of a send or receive as possible now. Sets *moved to
 * true if at least one byte was moved. Returns false on failure. */
static bool
transfer_advance(struct nccl_shared *shared, struct transfer *transfer,
                 bool *moved)
{
    const size_t head = sizeof transfer->header;
    size_t before = transfer->done;

    if (transfer->done < head) {
        transfer->done += span_move(
            shared, transfer, (char *)&transfer->header, transfer->done, head);
    }
    if (transfer->done >= head) {
        if (!transfer->message.sends && !transfer->checked &&
            !header_check(shared, transfer)) {
            return false;
        }
        transfer->done += span_move(shared, transfer, transfer->message.data,
                                    transfer->done - head, transfer->bytes);
    }
    if (transfer->done != before) {
        *moved = true;
        nccl_shared_ring(shared, transfer->message.peer);
    }
    if (transfer_ended(transfer) && !transfer->message.sends) {
        cpu_check_filled(transfer->message.data, transfer->bytes);
    }
    return true;
}

/* Advances all transfers of a batch as far as possible now. Sets *moved to
 * true if any transfer has advanced, and *left to true if any is incomplete
 * afterwards. Returns false on failure. */
static bool
batch_pass(struct batch *batch, bool *moved, bool *left)
{
    int ranks = batch->shared->ranks;

    *moved = *left = false;
    memset(batch->busy, 0, 2 * (size_t)ranks);
    for (size_t i = 0; i < batch->count; i++) {
        struct transfer *transfer = &batch->transfers[i];
        bool *busy = &batch->busy[transfer->message.peer +
                                  (transfer->message.sends ? ranks : 0)];

        if (!transfer_ended(transfer) && !*busy &&
            !transfer_advance(batch->shared, transfer, moved)) {
            return false;
        }
        if (!transfer_ended(transfer)) {
            *busy = *left = true;
        }
    }
    return true;
}

/* ---- waiting ---- */

/* Returns the first incomplete transfer whose peer (the other rank) will send
 * or receive no more data. Such a peer has left, or executes a later
 * collective operation and waits there for this rank. The ring buffer may
 * still have data that the peer wrote earlier, so the caller advances the
 * batch once more before it reports a failure. */
static struct transfer *
batch_find_hopeless(struct batch *batch, uint64_t *current)
{
    struct nccl_shared *shared = batch->shared;

    for (size_t i = 0; i < batch->count; i++) {
        struct transfer *transfer = &batch->transfers[i];
        int peer = transfer->message.peer;
        uint64_t now = atomic_load(&shared->slots[peer].current);

        bool collects =
            (now & 255) < NCCL_MESSAGES && now >> 8 > batch->completed;

        *current = now;
        if (!transfer_ended(transfer) && peer != shared->rank &&
            (collects || nccl_shared_gone(shared, peer))) {
            return transfer;
        }
    }
    return NULL;
}

/* Reports the failure of a transfer that batch_find_hopeless has returned,
 * unless it is now complete or the peer has begun another operation. Returns
 * whether the communicator has failed. */
static bool
batch_fail(struct batch *batch, const struct transfer *transfer,
           uint64_t current, double since)
{
    struct nccl_shared *shared = batch->shared;
    const struct nccl_message *message = &transfer->message;
    char other[160];

    if (transfer_ended(transfer) ||
        atomic_load(&shared->slots[message->peer].current) != current) {
        return false;
    }
    if (nccl_shared_gone(shared, message->peer)) {
        return nccl_shared_check(shared, message->peer, since);
    }
    nccl_describe_current(shared, message->peer, other, sizeof other);
    nccl_shared_fail(shared,
                     "rank %d waits in %s for rank %d (%zu elements of %s), "
                     "which executes %s",
                     shared->rank, message->sends ? "ncclSend" : "ncclRecv",
                     message->peer, message->count,
                     nccl_type_name((int)message->type), other);
    return true;
}

static bool
batch_run(struct batch *batch)
{
    struct nccl_shared *shared = batch->shared;
    struct nccl_rank *own = &shared->slots[shared->rank];
    double since = nccl_shared_now();
    bool moved, left;

    for (;;) {
        uint32_t heard = atomic_load(&own->bell);
        uint64_t current = 0;
        struct transfer *hopeless = batch_find_hopeless(batch, &current);

        if (nccl_shared_failure(shared) || !batch_pass(batch, &moved, &left)) {
            return false;
        }
        if (!left) {
            return true;
        }
        if (moved) {
            since = nccl_shared_now();
            continue;
        }
        if (hopeless && batch_fail(batch, hopeless, current, since)) {
            return false;
        }
        for (size_t i = 0; i < batch->count; i++) {
            if (nccl_shared_now() - since > shared->limit &&
                !transfer_ended(&batch->transfers[i])) {
                nccl_shared_check(shared, batch->transfers[i].message.peer,
                                  since);
                return false;
            }
        }
        nccl_shared_listen(shared, heard);
    }
}

bool
nccl_messages_run(struct nccl_shared *shared, const struct nccl_work *work,
                  uint64_t completed)
{
    struct nccl_rank *own = &shared->slots[shared->rank];
    struct batch batch = {.shared = shared,
                          .completed = completed,
                          .count = work->message_count};

    atomic_store(&own->current, completed << 8 | NCCL_MESSAGES);
    batch.transfers = calloc(batch.count + 1, sizeof *batch.transfers);
    batch.busy = calloc(2 * (size_t)shared->ranks, sizeof *batch.busy);
    bool done = batch.transfers && batch.busy;
    if (!done) {
        nccl_shared_fail(shared, "rank %d is out of memory", shared->rank);
    }
    for (size_t i = 0; done && i < batch.count; i++) {
        const struct nccl_message *message = &work->messages[i];

        batch.transfers[i] = (struct transfer){
            .message = *message,
            .header = {message->sends ? message->count : 0,
                       message->sends ? (int64_t)message->type : 0},
            .bytes = message->count * nccl_type_bytes(message->type)};
    }
    done = done && batch_run(&batch);
    free(batch.transfers);
    free(batch.busy);
    return done;
}
