/* allocation.c - functions on allocations of device memory that launches,
 * copies and fills call: liveness, owner, context, address.
 *
 * allocation_type.c has the Python types. An allocation that was freed, or
 * whose context was detached, still has its old address.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/scope.h"
#include "core/core.h"
#include "core/memory/allocation.h"
#include "core/memory/free_site.h"
#include "core/python/locks.h"
#include "core/python/object.h"

/* Wraps device memory in an allocation of the given type. On failure the
 * caller still owns the memory. */
PyObject *
core_allocation_wrap(PyTypeObject *type, struct core_context *context,
                     CUdeviceptr pointer, size_t bytes)
{
    struct core_allocation *self =
        (struct core_allocation *)core_object_new(type, context);
    if (self != NULL) {
        self->pointer = pointer;
        self->bytes = bytes;
    }
    return (PyObject *)self;
}

int
core_allocation_alive(struct core_allocation *allocation)
{
    struct core_section section;
    CORE_CONTEXT_BEGIN(&section, allocation->context);
    bool freed = allocation->freed, valid = allocation->context->valid;
    CORE_CONTEXT_END(&section);
    if (!freed) {
        return valid ? 0 : core_context_fail_detached("device_allocation");
    }
    return core_free_site_fail((PyObject *)allocation, "device_allocation",
                               "this device memory");
}

CUdeviceptr
core_allocation_pointer(PyObject *allocation)
{
    return ((struct core_allocation *)allocation)->pointer;
}

int
core_check_extent(PyObject *owner, CUdeviceptr first, Py_ssize_t low,
                  Py_ssize_t high)
{
    if (owner == NULL || !core_is_allocation(owner)) {
        return 0;
    }
    struct core_allocation *self = (struct core_allocation *)owner;
    Py_ssize_t start = (Py_ssize_t)(first - self->pointer);
    if (low >= -start && high <= (Py_ssize_t)self->bytes - start) {
        return 0;
    }
    PyErr_Format(PyExc_ValueError,
                 "shape and strides reach from byte %zd to byte %zd of an "
                 "allocation of %zu bytes",
                 start + low, start + high, self->bytes);
    return -1;
}

void
core_escape(PyObject *owner)
{
    if (owner != NULL && core_is_allocation(owner)) {
        ((struct core_allocation *)owner)->escaped = true;
    }
}

struct core_context *
core_memory_context(PyObject *owner)
{
    owner = core_memory_owner(owner);
    return owner != NULL && core_is_allocation(owner)
               ? ((struct core_allocation *)owner)->context
               : NULL;
}

PyObject *
core_allocation_int(PyObject *op)
{
    struct core_allocation *self = (struct core_allocation *)op;
    self->escaped = true;
    return PyLong_FromUnsignedLongLong(self->pointer);
}

PyObject *
core_memory_owner(PyObject *owner)
{
    while (owner != NULL && core_is_array(owner)) {
        owner = ((struct core_array_head *)owner)->owner;
    }
    return owner;
}

int
core_allocate_check(CUresult code, size_t bytes, const char *routine)
{
    char detail[128];
    size_t idle, total;
    if (code == CUDA_SUCCESS) {
        return 0;
    }
    if (code == CUDA_ERROR_INVALID_VALUE && bytes == 0) {
        return core_fail(code, routine, "an allocation of 0 bytes");
    }
    if (code != CUDA_ERROR_OUT_OF_MEMORY ||
        driver.cuMemGetInfo(&idle, &total) != CUDA_SUCCESS) {
        return core_check(code, routine);
    }
    snprintf(detail, sizeof detail,
             "%zu bytes requested; the device has %zu free, of %zu", bytes,
             idle, total);
    return core_fail(code, routine, detail);
}
