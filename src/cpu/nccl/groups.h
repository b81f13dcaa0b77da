/* groups.h - groups of NCCL calls (ncclGroupStart to ncclGroupEnd).
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NCCL_GROUPS_H
#define PYCUDA_CPU_NCCL_GROUPS_H

#include "cpu/nccl/communicator.h"

/* If the calling thread has an open group, the nccl_group_ functions act when
 * the group ends, and ncclGroupEnd returns their errors. Otherwise they act
 * immediately. */

/* Issues an operation in a stream: at the end of the thread's open group or,
 * without a group, now. Takes over work->messages. Returns ncclSystemError if
 * memory is short, or, outside of a group, the error of issuing. */
ncclResult_t nccl_group_work(struct ncclComm *comm,
                             const struct nccl_work *work, CUstream stream);
/* Waits until all ranks of a new communicator have joined. If the thread has
 * an open group, waits at the end of the group instead. Returns
 * ncclRemoteError if a rank does not join in time. */
ncclResult_t nccl_group_join(struct ncclComm *comm);
/* ncclCommSplit: exchanges color and key with the other ranks, joins the
 * communicator of the ranks with the same color, and stores that communicator
 * in *made. If the calling thread has an open group, does so at the end of the
 * group. */
ncclResult_t nccl_group_split(struct ncclComm *comm, int color, int key,
                              struct ncclComm **made);

/* Formats the error message that ncclGetLastError returns in the calling
 * thread. Returns `result`. */
ncclResult_t nccl_error(ncclResult_t result, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the calling thread's latest error message, or "". */
const char *nccl_error_text(void);

#endif
