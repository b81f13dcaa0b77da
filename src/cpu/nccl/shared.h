/* shared.h - the memory that the ranks of a communicator share.
 *
 * The memory is a file without a name (memfd), which the ranks map through
 * /proc, as ipc.c does with allocations. It disappears with its last user.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NCCL_SHARED_H
#define PYCUDA_CPU_NCCL_SHARED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/nccl_rows.h"

#define NCCL_TEXT  1024
#define NCCL_RANKS 256 /* most ranks of a communicator */
/* Bytes that a rank shares in one step of a collective operation. */
#define NCCL_STAGE (256u << 10)

enum nccl_kind {
    NCCL_BROADCAST,
    NCCL_REDUCE,
    NCCL_ALL_REDUCE,
    NCCL_ALL_GATHER,
    NCCL_REDUCE_SCATTER,
    NCCL_ALL_TO_ALL,
    NCCL_GATHER,
    NCCL_SCATTER,
    NCCL_EXCHANGE, /* of ncclCommSplit: host memory, synchronous */
    NCCL_MESSAGES, /* a batch of sends and receives */
    NCCL_IDLE,     /* the rank executes no operation */
};

/* The operation that a rank executes, for the other ranks. */
struct nccl_description {
    uint64_t number; /* number of the operation, from 1 */
    uint64_t count;
    int32_t kind; /* enum nccl_kind */
    int32_t type; /* ncclDataType_t */
    int32_t op;   /* ncclRedOp_t; ncclNumOps for operations of programs */
    int32_t root;
};

enum nccl_presence { NCCL_ABSENT, NCCL_PRESENT, NCCL_LEFT };

/* Shared state of a rank. Only the rank writes it, except for `bell`. */
struct nccl_rank {
    _Atomic int32_t presence; /* enum nccl_presence */
    _Atomic int32_t pid;
    /* Number of steps of collective operations that the rank has reached; a
     * futex. */
    _Atomic uint32_t step;
    /* Changes when another rank has moved data of a message; a futex. */
    _Atomic uint32_t bell;
    /* kind and number of the operation that the rank executes, packed:
     * number << 8 | kind */
    _Atomic uint64_t current;
    /* indexed by the parity of the number of the operation */
    struct nccl_description description[2];
};

struct nccl_file; /* layout of the shared memory, private to shared.c */

/* A rank's view of the shared memory. */
struct nccl_shared {
    struct nccl_file *file;
    size_t bytes;
    int ranks, rank;
    struct nccl_rank *slots; /* in shared memory, one per rank */
    size_t ring_bytes;       /* capacity of a channel */
    double limit;            /* seconds that a rank waits for another one */
    int *processes;          /* a pidfd per rank, or -1 */
    atomic_bool stopped;     /* the program has aborted the communicator */
    int kept_fd;             /* the file, if this process made it; else -1 */
};

/* Ring buffer for messages from one rank to another. `head` and `tail` count
 * bytes; the sender writes `head`, the receiver `tail`. */
struct nccl_channel {
    _Atomic uint64_t head, tail;
    char data[];
};

/* Makes shared memory, which belongs to the process until a rank of it joins,
 * and stores its id. On failure writes `text`. */
ncclResult_t nccl_shared_make(ncclUniqueId *id, char text[NCCL_TEXT]);
/* Closes shared memory that this process has made and that no rank uses. */
void nccl_shared_discard(const ncclUniqueId *id);
/* Maps the memory of the id as rank `rank` of `ranks`. On failure writes
 * `text`. Does not wait. */
ncclResult_t nccl_shared_join(struct nccl_shared *shared,
                              const ncclUniqueId *id, int ranks, int rank,
                              char text[NCCL_TEXT]);
/* Waits until all ranks have joined. Returns false after a failure. */
bool nccl_shared_wait_joined(struct nccl_shared *shared);
/* Leaves the communicator and unmaps the memory. */
void nccl_shared_leave(struct nccl_shared *shared);

/* Return the buffer in which `rank` publishes data in steps of the given
 * parity, and the buffer for results of all ranks. NCCL_STAGE bytes each. */
char *nccl_shared_stage(const struct nccl_shared *shared, int rank,
                        unsigned parity);
char *nccl_shared_result(const struct nccl_shared *shared, unsigned parity);
/* Returns the channel of messages from one rank to another. */
struct nccl_channel *nccl_shared_channel(const struct nccl_shared *shared,
                                         int from, int to);

/* Ends a step: returns true when all ranks have reached the same step. Returns
 * false after a failure, which this call may have found: a rank is dead, has
 * left, or did not come within the time limit. */
bool nccl_shared_step(struct nccl_shared *shared);
/* Waits, for 20 ms at most, until the calling rank's bell differs from
 * `heard`. */
void nccl_shared_listen(struct nccl_shared *shared, uint32_t heard);
/* Wakes a rank that waits in nccl_shared_listen. */
void nccl_shared_ring(struct nccl_shared *shared, int rank);
/* Returns whether a rank's process has ended or the rank has left. */
bool nccl_shared_gone(struct nccl_shared *shared, int rank);
/* Fails if a rank is dead or has left, or if `since` (a time of
 * nccl_shared_now) is longer ago than the limit. Returns whether there is a
 * failure, from this or an earlier call. */
bool nccl_shared_check(struct nccl_shared *shared, int rank, double since);
/* Reports a failure to all ranks. The first one stays. */
void nccl_shared_fail(struct nccl_shared *shared, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the text of the failure, or NULL if there is none. */
const char *nccl_shared_failure(const struct nccl_shared *shared);
/* Returns seconds of a clock that does not jump. */
double nccl_shared_now(void);

/* Returns a name such as "float32". */
const char *nccl_type_name(int type);
/* Writes an operation such as "ncclAllReduce(8 elements of float32, sum)". */
void nccl_describe(char *text, size_t room,
                   const struct nccl_description *description);
/* Writes what a rank does: its operation, or that it executes none. */
void nccl_describe_current(const struct nccl_shared *shared, int rank,
                           char *text, size_t room);

#endif
