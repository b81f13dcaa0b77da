/* fork.c - state of the library in a child of fork().
 *
 * Workers do not exist in a child, and their operations are incomplete. So
 * after cuInit the driver API cannot be used in a child: each call returns
 * NOT_INITIALIZED before it takes a lock or waits. NVRTC remains usable, and
 * so does the driver if the parent had not called cuInit. The forking thread
 * therefore holds the locks of NVRTC during fork(), and they are free in both
 * processes afterwards.
 *
 * The fork handler acquires the locks in the order of the array `locks`. This
 * cannot deadlock: every other function that holds one of these locks acquires
 * no other lock of the library. The only exception is cpu_upgrade_lock, whose
 * holder also acquires the locks of a context and of device memory. If another
 * thread is starting a compiler process, fork() waits for it, a few
 * milliseconds at most; so the child does not inherit the pipes to that
 * process. If a BLAS is computing a product, fork() waits until it is done,
 * since BLAS libraries end their threads, with their pending work, when the
 * process forks. fork() does not wait for the lock of cuInit. That could
 * deadlock: a thread may call cuInit while it holds a lock that another
 * library's fork handler acquires. The child reinitializes the lock of cuInit
 * instead; an incomplete cuInit has no effect.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

#include "cpu/blas/blas.h"
#include "cpu/device/state.h"
#include "cpu/module/upgrade.h"
#include "cpu/nvrtc/locks.h"
#include "cpu/run/program_handlers.h"

static pthread_mutex_t *const locks[] = {
    &cpu_blas_lock,   &nvrtc_choice_lock, &nvrtc_start_lock,
    &nvrtc_list_lock, &cpu_upgrade_lock,
};

#define LOCKS (sizeof locks / sizeof *locks)

/* Fork handler that runs before fork(). Does nothing in a thread that starts a
 * compiler process. Such a thread gets here only if a tool such as
 * ThreadSanitizer replaces vfork() by fork(). It already holds
 * nvrtc_start_lock, and its child process only executes the compiler. */
static void
locks_acquire(void)
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

/* Called in the child process: disables the driver API and releases the
 * locks. */
static void
child_begin(void)
{
    if (atomic_load(&cpu_state.initialized)) {
        atomic_store(&cpu_state.forked, true);
        atomic_store(&cpu_state.initialized, false);
    }
    pthread_mutex_init(&cpu_init_lock, NULL);
    cpu_program_handlers_pass_on();
    cpu_upgrades_forget();
    locks_release();
}

/* Installs the fork handlers when the library is loaded. This happens once per
 * process, since the library is never unloaded. */
__attribute__((constructor)) static void
handlers_install(void)
{
    cpu_state.fork_safe =
        pthread_atfork(locks_acquire, locks_release, child_begin) == 0;
}
