/* layout.h - shapes and strides, as pure arithmetic for any thread.
 *
 * Strides are signed and in bytes. Sizes are numbers of elements, unless their
 * name contains "bytes".
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_LAYOUT_H
#define PYCUDA_ARRAY_LAYOUT_H

#include "array/numpy.h"

#define ARRAY_MAX_NDIM 32
/* Maximum number of inputs of an element-wise operation. */
#define ARRAY_INPUTS   3
#define ARRAY_OPERANDS (ARRAY_INPUTS + 1)

enum array_flags {
    ARRAY_C = 1, /* C-contiguous */
    ARRAY_F = 2, /* Fortran-contiguous */
    ARRAY_FORC = 3,
    ARRAY_OFFSET = 4, /* a view; its attribute gpudata is an int */
    /* set when __init__, or the creation of a view, is complete */
    ARRAY_READY = 8,
    ARRAY_STRIDES = 16, /* a program assigned the strides */
};

/* Shape and strides of up to ARRAY_OPERANDS arrays that an operation traverses
 * together. */
struct layout {
    int ndim;
    int operands;
    npy_intp size;
    npy_intp shape[ARRAY_MAX_NDIM];
    npy_intp strides[ARRAY_OPERANDS][ARRAY_MAX_NDIM];
    /* For each operand: bytes to add to its pointer. If layout_collapse
     * reverses an axis, another element of the operand becomes the first. */
    npy_intp offset[ARRAY_OPERANDS];
};

/* Returns the contiguity flags of a layout, ARRAY_C and ARRAY_F. An empty
 * array has both. */
unsigned layout_flags(int ndim, const npy_intp *shape, const npy_intp *strides,
                      npy_intp itemsize);
/* Returns the number of elements; 1 for no axes. */
npy_intp layout_size(int ndim, const npy_intp *shape);
/* Computes the strides of a contiguous array in memory order 'C' or 'F'. */
void layout_pack(int ndim, const npy_intp *shape, npy_intp itemsize,
                 char order, npy_intp *strides);
/* Computes the strides of a contiguous array whose axes have the same order in
 * memory as those of `model` (NumPy's order "K"). */
void layout_pack_like(int ndim, const npy_intp *shape, npy_intp itemsize,
                      const npy_intp *model, npy_intp *strides);
/* Returns whether the elements fill memory without gaps from the first element
 * on, in any order of the axes. */
int layout_contiguous(int ndim, const npy_intp *shape, const npy_intp *strides,
                      npy_intp itemsize);
/* Computes the byte range [*low, *high) that the elements occupy, relative to
 * the first element. The caller has called array_verify_reach, so the
 * computation cannot overflow. */
void layout_extent(int ndim, const npy_intp *shape, const npy_intp *strides,
                   npy_intp itemsize, npy_intp *low, npy_intp *high);
/* Replaces the shape (*ndim, shape) by the result of broadcasting it with the
 * shape `other`. Returns -1, without an exception, if the shapes are
 * incompatible. `shape` needs space for ARRAY_MAX_NDIM entries. */
int layout_broadcast(int *ndim, npy_intp *shape, int other_ndim,
                     const npy_intp *other);
/* Stores the strides of one operand in a layout whose shape is set. An axis
 * along which the operand is broadcast gets stride 0. */
void layout_add(struct layout *layout, int operand, int ndim,
                const npy_intp *shape, const npy_intp *strides);
/* Removes axes of length 1, sorts and merges the other axes, and makes the
 * output's strides positive. Leaves at least one axis. The caller ensures that
 * the layout has elements. */
void layout_collapse(struct layout *layout);
/* Computes strides with which an array of a new shape has the same elements in
 * C order. Both shapes have the same number of elements, at least 1. Returns
 * 1, or 0 if only a copy can have the new shape. */
int layout_reshape(int ndim, const npy_intp *shape, const npy_intp *strides,
                   npy_intp itemsize, int new_ndim, const npy_intp *new_shape,
                   npy_intp *new_strides);

#endif
