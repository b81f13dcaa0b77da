/* limits.c - lists the device limits that a refused launch exceeds, for its
 * error message.
 *
 * Called after the driver has refused a launch, since the driver's error does
 * not state the reason. Each call reads the limits from the driver again.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/function.h"
#include "core/context/context.h"
#include "core/context/stack.h"
#include "core/core.h"
#include "core/launch/limits.h"

enum { AXES = 3, UNKNOWN = -1 };

/* Write position in an error message, and the free space after it in bytes. */
struct text {
    char *at;
    size_t room;
};

/* Appends formatted text to the message; truncates it at the end of the
 * buffer. */
static __attribute__((format(printf, 2, 3))) void
text_add(struct text *text, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    int used = vsnprintf(text->at, text->room, format, values);
    va_end(values);
    if (used > 0) {
        size_t step = (size_t)used < text->room ? (size_t)used : text->room;
        text->at += step;
        text->room -= step;
    }
}

/* device_limit returns the value of a device attribute, function_limit that of
 * a function attribute; UNKNOWN if the driver returns an error. */
static int
device_limit(const struct core_function *function, int attribute)
{
    int value;
    CUresult code = driver.cuDeviceGetAttribute(
        &value, (CUdevice_attribute)attribute, function->context->device);
    return code == CUDA_SUCCESS ? value : UNKNOWN;
}

static int
function_limit(const struct core_function *function,
               CUfunction_attribute attribute)
{
    int value;
    CUresult code =
        driver.cuFuncGetAttribute(&value, attribute, function->handle);
    return code == CUDA_SUCCESS ? value : UNKNOWN;
}

/* Compares the grid's or block's three lengths with their limits. `first` is
 * the attribute of the x limit; the attributes of y and z have the next two
 * numbers. */
static void
axes_report(const struct core_function *function, const char *what,
            const unsigned lengths[AXES], CUdevice_attribute first,
            struct text *text)
{
    for (int i = 0; i < AXES; i++) {
        int most = device_limit(function, (int)first + i);
        if (lengths[i] == 0) {
            text_add(text, "; %s[%d] is 0, but must be at least 1", what, i);
        } else if (most != UNKNOWN && lengths[i] > (unsigned)most) {
            text_add(text, "; %s[%d] is %u, but must be at most %d", what, i,
                     lengths[i], most);
        }
    }
}

/* Compares the number of threads per block with the limits of the device and
 * the kernel. */
static void
threads_report(const struct core_function *function,
               const unsigned block[AXES], struct text *text)
{
    uint64_t threads = (uint64_t)block[0] * block[1] * block[2];
    int most =
        device_limit(function, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    int own =
        function_limit(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    if (most != UNKNOWN && threads > (unsigned)most) {
        text_add(text,
                 "; a block of %llu threads, but at most %d are possible",
                 (unsigned long long)threads, most);
    } else if (own != UNKNOWN && threads > (unsigned)own) {
        text_add(text,
                 "; a block of %llu threads, but at most %d are possible "
                 "with this kernel's registers",
                 (unsigned long long)threads, own);
    }
}

/* Compares static plus dynamic shared memory with the device's limit. */
static void
shared_report(const struct core_function *function, unsigned shared,
              struct text *text)
{
    int fixed = function_limit(function, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
    int most = device_limit(
        function, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    if (fixed != UNKNOWN && most > 0 &&
        (uint64_t)shared + (unsigned)fixed > (unsigned)most) {
        text_add(text,
                 "; %u bytes of dynamic and %d of static shared memory, "
                 "but at most %d in total are possible",
                 shared, fixed, most);
    }
}

/* Returns how many blocks of the size `block`, with `shared` bytes of dynamic
 * shared memory, the device runs at the same time; -1 if unknown. */
int
core_launch_blocks_at_once(const struct core_function *function,
                           const unsigned block[3], unsigned shared)
{
    int each;
    int all = device_limit(function, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    int threads = (int)(block[0] * block[1] * block[2]);

    if (all == UNKNOWN || driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                              &each, function->handle, threads, shared)) {
        return UNKNOWN;
    }
    return each * all;
}

/* Writes a text for each exceeded limit. The limits are valid only in the
 * function's own context. If another context is current, writes only this
 * fact. */
void
core_launch_limits(const struct core_function *function,
                   const unsigned grid[3], const unsigned block[3],
                   unsigned shared, char *at, size_t room)
{
    struct text text = {at, room};
    at[0] = '\0';
    if (core_stack_top() == NULL) {
        text_add(&text, "; no context is current in this thread. Import "
                        "pycuda.autoinit, or make or push a context: each "
                        "thread has its own");
        return;
    }
    if (function->context != core_stack_top()) {
        text_add(&text, "; the kernel was loaded in another context than the "
                        "current one");
        return;
    }
    axes_report(function, "block", block, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X,
                &text);
    axes_report(function, "grid", grid, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X,
                &text);
    threads_report(function, block, &text);
    shared_report(function, shared, &text);
}
