/* type_codes.c - type codes: NumPy's type numbers and enum type_code.
 *
 * Called by all code that builds keys of type rules and of the kernel cache.
 * Owns a reference to the dtype of ml_dtypes.bfloat16 after the first array or
 * scalar of that type. The package works without ml_dtypes, and this file
 * never imports it.
 *
 * SPDX-License-Identifier: MIT */
#include "array/numpy.h"
#include "array/type_codes.h"
#include "core/core.h"
#include "core/python/locks.h"

/* strong reference; the dtype ml_dtypes.bfloat16; NULL before the first use */
static PyArray_Descr *bfloat16;

static int
is_bfloat16(const PyArray_Descr *dtype)
{
    const PyArray_Descr *known = READ_SHARED(bfloat16);

    if (known) {
        return dtype->type_num == known->type_num;
    }
    if (strcmp(dtype->typeobj->tp_name, "ml_dtypes.bfloat16")) {
        return 0;
    }
    /* NumPy has one dtype object per user type. If several threads get here at
     * the same time, all of them store the same object. */
    PyArray_Descr *found = PyArray_DescrFromType(dtype->type_num);
    WRITE_SHARED(bfloat16, found);
    return found != NULL;
}

/* Returns the type code of a dtype; CODE_FOREIGN for unknown user types. */
int
type_code_of(const PyArray_Descr *dtype)
{
    if (dtype->type_num < NPY_USERDEF) {
        return dtype->type_num;
    }
    return is_bfloat16(dtype) ? CODE_BFLOAT16 : CODE_FOREIGN;
}

int
type_code_native(const PyArray_Descr *dtype)
{
    if (PyArray_ISNBO(dtype->byteorder)) {
        return 0;
    }
    PyErr_Format(PyExc_TypeError,
                 "no device arithmetic for dtype %S: its byte order is not "
                 "the machine's",
                 dtype);
    return -1;
}

/* Returns the result of PyArray_EquivTypes(a, b). Decides without a call of
 * this slow function if `a` and `b` are number types of different kind or
 * size. */
int
type_code_equal(const PyArray_Descr *a, const PyArray_Descr *b)
{
    if (a == b) {
        return 1;
    }
    if (PyTypeNum_ISNUMBER(a->type_num) && PyTypeNum_ISNUMBER(b->type_num) &&
        PyArray_ISNBO(a->byteorder) && PyArray_ISNBO(b->byteorder) &&
        (a->kind != b->kind || PyDataType_ELSIZE(a) != PyDataType_ELSIZE(b))) {
        return 0;
    }
    return PyArray_EquivTypes((PyArray_Descr *)(uintptr_t)a,
                              (PyArray_Descr *)(uintptr_t)b);
}

/* Returns whether operations may be defined for the type. The type resolver, a
 * Python function, decides which operations. */
int
type_code_has_operations(int code)
{
    return PyTypeNum_ISNUMBER(code) || PyTypeNum_ISBOOL(code) ||
           code == CODE_BFLOAT16;
}

/* Returns the numpy.dtype of a code, a new reference. Returns NULL with a
 * TypeError for CODE_FOREIGN, which does not identify a dtype. */
PyObject *
type_code_dtype(int code)
{
    if (code == CODE_BFLOAT16) {
        return Py_NewRef((PyObject *)bfloat16);
    }
    if (code == CODE_FOREIGN) {
        PyErr_SetString(PyExc_TypeError,
                        "no device arithmetic for types of other packages, "
                        "except ml_dtypes.bfloat16");
        return NULL;
    }
    return (PyObject *)PyArray_DescrFromType(code);
}

/* Returns the numpy.dtype of a type code; for the codes of Python scalars, the
 * Python type int, float or complex. Returns a new reference, or NULL with an
 * exception. */
PyObject *
type_code_object(int code)
{
    switch (code) {
    case CODE_INT:
        return Py_NewRef(&PyLong_Type);
    case CODE_FLOAT:
        return Py_NewRef(&PyFloat_Type);
    case CODE_COMPLEX:
        return Py_NewRef(&PyComplex_Type);
    default:
        return type_code_dtype(code);
    }
}
