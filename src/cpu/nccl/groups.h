/* groups.h - groups of calls of a thread.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NCCL_GROUPS_H
#define PYCUDA_CPU_NCCL_GROUPS_H

#include "cpu/nccl/communicator.h"

/* Each function acts immediately, or at the end of the thread's group, and
 * then returns its errors there. */

/* Issues work in a stream. Takes over work->messages. Returns an error of
 * memory, or of the group. */
ncclResult_t nccl_group_work(struct ncclComm *comm,
                             const struct nccl_work *work, CUstream stream);
/* Waits until all ranks of a new communicator have joined. Returns
 * ncclRemoteError if some do not. */
ncclResult_t nccl_group_join(struct ncclComm *comm);
/* Splits a communicator; `made` is written at the end. Returns the error of
 * the exchange or of joining. */
ncclResult_t nccl_group_split(struct ncclComm *comm, int color, int key,
                              struct ncclComm **made);

/* Stores the text of ncclGetLastError for the calling thread, and returns
 * `result`. */
ncclResult_t nccl_error(ncclResult_t result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the thread's latest text, or "". */
const char *nccl_error_text(void);

#endif
