/* operand.h - operands of an operation: arrays and scalars.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_OPERAND_H
#define PYCUDA_ARRAY_OPERAND_H

#include "array/numpy.h"
#include "core/core.h"

struct array;

/* An input or output of an operation: an array or a scalar. */
struct operand {
    struct array *array; /* borrowed; NULL for a scalar */
    PyObject *scalar;    /* borrowed; the scalar object */
    int code; /* type code of the array's elements or of the scalar */
    /* the scalar's bytes, converted to the type in which the operation
     * computes */
    char value[16];
};

/* Classifies an object, which the operand borrows. Returns 1, 0 if it cannot
 * be an operand, or -1 with an exception. */
int operand_set(struct operand *operand, PyObject *object);
/* Converts a scalar to the dtype `loop`, in which the operation computes, and
 * stores its bytes in operand->value. */
int operand_convert(struct operand *operand, PyArray_Descr *loop);
/* Returns whether a value is in the range of an integer type. */
int operand_integer_fits(long long value, int type_num);

#endif
