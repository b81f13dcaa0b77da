/* address.c - reads the device addresses of Python objects.
 *
 * Called by every function that takes memory as an argument: copies, fills,
 * launches. All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/core.h"
#include "core/memory/address.h"
#include "core/memory/allocation.h"
#include "core/memory/foreign.h"
#include "core/python/args.h"
#include "core/state.h"

#include "core/numpy.h"

/* Reads an address from an attribute's value (gpudata, or the result of
 * get_pointer()), and drops the reference to the value. Returns 1, or -1 if
 * the value is not an address. */
static int
pointer_of_attribute(PyObject *value, CUstream later, CUdeviceptr *pointer)
{
    int status = -1;
    if (value != Py_None &&
        Py_EnterRecursiveCall(" while following gpudata") == 0) {
        status = core_pointer_on(value, later, pointer);
        Py_LeaveRecursiveCall();
    }
    Py_DECREF(value);
    return status < 0 ? -1 : 1;
}

int
core_pointer_foreign(PyObject *object, CUstream later, CUdeviceptr *pointer)
{
    PyObject *value;
    int found = core_foreign_address(object, later, pointer);
    if (found != 0) {
        return found;
    }
    if (core_attribute(object, core.str_gpudata, &value) < 0) {
        return -2;
    }
    if (value != NULL) {
        return pointer_of_attribute(value, later, pointer);
    }
    if (core_attribute(object, core.str_get_pointer, &value) < 0) {
        return -2;
    }
    if (value == NULL || !PyCallable_Check(value)) {
        Py_XDECREF(value);
        return 0;
    }
    PyObject *given = PyObject_CallNoArgs(value);
    Py_DECREF(value);
    return given == NULL ? -2 : pointer_of_attribute(given, later, pointer);
}

/* Returns whether the object acts as an integer, so that int(object) may be an
 * address: its type has __index__, or it has __int__ but not __float__. */
static bool
is_integral(PyObject *object)
{
    const PyNumberMethods *number = Py_TYPE(object)->tp_as_number;
    return PyIndex_Check(object) ||
           (number != NULL && number->nb_int != NULL &&
            number->nb_float == NULL);
}

/* Reads an address from an object for which is_integral is true. */
static int
pointer_of_integer(PyObject *object, CUdeviceptr *pointer)
{
    size_t value;
    PyObject *number =
        PyIndex_Check(object) ? Py_NewRef(object) : PyNumber_Long(object);
    int status = number == NULL ? -1 : core_size(number, &value);
    Py_XDECREF(number);
    if (status == 0) {
        *pointer = value;
    }
    return status;
}

/* Reads the address of an object that is not of one of this module's own
 * types. Returns 0, or -1 with an exception. */
static int
pointer_of_foreign(PyObject *object, CUstream later, CUdeviceptr *pointer)
{
    bool host =
        PyArray_Check(object) && PyArray_NDIM((PyArrayObject *)object) > 0;
    bool plain = PyLong_CheckExact(object) || PyArray_CheckScalar(object);
    int found =
        plain || host ? 0 : core_pointer_foreign(object, later, pointer);
    if (found > 0) {
        return 0;
    }
    if (found == 0 && !host && is_integral(object)) {
        return pointer_of_integer(object, pointer);
    }
    /* -2: the exception came from the object's own code */
    bool is_own = found == -2;
    if (!PyErr_Occurred() ||
        (!is_own && PyErr_ExceptionMatches(PyExc_TypeError))) {
        PyErr_Clear();
        PyErr_Format(
            PyExc_TypeError,
            "expected a device address (an int, a DeviceAllocation, "
            "a PointerHolderBase, an array on the device or an object with "
            "gpudata), not %s%s",
            Py_TYPE(object)->tp_name, host ? ", which is in host memory" : "");
    }
    return -1;
}

int
core_pointer(PyObject *object, CUdeviceptr *pointer)
{
    return core_pointer_on(object, NULL, pointer);
}

int
core_pointer_on(PyObject *object, CUstream later, CUdeviceptr *pointer)
{
    if (core_is_allocation(object)) {
        *pointer = ((struct core_allocation *)object)->pointer;
        return core_allocation_alive((struct core_allocation *)object);
    }
    if (core_is_array(object)) {
        PyObject *owner = ((struct core_array_head *)object)->owner;
        *pointer = ((struct core_array_head *)object)->pointer;
        return owner != NULL && core_is_allocation(owner)
                   ? core_allocation_alive((struct core_allocation *)owner)
                   : 0;
    }
    return pointer_of_foreign(object, later, pointer);
}
