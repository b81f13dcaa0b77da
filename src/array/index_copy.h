/* index_copy.h - gather and scatter of elements, or rows, of a contiguous
 * array by index.
 *
 * `row` is the indexed array. `plain` is the array with one item (an element
 * or a row) per index.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_INDEX_COPY_H
#define PYCUDA_ARRAY_INDEX_COPY_H

#include "core/core.h"

struct array;

enum index_copy_kind {
    INDEX_COPY_GATHER,  /* plain[i] = row[indices[i]] */
    INDEX_COPY_SCATTER, /* row[indices[i]] = plain[i] */
    INDEX_COPY_FILL,    /* row[indices[i]] = element */
};

/* Parameters of a gather or scatter. All arrays are contiguous and have
 * elements; `row` and `plain` have the same dtype. References are borrowed. */
struct index_copy {
    enum index_copy_kind move;
    /* True: an index selects a row (all elements with one index on the first
     * axis); false: an index selects an element of `row` as a flat array. */
    bool rows;
    struct array *row, *indices;
    struct array *plain; /* NULL for INDEX_COPY_FILL */
    /* address of the value that INDEX_COPY_FILL writes, of row's dtype */
    const void *element;
    /* axis number that the kernel writes to the fault record if an index is
     * out of range */
    long axis;
    /* device address of the fault record, in which the kernel reports an index
     * out of range */
    CUdeviceptr words;
};

/* Launches the kernel in `stream`. Returns 0, or -1 with an exception. If an
 * index is out of range, the kernel writes a fault record; fault_check later
 * raises the exception. */
int index_copy_run(const struct index_copy *copy, CUstream stream);

/* Implements pycuda._driver._take_indexed: copies the elements or rows of
 * `row` that the indices select, and stores them in the array `plain`. Returns
 * True, False if the context has no fault record yet, or NULL with an
 * exception. */
PyObject *index_copy_gather(PyObject *module, PyObject *args);
/* Implements pycuda._driver._put_indexed: copies the array `plain` and stores
 * it in the elements or rows of `row` that the indices select. Returns True,
 * False if the context has no fault record yet, or NULL with an exception. */
PyObject *index_copy_scatter(PyObject *module, PyObject *args);

#endif
