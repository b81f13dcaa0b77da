/* nccl.h - communicators of NCCL, as pycuda.nccl uses them.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_NCCL_NCCL_H
#define PYCUDA_CORE_NCCL_NCCL_H

#include "core/collective.h"
#include "core/core.h"
#include "core/nccl/nccl_watch.h"

struct core_context;

/* Number that stands for ncclCommSplit where the text of a failure names the
 * call. */
#define CORE_NCCL_SPLIT 10

/* One rank's communicator. pycuda.nccl holds it in a PyCapsule. */
struct core_communicator {
    ncclComm_t handle;            /* NULL: destroyed or aborted */
    struct core_context *context; /* strong reference */
    int size, rank;
    uint64_t calls;
    int active; /* calls that use the handle without the GIL */
    /* a thread is ending the communicator, so no new call may begin */
    bool ending;
    /* Limits the wait for other ranks. NULL if the NCCL library itself limits
     * the wait, as the CPU device's library can. */
    struct core_nccl_watch *watch;
};

/* Returns NCCL's text about the latest error of the thread or of `comm`, which
 * may be NULL; "" if there is none. Needs no GIL. */
const char *core_nccl_last_text(ncclComm_t comm);
/* Raises the exception of a result other than ncclSuccess. Returns -1. */
int core_nccl_fail(ncclResult_t result, const char *text, const char *routine);
/* Raises the exception of a result, with NCCL's text about `comm`, which may
 * be NULL. Returns 0 for ncclSuccess. */
int core_nccl_check(ncclResult_t result, ncclComm_t comm, const char *routine);
/* Opens the NCCL library unless it is open. Raises ImportError if there is
 * none. */
int core_nccl_open(void);
/* Returns the communicator in a capsule. Returns NULL without an exception if
 * the object is no such capsule, or if the communicator has ended or failed.
 * Does not check whether the communicator's context is current. */
struct core_communicator *core_nccl_find(PyObject *capsule);
/* Returns the communicator in a capsule, whose context must be the current
 * one. Returns NULL with an exception if the communicator has ended or
 * failed. */
struct core_communicator *core_nccl_get(PyObject *capsule);
/* Returns whether the calling thread has an open group. */
bool core_nccl_in_group(void);
/* Adds a call to the thread's open group, which keeps the arrays and the
 * communicator alive until its end. */
int core_nccl_group_add(PyObject *capsule, struct core_communicator *comm,
                        const struct core_nccl_mark *mark,
                        const struct core_collective_call *call);
/* Adds the type _NcclGroup and the functions of groups to the module. */
int core_nccl_group_setup(PyObject *module);
/* Creates a communicator: ncclCommInitRank in `context`, which is current.
 * Waits at most `seconds`, without the GIL, for the other ranks. The wait ends
 * early if a signal handler raises an exception. */
int core_nccl_join(struct core_context *context, int size, int rank,
                   const ncclUniqueId *id, double seconds, ncclComm_t *made);
/* Methods in nccl_calls.c, which issue operations. */
extern PyMethodDef core_nccl_calls[];

#endif
