/* dlpack.h - exchange of arrays by DLPack.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_DLPACK_H
#define PYCUDA_ARRAY_DLPACK_H

#include "core/core.h"

/* Implement _dlpack_export, which exports an array as a DLPack capsule, and
 * _dlpack_import, which imports a capsule. Their docstrings are in setup.c. */
PyObject *dlpack_export(PyObject *module, PyObject *args);
PyObject *dlpack_import(PyObject *module, PyObject *capsule);

#endif
