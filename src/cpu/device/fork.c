/* fork.c - what a child of fork() finds.
 *
 * Workers are not there in a child, and what they did is half done: after
 * cuInit the driver API is over for it (every call answers NOT_INITIALIZED,
 * before it takes a lock or waits).  NVRTC, and the driver where the parent
 * had not begun, go on working; so the locks of NVRTC are held by who forks
 * while it forks, and are free on both sides afterwards.
 *
 * Lock order: as in `locks`; their holders take no other lock of ours, so that
 * fork() waits milliseconds at most, for a compiler's process to be started: a
 * child has no copies of its ends then.  For a product of matrices that a BLAS
 * is making it waits to the end: those libraries end their own threads when
 * the process forks, with what they were to do.  cuInit may be called by who
 * holds a lock that another handler waits for, so its lock is made anew in the
 * child instead: half a cuInit is none.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/blas/blas.h"
#include "cpu/nvrtc/nvrtc.h"

static pthread_mutex_t *const locks[] = {
    &cpu_blas_lock,
    &nvrtc_choice_lock,
    &nvrtc_start_lock,
    &nvrtc_list_lock,
};

#define LOCKS (sizeof locks / sizeof *locks)

/* ThreadSanitizer, among others, replaces vfork() by fork(), so these handlers
 * may run in the thread that starts a compiler process.  It holds
 * nvrtc_start_lock already, and its child only executes the compiler. */
static void
locks_take(void)
{
    if (nvrtc_starting) {
        return;
    }
    for (size_t i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(locks[i]);
    }
}

static void
locks_release(void)
{
    if (nvrtc_starting) {
        return;
    }
    for (size_t i = LOCKS; i-- > 0;) {
        pthread_mutex_unlock(locks[i]);
    }
}

static void
child_begin(void)
{
    if (atomic_load(&cpu_state.initialized)) {
        atomic_store(&cpu_state.forked, true);
        atomic_store(&cpu_state.initialized, false);
    }
    pthread_mutex_init(&cpu_init_lock, NULL);
    locks_release();
}

/* Once a process; the library is never unloaded. */
__attribute__((constructor)) static void
handlers_install(void)
{
    cpu_state.fork_safe =
        pthread_atfork(locks_take, locks_release, child_begin) == 0;
}
