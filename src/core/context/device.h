/* device.h - the Device object.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CONTEXT_DEVICE_H
#define PYCUDA_CORE_CONTEXT_DEVICE_H

#include "core/core.h"

/* Device and its ordinal; TypeError for other objects. */
PyObject *core_device_object(CUdevice device);
int core_device_ordinal(PyObject *device, CUdevice *ordinal);

#endif
