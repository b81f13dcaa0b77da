/* code.c - codes of types: NumPy's type numbers, and what stands beside them.
 *
 * Called by whatever builds a key of a table.  Owns a reference to the dtype
 * of ml_dtypes.bfloat16 once an array or a scalar of it was seen: the package
 * works without ml_dtypes, and never imports it here.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"

static PyArray_Descr *bfloat16; /* NULL until seen */

static int
is_bfloat16(const PyArray_Descr *dtype)
{
    if (bfloat16) {
        return dtype->type_num == bfloat16->type_num;
    }
    if (strcmp(dtype->typeobj->tp_name, "ml_dtypes.bfloat16")) {
        return 0;
    }
    bfloat16 = PyArray_DescrFromType(dtype->type_num);
    return bfloat16 != NULL;
}

/* Of a dtype. */
int
code_of(const PyArray_Descr *dtype)
{
    if (dtype->type_num < NPY_USERDEF) {
        return dtype->type_num;
    }
    return is_bfloat16(dtype) ? CODE_BFLOAT16 : CODE_FOREIGN;
}

int
code_native(const PyArray_Descr *dtype)
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

/* PyArray_EquivTypes, which is slow for types that differ. */
int
code_same(const PyArray_Descr *a, const PyArray_Descr *b)
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

/* Whether operations may be defined for it; Python says which are. */
int
code_computes(int code)
{
    return PyTypeNum_ISNUMBER(code) || PyTypeNum_ISBOOL(code) ||
           code == CODE_BFLOAT16;
}

/* The numpy.dtype, a new reference; NULL with TypeError for foreign types. */
PyObject *
code_dtype(int code)
{
    if (code == CODE_BFLOAT16) {
        return Py_NewRef((PyObject *)bfloat16);
    }
    if (code == CODE_FOREIGN) {
        PyErr_SetString(PyExc_TypeError,
                        "no device arithmetic for types of other packages "
                        "than ml_dtypes.bfloat16");
        return NULL;
    }
    return (PyObject *)PyArray_DescrFromType(code);
}

/* A numpy.dtype, or the Python type int, float or complex; new reference. */
PyObject *
code_object(int code)
{
    switch (code) {
    case CODE_INT:
        return Py_NewRef(&PyLong_Type);
    case CODE_FLOAT:
        return Py_NewRef(&PyFloat_Type);
    case CODE_COMPLEX:
        return Py_NewRef(&PyComplex_Type);
    default:
        return code_dtype(code);
    }
}
