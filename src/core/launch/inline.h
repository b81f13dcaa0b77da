/* inline.h - inlined steps that every launch takes.
 *
 * Private to the launch path. A call of the driver evicts most of the
 * processor's caches, so the cost of a launch is the memory and code that it
 * touches. This file has the fast path of each step in a few instructions; the
 * slow paths are functions in pack.c, diagnostics.c and memory/allocation.c.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_INLINE_H
#define PYCUDA_CORE_LAUNCH_INLINE_H

#include "core/code/function.h"
#include "core/context/context.h"
#include "core/core.h"
#include "core/launch/diagnostics.h"
#include "core/launch/pack_buffer.h"
#include "core/memory/allocation.h"
#include "core/memory/use_fast.h"
#include "core/state.h"
#include "core/stream/current_stream.h"

/* Initializes `pack`, the arguments of one launch. After a failure pack_end
 * may still be called. */
static inline int
pack_begin(struct core_pack *pack, const struct core_layout *layout,
           PyObject *stream)
{
    pack->stream_object = stream;
    pack->pointers = pack->local_pointers;
    pack->buffer = pack->local;
    pack->heap = NULL;
    pack->bytes = 0;
    pack->capacity = CORE_PACK_BYTES;
    pack->pointer_room = CORE_PACK_POINTERS;
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
    return LIKELY(layout->bytes <= CORE_PACK_BYTES &&
                  layout->count <= CORE_PACK_POINTERS)
               ? 0
               : core_pack_reserve(pack, layout->bytes, layout->count);
}

/* Frees the heap memory of the packed arguments. */
static inline void
pack_end(struct core_pack *pack)
{
    if (UNLIKELY(pack->heap != NULL)) {
        PyMem_Free(pack->heap);
    }
}

/* Returns the function's context if it is valid and has no open capture,
 * otherwise NULL. The result is the argument `here` of use_fast_in_context. */
static inline const struct core_context *
context_without_capture(const struct core_function *function)
{
    const struct core_context *context = function->context;
    return LIKELY(context->valid && context->captures == 0) ? context : NULL;
}

/* Stores the device address of an argument whose type equals that of the
 * previous call. Returns false if the caller must take the slow path. `here`
 * is the function's context, or NULL: then no address is stored. */
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
        if (UNLIKELY(allocation == NULL ||
                     (!Py_IS_TYPE(array->owner, core.allocation_type) &&
                      !Py_IS_TYPE(array->owner, core.pooled_type)))) {
            return false;
        }
    } else {
        return false;
    }
    if (UNLIKELY(!use_fast_in_context(here, allocation, stream))) {
        return false;
    }
    memcpy(target, &pointer, sizeof pointer);
    return true;
}

/* Returns whether the previous call passed an array of the same dtype; true
 * for arguments that are no arrays. */
static inline bool
dtype_is_known(const struct core_slot *slot, PyObject *arg)
{
    return slot->kind != ARGUMENT_ARRAY ||
           core_array_dtype((struct core_array_head *)arg) == slot->dtype;
}

/* Fast path of argument_store for a device address, or for a NumPy scalar that
 * has the parameter's size. Returns false if it does not apply; the caller
 * then calls argument_store. */
static inline bool
argument_store_fast(const struct core_slot *slot, PyObject *arg,
                    const struct core_context *here, CUstream stream,
                    uint32_t bytes, char *target)
{
    const char *data = (const char *)arg + sizeof(PyObject);
    if (Py_TYPE(arg) != slot->type) {
        return false;
    }
    /* slot->bytes is the size in bytes of a NumPy scalar type; 0 for other
     * types */
    if (slot->bytes != bytes) {
        return bytes == sizeof(CUdeviceptr) && dtype_is_known(slot, arg) &&
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

/* Compares two shapes of three lengths without branches. Returns 0 if they are
 * equal. */
static inline unsigned
lengths_differ(const unsigned a[3], const unsigned b[3])
{
    return (a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]);
}

/* Records a launch for the message of an error that appears later. Does
 * nothing if the launch equals the one that was recorded last. */
static inline void
launch_record(struct core_context *context, PyObject *name,
              CUfunction function, const unsigned grid[3],
              const unsigned block[3])
{
    const struct core_recorded_launch *last =
        &context->launched[context->launched_at];
    if (UNLIKELY(last->function != function || last->name != name ||
                 lengths_differ(last->grid, grid) ||
                 lengths_differ(last->block, block))) {
        core_launch_record(context, name, function, grid, block);
    }
}

#endif
