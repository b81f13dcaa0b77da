/* operand.c - operands of an operation: arrays and scalars.
 *
 * Scalars are converted to the type in which the operation computes, as in
 * NumPy.
 *
 * SPDX-License-Identifier: MIT */
#include "array/array.h"
#include "array/numpy.h"
#include "array/operand.h"
#include "array/type_codes.h"
#include "core/core.h"

static int
refuse_host_array(void)
{
    PyErr_SetString(PyExc_TypeError,
                    "a host array cannot be mixed with a GPUArray: move it to "
                    "the device with gpuarray.to_gpu(), or fetch the GPUArray "
                    "with .get()");
    return -1;
}

/* Sets the operand's code from a dtype and consumes the reference. Returns 1
 * if operations may be defined for the dtype, else 0; -1 with an exception if
 * `dtype` is NULL. */
static int
operand_strong(struct operand *operand, PyArray_Descr *dtype)
{
    if (!dtype) {
        return -1;
    }
    operand->code = type_code_of(dtype);
    Py_DECREF(dtype);
    return type_code_has_operations(operand->code);
}

static int
operand_array(struct operand *operand, struct array *array)
{
    operand->array = array;
    operand->code = type_code_of(array->dtype);
    if (!type_code_has_operations(operand->code)) {
        PyErr_Format(PyExc_TypeError, "no device arithmetic for dtype %S",
                     array->dtype);
        return -1;
    }
    return type_code_native(array->dtype) < 0 ? -1 : 1;
}

/* Classifies an operand. Returns 1 on success, 0 if the object cannot be an
 * operand (the caller returns NotImplemented), or -1 with an exception. The
 * operand borrows the object. */
int
operand_set(struct operand *operand, PyObject *object)
{
    operand->array = NULL;
    operand->scalar = object;
    if (array_check(object)) {
        return operand_array(operand, (struct array *)object);
    }
    if (PyFloat_CheckExact(object)) {
        operand->code = CODE_FLOAT;
        return 1;
    }
    if (PyLong_CheckExact(object)) {
        operand->code = CODE_INT;
        return 1;
    }
    if (PyBool_Check(object)) {
        operand->code = NPY_BOOL;
        return 1;
    }
    if (PyArray_IsScalar(object, Generic)) {
        return operand_strong(operand, PyArray_DescrFromScalar(object));
    }
    if (PyArray_Check(object)) {
        PyArrayObject *host = (PyArrayObject *)object;
        return PyArray_NDIM(host)
                   ? refuse_host_array()
                   : operand_strong(operand, (PyArray_Descr *)Py_NewRef(
                                                 PyArray_DESCR(host)));
    }
    operand->code = PyComplex_Check(object) ? CODE_COMPLEX
                    : PyFloat_Check(object) ? CODE_FLOAT
                                            : CODE_INT;
    return PyComplex_Check(object) || PyFloat_Check(object) ||
           PyLong_Check(object);
}

/* Returns whether a value is in the range of an integer type. */
int
operand_integer_fits(long long value, int type_num)
{
    static const struct {
        long long low, high;
    } ranges[] = {
        [NPY_BYTE] = {-128, 127},       [NPY_UBYTE] = {0, 255},
        [NPY_SHORT] = {-32768, 32767},  [NPY_USHORT] = {0, 65535},
        [NPY_INT] = {INT_MIN, INT_MAX}, [NPY_UINT] = {0, UINT_MAX},
    };

    if (type_num >= NPY_BYTE && type_num <= NPY_UINT) {
        return value >= ranges[type_num].low && value <= ranges[type_num].high;
    }
    return PyTypeNum_ISSIGNED(type_num) || value >= 0;
}

/* Converts a Python int to the loop type, the type in which the operation
 * computes. Returns false for types and values that this function does not
 * handle: the caller then lets NumPy convert the value or raise the
 * exception. */
static bool
int_convert(PyObject *scalar, int type_num, size_t bytes, char *value)
{
    int overflow;
    long long number = PyLong_AsLongLongAndOverflow(scalar, &overflow);

    if (overflow) {
        return false;
    }
    if (type_num == NPY_FLOAT && Py_ABS(number) <= 1LL << 53) {
        float narrow = (float)number;
        memcpy(value, &narrow, sizeof narrow);
        return true;
    }
    if (!PyTypeNum_ISINTEGER(type_num) ||
        !operand_integer_fits(number, type_num)) {
        return false;
    }
    /* the low bytes are the first ones, since hosts are little-endian */
    memcpy(value, &number, bytes);
    return true;
}

/* Stores the scalar's bytes in `operand->value`, converted to the loop type,
 * the type in which the operation computes. Returns 0, or -1 with an
 * exception. */
int
operand_convert(struct operand *operand, PyArray_Descr *loop)
{
    PyObject *scalar = operand->scalar;

    if (operand->code == CODE_FLOAT && loop->type_num == NPY_FLOAT) {
        float value = (float)PyFloat_AS_DOUBLE(scalar);
        memcpy(operand->value, &value, sizeof value);
        return 0;
    }
    if (loop->type_num == NPY_DOUBLE &&
        (operand->code == CODE_FLOAT || operand->code == CODE_INT)) {
        double value = PyFloat_AsDouble(scalar);
        memcpy(operand->value, &value, sizeof value);
        return value == -1 && PyErr_Occurred() ? -1 : 0;
    }
    if (operand->code == CODE_INT && PyLong_CheckExact(scalar) &&
        int_convert(scalar, loop->type_num, (size_t)PyDataType_ELSIZE(loop),
                    operand->value)) {
        return 0;
    }
    if (PyArray_IsScalar(scalar, Generic) && operand->code != CODE_BFLOAT16 &&
        loop->type_num < NPY_USERDEF) {
        return PyArray_CastScalarToCtype(scalar, operand->value, loop);
    }
    return array_pack(loop, operand->value, scalar);
}
