/* layout.c - shapes and strides: contiguity, broadcasting, collapsing of axes,
 * reshaping without a copy.
 *
 * Called by all other files of this folder. Pure arithmetic: owns nothing,
 * uses no Python objects, takes no locks. Functions may be called from any
 * thread.
 *
 * SPDX-License-Identifier: MIT */
#include "array/layout.h"
#include "array/numpy.h"

static npy_intp
magnitude(npy_intp value)
{
    return value < 0 ? -value : value;
}

/* Returns the number of elements of a shape: the product of its lengths, or 1
 * without axes. */
npy_intp
layout_size(int ndim, const npy_intp *shape)
{
    npy_intp size = 1;

    for (int axis = 0; axis < ndim; axis++) {
        size *= shape[axis];
    }
    return size;
}

/* Returns the contiguity flags of a layout. Strides of axes of length 1 are
 * ignored; an empty array is contiguous in both orders. */
unsigned
layout_flags(int ndim, const npy_intp *shape, const npy_intp *strides,
             npy_intp itemsize)
{
    unsigned flags = ARRAY_FORC;
    npy_intp expected = itemsize;

    for (int axis = ndim - 1; axis >= 0; axis--) {
        if (shape[axis] == 0) {
            return ARRAY_FORC;
        }
        if (shape[axis] != 1 && strides[axis] != expected) {
            flags &= ~(unsigned)ARRAY_C;
        }
        expected *= shape[axis];
    }
    expected = itemsize;
    for (int axis = 0; axis < ndim; axis++) {
        if (shape[axis] != 1 && strides[axis] != expected) {
            flags &= ~(unsigned)ARRAY_F;
        }
        expected *= shape[axis];
    }
    return flags;
}

/* Computes the strides of a contiguous array in order 'C' or 'F'. */
void
layout_pack(int ndim, const npy_intp *shape, npy_intp itemsize, char order,
            npy_intp *strides)
{
    npy_intp step = itemsize;

    for (int i = 0; i < ndim; i++) {
        int axis = order == 'F' ? i : ndim - 1 - i;
        strides[axis] = step;
        step *= shape[axis] ? shape[axis] : 1;
    }
}

/* Sorts the axes longer than 1 by descending stride, and stores them in this
 * order. Returns their number. */
static int
axes_by_stride(int ndim, const npy_intp *shape, const npy_intp *strides,
               int *order)
{
    int n = 0;

    for (int axis = 0; axis < ndim; axis++) {
        if (shape[axis] == 1) {
            continue;
        }
        int at = n++;
        while (at > 0 &&
               magnitude(strides[order[at - 1]]) < magnitude(strides[axis])) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = axis;
    }
    return n;
}

/* Computes the strides of a contiguous array whose axes have the same order in
 * memory as the model's (NumPy's order "K"). Axes of length 1 get the strides
 * of C or Fortran order. */
void
layout_pack_like(int ndim, const npy_intp *shape, npy_intp itemsize,
                 const npy_intp *model, npy_intp *strides)
{
    int order[ARRAY_MAX_NDIM];
    int n = axes_by_stride(ndim, shape, model, order);
    int rising = 1, falling = 1;
    npy_intp step = itemsize;

    for (int i = 1; i < n; i++) {
        rising &= order[i - 1] < order[i];
        falling &= order[i - 1] > order[i];
    }
    layout_pack(ndim, shape, itemsize, rising ? 'C' : 'F', strides);
    if (rising || falling) {
        return;
    }
    for (int i = n - 1; i >= 0; i--) {
        strides[order[i]] = step;
        step *= shape[order[i]] ? shape[order[i]] : 1;
    }
}

/* Returns whether the elements fill a range of memory without gaps that starts
 * at the first element, in any order of the axes. */
int
layout_contiguous(int ndim, const npy_intp *shape, const npy_intp *strides,
                  npy_intp itemsize)
{
    npy_intp packed[ARRAY_MAX_NDIM];

    layout_pack_like(ndim, shape, itemsize, strides, packed);
    for (int axis = 0; axis < ndim; axis++) {
        if (shape[axis] > 1 && strides[axis] != packed[axis]) {
            return 0;
        }
    }
    return 1;
}

/* Computes the range of bytes that the elements occupy, [*low, *high),
 * relative to the first element. *low is negative if there are negative
 * strides. */
void
layout_extent(int ndim, const npy_intp *shape, const npy_intp *strides,
              npy_intp itemsize, npy_intp *low, npy_intp *high)
{
    *low = 0;
    *high = itemsize;
    for (int axis = 0; axis < ndim; axis++) {
        npy_intp reach = strides[axis] * (shape[axis] - 1);
        if (shape[axis] == 0) {
            *low = *high = 0;
            return;
        }
        if (reach < 0) {
            *low += reach;
        } else {
            *high += reach;
        }
    }
}

/* Replaces the shape (*ndim, shape) by the result of broadcasting it with the
 * shape `other`. Returns 0, or -1 if the shapes are incompatible. */
int
layout_broadcast(int *ndim, npy_intp *shape, int other_ndim,
                 const npy_intp *other)
{
    if (other_ndim > *ndim) {
        int shift = other_ndim - *ndim;
        memmove(shape + shift, shape, (size_t)*ndim * sizeof *shape);
        for (int axis = 0; axis < shift; axis++) {
            shape[axis] = 1;
        }
        *ndim = other_ndim;
    }
    shape += *ndim - other_ndim;
    for (int axis = 0; axis < other_ndim; axis++) {
        if (shape[axis] == 1) {
            shape[axis] = other[axis];
        } else if (other[axis] != 1 && other[axis] != shape[axis]) {
            return -1;
        }
    }
    return 0;
}

/* Stores the strides of one operand in a layout whose shape is set. An axis
 * along which the operand is broadcast gets stride 0. */
void
layout_add(struct layout *layout, int operand, int ndim, const npy_intp *shape,
           const npy_intp *strides)
{
    npy_intp *row = layout->strides[operand];
    int shift = layout->ndim - ndim;

    for (int axis = 0; axis < layout->ndim; axis++) {
        int own = axis - shift;
        row[axis] = own < 0 || shape[own] == 1 ? 0 : strides[own];
    }
    layout->offset[operand] = 0;
}

static void
axis_copy(struct layout *layout, int to, int from)
{
    layout->shape[to] = layout->shape[from];
    for (int k = 0; k < layout->operands; k++) {
        layout->strides[k][to] = layout->strides[k][from];
    }
}

static void
axis_swap(struct layout *layout, int a, int b)
{
    npy_intp keep = layout->shape[a];

    layout->shape[a] = layout->shape[b];
    layout->shape[b] = keep;
    for (int k = 0; k < layout->operands; k++) {
        keep = layout->strides[k][a];
        layout->strides[k][a] = layout->strides[k][b];
        layout->strides[k][b] = keep;
    }
}

/* Reverses the direction of an axis for all operands. Serves to make a
 * negative stride of the output positive. */
static void
axis_flip(struct layout *layout, int axis)
{
    for (int k = 0; k < layout->operands; k++) {
        npy_intp *stride = &layout->strides[k][axis];
        layout->offset[k] += *stride * (layout->shape[axis] - 1);
        *stride = -*stride;
    }
}

/* Returns whether axis `a` should come after axis `b`, as the inner axis: the
 * stride along `a` is smaller. Compares the strides of the first operand whose
 * strides along the two axes differ in magnitude. */
static int
axis_inside(const struct layout *layout, int a, int b)
{
    for (int k = 0; k < layout->operands; k++) {
        npy_intp left = magnitude(layout->strides[k][a]);
        npy_intp right = magnitude(layout->strides[k][b]);
        if (left != right) {
            return left < right;
        }
    }
    return 0;
}

/* Returns whether two adjacent axes can be replaced by one axis with one
 * stride, for all operands. */
static int
axes_merge(const struct layout *layout, int outer, int inner)
{
    for (int k = 0; k < layout->operands; k++) {
        if (layout->strides[k][outer] !=
            layout->strides[k][inner] * layout->shape[inner]) {
            return 0;
        }
    }
    return 1;
}

/* Removes axes of length 1 and makes the output's strides positive. */
static void
axes_clean(struct layout *layout)
{
    int ndim_left = 0;

    for (int axis = 0; axis < layout->ndim; axis++) {
        if (layout->shape[axis] == 1) {
            continue;
        }
        axis_copy(layout, ndim_left, axis);
        if (layout->strides[0][ndim_left] < 0) {
            axis_flip(layout, ndim_left);
        }
        ndim_left++;
    }
    layout->ndim = ndim_left;
}

/* Removes axes of length 1 and makes the strides of operand 0 positive. Sorts
 * the axes by descending stride (axis_inside), and merges adjacent axes that
 * one stride can express for all operands. Leaves at least one axis. The
 * caller ensures that the layout has elements. */
void
layout_collapse(struct layout *layout)
{
    axes_clean(layout);
    for (int i = 1; i < layout->ndim; i++) {
        for (int j = i; j > 0 && axis_inside(layout, j - 1, j); j--) {
            axis_swap(layout, j - 1, j);
        }
    }
    int last = 0;
    for (int axis = 1; axis < layout->ndim; axis++) {
        if (axes_merge(layout, last, axis)) {
            npy_intp outer = layout->shape[last];
            axis_copy(layout, last, axis);
            layout->shape[last] *= outer;
        } else {
            axis_copy(layout, ++last, axis);
        }
    }
    if (layout->ndim == 0) {
        layout->shape[0] = 1;
        for (int k = 0; k < layout->operands; k++) {
            layout->strides[k][0] = 0;
        }
    }
    layout->ndim = layout->ndim ? last + 1 : 1;
}

/* Returns whether the adjacent axes [first, end) can be replaced by one axis
 * with one stride. */
static int
run_is_even(const npy_intp *shape, const npy_intp *strides, int first, int end)
{
    for (int axis = first; axis + 1 < end; axis++) {
        if (strides[axis] != strides[axis + 1] * shape[axis + 1]) {
            return 0;
        }
    }
    return 1;
}

/* Computes strides with which an array of a new shape has the same elements in
 * C order. Both shapes have the same number of elements, at least 1. Returns 0
 * if the new shape requires a copy, else 1. */
int
layout_reshape(int ndim, const npy_intp *shape, const npy_intp *strides,
               npy_intp itemsize, int new_ndim, const npy_intp *new_shape,
               npy_intp *new_strides)
{
    npy_intp old_shape[ARRAY_MAX_NDIM], old_strides[ARRAY_MAX_NDIM];
    int n = 0, i = 0, j = 0;

    for (int axis = 0; axis < ndim; axis++) {
        if (shape[axis] != 1) {
            old_shape[n] = shape[axis];
            old_strides[n++] = strides[axis];
        }
    }
    while (i < n && j < new_ndim) {
        int i_end = i + 1, j_end = j + 1;
        npy_intp left = old_shape[i], right = new_shape[j];
        while (left != right) {
            if (left < right) {
                left *= old_shape[i_end++];
            } else {
                right *= new_shape[j_end++];
            }
        }
        if (!run_is_even(old_shape, old_strides, i, i_end)) {
            return 0;
        }
        npy_intp step = old_strides[i_end - 1];
        for (int k = j_end - 1; k >= j; k--) {
            new_strides[k] = step;
            step *= new_shape[k];
        }
        i = i_end;
        j = j_end;
    }
    npy_intp tail = j ? new_strides[j - 1] : itemsize;
    for (; j < new_ndim; j++) {
        new_strides[j] = tail;
    }
    return 1;
}
