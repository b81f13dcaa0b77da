/* locks.h - the locks of NVRTC.
 *
 * device/fork.c acquires all of them before a fork() of the process, so that
 * the child does not inherit a lock that another thread holds.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_LOCKS_H
#define PYCUDA_CPU_NVRTC_LOCKS_H

#include <pthread.h>
#include <stdbool.h>

/* frontend.c: guards the command of the front end while it is searched for. */
extern pthread_mutex_t nvrtc_choice_lock;
/* Lock of process.c; held while a child process is started. */
extern pthread_mutex_t nvrtc_start_lock;
/* api.c: guards the list of programs that were created and not destroyed. */
extern pthread_mutex_t nvrtc_list_lock;
/* process.c: true while this thread holds nvrtc_start_lock. */
extern _Thread_local bool nvrtc_starting;

#endif
