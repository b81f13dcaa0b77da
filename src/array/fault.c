/* fault.c - faults that kernels report: indices out of range.
 *
 * A kernel writes the first fault to the record of its context. The next call
 * that waits for the device raises the exception.
 *
 * SPDX-License-Identifier: MIT */
#include "array/fault.h"
#include "core/core.h"

/* Fault record. A kernel that meets an index out of range first writes `set`,
 * then the axis, the invalid index and the length of the axis. */
struct fault {
    int64_t set, axis, index, length;
};

/* _register_faults(address, device, owner): registers the host and device
 * address of the current context's fault record, and the object that owns its
 * memory. A second registration for a context has no effect. */
PyObject *
fault_register(PyObject *module, PyObject *args)
{
    PyObject *address, *device, *owner;

    (void)module;
    if (!PyArg_ParseTuple(args, "O!O!O:_register_faults", &PyLong_Type,
                          &address, &PyLong_Type, &device, &owner)) {
        return NULL;
    }
    PyObject *made = PyTuple_Pack(3, owner, device, address);
    PyObject **slot = made ? core_local_slot(CORE_LOCAL_FAULTS) : NULL;
    if (!slot) {
        Py_XDECREF(made);
        return NULL;
    }
    if (*slot) { /* another thread has registered a record in the meantime */
        Py_DECREF(made);
    } else {
        *slot = made;
    }
    Py_RETURN_NONE;
}

/* Returns the tuple that describes the current context's fault record, a
 * borrowed reference. Returns NULL without an exception if the context has no
 * record, or NULL with an exception on failure. */
static PyObject *
faults_current(void)
{
    PyObject **slot = core_local_slot(CORE_LOCAL_FAULTS);

    return slot ? *slot : NULL;
}

/* _registered_faults(): returns the owner of the current context's fault
 * record, or None. */
PyObject *
fault_registered(PyObject *module, PyObject *unused)
{
    PyObject *faults = faults_current();

    (void)module;
    (void)unused;
    if (!faults && PyErr_Occurred()) {
        return NULL;
    }
    return Py_NewRef(faults ? PyTuple_GET_ITEM(faults, 0) : Py_None);
}

/* Stores the device address of the current context's fault record, in which
 * kernels report an index out of range, and returns 1. Returns 0 if the
 * context has no record yet, or -1 with an exception. */
int
fault_record_address(CUdeviceptr *words)
{
    PyObject *faults = faults_current();

    if (!faults) {
        return PyErr_Occurred() ? -1 : 0;
    }
    *words = PyLong_AsUnsignedLongLong(PyTuple_GET_ITEM(faults, 1));
    return PyErr_Occurred() ? -1 : 1;
}

/* Raises IndexError and returns -1 if a completed kernel of the current
 * context met an index out of range. Clears the record. */
int
fault_check(void)
{
    PyObject *faults = faults_current();

    if (!faults) {
        PyErr_Clear();
        return 0;
    }
    volatile struct fault *words =
        PyLong_AsVoidPtr(PyTuple_GET_ITEM(faults, 2));
    if (!words || !words->set) {
        return 0;
    }
    long long axis = words->axis, index = words->index;
    long long length = words->length;
    words->set = 0;
    PyErr_Format(PyExc_IndexError,
                 "index %lld is out of bounds for axis %lld with size %lld "
                 "(in an array of indices on the device, used earlier)",
                 index, axis, length);
    return -1;
}

PyObject *
fault_check_python(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return fault_check() < 0 ? NULL : Py_NewRef(Py_None);
}
