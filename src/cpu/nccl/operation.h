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

/* One send or receive of a batch. */
struct nccl_message {
    bool sends;
    int peer;
    ncclDataType_t type;
    char *data;
    size_t count;
};

/* What an operation does. Device memory of this device is host memory, which
 * the progress thread reads and writes. */
struct nccl_work {
    /* `number` is not used here */
    struct nccl_description what;
    const char *send;
    char *recv;
    /* factor of a scaled sum: its value, or where it will be; else unused */
    char scalar[8];
    const char *device_scalar;
    struct nccl_message *messages; /* owned */
    size_t message_count;
};

/* Returns how many times `count` elements the send buffer has on a rank: 0 if
 * the rank does not use it. nccl_recv_parts returns the same for the receive
 * buffer. */
size_t nccl_send_parts(enum nccl_kind kind, int ranks, bool is_root);
size_t nccl_recv_parts(enum nccl_kind kind, int ranks, bool is_root);
/* Executes a collective operation, together with all other ranks. `number`
 * counts the collective operations of the communicator, from 1. Returns false
 * after a failure, with its text in the shared memory. */
bool nccl_collective_run(struct nccl_shared *shared,
                         const struct nccl_work *work, uint64_t number);
/* Executes a batch of messages. Returns false after a failure. `completed` is
 * the number of collective operations that the rank has executed. */
bool nccl_messages_run(struct nccl_shared *shared,
                       const struct nccl_work *work, uint64_t completed);

#endif
