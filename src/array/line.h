/* line.h - moving elements of a packed row, or rows of a packed array, by
 * index.
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

/* All are packed and have elements; the types of `row` and `plain` are one. */
struct line {
    enum line_move move;
    bool rows; /* the first axis is indexed; else `row` counts as flat */
    struct array *row, *indices;
    struct array *plain; /* NULL: LINE_FILL */
    const void *element; /* its bytes */
    long axis;           /* that a fault names */
    CUdeviceptr words;   /* where it is noted */
};

/* 0, or -1 with an exception. */
int line_run(const struct line *line, CUstream stream);

#endif
