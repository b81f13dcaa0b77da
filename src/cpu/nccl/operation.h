/* operation.h - operations of a communicator, and their execution by its
 * progress thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NCCL_OPERATION_H
#define PYCUDA_CPU_NCCL_OPERATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpu/nccl/reduce.h"
#include "cpu/nccl/shared.h"

/* One ncclSend (`sends` true) or ncclRecv in a batch. */
struct nccl_message {
    bool sends;
    int peer;
    ncclDataType_t type;
    char *data;
    size_t count;
};

/* Arguments of an operation: a collective one, or a batch of sends and
 * receives. The CPU device's memory is host memory, which the progress thread
 * reads and writes directly. */
struct nccl_work {
    /* kind and arguments of the operation; the field `number` is not used
     * here */
    struct nccl_description what;
    const char *send;
    char *recv;
    /* factor of a scaled sum: its value, or the device memory from which it is
     * read at execution; unused by other operations */
    char scalar[8];
    const char *device_scalar;
    /* the sends and receives of a batch, owned; NULL for a collective
     * operation */
    struct nccl_message *messages;
    size_t message_count;
};

/* Return the number of parts of `count` elements in the send or receive
 * buffer: one, or one per rank. Return 0 if the rank does not use the buffer
 * (`is_root`: the rank is the root). */
size_t nccl_send_parts(enum nccl_kind kind, int ranks, bool is_root);
size_t nccl_recv_parts(enum nccl_kind kind, int ranks, bool is_root);
/* Executes a collective operation, together with all other ranks. `number`
 * counts the collective operations of the communicator, from 1. Returns false
 * on failure, with the error message in the shared memory. */
bool nccl_collective_run(struct nccl_shared *shared,
                         const struct nccl_work *work, uint64_t number);
/* Executes a batch of sends and receives. Returns false on failure.
 * `completed` is the number of collective operations that the rank has
 * executed. */
bool nccl_messages_run(struct nccl_shared *shared,
                       const struct nccl_work *work, uint64_t completed);

#endif
