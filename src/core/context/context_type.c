/* context_type.c - the type Context, a CUDA context, with the methods that act
 * on the current context.
 *
 * A Context that is never detached is released when its last reference is
 * dropped, on the thread that drops the reference. If only objects of its own
 * context-local storage (local_storage.c) refer to it, Python's garbage
 * collector releases it. `valid` becomes false once and stays false. Objects
 * of an invalid context have no native resource left to release.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/cublas.h"
#include "core/context/context.h"
#include "core/context/context_list.h"
#include "core/context/device.h"
#include "core/context/local_storage.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/launch/diagnostics.h"
#include "core/launch/throttle.h"
#include "core/memory/default_pool.h"
#include "core/memory/pending_copies.h"
#include "core/memory/scratch.h"
#include "core/memory/staging.h"
#include "core/python/args.h"
#include "core/python/enums.h"
#include "core/python/errors.h"
#include "core/python/gil.h"
#include "core/python/interrupt.h"
#include "core/python/locks.h"
#include "core/python/object.h"
#include "core/state.h"
#include "core/stream/graph_links.h"

/* Releases the native context and all objects that it owns. Called once per
 * context. Releases the GIL while it calls the driver. */
static CUresult
context_release(struct core_context *self)
{
    CUresult code = CUDA_SUCCESS;
    if (core.forked) {
        WRITE_SHARED(self->valid, false);
        WRITE_SHARED(self->guarded, true);
        return CUDA_SUCCESS;
    }
    core_local_drop(self);
    core_cublas_drop(self);
    core_pending_copies_drop(self);
    core_staging_drop(self);
    core_throttles_drop(self);
    core_scratch_drop_all(self);
    core_pool_destroy(self);
    core_graph_links_end(self);
    if (!self->valid) {
        return CUDA_SUCCESS; /* another thread has released the context */
    }
    WRITE_SHARED(self->valid, false);
    WRITE_SHARED(self->guarded, true);
    core_contexts_guard();
    /* drop the context-local objects that other threads have added since
     * core_local_drop was first called */
    core_local_drop(self);
    CUcontext handle = self->handle;
    CUdevice device = self->device;
    enum core_context_kind kind = self->kind;
    PyThreadState *thread = core_gil_release();
    if (kind == CONTEXT_CREATED) {
        code = driver.cuCtxDestroy(handle);
    } else if (kind == CONTEXT_PRIMARY) {
        code = driver.cuDevicePrimaryCtxRelease(device);
    }
    core_gil_acquire(thread);
    return code;
}

/* Destructor. Releases the native context if it is still valid. Releasing it
 * drops the context-local storage, too; core_local_drop is called again for
 * objects that other threads added while the GIL was released. */
static void
context_dealloc(PyObject *op)
{
    struct core_context *self = (struct core_context *)op;
    core_object_begin_dealloc(op);
    core_contexts_remove(self);
    if (self->valid) {
        context_release(self);
    }
    core_local_drop(self);
    core_pending_copies_drop(self);
    core_staging_drop(self);
    core_throttles_drop(self);
    core_scratch_drop_all(self);
    core_pool_destroy(self);
    /* the device memory in the list `deferred` was freed with the context */
    PyMem_Free(self->deferred);
    PyMem_Free(self->streams);
    Py_CLEAR(self->held);
    core_launch_records_clear(self);
#ifdef Py_GIL_DISABLED
    core_lock_reuse(self->lock);
#endif
    core_object_end_dealloc(op);
}

static int
context_traverse(PyObject *op, visitproc visit, void *arg)
{
    struct core_context *self = (struct core_context *)op;
    int status = core_local_traverse(self, visit, arg);
    if (status == 0) {
        status = core_scratch_traverse(self, visit, arg);
    }
    Py_VISIT(self->held);
    return status == 0 ? core_object_traverse(op, visit, arg) : status;
}

/* tp_clear: drops the objects that the context owns (context-local storage,
 * scratch memory, captured objects), since they may refer back to it. */
static int
context_clear(PyObject *op)
{
    struct core_context *self = (struct core_context *)op;
    core_local_drop(self);
    core_scratch_drop_all(self);
    Py_CLEAR(self->held);
    return core_object_clear(op);
}

/* Calls the Python function that _set_context_end has registered, so that
 * Python modules drop what they cache for the context. */
static void
context_end_notify(PyObject *op)
{
    PyObject *result = core.context_end == NULL
                           ? Py_NewRef(Py_None)
                           : PyObject_CallOneArg(core.context_end, op);
    if (result == NULL) {
        PyErr_WriteUnraisable(op);
    }
    Py_XDECREF(result);
}

/* Method detach(): releases the native context. If it was current, makes the
 * context on top of this thread's stack current. Then calls the Python
 * function that was registered by _set_context_end. The field `ending`
 * prevents a second release by another thread. */
static PyObject *
context_detach_held(PyObject *op)
{
    struct core_context *self = (struct core_context *)op;
    if (!self->valid || self->ending) {
        core_fail(CUDA_ERROR_INVALID_CONTEXT, "context::detach",
                  "cannot detach from invalid context");
        return NULL;
    }
    /* Another thread could call detach() while context_release has released
     * the GIL. */
    self->ending = true;
    CUcontext current = NULL;
    driver.cuCtxGetCurrent(&current);
    bool was_current = current == self->handle;
    if (core_check(context_release(self), self->kind == CONTEXT_PRIMARY
                                              ? "cuDevicePrimaryCtxRelease"
                                              : "cuCtxDestroy") < 0) {
        return NULL;
    }
    if (was_current && core_stack_restore() < 0) {
        return NULL;
    }
    context_end_notify(op);
    Py_RETURN_NONE;
}

static PyObject *
context_detach(PyObject *op, PyObject *unused)
{
    (void)unused;
    /* A signal handler may raise an exception during the wait for the device.
     * The exception is raised in this thread only at the end of detach(), so
     * that it does not interrupt the Python code that context_end_notify
     * calls. */
    core_interrupt_postpone();
    return core_interrupt_resume(context_detach_held(op));
}

/* Makes the context current in CUDA and pushes it on this thread's stack. */
static PyObject *
context_push(PyObject *op, PyObject *unused)
{
    (void)unused;
    struct core_context *self = (struct core_context *)op;
    if (!self->valid || core.forked) {
        core_fail(core.forked ? CUDA_ERROR_NOT_INITIALIZED
                              : CUDA_ERROR_INVALID_CONTEXT,
                  "cuCtxPushCurrent",
                  core.forked ? NULL : "this context was detached");
        return NULL;
    }
    if (core_check(driver.cuCtxSetCurrent(self->handle), "cuCtxPushCurrent") <
            0 ||
        core_stack_push(self) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Pops the top of this thread's stack and makes the next context current. */
static PyObject *
context_pop(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    struct core_context *top = core_stack_pop();
    if (top == NULL) {
        core_fail(CUDA_ERROR_INVALID_CONTEXT, "context::pop",
                  "cannot pop non-current context: this thread has no "
                  "current context");
        return NULL;
    }
    int status = core.forked ? 0 : core_stack_restore();
    Py_DECREF((PyObject *)top);
    if (status < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Returns a Context for CUDA's current context, which another library created,
 * and pushes it. The Context never destroys the native context. */
static PyObject *
context_attach(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {"attach", 0, {"flags"}};
    PyObject *values[1];
    unsigned flags;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        (values[0] != NULL && core_unsigned(values[0], &flags) < 0) ||
        core_open() < 0) {
        return NULL;
    }
    CUcontext handle = NULL;
    CUdevice device = 0;
    if (core_check(driver.cuCtxGetCurrent(&handle), "cuCtxAttach") < 0) {
        return NULL;
    }
    if (handle == NULL) {
        core_fail(CUDA_ERROR_INVALID_CONTEXT, "cuCtxAttach",
                  "no context is current in this thread");
        return NULL;
    }
    if (core_check(driver.cuCtxGetDevice(&device), "cuCtxGetDevice") < 0) {
        return NULL;
    }
    PyObject *self = core_context_wrap(handle, device, CONTEXT_FOREIGN);
    if (self != NULL && core_stack_push((struct core_context *)self) < 0) {
        Py_CLEAR(self);
    }
    return self;
}

static PyObject *
context_get_current(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    struct core_context *top = core_stack_top();
    return Py_NewRef(top == NULL ? Py_None : (PyObject *)top);
}

static PyObject *
context_get_device(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    struct core_context *current = core_current();
    return current == NULL ? NULL : core_device_object(current->device);
}

/* Method synchronize(): waits without the GIL for all work of the current
 * context, then drops the references that pending copies hold. */
static PyObject *
context_synchronize(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    struct core_context *current = core_current();
    if (current == NULL) {
        return NULL;
    }
    Py_INCREF((PyObject *)current);
    CUresult code = core_throttles_wait(current);
    core_pending_copies_poll(current);
    Py_DECREF((PyObject *)current);
    if (core_check(code, "cuCtxSynchronize") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
context_set_limit(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {"set_limit", 2, {"", ""}};
    PyObject *values[2];
    unsigned which;
    size_t value;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_unsigned(values[0], &which) < 0 ||
        core_size(values[1], &value) < 0 || core_current() == NULL ||
        core_check(driver.cuCtxSetLimit((CUlimit)which, value),
                   "cuCtxSetLimit") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
context_get_limit(PyObject *unused, PyObject *which_object)
{
    (void)unused;
    unsigned which;
    size_t value;
    if (core_unsigned(which_object, &which) < 0 || core_current() == NULL ||
        core_check(driver.cuCtxGetLimit(&value, (CUlimit)which),
                   "cuCtxGetLimit") < 0) {
        return NULL;
    }
    return PyLong_FromSize_t(value);
}

static PyObject *
context_get_cache_config(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    CUfunc_cache value;
    if (core_current() == NULL ||
        core_check(driver.cuCtxGetCacheConfig(&value), "cuCtxGetCacheConfig") <
            0) {
        return NULL;
    }
    return core_enum("func_cache", (long)value);
}

static PyObject *
context_set_cache_config(PyObject *unused, PyObject *value)
{
    (void)unused;
    unsigned config;
    if (core_unsigned(value, &config) < 0 || core_current() == NULL ||
        core_check(driver.cuCtxSetCacheConfig((CUfunc_cache)config),
                   "cuCtxSetCacheConfig") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
context_get_shared_config(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    CUsharedconfig value;
    if (core_current() == NULL ||
        core_check(driver.cuCtxGetSharedMemConfig(&value),
                   "cuCtxGetSharedMemConfig") < 0) {
        return NULL;
    }
    return core_enum("shared_config", (long)value);
}

static PyObject *
context_set_shared_config(PyObject *unused, PyObject *value)
{
    (void)unused;
    unsigned config;
    if (core_unsigned(value, &config) < 0 || core_current() == NULL ||
        core_check(driver.cuCtxSetSharedMemConfig((CUsharedconfig)config),
                   "cuCtxSetSharedMemConfig") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Returns `object` as a Context, borrowed. Raises TypeError for another type,
 * and LogicError if the context was detached. */
static struct core_context *
context_argument(PyObject *object)
{
    if (!PyObject_TypeCheck(object, core.context_type)) {
        PyErr_Format(PyExc_TypeError, "expected a Context, got %s",
                     Py_TYPE(object)->tp_name);
        return NULL;
    }
    struct core_context *context = (struct core_context *)object;
    if (!context->valid) {
        core_fail(CUDA_ERROR_INVALID_CONTEXT, "context",
                  "this context was detached");
        return NULL;
    }
    return context;
}

/* Lets the current context access the memory of `peer`. */
static PyObject *
context_enable_peer_access(PyObject *unused, CORE_ARGS)
{
    (void)unused;
    static const struct core_signature signature = {
        "enable_peer_access", 1, {"peer", "flags"}};
    PyObject *values[2];
    unsigned flags = 0;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        (values[1] != NULL && core_unsigned(values[1], &flags) < 0)) {
        return NULL;
    }
    struct core_context *peer = context_argument(values[0]);
    if (peer == NULL || core_current() == NULL ||
        core_check(driver.cuCtxEnablePeerAccess(peer->handle, flags),
                   "cuCtxEnablePeerAccess") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
context_disable_peer_access(PyObject *unused, PyObject *object)
{
    (void)unused;
    struct core_context *peer = context_argument(object);
    if (peer == NULL || core_current() == NULL ||
        core_check(driver.cuCtxDisablePeerAccess(peer->handle),
                   "cuCtxDisablePeerAccess") < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *
context_get_api_version(PyObject *op, PyObject *unused)
{
    (void)unused;
    unsigned version = 0;
    struct core_context *self = context_argument(op);
    if (self == NULL ||
        core_check(driver.cuCtxGetApiVersion(self->handle, &version),
                   "cuCtxGetApiVersion") < 0) {
        return NULL;
    }
    return PyLong_FromUnsignedLong(version);
}

static PyObject *
context_enter(PyObject *op, PyObject *unused)
{
    PyObject *pushed = context_push(op, unused);
    if (pushed == NULL) {
        return NULL;
    }
    Py_DECREF(pushed);
    return Py_NewRef(op);
}

static PyObject *
context_exit(PyObject *op, CORE_ARGS)
{
    (void)args;
    (void)nargs;
    (void)names;
    return context_pop(op, NULL);
}

static PyObject *
context_priority_range(PyObject *unused_self, PyObject *unused)
{
    (void)unused_self;
    (void)unused;
    int least, greatest;
    if (core_current() == NULL ||
        core_check(driver.cuCtxGetStreamPriorityRange(&least, &greatest),
                   "cuCtxGetStreamPriorityRange") < 0) {
        return NULL;
    }
    return Py_BuildValue("(ii)", least, greatest);
}

static PyObject *
context_handle(PyObject *op, void *unused)
{
    (void)unused;
    return PyLong_FromVoidPtr(((struct core_context *)op)->handle);
}

/* Returns whether two Contexts are the same native context. A detached Context
 * equals only itself, since the driver reuses the handle of a destroyed
 * context. */
static bool
context_same(const struct core_context *a, const struct core_context *b)
{
    return a == b || (a->handle == b->handle && a->valid && b->valid);
}

static PyObject *
context_compare(PyObject *a, PyObject *b, int operation)
{
    if (operation != Py_EQ && operation != Py_NE) {
        Py_RETURN_NOTIMPLEMENTED;
    }
    bool equal =
        Py_IS_TYPE(b, core.context_type) &&
        context_same((struct core_context *)a, (struct core_context *)b);
    return PyBool_FromLong(equal == (operation == Py_EQ));
}

/* Hashes the native handle, whose lowest 4 bits are zero. A hash of -1 would
 * mean an error. */
static Py_hash_t
context_hash(PyObject *op)
{
    Py_hash_t hash =
        (Py_hash_t)((uintptr_t)((struct core_context *)op)->handle >> 4);
    return hash == -1 ? -2 : hash;
}

static PyMethodDef context_methods[] = {
    {"attach", CORE_METHOD(context_attach) | METH_STATIC,
     "Push a Context for the native context that another library has made "
     "current in CUDA."},
    {"detach", context_detach, METH_NOARGS,
     "Destroy the context with all objects in it; a primary context and one "
     "of another library are only released."},
    {"push", context_push, METH_NOARGS,
     "Make the context current in this thread, on top of its stack. "
     "Raises LogicError if the context was destroyed."},
    {"pop", context_pop, METH_NOARGS | METH_STATIC,
     "Remove the context on top of this thread's stack. Raises "
     "LogicError if there is none."},
    {"get_current", context_get_current, METH_NOARGS | METH_STATIC,
     "Return the context on top of this thread's stack, or None."},
    {"get_device", context_get_device, METH_NOARGS | METH_STATIC,
     "Return the Device of the current context. Raises LogicError if "
     "this thread has none."},
    {"synchronize", context_synchronize, METH_NOARGS | METH_STATIC,
     "Wait for all work in the current context. Raises the error of a "
     "kernel that has failed: LogicError for an invalid address or a "
     "failed assert, LaunchError otherwise."},
    {"set_limit", CORE_METHOD(context_set_limit) | METH_STATIC,
     "Set a limit, such as limit.STACK_SIZE (bytes per thread), of "
     "the current context."},
    {"get_limit", context_get_limit, METH_O | METH_STATIC,
     "Return a limit of the current context, in bytes or as a count."},
    {"get_cache_config", context_get_cache_config, METH_NOARGS | METH_STATIC,
     "Return the func_cache of the current context."},
    {"set_cache_config", context_set_cache_config, METH_O | METH_STATIC,
     "Set the func_cache that kernels without one of their own use. "
     "It is a hint."},
    {"get_shared_config", context_get_shared_config, METH_NOARGS | METH_STATIC,
     "Return the shared_config of the current context."},
    {"set_shared_config", context_set_shared_config, METH_O | METH_STATIC,
     "Set the shared_config of the current context."},
    {"enable_peer_access",
     CORE_METHOD(context_enable_peer_access) | METH_STATIC,
     "Let kernels of the current context access memory of the context "
     "`peer`. Raises LogicError if the devices cannot."},
    {"disable_peer_access", context_disable_peer_access, METH_O | METH_STATIC,
     "End the access to memory of another context."},
    {"priority_range", context_priority_range, METH_NOARGS | METH_STATIC,
     "Return (least, greatest) priority of streams; the greatest priority "
     "is the lowest number."},
    {"__enter__", context_enter, METH_NOARGS, "Push."},
    {"__exit__", CORE_METHOD(context_exit), "Pop."},
    {"get_api_version", context_get_api_version, METH_NOARGS,
     "Return the version of the driver API that the context has."},
    {NULL},
};

static PyGetSetDef context_getset[] = {
    {"handle", context_handle, NULL, "CUcontext as an int", NULL},
    {NULL},
};

static PyType_Slot context_slots[] = {
    {Py_tp_doc, "A CUDA context. Its memory, streams and other objects are "
                "freed with it."},
    {Py_tp_new, core_no_new},
    {Py_tp_dealloc, context_dealloc},
    {Py_tp_traverse, context_traverse},
    {Py_tp_clear, context_clear},
    {Py_tp_richcompare, context_compare},
    {Py_tp_hash, context_hash},
    {Py_tp_methods, context_methods},
    {Py_tp_getset, context_getset},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

static PyType_Spec context_spec = {
    .name = "pycuda._driver.Context",
    .basicsize = sizeof(struct core_context),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = context_slots,
};

int
core_context_setup(PyObject *module)
{
    return core_add_type(module, &core.context_type, &context_spec, NULL);
}
