/* pack_buffer.h - the buffer of a launch's packed arguments.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_LAUNCH_PACK_BUFFER_H
#define PYCUDA_CORE_LAUNCH_PACK_BUFFER_H

#include "core/core.h"

enum {
    CORE_PACK_BYTES = 1024,
    CORE_PACK_POINTERS = 64,
    /* maximum number of argument bytes of a function whose field `small` is
       set */
    CORE_SMALL_BYTES = 256,
    CORE_SMALL_COUNT = 16,
};

/* Packed arguments of a launch, initialized by pack_begin and freed by
 * pack_end (inline.h). */
struct core_pack {
    /* borrowed; the stream argument; NULL or None: the default stream */
    PyObject *stream_object;
    CUstream stream;
    void **pointers; /* one address in `buffer` per parameter */
    char *buffer;    /* `local`, or heap memory if larger */
    void *heap;      /* NULL, or heap memory for `pointers` and `buffer` */
    /* size of the packed arguments in bytes; used if as_buffer is set */
    size_t bytes;
    size_t capacity, pointer_room;
    /* parameter layout unknown: the driver gets all arguments as one buffer */
    bool as_buffer;
    bool handlers; /* true: some arguments are ArgumentHandlers */
    /* true: an ArgumentHandler copies its array back to the host */
    bool outputs;
    bool cooperative;
    /* blocks per cluster in x, y and z; {0}: no clusters */
    unsigned cluster[3];
    /* arguments of the launch, borrowed, for error messages */
    PyObject *const *args;
    Py_ssize_t count;
    void *local_pointers[CORE_PACK_POINTERS];
    _Alignas(16) char local[CORE_PACK_BYTES];
};

/* Ensures capacity for `bytes` bytes and `pointers` pointers; may move the
 * buffer to the heap. */
int core_pack_reserve(struct core_pack *pack, size_t bytes, size_t pointers);

#endif
