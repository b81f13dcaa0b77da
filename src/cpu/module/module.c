/* module.c - modules: loads images, and finds kernels and variables by name.
 *
 * Called by library.c, link.c and, through the exported functions, by
 * programs. image.c loads the code; this file manages the handles. A module
 * owns a copy of the image's bytes, since the caller may free the buffer. A
 * context's lock guards its list of modules and their lists of functions.
 *
 * SPDX-License-Identifier: MIT */
#include <elf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/check/hooks.h"
#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/memory/allocation.h"
#include "cpu/memory/arena.h"
#include "cpu/module/image.h"
#include "cpu/module/module.h"
#include "cpu/module/module_state.h"
#include "cpu/module/ptx.h"
#include "cpu/module/upgrade.h"
#include "cpu/module/version.h"
#include "cpu/nvrtc/full_version.h"
#include "cpu/nvrtc/image_cache.h"
#include "cpu/nvrtc/jit_process.h"
#include "cpu/nvrtc/text.h"
#include "cpu/run/fault.h"
#include "cpu/run/printf.h"
#include "cpu/stream/wait.h"
#include "image/image.h"

#define ELF_MAGIC      0x464c457fu
#define ELF_CUDA       190
#define FATBIN_MAGIC   0xba55ed50u
#define FATBIN_WRAPPER 0x466243b1u

/* ---- detecting the form of an image ---- */

/* Returns true if `bytes` begins with the magic number `magic`. Stops at the
 * first byte that differs from it, since `bytes` may be shorter. */
static bool
starts_with(const void *bytes, uint64_t magic, size_t count)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < count; i++) {
        if (at[i] != (magic >> (8 * i) & 0xff)) {
            return false;
        }
    }
    return true;
}

static void
log_error(struct cpu_jit_log *log, const char *text)
{
    if (log && log->error && log->error_bytes) {
        snprintf(log->error, log->error_bytes, "%s", text);
    }
}

/* Writes to the JIT error log why data that is no image of the CPU device,
 * such as a cubin, cannot be loaded. Returns the error code. */
static CUresult
foreign_refuse(const void *bytes, struct cpu_jit_log *log)
{
    const Elf64_Ehdr *elf = bytes;

    if (starts_with(bytes, ELF_MAGIC, SELFMAG)) {
        if (elf->e_machine != ELF_CUDA) {
            log_error(log, "this ELF file is not a CUDA image");
            return CUDA_ERROR_INVALID_IMAGE;
        }
        log_error(log, "this is a cubin for a GPU: the CPU device loads PTX "
                       "and what its own NVRTC (libpycuda_cpu.so) compiled");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    if (starts_with(bytes, FATBIN_MAGIC, 4) ||
        starts_with(bytes, FATBIN_WRAPPER, 4)) {
        log_error(log, "this is a fatbin without uncompressed PTX: the CPU "
                       "device loads PTX and what its own NVRTC "
                       "(libpycuda_cpu.so) compiled");
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }
    log_error(log, "neither an image of the CPU device nor of a GPU");
    return CUDA_ERROR_INVALID_IMAGE;
}

/* ---- loading ---- */

/* Registers the module's variables as device memory with arena.c, so that the
 * bounds of copies to them are checked. */
static void
globals_add(struct cpu_module *module)
{
    for (unsigned i = 0; i < cpu_image_global_count(module->image); i++) {
        struct cpu_image_global global;

        cpu_image_global_at(module->image, i, &global);
        struct cpu_allocation as = {.base = (uintptr_t)global.address,
                                    .bytes = (size_t)global.row->bytes,
                                    .kind = CPU_MEMORY_GLOBAL,
                                    .device = module->ctx->device,
                                    .context_id = module->ctx->id};
        if (as.bytes) {
            cpu_arena_add_external(&as);
        }
    }
}

static void
globals_remove(struct cpu_module *module)
{
    for (unsigned i = 0; i < cpu_image_global_count(module->image); i++) {
        struct cpu_image_global global;

        cpu_image_global_at(module->image, i, &global);
        cpu_arena_remove_external((uintptr_t)global.address,
                                  CPU_MEMORY_GLOBAL);
    }
}

/* For each kernel check: its bit in cpu_check_flags, its bit in the header of
 * an image that was compiled with it, and its name in PYCUDA_CPU_CHECK. */
static const struct check_row {
    unsigned flag;
    uint32_t check;
    const char *name;
} check_rows[] = {{CPU_CHECK_MEMORY, IMAGE_CHECK_MEMORY, "memory"},
                  {CPU_CHECK_RACE, IMAGE_CHECK_RACE, "race"},
                  {CPU_CHECK_SYNC, IMAGE_CHECK_SYNC, "sync"},
                  {CPU_CHECK_INIT, IMAGE_CHECK_INIT, "init"},
                  {CPU_CHECK_BANK, IMAGE_CHECK_BANK, "bank"},
                  {CPU_CHECK_STREAMS, IMAGE_CHECK_STREAMS, "streams"}};

enum { CHECK_NAMES_BYTES = 64 };

/* Appends a name to a list with commas. */
static void
name_append(char names[CHECK_NAMES_BYTES], const char *name)
{
    size_t n = strlen(names);

    snprintf(names + n, CHECK_NAMES_BYTES - n, "%s%s", n ? "," : "", name);
}

/* Writes a warning to the caller's JIT log or, if there is none, to stderr. */
static void
warning_write(const char *text, struct cpu_jit_log *log)
{
    if (log && log->info && log->info_bytes) {
        snprintf(log->info, log->info_bytes, "%s", text);
    } else {
        fprintf(stderr, "pycuda: %s\n", text);
    }
}

/* Warns once per process if kernels were compiled without kernel checks that
 * PYCUDA_CPU_CHECK requests. */
static void
checks_compare(const struct image_header *header, struct cpu_jit_log *log)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char text[512], names[CHECK_NAMES_BYTES] = "";

    for (size_t i = 0; i < sizeof check_rows / sizeof *check_rows; i++) {
        if (cpu_check_flags & check_rows[i].flag &&
            !(header->checks & check_rows[i].check)) {
            name_append(names, check_rows[i].name);
        }
    }
    if (!*names || atomic_flag_test_and_set(&said)) {
        return;
    }
    snprintf(text, sizeof text,
             "warning: an image that was compiled without PYCUDA_CPU_CHECK=%s "
             "is loaded: its kernels are not checked; compile its source "
             "where PYCUDA_CPU_CHECK is set",
             names);
    warning_write(text, log);
}

/* Warns once per process if the program has set PYCUDA_CPU_CHECK after cuInit
 * read it: the kernel checks that the new value names have no effect. */
static void
checks_late_warn(struct cpu_jit_log *log)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    char text[512], names[CHECK_NAMES_BYTES] = "";
    unsigned late = cpu_check_late();

    for (size_t i = 0; i < sizeof check_rows / sizeof *check_rows; i++) {
        if (late & check_rows[i].flag) {
            name_append(names, check_rows[i].name);
        }
    }
    if (!late || atomic_flag_test_and_set(&said)) {
        return;
    }
    snprintf(text, sizeof text,
             "warning: PYCUDA_CPU_CHECK was set too late: cuInit has read it "
             "before, so nothing is checked for %s; set it before the first "
             "import, or call pycuda.debug.check()",
             names);
    warning_write(text, log);
}

/* Returns an error, with a text in `error`, for an image of checked kernels in
 * a process without checks. The kernels would use the tables of the checks,
 * which do not exist in such a process. */
static CUresult
checks_refuse(const struct image_header *header, char *error, size_t size)
{
    char names[CHECK_NAMES_BYTES] = "";

    for (size_t i = 0; i < sizeof check_rows / sizeof *check_rows; i++) {
        if (header->checks & check_rows[i].check) {
            name_append(names, check_rows[i].name);
        }
    }
    snprintf(error, size,
             "the image was compiled with PYCUDA_CPU_CHECK=%s and this "
             "process has no checks: set PYCUDA_CPU_CHECK before cuInit, call "
             "pycuda.debug.check(), or compile the source again without it",
             names);
    return CUDA_ERROR_NO_BINARY_FOR_GPU;
}

/* Loads a native image. Takes ownership of `bytes`, which malloc has
 * allocated. */
static CUresult
native_load(struct cpu_context *ctx, void *bytes, size_t size,
            struct cpu_jit_log *log, struct cpu_module **made)
{
    struct cpu_module *module = calloc(1, sizeof *module);
    char error[512] = "";
    CUresult code = CUDA_ERROR_OUT_OF_MEMORY;

    if (!module) {
        goto fail;
    }
    const struct image_header *header = bytes;
    code =
        header->checks && !cpu_check_flags
            ? checks_refuse(header, error, sizeof error)
            : cpu_image_load(bytes, size, &module->image, error, sizeof error);
    if (code) {
        log_error(log, error);
        goto fail;
    }
    if (cpu_check_flags) {
        checks_compare(header, log);
        checks_late_warn(log);
    }
    module->ctx = ctx;
    module->bytes = bytes;
    module->handle = cpu_handle_new(CPU_MODULE, module, 0);
    if (!module->handle) {
        cpu_image_unload(module->image);
        code = CUDA_ERROR_OUT_OF_MEMORY;
        goto fail;
    }
    pthread_mutex_lock(&ctx->lock);
    module->next = ctx->modules;
    ctx->modules = module;
    pthread_mutex_unlock(&ctx->lock);
    globals_add(module);
    cpu_fault_install();
    cpu_upgrade_begin(module);
    *made = module;
    return CUDA_SUCCESS;
fail:
    free(module);
    free(bytes);
    return code;
}

/* Compiles a bitcode image to native code and loads the result. */
static CUresult
bitcode_load(struct cpu_context *ctx, const void *bytes, size_t size,
             struct cpu_jit_log *log, struct cpu_module **made)
{
    const char *quick = nvrtc_quick_option();
    char *options[] = {(char *)quick, NULL};
    struct cpu_jit_result result;
    CUresult code = cpu_jit_run(bytes, size, options, &result);

    if (code) {
        log_error(log, result.text ? result.text : "");
    } else {
        code = native_load(ctx, result.image, result.image_bytes, log, made);
    }
    free(result.text);
    return code;
}

/* Translates PTX and loads the result. */
static CUresult
ptx_load(struct cpu_context *ctx, const char *text, size_t length,
         struct cpu_jit_log *log, struct cpu_module **made)
{
    struct cpu_jit_result result;
    CUresult code = cpu_ptx_translate(text, length, 0, &result);

    if (code) {
        log_error(log, result.text ? result.text : "");
    } else {
        code = native_load(ctx, result.image, result.image_bytes, log, made);
    }
    free(result.text);
    return code;
}

/* Decodes an image in text form and loads the result. */
static CUresult
text_load(struct cpu_context *ctx, const void *text, struct cpu_jit_log *log,
          struct cpu_module **module)
{
    void *image;
    size_t bytes;
    CUresult code = cpu_image_text_read(text, SIZE_MAX, &image, &bytes);

    if (code) {
        log_error(
            log,
            "the text of an image of the CPU device is damaged or truncated");
        return code;
    }
    code = cpu_module_load(ctx, image, log, module);
    free(image);
    return code;
}

CUresult
cpu_module_load(struct cpu_context *ctx, const void *bytes,
                struct cpu_jit_log *log, struct cpu_module **module)
{
    char error[512] = "";
    size_t size = cpu_image_bytes(bytes);
    uint32_t kind;

    if (!size && cpu_image_is_text(bytes, SIZE_MAX)) {
        return text_load(ctx, bytes, log, module);
    }
    if (!size) {
        const char *text = cpu_ptx_find(bytes, SIZE_MAX, &size);

        return text ? ptx_load(ctx, text, size, log, module)
                    : foreign_refuse(bytes, log);
    }
    CUresult code = cpu_image_check(bytes, size, &kind, error, sizeof error);
    if (code) {
        log_error(log, error);
        return code;
    }
    if (kind == IMAGE_BITCODE) {
        return bitcode_load(ctx, bytes, size, log, module);
    }
    char path[PATH_MAX];
    struct nvrtc_text full;
    if (nvrtc_image_is_quick(bytes) && nvrtc_full_version_path(bytes, path) &&
        nvrtc_image_cache_find(path, &full)) {
        code = native_load(ctx, full.bytes, full.length, log, module);
        if (!code) {
            return code;
        }
    }
    void *copy = malloc(size);
    if (!copy) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(copy, bytes, size);
    return native_load(ctx, copy, size, log, module);
}

/* ---- unloading ---- */

/* Frees the module with its functions and their handles. No kernel of the
 * module may be running or queued. */
static void
module_free(struct cpu_module *module)
{
    cpu_upgrade_detach(module);
    cpu_handle_delete(module->handle);
    while (module->functions) {
        struct cpu_function *function = module->functions;

        module->functions = function->next;
        cpu_handle_delete(function->handle);
        free(function);
    }
    globals_remove(module);
    cpu_image_unload(module->full);
    cpu_image_unload(module->image);
    free(module->full_bytes);
    free(module->bytes);
    free(module);
}

bool
cpu_module_close(struct cpu_module *module)
{
    struct cpu_context *ctx = module->ctx;

    cpu_context_enter(ctx);
    cpu_scheduler_drain(ctx); /* kernels of the module may still be queued */
    cpu_fifo_flush(ctx);
    pthread_mutex_lock(&ctx->lock);
    struct cpu_module **at = &ctx->modules;
    while (*at && *at != module) {
        at = &(*at)->next;
    }
    bool found = *at != NULL;
    if (found) {
        *at = module->next;
    }
    pthread_mutex_unlock(&ctx->lock);
    if (found) {
        module_free(module);
    }
    cpu_context_leave(ctx);
    return found;
}

void
cpu_modules_close(struct cpu_context *ctx)
{
    while (ctx->modules) {
        struct cpu_module *module = ctx->modules;

        ctx->modules = module->next;
        module_free(module);
    }
}

/* ---- functions ---- */

/* Creates the struct cpu_function of a kernel and adds it to the module's
 * list. The caller holds the context's lock. */
static CUresult
function_new(struct cpu_module *module, const struct cpu_image_kernel *found,
             struct cpu_function **made)
{
    struct cpu_function *function = calloc(1, sizeof *function);
    const struct image_kernel *kernel = found->row;

    if (!function) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    function->module = module;
    function->kernel = kernel;
    function->parameters = found->parameters;
    function->name = found->name;
    cpu_version_init(function, found);
    function->max_dynamic_shared = cpu_dynamic_shared_default(kernel);
    function->carveout = -1;
    function->may_inline =
        !(kernel->flags & (IMAGE_KERNEL_FIBERS | IMAGE_KERNEL_RECURSIVE));
    function->handle = cpu_handle_new(CPU_FUNCTION, function, 0);
    if (!function->handle) {
        free(function);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    if (module->full) {
        cpu_version_upgrade(function);
    }
    function->next = module->functions;
    module->functions = function;
    *made = function;
    return CUDA_SUCCESS;
}

/* Finds the struct cpu_function of a kernel. Creates it at the first
 * request. */
static CUresult
function_get(struct cpu_module *module, const struct cpu_image_kernel *found,
             struct cpu_function **function)
{
    CUresult code = CUDA_SUCCESS;

    pthread_mutex_lock(&module->ctx->lock);
    struct cpu_function *f = module->functions;
    while (f && f->kernel != found->row) {
        f = f->next;
    }
    *function = f;
    if (!f) {
        code = function_new(module, found, function);
    }
    pthread_mutex_unlock(&module->ctx->lock);
    return code;
}

CUresult
cpu_function_at(struct cpu_module *module, uint32_t index,
                struct cpu_function **function)
{
    struct cpu_image_kernel found;

    cpu_image_kernel_at(module->image, index, &found);
    return function_get(module, &found, function);
}

uint32_t
cpu_module_kernels(const struct cpu_module *module)
{
    return cpu_image_kernel_count(module->image);
}

CUresult
cpu_function_find(struct cpu_module *module, const char *name,
                  struct cpu_function **function)
{
    struct cpu_image_kernel found;

    if (!cpu_image_find_kernel(module->image, name, &found)) {
        return CUDA_ERROR_NOT_FOUND;
    }
    return function_get(module, &found, function);
}

CUresult
cpu_module_global(struct cpu_module *module, const char *name,
                  CUdeviceptr *pointer, size_t *bytes, bool managed_only)
{
    struct cpu_image_global found;

    if (!cpu_image_find_global(module->image, name, &found) ||
        (managed_only && !(found.row->flags & IMAGE_GLOBAL_MANAGED))) {
        return CUDA_ERROR_NOT_FOUND;
    }
    if (pointer) {
        *pointer = (CUdeviceptr)(uintptr_t)found.address;
    }
    if (bytes) {
        *bytes = (size_t)found.row->bytes;
    }
    return CUDA_SUCCESS;
}
