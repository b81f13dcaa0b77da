/* type_codes.h - type codes: small integers for dtypes and Python scalars.
 *
 * Functions need the GIL. Those that return int return 0, or -1 with an
 * exception; those that return a pointer return a new reference, or NULL with
 * an exception, unless noted.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_ARRAY_TYPE_CODES_H
#define PYCUDA_ARRAY_TYPE_CODES_H

#include "array/numpy.h"
#include "core/core.h"

/* Type codes: NumPy's type numbers, and the codes of this enum for Python
 * scalars and for user types. In an operation, a Python scalar takes the type
 * of the array. ml_dtypes.bfloat16 has a fixed code, since its type number
 * depends on the order in which types are registered. Codes fit in 6 bits. */
enum type_code {
    CODE_INT = 28,
    CODE_FLOAT = 29,
    CODE_COMPLEX = 30,
    CODE_BFLOAT16 = 32,
    CODE_FOREIGN = 63, /* unknown user type without arithmetic */
};

/* Returns the type code of a dtype; CODE_FOREIGN for unknown types. */
int type_code_of(const PyArray_Descr *dtype);
/* Raises TypeError for dtypes that kernels would misread, since their byte
 * order is not the machine's. */
int type_code_native(const PyArray_Descr *dtype);
/* Returns whether two dtypes describe the same bytes, as NumPy's
 * PyArray_EquivTypes does. Never fails. */
int type_code_equal(const PyArray_Descr *a, const PyArray_Descr *b);
/* Returns whether operations may be defined for the type code. */
int type_code_has_operations(int code);
/* Returns the dtype of a code. Raises TypeError for CODE_FOREIGN. */
PyObject *type_code_dtype(int code);
/* Returns the dtype of a code, or the Python type of a scalar's code. */
PyObject *type_code_object(int code);

#endif
