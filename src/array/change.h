/* change.h - changes of arrays that other threads may read.
 *
 * Functions need the GIL, but may release it. In free-threaded Python an array
 * may be in use in several contexts at once. A change then takes effect while
 * no other thread is in a call (core_calls_stop), so that each call sees the
 * array as it was before or after the change. An int result is 0, or -1 with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_CHANGE_H
#define PYCUDA_ARRAY_CHANGE_H

#include "array/array.h"

/* Changes an array. First copies its address, owner, size, flags, dtype, shape
 * and strides to a draft, and calls edit(draft, value), which modifies the
 * draft. Then exchanges these fields of the draft and of the array. The draft
 * owns its references and its dimensions. `edit` returns 0, or -1 with an
 * exception; after -1 the array is unchanged. If another thread changes the
 * array during `edit`, starts again with a new draft. */
int array_change(struct array *array,
                 int (*edit)(struct array *draft, const void *value),
                 const void *value);
/* Exchanges the memory, dimensions, dtype, base and allocator of two arrays.
 * Cannot fail. */
void array_exchange(struct array *a, struct array *b);
/* Stores a new reference to `value`, which may be NULL, in a field of an
 * array, and releases the former reference. Cannot fail. */
void array_set_reference(PyObject **field, PyObject *value);

#endif
