/* address.c - what stands for a device address.
 *
 * Called wherever memory is an argument: copies, fills, launches.
 *
 * SPDX-License-Identifier: MIT */
#include "core/private.h"

#include "core/numpy.h"

int
core_attribute(PyObject *object, PyObject *name, PyObject **value)
{
    *value = PyObject_GetAttr(object, name);
    if (*value == NULL) {
        if (!PyErr_ExceptionMatches(PyExc_AttributeError)) {
            return -1;
        }
        PyErr_Clear();
    }
    return 0;
}

/* What is in the interface: its address, once `later` waits for its stream. */
static int
pointer_of_interface(PyObject *interface, CUstream later, CUdeviceptr *pointer)
{
    PyObject *data = PyDict_GetItemWithError(interface, core.str_data);
    bool good =
        data != NULL && PyTuple_Check(data) && PyTuple_GET_SIZE(data) == 2;
    PyObject *address = good ? PyTuple_GET_ITEM(data, 0) : NULL;

    *pointer = 0;
    if (good && address != Py_None) {
        *pointer = PyLong_AsUnsignedLongLong(address);
    }
    return good && !PyErr_Occurred() ? core_follow(interface, later) : -1;
}

/* The address behind gpudata or __cuda_array_interface__. */
static int
pointer_of_foreign(PyObject *object, CUstream later, CUdeviceptr *pointer)
{
    PyObject *interface, *gpudata;
    if (core_attribute(object, core.str_interface, &interface) < 0) {
        return -1;
    }
    if (interface != NULL && PyDict_Check(interface)) {
        int status = pointer_of_interface(interface, later, pointer);
        Py_DECREF(interface);
        return status;
    }
    Py_XDECREF(interface);
    if (core_attribute(object, core.str_gpudata, &gpudata) < 0 ||
        gpudata == NULL) {
        return -1;
    }
    int status =
        gpudata == Py_None ? -1 : core_pointer_on(gpudata, later, pointer);
    Py_DECREF(gpudata);
    return status;
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
    bool host =
        PyArray_Check(object) && PyArray_NDIM((PyArrayObject *)object) > 0;
    if (PyIndex_Check(object) && !host) {
        size_t value;
        if (core_size(object, &value) < 0) {
            return -1;
        }
        *pointer = value;
        return 0;
    }
    if (pointer_of_foreign(object, later, pointer) == 0) {
        return 0;
    }
    if (!PyErr_Occurred() || PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        PyErr_Format(
            PyExc_TypeError,
            "expected a device address (an int, a DeviceAllocation, "
            "a PointerHolderBase or an array on the device), not %s%s",
            Py_TYPE(object)->tp_name,
            host ? ", which is in the host's memory" : "");
    }
    return -1;
}
