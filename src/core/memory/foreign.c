/* foreign.c - device addresses of the arrays of other libraries.
 *
 * Called by address.c for objects that are not of this module's own types. An
 * object is asked for __cuda_array_interface__, then for __dlpack__. An
 * interface without `stream` (version 2, as torch has) does not state pending
 * work on the memory. In that case __dlpack__ is called, too, which makes our
 * stream wait for the stream of the producer (the library that owns the
 * array). The caller keeps the object alive, and with it the memory.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/foreign.h"
#include "core/memory/peer_memory.h"
#include "core/memory/stream_dependencies.h"
#include "core/python/args.h"
#include "core/python/borrowed.h"
#include "core/state.h"
#include "core/stream/current_stream.h"

#include "core/dlpack.h"

#include "core/numpy.h"

/* Reads the address in the `data` of a __cuda_array_interface__. Raises
 * TypeError if `data` is not a pair. */
static int
interface_address(PyObject *interface, CUdeviceptr *pointer)
{
    PyObject *data = PyDict_GetItemWithError(interface, core.str_data);
    if (data == NULL || !PyTuple_Check(data) || PyTuple_GET_SIZE(data) != 2) {
        if (!PyErr_Occurred()) {
            PyErr_SetString(PyExc_TypeError,
                            "__cuda_array_interface__ must have data: "
                            "(address, read_only)");
        }
        return -1;
    }
    PyObject *address = PyTuple_GET_ITEM(data, 0);
    *pointer = 0;
    if (address != Py_None) {
        *pointer = PyLong_AsUnsignedLongLong(address);
    }
    return PyErr_Occurred() ? -1 : 0;
}

/* ---- DLPack ---- */

/* Returns the tensor in a DLPack capsule, borrowed; NULL if the object is no
 * DLPack capsule or its major version is unknown. */
static const struct dl_tensor *
capsule_tensor(PyObject *capsule)
{
    if (PyCapsule_IsValid(capsule, DL_NEW_NAME)) {
        struct dl_versioned *managed =
            PyCapsule_GetPointer(capsule, DL_NEW_NAME);
        return managed->version.major == 1 ? &managed->tensor : NULL;
    }
    if (PyCapsule_IsValid(capsule, DL_OLD_NAME)) {
        struct dl_managed *managed =
            PyCapsule_GetPointer(capsule, DL_OLD_NAME);
        return &managed->tensor;
    }
    return NULL;
}

/* Returns the `stream` argument for a call of __dlpack__: None on the CPU
 * device; -1 (no synchronization) during a capture, which must not depend on
 * work outside it; otherwise the number of the stream `later`. */
static PyObject *
stream_argument(CUstream later)
{
    const struct core_context *here = core_stack_top();
    if (core.is_cpu) {
        Py_RETURN_NONE;
    }
    if (here != NULL && here->captures != 0) {
        return PyLong_FromLong(-1);
    }
    later = later == NULL ? core_stream_default() : later;
    later = later == NULL ? CU_STREAM_LEGACY : later;
    return PyLong_FromUnsignedLongLong((uintptr_t)later);
}

/* Calls the producer's method __dlpack__, which makes the stream `later` wait
 * for the producer's stream. Libraries older than DLPack 1.0 accept no
 * argument but `stream`. */
static PyObject *
capsule_request(PyObject *method, CUstream later)
{
    PyObject *stream = stream_argument(later);
    PyObject *full =
        stream == NULL ? NULL
                       : Py_BuildValue("{s:O,s:(ii),s:O}", "stream", stream,
                                       "max_version", 1, 0, "copy", Py_False);
    PyObject *none = full == NULL ? NULL : PyTuple_New(0);
    PyObject *capsule =
        none == NULL ? NULL : PyObject_Call(method, none, full);
    if (none != NULL && capsule == NULL &&
        PyErr_ExceptionMatches(PyExc_TypeError)) {
        PyErr_Clear();
        PyObject *old = Py_BuildValue("{s:O}", "stream", stream);
        capsule = old == NULL ? NULL : PyObject_Call(method, none, old);
        Py_XDECREF(old);
    }
    Py_XDECREF(none);
    Py_XDECREF(full);
    Py_XDECREF(stream);
    return capsule;
}

/* Returns whether a kernel on the current device can use the tensor's
 * memory. */
static bool
tensor_is_on_device(const struct dl_tensor *tensor, CUdeviceptr pointer)
{
    int device;
    switch (tensor->device.type) {
    case DL_CUDA:
    case DL_CUDA_HOST:
    case DL_CUDA_MANAGED:
    /* DL_CPU stands for memory of the CPU device, or for page-locked host
     * memory */
    case DL_CPU:
        return pointer == 0 ||
               driver.cuPointerGetAttribute(
                   &device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer) ==
                   CUDA_SUCCESS;
    default:
        return false;
    }
}

/* Reads the address of a capsule's tensor. Raises TypeError if the device
 * cannot access it. */
static int
capsule_address(PyObject *object, PyObject *capsule, CUdeviceptr *pointer)
{
    const struct dl_tensor *tensor = capsule_tensor(capsule);
    if (tensor == NULL) {
        PyErr_Format(PyExc_TypeError,
                     "%s.__dlpack__ gave %s, which is not a DLPack 1.x "
                     "capsule",
                     Py_TYPE(object)->tp_name, Py_TYPE(capsule)->tp_name);
        return -1;
    }
    CUdeviceptr found = (uintptr_t)tensor->data + tensor->byte_offset;
    if (!tensor_is_on_device(tensor, found)) {
        PyErr_Format(PyExc_TypeError,
                     "expected an array on the device: the %s is on DLPack's "
                     "device (%d, %d), which this device cannot access; copy "
                     "it with gpuarray.asarray()",
                     Py_TYPE(object)->tp_name, (int)tensor->device.type,
                     (int)tensor->device.id);
        return -1;
    }
    *pointer = found;
    return 0;
}

/* Reads the address by calling __dlpack__. Returns 1 after making the stream
 * `later` wait for the producer's stream; 0 if the object has no __dlpack__;
 * -2 with an exception. */
static int
dlpack_address(PyObject *object, CUstream later, CUdeviceptr *pointer)
{
    PyObject *method;
    if (core_attribute(object, core.str_dlpack, &method) < 0 ||
        method == NULL) {
        return PyErr_Occurred() ? -2 : 0;
    }
    PyObject *capsule = capsule_request(method, later);
    Py_DECREF(method);
    int status =
        capsule == NULL ? -1 : capsule_address(object, capsule, pointer);
    Py_XDECREF(capsule);
    return status < 0 ? -2 : 1;
}

/* ---- __cuda_array_interface__; DLPack if it names no stream ---- */

/* Makes the stream `later` wait for pending work on the memory of a
 * __cuda_array_interface__. Returns 0; -1 with an exception if the interface
 * is malformed; -2 with an exception of the producer. */
static int
interface_wait(PyObject *object, PyObject *interface, CUdeviceptr pointer,
               CUstream later)
{
    const struct core_context *here = core_stack_top();
    CUdeviceptr same;
    int device;
    if (here != NULL && here->captures == 0 &&
        core_peer_is_elsewhere(here, pointer, &device)) {
        return core_peer_wait(pointer, device);
    }
    if (PyDict_GetItemWithError(interface, core.str_stream) != NULL ||
        pointer == 0) {
        return core_stream_wait_interface(interface, later);
    }
    if (PyErr_Occurred() || here == NULL) {
        return PyErr_Occurred() ? -1 : 0;
    }
    return dlpack_address(object, later, &same) < 0 ? -2 : 0;
}

int
core_foreign_address(PyObject *object, CUstream later, CUdeviceptr *pointer)
{
    PyObject *interface;
    if (core_attribute(object, core.str_interface, &interface) < 0) {
        return -2;
    }
    if (interface == NULL || !PyDict_Check(interface)) {
        Py_XDECREF(interface);
        return PyArray_Check(object) || PyArray_CheckScalar(object)
                   ? 0 /* 0: NumPy's __dlpack__ describes host memory, so there
                          is no device address */
                   : dlpack_address(object, later, pointer);
    }
    Py_SETREF(interface, core_stable_dict(interface));
    if (interface == NULL) {
        return -1;
    }
    int status = interface_address(interface, pointer);
    if (status == 0) {
        status = interface_wait(object, interface, *pointer, later);
    }
    Py_DECREF(interface);
    return status < 0 ? status : 1;
}

/* ---- functions called by pycuda._array.exchange ---- */
