/* line.h - gather and scatter of elements, or rows, of a contiguous array by
 * index.
 *
 * `row` is the indexed array. `plain` is the array with one item (an element
 * or a row) per index.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_LINE_H
#define PYCUDA_ARRAY_LINE_H

#include "array/array.h"

enum line_move {
    LINE_TAKE, /* plain[i] = row[indices[i]] */
    LINE_PUT,  /* row[indices[i]] = plain[i] */
    LINE_FILL, /* row[indices[i]] = element */
};

/* Parameters of a gather or scatter. All arrays are contiguous and have
 * elements; `row` and `plain` have the same dtype. References are borrowed. */
struct line {
    enum line_move move;
    /* True: indices select rows; false: elements of `row` as a flat array. */
    bool rows;
    struct array *row, *indices;
    struct array *plain; /* NULL for LINE_FILL */
    const void *element; /* bytes of the element for LINE_FILL */
    long axis;           /* axis number for fault records */
    CUdeviceptr words;   /* device address of the fault record */
};

/* Launches the kernel in `stream`. Returns 0, or -1 with an exception. If an
 * index is out of range, the kernel writes a fault record; fault_check later
 * raises the exception. */
int line_run(const struct line *line, CUstream stream);

#endif
