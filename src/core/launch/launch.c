/* launch.c - slow path of kernel launches, from a call of a Function to
 * cuLaunchKernel.
 *
 * f(...) and prepared_call arrive here from fast_path.c if a call does not
 * repeat the previous one; the other prepared calls arrive directly. The
 * common case allocates nothing. The GIL is kept, since a release costs a
 * thread switch if another thread is busy, unless the launch may have to wait
 * for the device (throttle.c).
 *
 * SPDX-License-Identifier: MIT */
#include "core/launch/argument_handler.h"
#include "core/launch/inline.h"
#include "core/launch/legacy.h"
#include "core/numpy.h"
#include "core/stream/current_stream.h"
#include "core/texture/texture_reference.h"

#include <time.h>

static inline CUresult
launch_now(CUfunction function, const unsigned grid[3],
           const unsigned block[3], unsigned shared, CUstream stream,
           void **arguments, void **extra)
{
    return driver.cuLaunchKernel(function, grid[0], grid[1], grid[2], block[0],
                                 block[1], block[2], shared, stream, arguments,
                                 extra);
}

/* Launches without the GIL. Holds a reference to the context's compiled
 * kernels, which another thread may drop in that time. */
static __attribute__((noinline)) CUresult
launch_without_gil(struct core_context *context, CUfunction function,
                   const unsigned grid[3], const unsigned block[3],
                   unsigned shared, CUstream stream, void **arguments,
                   void **extra)
{
    PyObject *kernels = Py_XNewRef(context->local[CORE_LOCAL_KERNELS]);
    CUresult code;
    PyThreadState *thread = core_gil_release();
    code = launch_now(function, grid, block, shared, stream, arguments, extra);
    core_gil_acquire(thread);
    Py_XDECREF(kernels);
    return code;
}

/* Launches a second time if core_launch_may_retry says so. */
static __attribute__((noinline)) CUresult
launch_retry(CUresult code, struct core_context *context, CUfunction function,
             const unsigned grid[3], const unsigned block[3], unsigned shared,
             CUstream stream, void **arguments, void **extra)
{
    PyObject *kernels = Py_XNewRef(context->local[CORE_LOCAL_KERNELS]);
    bool tried = false;
    if (core_launch_may_retry(code, context, &tried)) {
        code = launch_now(function, grid, block, shared, stream, arguments,
                          extra);
    }
    Py_XDECREF(kernels);
    return code;
}

/* Counts the launch, and launches: without the GIL if the driver's queue may
 * be full. If device memory is exhausted, retries once. */
static inline CUresult
launch_counted(struct core_context *context, CUfunction function,
               const unsigned grid[3], const unsigned block[3],
               unsigned shared, CUstream stream, void **arguments,
               void **extra)
{
    CUresult code = LIKELY(!core_throttle_add(context, stream))
                        ? launch_now(function, grid, block, shared, stream,
                                     arguments, extra)
                        : launch_without_gil(context, function, grid, block,
                                             shared, stream, arguments, extra);
    return LIKELY(code == CUDA_SUCCESS)
               ? code
               : launch_retry(code, context, function, grid, block, shared,
                              stream, arguments, extra);
}

/* Does the work of launch_counted for other files. Raises no exception. */
CUresult
core_launch_counted(struct core_context *context, CUfunction function,
                    const unsigned grid[3], const unsigned block[3],
                    unsigned shared, CUstream stream, void **arguments,
                    void **extra)
{
    return launch_counted(context, function, grid, block, shared, stream,
                          arguments, extra);
}

/* Allows `bytes` of dynamic shared memory. Caches the allowed size, so that
 * the driver is asked only about larger ones. */
int
core_shared_allow(struct core_function *function, size_t bytes)
{
    if (bytes <= function->shared_allowed || bytes > INT32_MAX) {
        return 0;
    }
    int allowed;
    if (core_check(driver.cuFuncGetAttribute(
                       &allowed,
                       CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                       function->handle),
                   "cuFuncGetAttribute") < 0) {
        return -1;
    }
    if (bytes <= (size_t)allowed) {
        bytes = (size_t)allowed;
    } else if (driver.cuFuncSetAttribute(
                   function->handle,
                   CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                   (int)bytes) != CUDA_SUCCESS) {
        return 0; /* the launch reports the error */
    }
    function->shared_allowed = bytes;
    return 0;
}

/* Launches by cuLaunchKernelEx: a cooperative launch, or one with clusters. */
static CUresult
launch_extended(struct core_function *function, const unsigned grid[3],
                const unsigned block[3], unsigned shared,
                struct core_pack *pack, void **extra)
{
    CUlaunchAttribute attributes[2];
    unsigned count = 0;
    memset(attributes, 0, sizeof attributes);
    if (pack->cooperative) {
        attributes[count].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attributes[count++].value.cooperative = 1;
    }
    if (pack->cluster[0] != 0) {
        attributes[count].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attributes[count].value.clusterDim.x = pack->cluster[0];
        attributes[count].value.clusterDim.y = pack->cluster[1];
        attributes[count++].value.clusterDim.z = pack->cluster[2];
    }
    CUlaunchConfig config = {
        .gridDimX = grid[0],
        .gridDimY = grid[1],
        .gridDimZ = grid[2],
        .blockDimX = block[0],
        .blockDimY = block[1],
        .blockDimZ = block[2],
        .sharedMemBytes = shared,
        .hStream = pack->stream,
        .attrs = attributes,
        .numAttrs = count,
    };
    core_throttle_add(function->context, pack->stream);
    void **arguments = extra == NULL ? pack->pointers : NULL;
    bool tried = false;
    CUresult code;
    do {
        PyThreadState *thread = core_gil_release();
        code = driver.cuLaunchKernelEx(&config, function->handle, arguments,
                                       extra);
        core_gil_acquire(thread);
    } while (core_launch_may_retry(code, function->context, &tried));
    return code;
}

/* Records a successful launch for error messages, or raises the error. */
static int
launch_finish(CUresult code, struct core_function *function,
              const unsigned grid[3], const unsigned block[3], unsigned shared,
              struct core_pack *pack)
{
    if (LIKELY(code == CUDA_SUCCESS)) {
        launch_record(function->context, function->name, NULL, grid, block);
        return 0;
    }
    return core_launch_fail(code, function, grid, block, shared, pack);
}

/* Slow path of launch_packed: handles the cases that its condition lists. */
static __attribute__((noinline)) int
launch_slow(struct core_function *function, const unsigned grid[3],
            const unsigned block[3], unsigned shared, struct core_pack *pack)
{
    if (!function->context->valid) {
        return core_context_fail_detached("cuLaunchKernel");
    }
    if (function->module->textures != NULL &&
        core_textures_update(function->module, pack->stream) < 0) {
        return -1;
    }
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, pack->buffer,
                     CU_LAUNCH_PARAM_BUFFER_SIZE, &pack->bytes,
                     CU_LAUNCH_PARAM_END};
    bool buffer = pack->as_buffer;
    CUresult code;
    if (core_shared_allow(function, shared) < 0) {
        return -1;
    }
    if (pack->cooperative || pack->cluster[0] != 0) {
        code = launch_extended(function, grid, block, shared, pack,
                               buffer ? extra : NULL);
    } else {
        code = core_launch_counted(function->context, function->handle, grid,
                                   block, shared, pack->stream,
                                   buffer ? NULL : pack->pointers,
                                   buffer ? extra : NULL);
    }
    return launch_finish(code, function, grid, block, shared, pack);
}

/* Launches with packed arguments; calls launch_slow in special cases. */
static inline int
launch_packed(struct core_function *function, const unsigned grid[3],
              const unsigned block[3], unsigned shared, struct core_pack *pack)
{
    struct core_context *context = function->context;
    if (UNLIKELY(!context->valid || function->module->textures != NULL ||
                 shared > function->shared_allowed || pack->as_buffer ||
                 pack->cooperative || pack->cluster[0] != 0)) {
        return launch_slow(function, grid, block, shared, pack);
    }
    CUresult code = launch_counted(context, function->handle, grid, block,
                                   shared, pack->stream, pack->pointers, NULL);
    return launch_finish(code, function, grid, block, shared, pack);
}

int
core_launch_packed(struct core_function *function, const unsigned grid[3],
                   const unsigned block[3], unsigned shared,
                   struct core_pack *pack)
{
    return launch_packed(function, grid, block, shared, pack);
}

/* Reads the function's grid or block. A new tuple may differ from the recorded
 * launch, so `noted`, which states that they are equal, is reset. */
static inline int
shape_read(struct core_function *function, struct core_shape *shape,
           PyObject *object, const char *what, unsigned out[3])
{
    if (shape->tuple != object) {
        function->noted = 0;
    }
    return core_shape_read_cached(shape, object, what, out);
}

/* Keyword arguments of one call, borrowed; NULL if absent. */
struct call {
    PyObject *grid, *block, *stream, *shared, *texrefs, *time_kernel;
    PyObject *cooperative, *cluster;
};

/* Returns the field for a keyword; NULL: unknown. Compares pointers first. */
static PyObject **
keyword_find(struct call *call, PyObject *name)
{
    const struct {
        PyObject *name, **value;
    } rows[] = {
        {core.str_block, &call->block},
        {core.str_grid, &call->grid},
        {core.str_stream, &call->stream},
        {core.str_shared, &call->shared},
        {core.str_texrefs, &call->texrefs},
        {core.str_time_kernel, &call->time_kernel},
        {core.str_cooperative, &call->cooperative},
        {core.str_cluster, &call->cluster},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].name == name) {
            return rows[i].value;
        }
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (PyUnicode_Compare(rows[i].name, name) == 0) {
            return rows[i].value;
        }
    }
    return NULL;
}

/* Raises a ValueError that lists the unknown keywords. */
static int
extra_keywords(PyObject *names)
{
    PyObject *extra = PyList_New(0);
    struct call call;
    for (Py_ssize_t i = 0; extra != NULL && i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        if (keyword_find(&call, name) == NULL &&
            PyList_Append(extra, name) < 0) {
            Py_CLEAR(extra);
        }
    }
    PyObject *comma = PyUnicode_FromString(",");
    PyObject *text =
        extra == NULL || comma == NULL ? NULL : PyUnicode_Join(comma, extra);
    if (text != NULL) {
        PyErr_Format(PyExc_ValueError, "extra keyword arguments: %U", text);
    }
    Py_XDECREF(text);
    Py_XDECREF(comma);
    Py_XDECREF(extra);
    return -1;
}

/* Caches keyword names that are only block, or block and grid. The tuple is a
 * constant of the caller's code, so the next call passes the same object. */
static void
names_learn(struct core_function *function, PyObject *names)
{
    Py_ssize_t count = PyTuple_GET_SIZE(names);
    int grid_at = -1;
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        if (name == core.str_grid && grid_at < 0) {
            grid_at = (int)i;
        } else if (name != core.str_block) {
            return;
        }
    }
    if (count == 1 + (grid_at >= 0)) {
        Py_XSETREF(function->names, Py_NewRef(names));
        function->grid_at = grid_at;
    }
}

/* Reads the keyword arguments. Looks nothing up if the tuple is cached. */
static int
call_read(struct core_function *function, struct call *call,
          PyObject *const *values, PyObject *names)
{
    *call = (struct call){0};
    if (LIKELY(names != NULL && names == function->names)) {
        call->block = values[function->grid_at == 0];
        call->grid = function->grid_at < 0 ? NULL : values[function->grid_at];
        if (LIKELY(call->block != Py_None)) {
            return 0;
        }
    } else if (names != NULL) {
        names_learn(function, names);
    }
    Py_ssize_t count = names == NULL ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject **place = keyword_find(call, PyTuple_GET_ITEM(names, i));
        if (place == NULL) {
            return extra_keywords(names);
        }
        *place = values[i];
    }
    if (call->block == NULL || call->block == Py_None) {
        PyErr_SetString(PyExc_ValueError, "must specify block size");
        return -1;
    }
    return 0;
}

/* Calls `step` for every ArgumentHandler among the arguments. */
static int
handlers_run(PyObject *const *args, Py_ssize_t count, PyObject *stream,
             int (*step)(PyObject *, PyObject *))
{
    for (Py_ssize_t i = 0; i < count; i++) {
        if (PyObject_TypeCheck(args[i], core.handler_type) &&
            step(args[i], stream) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Waits for all work of the context, without the GIL. */
static int
context_wait(struct core_context *context)
{
    return core_check(core_throttles_wait(context), "cuCtxSynchronize");
}

static double
seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Copies In, launches, copies Out. Returns the seconds if `timed`, or None. */
static PyObject *
call_run(struct core_function *function, PyObject *const *args,
         Py_ssize_t count, const unsigned grid[3], const unsigned block[3],
         unsigned shared, bool timed, struct core_pack *pack)
{
    PyObject *stream =
        pack->stream_object == NULL ? Py_None : pack->stream_object;
    double start = 0;
    if (pack->handlers &&
        handlers_run(args, count, stream, core_handler_before_launch) < 0) {
        return NULL;
    }
    if (timed) {
        if (context_wait(function->context) < 0) {
            return NULL;
        }
        start = seconds_now();
    }
    if (core_launch_packed(function, grid, block, shared, pack) < 0) {
        return NULL;
    }
    if (!timed && !pack->handlers) {
        Py_RETURN_NONE;
    }
    if ((timed || (pack->stream == NULL && pack->outputs)) &&
        context_wait(function->context) < 0) {
        return NULL;
    }
    double seconds = timed ? seconds_now() - start : 0;
    if (pack->outputs &&
        handlers_run(args, count, stream, core_handler_after_launch) < 0) {
        return NULL;
    }
    return timed ? PyFloat_FromDouble(seconds) : Py_NewRef(Py_None);
}

/* Reads the keyword arguments that PyCUDA lacks: cooperative and cluster. */
static int
options_read(const struct call *call, struct core_pack *pack)
{
    if (call->cooperative != NULL) {
        int truth = PyObject_IsTrue(call->cooperative);
        if (truth < 0) {
            return -1;
        }
        pack->cooperative = truth;
    }
    if (call->cluster == NULL || call->cluster == Py_None) {
        return 0;
    }
    if (core_dimensions(call->cluster, "cluster", pack->cluster) < 0) {
        return -1;
    }
    if (pack->cluster[0] == 0) {
        PyErr_SetString(PyExc_ValueError,
                        "the dimensions of cluster must be 1 or more");
        return -1;
    }
    return 0;
}

/* Slow path of f(...), a call of a Function. */
PyObject *
core_function_call(struct core_function *function, PyObject *const *args,
                   Py_ssize_t count, PyObject *names)
{
    struct call call;
    unsigned grid[3] = {1, 1, 1}, block[3], shared = 0;
    if (call_read(function, &call, args + count, names) < 0 ||
        shape_read(function, &function->block, call.block, "block", block) <
            0 ||
        (call.grid != NULL &&
         shape_read(function, &function->grid, call.grid, "grid", grid) < 0) ||
        (call.shared != NULL && core_unsigned(call.shared, &shared) < 0)) {
        return NULL;
    }
    if (UNLIKELY(call.texrefs != NULL) &&
        core_texrefs_check(call.texrefs) < 0) {
        return NULL;
    }
    int timed =
        call.time_kernel == NULL ? 0 : PyObject_IsTrue(call.time_kernel);
    if (timed < 0) {
        return NULL;
    }
    if (timed && call.stream != NULL && call.stream != Py_None) {
        PyErr_SetString(PyExc_AssertionError,
                        "time_kernel works only without a stream");
        return NULL;
    }
    if (function->context->captures != 0 &&
        core_capture_hold_call(function, args, count) < 0) {
        return NULL;
    }
    struct core_pack pack;
    PyObject *result = NULL;
    if (pack_begin(&pack, &function->layout, call.stream) == 0 &&
        (LIKELY(call.cooperative == NULL && call.cluster == NULL) ||
         options_read(&call, &pack) == 0) &&
        core_pack_arguments(function, args, count, &pack) == 0) {
        result =
            call_run(function, args, count, grid, block, shared, timed, &pack);
    }
    pack_end(&pack);
    return result;
}

/* Reads shared_size, the only keyword of the prepared calls. */
static int
shared_size_read(PyObject *const *values, PyObject *names, unsigned *shared)
{
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        if (name != core.str_shared_size &&
            PyUnicode_Compare(name, core.str_shared_size) != 0) {
            PyErr_Format(PyExc_TypeError, "unknown keyword arguments: %U",
                         name);
            return -1;
        }
        if (core_unsigned(values[i], shared) < 0) {
            return -1;
        }
    }
    return 0;
}

/* Arguments of a prepared call, after checks. */
struct prepared {
    unsigned grid[3], block[3], shared;
    bool old; /* no block: `args` begins one position earlier */
    PyObject *const *args;
    Py_ssize_t count;
};

/* Returns whether a prepared call has no block, as in old programs that call
 * _set_block_shape; `block` is then the first kernel argument. */
static __attribute__((noinline)) bool
block_is_omitted(const struct core_function *function, PyObject *block,
                 Py_ssize_t count)
{
    if (PyTuple_Check(block) || PyList_Check(block)) {
        return false;
    }
    return count + 1 == (Py_ssize_t)function->format->count ||
           !(PyLong_Check(block) || PyArray_IsScalar(block, Integer));
}

/* Reads the block from _set_block_shape, with a DeprecationWarning. TypeError
 * if that was not called. */
static __attribute__((noinline)) int
block_from_legacy(struct core_function *function, const char *method,
                  PyObject *given, struct prepared *call)
{
    if (!core_block_shape(function, call->block, &call->shared)) {
        PyErr_Format(PyExc_TypeError,
                     "%s() of kernel '%U': block must be a tuple of 1 to 3 "
                     "ints, not %s",
                     method, function->name, Py_TYPE(given)->tp_name);
        return -1;
    }
    call->args--;
    call->count++;
    call->old = true;
    return PyErr_WarnFormat(PyExc_DeprecationWarning, 1,
                            "Not passing the block size to %s is deprecated",
                            method);
}

/* Reads the first `leading` arguments of a prepared call: grid, block and
 * perhaps the stream. RuntimeError without prepare(). */
static int
prepared_read(struct core_function *function, const char *method,
              Py_ssize_t leading, struct prepared *call, CORE_ARGS)
{
    if (function->format == NULL) {
        PyErr_Format(PyExc_RuntimeError,
                     "%s() of kernel '%U': call prepare() first", method,
                     function->name);
        return -1;
    }
    if (nargs < leading) {
        PyErr_Format(PyExc_TypeError, "%s() needs %zd leading arguments",
                     method, leading);
        return -1;
    }
    call->args = args + leading;
    call->count = nargs - leading;
    call->shared = 0;
    call->old = false;
    if (shape_read(function, &function->grid, args[0], "grid", call->grid) <
        0) {
        return -1;
    }
    if (UNLIKELY(function->block.tuple != args[1] &&
                 block_is_omitted(function, args[1], call->count))) {
        if (block_from_legacy(function, method, args[1], call) < 0) {
            return -1;
        }
    } else if (shape_read(function, &function->block, args[1], "block",
                          call->block) < 0) {
        return -1;
    }
    return names == NULL
               ? 0
               : shared_size_read(args + nargs, names, &call->shared);
}

/* Packs the arguments by the prepared format and launches. */
static int
prepared_launch(struct core_function *function, struct prepared *call,
                PyObject *stream)
{
    struct core_pack pack;
    if (function->context->captures != 0 &&
        core_capture_hold_call(function, call->args, call->count) < 0) {
        return -1;
    }
    if (pack_begin(&pack, &function->layout, stream) < 0) {
        return -1;
    }
    int status = core_format_pack(function, call->args, call->count, &pack);
    if (status == 0) {
        status = launch_packed(function, call->grid, call->block, call->shared,
                               &pack);
    }
    pack_end(&pack);
    return status;
}

int
core_launch_prepared(PyObject *op, const unsigned grid[3],
                     const unsigned block[3], PyObject *stream,
                     PyObject *const *arguments, Py_ssize_t count)
{
    struct core_function *function = (struct core_function *)op;
    if (!Py_IS_TYPE(op, core.function_type) || function->format == NULL) {
        PyErr_SetString(PyExc_TypeError, "a prepared Function is needed");
        return -1;
    }
    struct prepared call = {.args = arguments, .count = count};
    memcpy(call.grid, grid, sizeof call.grid);
    memcpy(call.block, block, sizeof call.block);
    return prepared_launch(function, &call, stream);
}

PyObject *
core_prepared_first(struct core_function *function, CORE_ARGS)
{
    struct prepared call;
    if (prepared_read(function, "prepared_call", 2, &call, args, nargs,
                      names) < 0 ||
        prepared_launch(function, &call, NULL) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

PyObject *
core_prepared_async_call(PyObject *op, CORE_ARGS)
{
    struct core_function *function = (struct core_function *)op;
    struct prepared call;
    if (prepared_read(function, "prepared_async_call", 3, &call, args, nargs,
                      names) < 0 ||
        prepared_launch(function, &call, args[call.old ? 1 : 2]) < 0) {
        return NULL;
    }
    Py_RETURN_NONE;
}

/* Result of prepared_timed_call: two events around the launch. */
struct timer {
    CORE_HEAD
    CUevent start, end;
};

/* Waits for the end event without the GIL; returns the time in seconds. */
static PyObject *
timer_call(PyObject *op, PyObject *args, PyObject *kwargs)
{
    struct timer *self = (struct timer *)op;
    float milliseconds;
    CUresult code;
    if (PyTuple_GET_SIZE(args) > 0 || kwargs != NULL) {
        PyErr_SetString(PyExc_TypeError, "takes no arguments");
        return NULL;
    }
    if (!self->context->valid) {
        core_context_fail_detached("cuEventSynchronize");
        return NULL;
    }
    PyThreadState *thread = core_gil_release();
    code = driver.cuEventSynchronize(self->end);
    core_gil_acquire(thread);
    if (core_check(code, "cuEventSynchronize") < 0 ||
        core_check(
            driver.cuEventElapsedTime(&milliseconds, self->start, self->end),
            "cuEventElapsedTime") < 0) {
        return NULL;
    }
    return PyFloat_FromDouble(1e-3 * (double)milliseconds);
}

static void
timer_dealloc(PyObject *op)
{
    struct timer *self = (struct timer *)op;
    struct core_scope scope;
    core_object_begin_dealloc(op);
    if (core_enter(self->context, &scope)) {
        if (self->start != NULL) {
            driver.cuEventDestroy(self->start);
        }
        if (self->end != NULL) {
            driver.cuEventDestroy(self->end);
        }
        core_leave(&scope);
    }
    core_object_end_dealloc(op);
}

static PyType_Slot timer_slots[] = {
    {Py_tp_doc, "The time of one launch: call it for GPU seconds."},
    {Py_tp_new, core_no_new},
    {Py_tp_dealloc, timer_dealloc},
    {Py_tp_traverse, core_object_traverse},
    {Py_tp_clear, core_object_clear},
    {Py_tp_call, timer_call},
    {Py_tp_members, core_object_members},
    {0, NULL},
};

PyType_Spec core_timer_spec = {
    .name = "pycuda._driver._LaunchTimer",
    .basicsize = sizeof(struct timer),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .slots = timer_slots,
};

/* Launches on the current stream, with an event before and one after it. */
PyObject *
core_prepared_timed_call(PyObject *op, CORE_ARGS)
{
    struct core_function *function = (struct core_function *)op;
    struct prepared call;
    if (prepared_read(function, "prepared_timed_call", 2, &call, args, nargs,
                      names) < 0) {
        return NULL;
    }
    struct timer *self =
        (struct timer *)core_object_new(core.timer_type, function->context);
    CUstream stream = core_stream_default();
    if (self == NULL) {
        return NULL;
    }
    core_stack_claim();
    if (core_check(driver.cuEventCreate(&self->start, 0), "cuEventCreate") <
            0 ||
        core_check(driver.cuEventCreate(&self->end, 0), "cuEventCreate") < 0 ||
        core_check(driver.cuEventRecord(self->start, stream),
                   "cuEventRecord") < 0 ||
        prepared_launch(function, &call, NULL) < 0 ||
        core_check(driver.cuEventRecord(self->end, stream), "cuEventRecord") <
            0) {
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    return (PyObject *)self;
}

/* Method _launch_kernel: launches with a buffer of all parameters' bytes. */
PyObject *
core_launch_buffer(PyObject *op, CORE_ARGS)
{
    static const struct core_signature signature = {
        "_launch_kernel", 5, {"", "", "", "", ""}};
    struct core_function *function = (struct core_function *)op;
    PyObject *values[5];
    unsigned grid[3], block[3], shared;
    Py_buffer view;
    if (core_args(&signature, args, nargs, names, values) < 0 ||
        core_dimensions(values[0], "grid", grid) < 0 ||
        core_dimensions(values[1], "block", block) < 0 ||
        core_unsigned(values[3], &shared) < 0 ||
        core_buffer(values[2], false, &view) < 0) {
        return NULL;
    }
    struct core_pack pack;
    int status = pack_begin(&pack, &function->layout, values[4]);
    if (status == 0) {
        status = core_pack_reserve(&pack, (size_t)view.len, 0);
    }
    if (status == 0) {
        memcpy(pack.buffer, view.buf, (size_t)view.len);
        pack.bytes = (size_t)view.len;
        pack.as_buffer = true;
        status = core_launch_packed(function, grid, block, shared, &pack);
    }
    pack_end(&pack);
    PyBuffer_Release(&view);
    return status < 0 ? NULL : Py_NewRef(Py_None);
}
