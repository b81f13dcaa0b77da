/* child_launch.h - launches by kernels.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_RUN_CHILD_LAUNCH_H
#define PYCUDA_CPU_RUN_CHILD_LAUNCH_H

/* Installs the functions of the device runtime (run/device_runtime.h). Called
 * when a context is created, by any thread. */
void cpu_child_launch_install(void);

#endif
