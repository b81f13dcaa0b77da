/* hot.h - the steps of a launch that every call takes, inlined.
 *
 * Private to the launch path.  A driver's call evicts much of what it finds in
 * the caches, so a launch costs what it touches: here is the usual case of
 * each step in a few instructions, and the function behind it (pack.c,
 * failure.c, memory/allocation.c) is called for any other.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_HOT_H
#define PYCUDA_CORE_LAUNCH_HOT_H

#include "core/private.h"

/* Leaves the pack fit for pack_end also where it fails. */
static inline int
pack_begin(struct core_pack *pack, const struct core_layout *layout,
           PyObject *stream)
{
    pack->stream_object = stream;
    pack->pointers = pack->local_pointers;
    pack->buffer = pack->local;
    pack->heap = NULL;
    pack->bytes = 0;
    pack->capacity = CORE_LOCAL_BYTES;
    pack->pointer_room = CORE_LOCAL_POINTERS;
    pack->as_buffer = pack->handlers = pack->outputs = false;
    pack->cooperative = false;
    pack->cluster[0] = pack->cluster[1] = pack->cluster[2] = 0;
    pack->args = NULL;
    pack->count = 0;
    if (stream == NULL || stream == Py_None) {
        pack->stream = core_stream_default();
    } else if (core_stream(stream, &pack->stream) < 0) {
        return -1;
    }
    return USUAL(layout->bytes <= CORE_LOCAL_BYTES &&
                 layout->count <= CORE_LOCAL_POINTERS)
               ? 0
               : core_pack_reserve(pack, layout->bytes, layout->count);
}

static inline void
pack_end(struct core_pack *pack)
{
    if (UNUSUAL(pack->heap != NULL)) {
        PyMem_Free(pack->heap);
    }
}

/* core_use of memory that the same stream used last, which changes nothing:
 * false leaves it to core_use. */
static inline bool
used_again(struct core_allocation *allocation, CUstream stream)
{
    if (UNUSUAL(allocation->stream != stream || allocation->freed ||
                allocation->context->guarded)) {
        return false;
    }
    allocation->touched = true;
    return true;
}

/* The same where `here` is valid and captures nothing. */
static inline bool
used_again_here(const struct core_context *here,
                struct core_allocation *allocation, CUstream stream)
{
    if (UNUSUAL(allocation->context != here || allocation->stream != stream ||
                allocation->freed)) {
        return false;
    }
    allocation->touched = true;
    return true;
}

/* An address of an argument whose type is that of the last call; false leaves
 * it to the slow way.  `here` is for used_again_here, or NULL: no address is
 * stored. */
static inline bool
address_store(const struct core_slot *slot, PyObject *arg,
              const struct core_context *here, CUstream stream, char *target)
{
    struct core_allocation *allocation = (struct core_allocation *)arg;
    CUdeviceptr pointer;
    if (slot->kind == ARGUMENT_ALLOCATION) {
        pointer = allocation->pointer;
    } else if (slot->kind == ARGUMENT_ARRAY) {
        struct core_array_head *array = (struct core_array_head *)arg;
        pointer = array->pointer;
        allocation = (struct core_allocation *)array->owner;
        if (UNUSUAL(allocation == NULL ||
                    (!Py_IS_TYPE(array->owner, core.allocation_type) &&
                     !Py_IS_TYPE(array->owner, core.pooled_type)))) {
            return false;
        }
    } else {
        return false;
    }
    if (UNUSUAL(!used_again_here(here, allocation, stream))) {
        return false;
    }
    memcpy(target, &pointer, sizeof pointer);
    return true;
}

/* The value of an exact int that has one digit; false for any other. */
static inline bool
small_int(PyObject *object, long *value)
{
#if PY_VERSION_HEX >= 0x030c0000
    if (!PyUnstable_Long_IsCompact((PyLongObject *)object)) {
        return false;
    }
    *value = PyUnstable_Long_CompactValue((PyLongObject *)object);
#else
    Py_ssize_t size = Py_SIZE(object);
    if (size < -1 || size > 1) {
        return false;
    }
    *value = size * (long)((PyLongObject *)object)->ob_digit[0];
#endif
    return true;
}

/* What is stored in most launches: an address, or a NumPy scalar of the
 * parameter's size; false leaves it to argument_store. */
static inline bool
argument_store_again(const struct core_slot *slot, PyObject *arg,
                     const struct core_context *here, CUstream stream,
                     uint32_t bytes, char *target)
{
    const char *data = (const char *)arg + sizeof(PyObject);
    if (Py_TYPE(arg) != slot->type) {
        return false;
    }
    if (slot->bytes != bytes) { /* which it has of scalars only */
        return bytes == sizeof(CUdeviceptr) &&
               address_store(slot, arg, here, stream, target);
    }
    if (bytes == 4) {
        memcpy(target, data, 4);
    } else if (bytes == 8) {
        memcpy(target, data, 8);
    } else {
        return false;
    }
    return true;
}

/* What is stored in most launches; false leaves it to field_store. */
static inline bool
field_store_again(const struct core_field *field, const struct core_slot *slot,
                  PyObject *arg, const struct core_context *here,
                  CUstream stream, char *target)
{
    long number;
    float narrow;
    if (USUAL(field->usual == 'P')) {
        return Py_TYPE(arg) == slot->type &&
               address_store(slot, arg, here, stream, target);
    }
    if (USUAL(field->usual == 'i')) {
        if (!PyLong_CheckExact(arg) || !small_int(arg, &number)) {
            return false;
        }
        memcpy(target, &number, 4); /* little-endian; a digit has 30 bits */
        return true;
    }
    switch (field->usual) {
    case 'l':
    case 'q':
    case 'n':
    case 'L':
    case 'Q':
    case 'N':
        if (!PyLong_CheckExact(arg) || !small_int(arg, &number) ||
            (number < 0 && field->usual < 'a')) {
            return false;
        }
        memcpy(target, &number, 8); /* of all these */
        return true;
    case 'f':
        if (PyFloat_CheckExact(arg)) {
            narrow = (float)PyFloat_AS_DOUBLE(arg);
        } else if (PyLong_CheckExact(arg) && small_int(arg, &number)) {
            narrow = (float)(double)number; /* rounded once: 30 bits */
        } else {
            return false;
        }
        memcpy(target, &narrow, sizeof narrow);
        return true;
    default:
        return false;
    }
}

/* Without a jump for each. */
static inline unsigned
lengths_differ(const unsigned a[3], const unsigned b[3])
{
    return (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]);
}

/* Notes a launch for the message of an error that shows later; the same one
 * again changes nothing. */
static inline void
launch_note(struct core_context *context, PyObject *name, CUfunction function,
            const unsigned grid[3], const unsigned block[3])
{
    const struct core_launched *last =
        &context->launched[context->launched_at];
    if (UNUSUAL(last->function != function || last->name != name ||
                lengths_differ(last->grid, grid) ||
                lengths_differ(last->block, block))) {
        core_launch_note(context, name, function, grid, block);
    }
}

#endif
