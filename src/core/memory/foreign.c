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
#include "core/context/local_storage.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/memory/allocation.h"
#include "core/memory/foreign.h"
#include "core/python/gil.h"
#include "core/state.h"
#include "core/stream/current_stream.h"

#include "core/dlpack.h"
#include "core/memory/address.h"

#include "core/numpy.h"

/* Reads the address in the `data` of a __cuda_array_interface__; TypeError if
 * `data` is not a pair. */
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

/* ---- other devices and contexts ---- */

/* Returns the context that allocated the memory; NULL if the driver knows
 * none, as for memory mapped by cuMemMap. */
static CUcontext
context_of(CUdeviceptr pointer)
{
    CUcontext context = NULL;
    return driver.cuPointerGetAttribute(&context, CU_POINTER_ATTRIBUTE_CONTEXT,
                                        pointer) == CUDA_SUCCESS
               ? context
               : NULL;
}

/* Returns whether the memory is managed or host memory, which all contexts
 * share. */
static bool
is_shared(CUdeviceptr pointer)
{
    unsigned managed = 0;
    CUmemorytype type = CU_MEMORYTYPE_DEVICE;
    driver.cuPointerGetAttribute(&managed, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 pointer);
    driver.cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                 pointer);
    return managed || type == CU_MEMORYTYPE_HOST;
}

/* Returns whether the memory comes from a CUDA memory pool, and so belongs to
 * a device instead of a context. */
static bool
is_pooled(CUdeviceptr pointer)
{
    CUmemoryPool pool = NULL;
    return driver.cuPointerGetAttribute(&pool,
                                        CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE,
                                        pointer) == CUDA_SUCCESS &&
           pool != NULL;
}

/* Returns whether two handles refer to the same context. The handle of a green
 * context refers to the primary context. */
static bool
is_same_context(CUcontext one, CUcontext other)
{
    unsigned long long a = 0, b = 0;
    return one == other ||
           (driver.cuCtxGetId(one, &a) == CUDA_SUCCESS &&
            driver.cuCtxGetId(other, &b) == CUDA_SUCCESS && a == b);
}

/* Returns whether the memory belongs to another device, or to a context of the
 * same device that does not share the address space of `here`. Sets `device`
 * to the memory's device. */
static bool
is_elsewhere(const struct core_context *here, CUdeviceptr pointer, int *device)
{
    CUcontext owner = pointer == 0 ? NULL : context_of(pointer);
    if (pointer == 0 || owner == here->handle ||
        driver.cuPointerGetAttribute(device,
                                     CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                     pointer) != CUDA_SUCCESS) {
        return false;
    }
    return *device != (int)here->device ||
           (owner != NULL && !is_shared(pointer) && !is_pooled(pointer) &&
            !is_same_context(owner, here->handle));
}

/* Waits for a native context without the GIL. */
static CUresult
synchronize(CUcontext context)
{
    CUcontext popped;
    CUresult code = driver.cuCtxPushCurrent(context);
    if (code == CUDA_SUCCESS) {
        PyThreadState *thread = core_gil_release();
        code = driver.cuCtxSynchronize();
        core_gil_acquire(thread);
        driver.cuCtxPopCurrent(&popped);
    }
    return code;
}

/* Waits on the host for all work of the memory's context, which is not the
 * current one. A producer in another context cannot make a stream of the
 * current context wait for its work. */
static int
wait_elsewhere(CUdeviceptr pointer, int device)
{
    CUcontext context = context_of(pointer);
    CUresult code;
    if (context != NULL) {
        return core_check(synchronize(context), "cuCtxSynchronize");
    }
    code = driver.cuDevicePrimaryCtxRetain(&context, device);
    if (code == CUDA_SUCCESS) {
        code = synchronize(context);
        driver.cuDevicePrimaryCtxRelease(device);
    }
    return core_check(code, "cuCtxSynchronize");
}

/* Returns whether the current context may access memory of the context
 * `owner`. The driver has no query for that, but it returns an error if access
 * is enabled a second time. */
static bool
is_peer(CUcontext owner)
{
    CUresult code = driver.cuCtxEnablePeerAccess(owner, 0);
    if (code == CUDA_SUCCESS) {
        driver.cuCtxDisablePeerAccess(owner);
    }
    return code == CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED;
}

/* Writes the name of a device into `name`, for an error message. */
static void
device_name(char *name, int size, int device)
{
    if (driver.cuDeviceGetName(name, size, device) != CUDA_SUCCESS) {
        snprintf(name, (size_t)size, "unknown");
    }
}

bool
core_foreign_explain(CUdeviceptr pointer, const char *user, char *text,
                     size_t size)
{
    const struct core_context *here = core_stack_top();
    char theirs[64], ours[64];
    int device;
    if (here == NULL || !is_elsewhere(here, pointer, &device) ||
        is_shared(pointer)) {
        return false;
    }
    CUcontext owner = context_of(pointer);
    if (owner == NULL || is_peer(owner)) {
        return false;
    }
    device_name(theirs, sizeof theirs, device);
    device_name(ours, sizeof ours, here->device);
    if (device == (int)here->device) {
        snprintf(text, size,
                 "the memory belongs to another context of device %d (%s), "
                 "whose address space the %s's context does not share: "
                 "copy it with gpuarray.asarray()",
                 device, theirs, user);
    } else {
        snprintf(text, size,
                 "the memory is on device %d (%s), the %s runs on device "
                 "%d (%s): copy it with gpuarray.asarray(), or call "
                 "Context.enable_peer_access()",
                 device, theirs, user, (int)here->device, ours);
    }
    return true;
}

int
core_foreign_reach(CUdeviceptr pointer)
{
    char detail[320];
    return core_foreign_explain(pointer, "kernel", detail, sizeof detail)
               ? core_fail(CUDA_ERROR_INVALID_VALUE, "cuLaunchKernel", detail)
               : 0;
}

int
core_foreign_wait(CUdeviceptr pointer)
{
    const struct core_context *here = core_stack_top();
    int device;
    return here != NULL && here->captures == 0 &&
                   is_elsewhere(here, pointer, &device)
               ? wait_elsewhere(pointer, device)
               : 0;
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
capsule_ask(PyObject *method, CUstream later)
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
    case DL_CPU: /* memory of the CPU device, or page-locked host memory */
        return pointer == 0 ||
               driver.cuPointerGetAttribute(
                   &device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer) ==
                   CUDA_SUCCESS;
    default:
        return false;
    }
}

/* Reads the address of a capsule's tensor; TypeError if the device cannot
 * access it. */
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
    PyObject *capsule = capsule_ask(method, later);
    Py_DECREF(method);
    int status =
        capsule == NULL ? -1 : capsule_address(object, capsule, pointer);
    Py_XDECREF(capsule);
    return status < 0 ? -2 : 1;
}

/* ---- __cuda_array_interface__, with DLPack for the order ---- */

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
        is_elsewhere(here, pointer, &device)) {
        return wait_elsewhere(pointer, device);
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
    int status = interface_address(interface, pointer);
    if (status == 0) {
        status = interface_wait(object, interface, *pointer, later);
    }
    Py_DECREF(interface);
    return status < 0 ? status : 1;
}

/* ---- functions called by pycuda._array.exchange ---- */

/* Returns the Context object of a native handle: an existing object, or a new
 * one that does not own the native context. */
static PyObject *
context_object(CUcontext handle, int device)
{
    for (struct core_context *c = core_contexts_first(); c != NULL;
         c = c->next) {
        if (c->valid && c->handle == handle) {
            return Py_NewRef((PyObject *)c);
        }
    }
    return core_context_wrap(handle, device, CONTEXT_FOREIGN);
}

/* Returns (context or None, device ordinal) of the memory of an array. */
static PyObject *
memory_home(PyObject *unused, PyObject *object)
{
    (void)unused;
    PyObject *owner = core_memory_owner(object);
    CUdeviceptr pointer = core_is_array(object)
                              ? ((struct core_array_head *)object)->pointer
                              : 0;
    int device = -1;
    if (owner != NULL && core_is_allocation(owner)) {
        struct core_context *context =
            ((struct core_allocation *)owner)->context;
        return Py_BuildValue("(Oi)", (PyObject *)context,
                             (int)context->device);
    }
    if (pointer != 0 &&
        core_check(driver.cuPointerGetAttribute(
                       &device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer),
                   "cuPointerGetAttribute") < 0) {
        return NULL;
    }
    const struct core_context *here = core_stack_top();
    int there;
    PyObject *context = here != NULL && device == (int)here->device &&
                                is_elsewhere(here, pointer, &there)
                            ? context_object(context_of(pointer), device)
                            : Py_NewRef(Py_None);
    return context == NULL ? NULL : Py_BuildValue("(Ni)", context, device);
}

/* Returns whether the array's memory belongs to another device or context than
 * the current one. */
static PyObject *
memory_is_foreign(PyObject *unused, PyObject *object)
{
    (void)unused;
    const struct core_context *here = core_stack_top();
    PyObject *owner = core_memory_owner(object);
    int device;
    if (here == NULL || !core_is_array(object)) {
        Py_RETURN_FALSE;
    }
    if (owner != NULL && core_is_allocation(owner)) {
        return PyBool_FromLong(
            ((struct core_allocation *)owner)->context->handle !=
            here->handle);
    }
    return PyBool_FromLong(is_elsewhere(
        here, ((struct core_array_head *)object)->pointer, &device));
}

static PyObject *
current_device(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    const struct core_context *here = core_stack_top();
    return PyLong_FromLong(here == NULL ? -1 : (long)here->device);
}

static PyObject *
memory_wait(PyObject *unused, PyObject *object)
{
    (void)unused;
    CUdeviceptr pointer;
    int device;
    if (core_pointer(object, &pointer) < 0) {
        return NULL;
    }
    if (pointer != 0 &&
        (core_check(driver.cuPointerGetAttribute(
                        &device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer),
                    "cuPointerGetAttribute") < 0 ||
         wait_elsewhere(pointer, device) < 0)) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"_memory_wait", memory_wait, METH_O,
     "Waits for all work in the context that made an array's memory."},
    {"_memory_home", memory_home, METH_O,
     "(context or None, number of the device) of an array's memory; -1: it "
     "has none."},
    {"_memory_is_foreign", memory_is_foreign, METH_O,
     "Whether an array's memory belongs to another device or context than the "
     "current one's."},
    {"_current_device", current_device, METH_NOARGS,
     "Number of the current context's device; -1: no context."},
    {NULL},
};

int
core_foreign_setup(PyObject *module)
{
    return PyModule_AddFunctions(module, functions);
}
