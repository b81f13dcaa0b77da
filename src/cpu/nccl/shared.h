/* shared.h - the memory that the ranks of a communicator share.
 *
 * The memory is a file without a name (memfd), which the ranks map through
 * /proc, as ipc.c does with allocations. The system frees the file when no
 * rank maps it any more.
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
#define NCCL_RANKS 256 /* maximum number of ranks of a communicator */
/* Bytes of a stage: the shared buffer in which a rank publishes one chunk of a
 * collective operation. */
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
    NCCL_EXCHANGE, /* all-gather of host data for ncclCommSplit */
    NCCL_MESSAGES, /* a batch of sends and receives */
    NCCL_IDLE,     /* the rank executes no operation */
};

/* The operation that a rank executes. The other ranks compare it with the
 * operation that they execute, and name it in error messages. */
struct nccl_description {
    /* number of the collective operation: n for the n-th one of the
     * communicator */
    uint64_t number;
    uint64_t count;
    int32_t kind; /* kind of the operation: enum nccl_kind */
    int32_t type; /* element type: an ncclDataType_t */
    /* reduction: an ncclRedOp_t; ncclNumOps: a scaled sum that the program has
     * created */
    int32_t op;
    int32_t root;
};

enum nccl_presence { NCCL_ABSENT, NCCL_PRESENT, NCCL_LEFT };

/* State of one rank in shared memory. Only that rank writes the members,
 * except `bell`, which other ranks write. */
struct nccl_rank {
    /* whether the rank has joined or left: enum nccl_presence */
    _Atomic int32_t presence;
    _Atomic int32_t pid;
    /* Counts the barriers of collective operations at which the rank has
     * arrived. Other ranks wait on it as a futex. */
    _Atomic uint32_t step;
    /* Counter that other ranks increment when they have written or read data
     * of a message to or from this rank. This rank waits on it as a futex. */
    _Atomic uint32_t bell;
    /* kind and number of the operation that the rank executes, packed:
     * number << 8 | kind */
    _Atomic uint64_t current;
    /* the latest two collective operations; the n-th operation of the
     * communicator is at index n & 1 */
    struct nccl_description description[2];
};

struct nccl_file; /* layout of the shared memory; private to shared.c */
struct cpu_context;

/* A rank's mapping of the communicator's shared memory, and values that only
 * its process uses. */
struct nccl_shared {
    struct nccl_file *file;
    size_t bytes;
    int ranks, rank;
    /* array in shared memory: the state of each rank */
    struct nccl_rank *slots;
    /* capacity in bytes of the ring buffer in each struct nccl_channel */
    size_t ring_bytes;
    double limit;        /* seconds that a rank waits for another one */
    int *processes;      /* for each rank the pidfd of its process, or -1 */
    atomic_bool stopped; /* the program has aborted the communicator */
    /* Context of the operation that the rank executes now, or NULL. If the
     * context gets an error, the rank stops waiting for other ranks. Only the
     * progress thread uses it. */
    struct cpu_context *context;
    /* descriptor of the memfd if this process created it; else -1 */
    int kept_fd;
};

/* Ring buffer for messages from one rank to another. `head` and `tail` count
 * bytes; the sender writes `head`, the receiver `tail`. */
struct nccl_channel {
    _Atomic uint64_t head, tail;
    char data[];
};

/* Creates the shared memory of a communicator and stores the id by which ranks
 * find it. The process keeps the memory until one of its ranks joins. On
 * failure writes an error message to `text`. */
ncclResult_t nccl_shared_make(ncclUniqueId *id, char text[NCCL_TEXT]);
/* Frees shared memory that this process has created and that no rank will
 * use. */
void nccl_shared_discard(const ncclUniqueId *id);
/* Joins the communicator of the id as rank `rank` of `ranks`: maps its shared
 * memory. Does not wait for other ranks. On failure writes an error message to
 * `text`. */
ncclResult_t nccl_shared_join(struct nccl_shared *shared,
                              const ncclUniqueId *id, int ranks, int rank,
                              char text[NCCL_TEXT]);
/* Waits until all ranks have joined. Returns false on failure, also if the
 * program interrupts the wait of the calling thread (run/watchdog.h). */
bool nccl_shared_wait_joined(struct nccl_shared *shared);
/* Leaves the communicator and unmaps the memory. */
void nccl_shared_leave(struct nccl_shared *shared);

/* nccl_shared_stage returns the buffer in which `rank` publishes a chunk,
 * nccl_shared_result the buffer that all ranks fill together. Each of these
 * buffers has NCCL_STAGE bytes and exists twice: for even steps (`parity` 0)
 * and for odd steps (`parity` 1). A step is the interval between two
 * barriers. */
char *nccl_shared_stage(const struct nccl_shared *shared, int rank,
                        unsigned parity);
char *nccl_shared_result(const struct nccl_shared *shared, unsigned parity);
/* Returns the ring buffer for messages from one rank to another. */
struct nccl_channel *nccl_shared_channel(const struct nccl_shared *shared,
                                         int from, int to);

/* Barrier of all ranks. Returns false if the communicator has failed before,
 * or if it fails now: a rank has left, its process has ended, or it has not
 * arrived within the time limit. */
bool nccl_shared_step(struct nccl_shared *shared);
/* Waits, for 20 ms at most, until the calling rank's `bell` differs from the
 * value `heard`. */
void nccl_shared_listen(struct nccl_shared *shared, uint32_t heard);
/* Increments the `bell` of `rank`. Wakes the rank if it waits in
 * nccl_shared_listen. */
void nccl_shared_ring(struct nccl_shared *shared, int rank);
/* Returns whether a rank's process has ended or the rank has left. */
bool nccl_shared_gone(struct nccl_shared *shared, int rank);
/* Checks a rank for which the caller waits. Reports a failure if the rank's
 * process has ended, the rank has left, or the wait exceeds the time limit.
 * `since`: the time at which the wait began, as returned by nccl_shared_now.
 * Returns true if the communicator has failed, now or earlier. */
bool nccl_shared_check(struct nccl_shared *shared, int rank, double since);
/* Reports a failure to all ranks. Does nothing if a failure has already been
 * reported. */
void nccl_shared_fail(struct nccl_shared *shared, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the text of the reported failure, or NULL if there is none. */
const char *nccl_shared_failure(const struct nccl_shared *shared);
/* Returns the time of CLOCK_MONOTONIC in seconds. */
double nccl_shared_now(void);

/* Returns the name of an ncclDataType_t, such as "float32". */
const char *nccl_type_name(int type);
/* Writes a description of an operation, such as "ncclAllReduce(8 elements of
 * float32, sum)", to `text`, which has `room` bytes. */
void nccl_describe(char *text, size_t room,
                   const struct nccl_description *description);
/* Writes the operation that a rank executes, or that it executes none, to
 * `text`, whose capacity is `room` bytes. */
void nccl_describe_current(const struct nccl_shared *shared, int rank,
                           char *text, size_t room);

#endif
