/* upgrade.h - replaces quick versions of kernels by full versions, which a
 * thread compiles in the background.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_MODULE_UPGRADE_H
#define PYCUDA_CPU_MODULE_UPGRADE_H

#include <pthread.h>

struct cpu_module;

/* Guards the list of pending upgrades. A fork() of the process acquires it
 * (device/fork.c). While it is held, the lock of a context may be acquired,
 * but not the locks of NVRTC. */
extern pthread_mutex_t cpu_upgrade_lock;

/* Begins to compile the full version of a module whose image is a quick
 * version; does nothing for other modules. When the full version is compiled,
 * the functions of the module run it from their next chunk of blocks on.
 * Failures are ignored: the module then keeps its quick version. */
void cpu_upgrade_begin(struct cpu_module *module);
/* Called before the module is freed. If the module's full version is being
 * compiled, the compilation continues, since its result is cached for other
 * modules and processes. If the compilation has not begun, it is dropped if
 * another one has the same result or if too many are pending for freed
 * modules. */
void cpu_upgrade_detach(struct cpu_module *module);
/* Called in the child of a fork(), which has no thread for upgrades. The
 * caller holds cpu_upgrade_lock. */
void cpu_upgrades_forget(void);

#endif
