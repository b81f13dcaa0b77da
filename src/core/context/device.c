/* device.c - the type Device, and module functions that need no context.
 *
 * All functions need the GIL; creating a context releases it.
 *
 * SPDX-License-Identifier: MIT */
#include "core/context/context.h"
#include "core/context/context_list.h"
#include "core/context/device.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/python/args.h"
#include "core/python/enums.h"
#include "core/python/errors.h"
#include "core/python/gil.h"
#include "core/python/locked_calls.h"
#include "core/python/object.h"
#include "core/state.h"

#include <stdio.h>
#include <stdlib.h>

/* A Device, which owns no native resource. */
struct device_object {
    PyObject_HEAD
    PyObject *dict;
    PyObject *weakrefs;
    CUdevice device;
};

PyObject *
core_device_object(CUdevice device)
{
    struct device_object *self =
        (struct device_object *)core.device_type->tp_alloc(core.device_type,
                                                           0);
    if (self != NULL) {
        self->device = device;
    }
    return (PyObject *)self;
}

int
core_device_ordinal(PyObject *object, CUdevice *ordinal)
{
    if (!PyObject_TypeCheck(object, core.device_type)) {
        PyErr_Format(PyExc_TypeError, "expected a Device, got %s",
                     Py_TYPE(object)->tp_name);
        return -1;
    }
    *ordinal = ((struct device_object *)object)->device;
    return 0;
}

static CUdevice
ordinal_of(PyObject *self)
{
    return ((struct device_object *)self)->device;
}

/* Finds a device by its ordinal (index from 0). The error message states the
 * number of devices. */
static int
device_find(PyObject *which, CUdevice *device)
{
    int ordinal, count = 0;
    char detail[96] = "";
    if (core_int(which, &ordinal) < 0) {
        return -1;
    }
    CUresult code = driver.cuDeviceGet(device, ordinal);
    if (code != CUDA_ERROR_INVALID_DEVICE ||
        driver.cuDeviceGetCount(&count) != CUDA_SUCCESS) {
        return core_check(code, "cuDeviceGet");
    }
    snprintf(detail, sizeof detail,
             "there is no device %d: %d device%s, counted from 0", ordinal,
             count, count == 1 ? "" : "s");
    return core_fail(code, "cuDeviceGet", detail);
}

/* Reads the constructor's argument, an ordinal or a PCI bus id, and finds the
 * device. */
static int
device_read(PyObject *args, PyObject *kwargs, CUdevice *device)
{
    PyObject *which;
    static char *keywords[] = {"", NULL};
    if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O:Device", keywords,
                                     &which) ||
        core_open_ready("cuDeviceGet") < 0) {
        return -1;
    }
    if (!PyUnicode_Check(which)) {
        return device_find(which, device);
    }
    const char *bus_id = PyUnicode_AsUTF8(which);
    return bus_id == NULL
               ? -1
               : core_check(driver.cuDeviceGetByPCIBusId(device, bus_id),
                            "cuDeviceGetByPCIBusId");
}

static int device_init(PyObject *op, PyObject *args, PyObject *kwargs);

static PyObject *
device_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    CUdevice device = CU_DEVICE_INVALID;
    if (core_init_reads(type, device_new, device_init)
            ? core_open_ready("cuDeviceGet") < 0
            : device_read(args, kwargs, &device) < 0) {
        return NULL;
    }
    struct device_object *self =
        (struct device_object *)type->tp_alloc(type, 0);
    if (self != NULL) {
        self->device = device;
    }
    return (PyObject *)self;
}

/* Implements __init__. Reads the arguments if a subclass overrides __init__
 * and calls Device.__init__. Otherwise device_new has already read them. */
static int
device_init(PyObject *op, PyObject *args, PyObject *kwargs)
{
    return core_init_reads(Py_TYPE(op), device_new, device_init)
               ? device_read(args, kwargs,
                             &((struct device_object *)op)->device)
               : 0;
}

static PyObject *
device_count(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    int count;
    if (core_open_ready("cuDeviceGetCount") < 0 ||
        core_check(driver.cuDeviceGetCount(&count), "cuDeviceGetCount") < 0) {
        return NULL;
    }
    return PyLong_FromLong(count);
}

static PyObject *
device_name(PyObject *self, PyObject *unused)
{
    (void)unused;
    char name[256];
    if (core_check(driver.cuDeviceGetName(name, sizeof name, ordinal_of(self)),
                   "cuDeviceGetName") < 0) {
        return NULL;
    }
    return PyUnicode_FromString(name);
}

static PyObject *
device_pci_bus_id(PyObject *self, PyObject *unused)
{
    (void)unused;
    char id[64];
    if (core_check(driver.cuDeviceGetPCIBusId(id, sizeof id, ordinal_of(self)),
                   "cuDeviceGetPCIBusId") < 0) {
        return NULL;
    }
    return PyUnicode_FromString(id);
}

static int
attribute_read(PyObject *self, int attribute, int *value)
{
    return core_check(
        driver.cuDeviceGetAttribute(value, (CUdevice_attribute)attribute,
                                    ordinal_of(self)),
        "cuDeviceGetAttribute");
}

static PyObject *
device_compute_capability(PyObject *self, PyObject *unused)
{
    (void)unused;
    int major, minor;
    if (attribute_read(self, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR,
                       &major) < 0 ||
        attribute_read(self, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR,
                       &minor) < 0) {
        return NULL;
    }
    return Py_BuildValue("(ii)", major, minor);
}

static PyObject *
device_total_memory(PyObject *self, PyObject *unused)
{
    (void)unused;
    size_t bytes;
    if (core_check(driver.cuDeviceTotalMem(&bytes, ordinal_of(self)),
                   "cuDeviceTotalMem") < 0) {
        return NULL;
    }
    return PyLong_FromSize_t(bytes);
}

static PyObject *
device_get_attribute(PyObject *self, PyObject *which)
{
    int attribute, value;
    if (core_int(which, &attribute) < 0 ||
        attribute_read(self, attribute, &value) < 0) {
        return NULL;
    }
    if (attribute == CU_DEVICE_ATTRIBUTE_COMPUTE_MODE) {
        return core_enum("compute_mode", value);
    }
    return PyLong_FromLong(value);
}

static PyObject *
device_can_access_peer(PyObject *self, PyObject *other)
{
    CUdevice peer;
    int yes;
    if (core_device_ordinal(other, &peer) < 0 ||
        core_check(driver.cuDeviceCanAccessPeer(&yes, ordinal_of(self), peer),
                   "cuDeviceCanAccessPeer") < 0) {
        return NULL;
    }
    return PyBool_FromLong(yes);
}

/* Method make_context(): creates a context without the GIL and pushes it on
 * this thread's stack. */
static PyObject *
device_make_context(PyObject *self, CORE_ARGS)
{
    static const struct core_signature signature = {
        "make_context", 0, {"flags"}};
    PyObject *values[1];
    unsigned flags = 0;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        (values[0] != NULL && core_unsigned(values[0], &flags) < 0) ||
        core_open_ready("cuCtxCreate") < 0) {
        return NULL;
    }
    CUcontext handle, popped;
    CUdevice device = ordinal_of(self);
    CUresult code;
    PyThreadState *thread = core_gil_release();
    code = driver.cuCtxCreate(&handle, flags, device);
    core_gil_acquire(thread);
    if (core_check(code, "cuCtxCreate") < 0) {
        return NULL;
    }
    /* cuCtxCreate pushed the new context on CUDA's own stack. Pop the context
     * and replace the stack's top by it, since this extension keeps at most
     * one entry on CUDA's stack. */
    driver.cuCtxPopCurrent(&popped);
    driver.cuCtxSetCurrent(handle);
    PyObject *context = core_context_wrap(handle, device, CONTEXT_CREATED);
    if (context == NULL) {
        driver.cuCtxDestroy(handle);
        return NULL;
    }
    if (core_stack_push((struct core_context *)context) < 0) {
        Py_CLEAR(context);
    }
    return context;
}

/* Method retain_primary_context(): returns a Context that holds a reference to
 * the device's primary context until the Context is detached or freed. */
static PyObject *
device_retain_primary_context(PyObject *self, PyObject *unused)
{
    (void)unused;
    CUcontext handle;
    CUresult code;
    CUdevice device = ordinal_of(self);
    PyThreadState *thread = core_gil_release();
    code = driver.cuDevicePrimaryCtxRetain(&handle, device);
    core_gil_acquire(thread);
    if (core_check(code, "cuDevicePrimaryCtxRetain") < 0) {
        return NULL;
    }
    PyObject *context = core_context_wrap(handle, device, CONTEXT_PRIMARY);
    if (context == NULL) {
        driver.cuDevicePrimaryCtxRelease(device);
    }
    return context;
}

/* If the type has no such attribute, looks `name` up in device_attribute, in
 * upper or lower case: dev.warp_size, dev.WARP_SIZE. */
static PyObject *
device_getattro(PyObject *self, PyObject *name)
{
    PyObject *value = PyObject_GenericGetAttr(self, name);
    if (value != NULL || !PyErr_ExceptionMatches(PyExc_AttributeError)) {
        return value;
    }
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    PyObject *member = core_enum_member("device_attribute", name);
    if (member == NULL && !PyErr_Occurred()) {
        PyErr_Restore(type, error, trace);
        return NULL;
    }
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(trace);
    if (member != NULL) {
        value = device_get_attribute(self, member);
    }
    Py_XDECREF(member);
    return value;
}

static PyObject *
device_compare(PyObject *a, PyObject *b, int operation)
{
    if (operation != Py_EQ && operation != Py_NE) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    bool equal = PyObject_TypeCheck(b, core.device_type) &&
                 ordinal_of(a) == ordinal_of(b);
    return PyBool_FromLong(equal == (operation == Py_EQ));
}

static Py_hash_t
device_hash(PyObject *self)
{
    return ordinal_of(self);
}

static void
device_dealloc(PyObject *op)
{
    struct device_object *self = (struct device_object *)op;
    PyTypeObject *type = Py_TYPE(op);
    PyObject_GC_UnTrack(op);
    if (self->weakrefs != NULL) {
        PyObject_ClearWeakRefs(op);
    }
    Py_CLEAR(self->dict);
    type->tp_free(op);
    Py_DECREF(type);
}

static int
device_traverse(PyObject *op, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(op));
    Py_VISIT(((struct device_object *)op)->dict);
    return 0;
}

/* tp_clear: drops the attributes that a program has set. A Device can be part
 * of a reference cycle only through these attributes. */
static int
device_clear(PyObject *op)
{
    Py_CLEAR(((struct device_object *)op)->dict);
    return 0;
}

static PyMethodDef device_methods[] = {
    {"count", device_count, METH_NOARGS | METH_STATIC,
     "Return the number of devices. Raises LogicError before init()."},
    {"name", device_name, METH_NOARGS, "Return the name of the device."},
    {"pci_bus_id", device_pci_bus_id, METH_NOARGS,
     "Return the PCI bus id as text, such as '0000:65:00.0'."},
    {"compute_capability", device_compute_capability, METH_NOARGS,
     "Return the compute capability, such as (9, 0)."},
    {"total_memory", device_total_memory, METH_NOARGS,
     "Return the device's memory, in bytes."},
    {"get_attribute", device_get_attribute, METH_O,
     "Return a device_attribute as an int; most are also attributes "
     "of the Device in lower case: device.warp_size."},
    {"can_access_peer", device_can_access_peer, METH_O,
     "Return whether kernels on this device can access memory of "
     "another Device."},
    {"make_context", CORE_METHOD(device_make_context),
     "Create a context on the device, push it onto this thread's stack, "
     "and return it."},
    {"retain_primary_context", device_retain_primary_context, METH_NOARGS,
     "Return the device's primary context without making it current."},
    {NULL},
};

static PyMemberDef device_members[] = {
    {"__dictoffset__", T_PYSSIZET, offsetof(struct device_object, dict),
     READONLY, NULL},
    {"__weaklistoffset__", T_PYSSIZET,
     offsetof(struct device_object, weakrefs), READONLY, NULL},
    {NULL},
};

static PyType_Slot device_slots[] = {
    {Py_tp_doc, "Device(ordinal) or Device(pci_bus_id)"},
    {Py_tp_new, device_new},
    {Py_tp_init, device_init},
    {Py_tp_dealloc, device_dealloc},
    {Py_tp_traverse, device_traverse},
    {Py_tp_clear, device_clear},
    {Py_tp_getattro, device_getattro},
    {Py_tp_richcompare, device_compare},
    {Py_tp_hash, device_hash},
    {Py_tp_methods, device_methods},
    {Py_tp_members, device_members},
    {0, NULL},
};

static PyType_Spec device_spec = {
    .name = "pycuda._driver.Device",
    .basicsize = sizeof(struct device_object),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
    .slots = device_slots,
};

/* Function init(): calls cuInit without the GIL. */
static PyObject *
driver_init(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {"init", 0, {"flags"}};
    PyObject *values[1];
    unsigned flags = 0;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        (values[0] != NULL && core_unsigned(values[0], &flags) < 0) ||
        core_open() < 0) {
        return NULL;
    }
    CUresult code;
    PyThreadState *thread = core_gil_release();
    code = driver.cuInit(flags);
    core_gil_acquire(thread);
    const char *visible = getenv("CUDA_VISIBLE_DEVICES");
    if (code == CUDA_ERROR_NO_DEVICE && visible != NULL) {
        char advice[160];
        snprintf(
            advice, sizeof advice,
            "CUDA_VISIBLE_DEVICES is '%.40s': it makes no device visible; "
            "unset it, or list devices such as 0 or 0,1",
            visible);
        core_fail(code, "cuInit", advice);
        return NULL;
    }
    if (core_check(code, "cuInit") < 0) {
        return NULL;
    }
    core.initialised = true;
    Py_RETURN_NONE;
}

/* Returns the CUDA version that this extension was written for. The driver's
 * own version is returned by get_driver_version. */
static PyObject *
driver_get_version(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    return Py_BuildValue("(iii)", CUDA_VERSION / 1000,
                         CUDA_VERSION % 1000 / 10, CUDA_VERSION % 10);
}

static PyObject *
driver_get_driver_version(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    int version;
    if (core_open() < 0 || core_check(driver.cuDriverGetVersion(&version),
                                      "cuDriverGetVersion") < 0) {
        return NULL;
    }
    return PyLong_FromLong(version);
}

/* Returns False: interoperability with OpenGL is not supported. */
static PyObject *
driver_have_gl_ext(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    Py_RETURN_FALSE;
}

static PyObject *
driver_bitlog2(PyObject *unused, PyObject *object)
{
    (void)unused;
    size_t value;
    if (core_size(object, &value) < 0) {
        return NULL;
    }
    return PyLong_FromLong(value < 2 ? 0 : 63 - __builtin_clzll(value));
}

/* Returns "gpu" or "cpu": the kind of driver that is loaded. */
static PyObject *
driver_device_kind(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    if (core_open() < 0) {
        return NULL;
    }
    return PyUnicode_FromString(core.is_cpu ? "cpu" : "gpu");
}

static PyMethodDef functions[] = {
    {"init", CORE_METHOD(driver_init),
     "init(flags=0)\n--\n\n"
     "Initialise the driver; needed before all else, and without effect "
     "later. Raises RuntimeError if there is no device."},
    {"get_version", driver_get_version, METH_NOARGS,
     "get_version()\n--\n\n"
     "Return the CUDA version whose interface is used: (major, minor, "
     "revision)."},
    {"get_driver_version", driver_get_driver_version, METH_NOARGS,
     "get_driver_version()\n--\n\n"
     "Return the CUDA version of the driver as 1000 * major + 10 * "
     "minor."},
    {"have_gl_ext", driver_have_gl_ext, METH_NOARGS,
     "have_gl_ext()\n--\n\n"
     "Return False: there is no OpenGL interoperation."},
    {"bitlog2", driver_bitlog2, METH_O,
     "bitlog2(value, /)\n--\n\n"
     "Return floor(log2 n) of an int; 0 for 0."},
    {"_device_kind", driver_device_kind, METH_NOARGS, NULL},
    {NULL},
};

int
core_device_setup(PyObject *module)
{
    if (core_add_headless_type(module, &core.device_type, &device_spec) < 0) {
        return -1;
    }
    return core_add_functions(module, functions);
}
