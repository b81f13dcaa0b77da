/* elementwise_operation.h - element-wise operations.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_ELEMENTWISE_OPERATION_H
#define PYCUDA_ARRAY_ELEMENTWISE_OPERATION_H

#include "array/numpy.h"
#include "core/core.h"

struct array;

/* An input or output of an operation: an array or a scalar. */
struct operand {
    struct array *array; /* borrowed; NULL for a scalar */
    PyObject *scalar;    /* borrowed; the scalar object */
    int code;            /* type code */
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
/* Applies an operation to the first `inputs` entries of `objects`, in
 * `stream`. Writes to `out`, or to a new array of `dtype` if `out` is NULL. If
 * `dtype` is NULL too, the type rule determines the type. Returns the output
 * or Py_NotImplemented. */
PyObject *array_apply(int operation, int inputs, PyObject *const *objects,
                      struct array *out, PyArray_Descr *dtype,
                      CUstream stream);
/* Returns whether kernels cannot load the elements directly, because the
 * addresses are not multiples of the dtype's alignment. Never fails. */
int array_misaligned(const struct array *array);
/* Implements _apply of pycuda._driver, which calls array_apply. */
PyObject *array_apply_python(PyObject *module, PyObject *args,
                             PyObject *kwargs);

#endif
