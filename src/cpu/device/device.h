/* device.h - device attributes and the number of worker threads.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_DEVICE_DEVICE_H
#define PYCUDA_CPU_DEVICE_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "cpu/device/limits.h"

/* Stores the value of a device attribute and returns 1. Returns 0 if CUDA has
 * no such attribute. */
int cpu_device_attribute(CUdevice_attribute attribute, int *value);
/* device/thread_count.c: determines how many worker threads to use, from 1 to
 * `most`. */
int cpu_thread_count(int most);

#endif
