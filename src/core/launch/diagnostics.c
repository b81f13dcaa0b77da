/* diagnostics.c - error messages of launches that failed.
 *
 * A launch can fail in two ways. The driver refuses it, or its kernel fails
 * while it runs. In the second case a later call of the driver reports the
 * error, and so does every call after it. To name the kernels that may have
 * failed, each context keeps its latest launches in a ring buffer. All
 * functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/function.h"
#include "core/context/context.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/launch/diagnostics.h"
#include "core/launch/limits.h"
#include "core/launch/pack_buffer.h"
#include "core/python/errors.h"
#include "core/state.h"

/* Error codes of a failed kernel after which its context is unusable. */
static const CUresult sticky_codes[] = {
    CUDA_ERROR_ILLEGAL_ADDRESS,
    CUDA_ERROR_LAUNCH_TIMEOUT,
    CUDA_ERROR_ASSERT,
    CUDA_ERROR_HARDWARE_STACK_ERROR,
    CUDA_ERROR_ILLEGAL_INSTRUCTION,
    CUDA_ERROR_MISALIGNED_ADDRESS,
    CUDA_ERROR_INVALID_ADDRESS_SPACE,
    CUDA_ERROR_INVALID_PC,
    CUDA_ERROR_LAUNCH_FAILED,
};

/* Records a launch in place of the oldest entry of the ring buffer. Drops the
 * reference to the old entry's name last, since that may run Python code. */
void
core_launch_record(struct core_context *context, PyObject *name,
                   CUfunction function, const unsigned grid[3],
                   const unsigned block[3])
{
    unsigned at = (context->launched_at + 1) % CORE_RECORDED_LAUNCHES;
    struct core_recorded_launch *launched = &context->launched[at];
    context->launched_at = at;
    context->noted++;
    context->launched_count +=
        context->launched_count < CORE_RECORDED_LAUNCHES;
    PyObject *old = launched->name;
    launched->name = Py_XNewRef(name);
    launched->function = function;
    memcpy(launched->grid, grid, sizeof launched->grid);
    memcpy(launched->block, block, sizeof launched->block);
    launched->is_row = grid[1] == 1 && grid[2] == 1 && block[2] == 1;
    Py_XDECREF(old);
}

void
core_launch_records_clear(struct core_context *context)
{
    for (int i = 0; i < CORE_RECORDED_LAUNCHES; i++) {
        Py_CLEAR(context->launched[i].name);
        context->launched[i] = (struct core_recorded_launch){0};
    }
    context->launched_count = 0;
    context->noted++;
}

/* Returns the name of the kernel of a recorded launch, from the record or from
 * a Function of that kernel. The driver is not asked, since its calls fail in
 * a context that is unusable. */
static const char *
kernel_name(const struct core_context *context,
            const struct core_recorded_launch *launched)
{
    PyObject *known = launched->name;
    for (const struct core_function *function = context->functions;
         known == NULL && function != NULL; function = function->next) {
        if (function->handle == launched->function) {
            known = function->name;
        }
    }
    const char *name = known == NULL ? NULL : PyUnicode_AsUTF8(known);
    return name == NULL ? "?" : name;
}

/* Called before a Function is freed: stores the Function's name in the records
 * of its launches, since the name cannot be looked up later. */
void
core_launch_records_name(struct core_context *context, CUfunction function,
                         PyObject *name)
{
    for (int i = 0; i < CORE_RECORDED_LAUNCHES; i++) {
        struct core_recorded_launch *launched = &context->launched[i];
        if (launched->function == function && launched->name == NULL) {
            launched->name = Py_XNewRef(name);
            launched->function = NULL;
        }
    }
}

/* Returns whether the error `code` makes the context unusable, so that all
 * later calls fail. */
static bool
is_sticky(CUresult code)
{
    for (size_t i = 0; i < sizeof sticky_codes / sizeof *sticky_codes; i++) {
        if (sticky_codes[i] == code) {
            return true;
        }
    }
    return false;
}

/* Returns advice for an error that an invalid memory access causes: a sentence
 * that says how to find the access. "" for other values of `code`, and if the
 * kernel checks are on. */
static const char *
advice(CUresult code)
{
    const char *checks = getenv("PYCUDA_CPU_CHECK");
    bool access = code == CUDA_ERROR_ILLEGAL_ADDRESS ||
                  code == CUDA_ERROR_MISALIGNED_ADDRESS ||
                  code == CUDA_ERROR_INVALID_ADDRESS_SPACE;
    return !access || (checks != NULL && *checks != '\0')
               ? ""
               : ". To see the line and the array, run the program with "
                 "PYCUDA_DEVICE=cpu PYCUDA_CPU_CHECK=memory";
}

/* If the error `code` makes the context unusable, writes what to do and the
 * context's latest launches to `text`, a buffer of `room` bytes, and returns
 * true. Returns false for other errors. A GPU's driver returns the error also
 * for new contexts of the process. */
static bool
sticky_detail(CUresult code, char *text, size_t room)
{
    if (!is_sticky(code) || core.forked) {
        return false;
    }
    struct core_context *context = core_stack_top();
    if (context == NULL) {
        snprintf(text, room,
                 "a kernel of this process failed: restart the program%s",
                 advice(code));
        return true;
    }
    int used = snprintf(
        text, room,
        "a kernel failed, so its context cannot be used any more: on a GPU, "
        "restart the program; on the CPU device, "
        "pycuda.driver.Device(%d).make_context() makes a new one%s",
        (int)context->device, advice(code));
    unsigned newest = context->launched_at + CORE_RECORDED_LAUNCHES;
    for (unsigned i = 0;
         i < context->launched_count && used > 0 && (size_t)used < room; i++) {
        const struct core_recorded_launch *launched =
            &context->launched[(newest - i) % CORE_RECORDED_LAUNCHES];
        used += snprintf(
            text + used, room - (size_t)used,
            "%s'%.100s', grid (%u, %u, %u), block (%u, %u, %u)",
            i == 0 ? ". Most likely it was the last one launched: kernel "
                   : "; before it ",
            kernel_name(context, launched), launched->grid[0],
            launched->grid[1], launched->grid[2], launched->block[0],
            launched->block[1], launched->block[2]);
    }
    return true;
}

/* Returns a text that describes the arguments, from
 * pycuda._launch.descriptions. Returns NULL without an exception on
 * failure. */
static PyObject *
arguments_text(const struct core_pack *pack)
{
    PyObject *list = PyTuple_New(pack->count);
    if (list == NULL) {
        PyErr_Clear();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < pack->count; i++) {
        PyTuple_SET_ITEM(list, i, Py_NewRef(pack->args[i]));
    }
    PyObject *module = PyImport_ImportModule("pycuda._launch.descriptions");
    PyObject *text =
        module == NULL ? NULL
                       : PyObject_CallMethod(module, "arguments", "(O)", list);
    if (text == NULL || !PyUnicode_Check(text)) {
        PyErr_Clear();
        Py_CLEAR(text);
    }
    Py_XDECREF(module);
    Py_DECREF(list);
    return text;
}

/* Raises the exception of a launch that the driver refused, with the kernel,
 * grid, block, arguments and exceeded limits. Returns -1. */
int
core_launch_fail(CUresult code, struct core_function *function,
                 const unsigned grid[3], const unsigned block[3],
                 unsigned shared, const struct core_pack *pack)
{
    char detail[1536], options[128] = "", limits[512];
    if (is_sticky(code)) {
        /* An earlier launch caused this error, so the message does not
         * describe the present launch. */
        return core_fail(code, "cuLaunchKernel", NULL);
    }
    PyObject *text = arguments_text(pack);
    const char *name = PyUnicode_AsUTF8(function->name);
    const char *arguments = text == NULL ? NULL : PyUnicode_AsUTF8(text);
    PyErr_Clear();
    if (pack->cluster[0] != 0) {
        snprintf(options, sizeof options,
                 ", cluster (%u, %u, %u), which requires a GPU of compute "
                 "capability 9.0 or higher",
                 pack->cluster[0], pack->cluster[1], pack->cluster[2]);
    } else if (pack->cooperative) {
        int most = core_launch_blocks_at_once(function, block, shared);
        int used = snprintf(
            options, sizeof options,
            ", cooperative: all blocks must fit on the device at the same "
            "time");
        if (most >= 0) {
            snprintf(options + used, sizeof options - (size_t)used,
                     ", and %d of this shape do", most);
        }
    }
    core_launch_limits(function, grid, block, shared, limits, sizeof limits);
    snprintf(detail, sizeof detail,
             "kernel '%.300s', grid (%u, %u, %u), block (%u, %u, %u), %u "
             "bytes of dynamic shared memory, arguments (%.500s)%s%s",
             name == NULL ? "?" : name, grid[0], grid[1], grid[2], block[0],
             block[1], block[2], shared, arguments == NULL ? "" : arguments,
             options, limits);
    Py_XDECREF(text);
    return core_fail(code, "cuLaunchKernel", detail);
}

static bool
has_context(void)
{
    return core_stack_top() != NULL;
}

int
core_diagnostics_setup(PyObject *module)
{
    static const struct core_error_hooks hooks = {has_context, sticky_detail};

    (void)module;
    core_errors_set_hooks(&hooks);
    return 0;
}
