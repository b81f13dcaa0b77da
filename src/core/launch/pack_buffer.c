/* pack_buffer.c - the buffer of a launch's packed arguments.
 *
 * SPDX-License-Identifier: MIT */
#include "core/core.h"
#include "core/launch/pack_buffer.h"

/* Ensures capacity for `bytes` bytes and `pointers` pointers. Moves the buffer
 * to the heap if needed; pointers into the old buffer become invalid. */
int
core_pack_reserve(struct core_pack *pack, size_t bytes, size_t pointers)
{
    if (bytes <= pack->capacity && pointers <= pack->pointer_room) {
        return 0;
    }
    size_t table = pointers < pack->pointer_room ? pack->pointer_room
                                                 : (pointers + 1) / 2 * 2;
    size_t room = 2 * bytes + CORE_PACK_BYTES;
    char *heap = PyMem_Malloc(table * sizeof(void *) + room);
    if (heap == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    char *buffer = heap + table * sizeof(void *);
    memcpy(buffer, pack->buffer,
           pack->capacity < room ? pack->capacity : room);
    PyMem_Free(pack->heap);
    pack->heap = heap;
    pack->pointers = (void **)heap;
    pack->pointer_room = table;
    pack->buffer = buffer;
    pack->capacity = room;
    return 0;
}
