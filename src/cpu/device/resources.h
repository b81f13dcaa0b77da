/* resources.h - resource descriptors of devices.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_DEVICE_RESOURCES_H
#define PYCUDA_CPU_DEVICE_RESOURCES_H

#include "api/cuda_types.h"

/* Stores the number of multiprocessors of a descriptor. Returns INVALID_VALUE
 * if `desc` is not a descriptor of this device. */
CUresult cpu_resources_of(CUdevResourceDesc desc, CUdevice device,
                          unsigned *sm_count);

#endif
