/* device.h - the Device object.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CONTEXT_DEVICE_H
#define PYCUDA_CORE_CONTEXT_DEVICE_H

#include "core/core.h"

/* core_device_object returns a new Device; core_device_ordinal reads the
 * ordinal of a Device, with TypeError for another object. */
PyObject *core_device_object(CUdevice device);
int core_device_ordinal(PyObject *device, CUdevice *ordinal);

#endif
