/* pack.h - packs the arguments of a launch.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_PACK_H
#define PYCUDA_CORE_LAUNCH_PACK_H

#include "core/core.h"

struct core_function;
struct core_slot;

enum {
    CORE_PACK_BYTES = 1024,
    CORE_PACK_POINTERS = 64,
    CORE_SMALL_BYTES = 256, /* most argument bytes of a `small` function */
    CORE_SMALL_COUNT = 16,
};

/* Packed arguments of a launch; inline.h has pack_begin and pack_end. */
struct core_pack {
    PyObject *stream_object; /* borrowed; NULL or None for the default */
    CUstream stream;
    void **pointers; /* one address in `buffer` per parameter */
    char *buffer;    /* `local`, or heap memory if larger */
    void *heap;      /* NULL, or memory for `pointers` and `buffer` */
    size_t bytes;    /* size of the packed arguments, if as_buffer */
    size_t capacity, pointer_room;
    bool as_buffer; /* layout unknown: passed to the driver as one buffer */
    bool handlers;  /* some arguments are ArgumentHandlers */
    bool outputs;   /* an ArgumentHandler copies back to the host */
    bool cooperative;
    unsigned cluster[3];   /* cluster size in blocks; {0}: no clusters */
    PyObject *const *args; /* borrowed, for error messages */
    Py_ssize_t count;
    void *local_pointers[CORE_PACK_POINTERS];
    _Alignas(16) char local[CORE_PACK_BYTES];
};

/* Ensures capacity in bytes and pointers; may move the buffer to the heap. */
int core_pack_reserve(struct core_pack *pack, size_t bytes, size_t pointers);
/* Converts the arguments, and records the use of their memory on the stream.
 * May run Python code. */
int core_pack_arguments(struct core_function *function, PyObject *const *args,
                        Py_ssize_t count, struct core_pack *pack);
/* Stores an integer in `bytes` bytes; OverflowError if it does not fit. */
int core_pack_integer(struct core_function *function, Py_ssize_t index,
                      uint64_t bits, bool negative, char *target,
                      uint32_t bytes);
/* Reads an object's device address, and records its use on the stream. */
int core_pack_pointer(PyObject *object, struct core_pack *pack,
                      CUdeviceptr *pointer);
/* Caches `type` as the type of this parameter's argument. */
void core_slot_set_type(struct core_slot *slot, PyTypeObject *type);

#endif
