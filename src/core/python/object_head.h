/* object_head.h - first fields of the objects of a context.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_PYTHON_OBJECT_HEAD_H
#define PYCUDA_CORE_PYTHON_OBJECT_HEAD_H

#include "core/core.h"

struct core_context;

/* Places a thread-local variable in the static TLS block, so that an access
 * needs no function call. */
#define CORE_AT_ONCE __attribute__((tls_model("initial-exec")))
/* First fields of each object that belongs to a context. `context` is a strong
 * reference, which tp_clear does not drop. */
#define CORE_HEAD                                                             \
    PyObject_HEAD                                                             \
    PyObject *dict;                                                           \
    PyObject *weakrefs;                                                       \
    struct core_context *context;

struct core_object {
    CORE_HEAD
};

#endif
