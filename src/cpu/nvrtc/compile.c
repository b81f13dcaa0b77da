/* compile.c - one compilation: source, front end, pycuda-jit, image.
 *
 * Called by api.c. pycuda-jit is started before the front end and waits for
 * its input, so that their start-up times overlap. All state is in the program
 * and the job, which one thread uses.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/nvrtc_types.h"
#include "cpu/module/image.h"
#include "cpu/nvrtc/cccl.h"
#include "cpu/nvrtc/compile.h"
#include "cpu/nvrtc/constant_writes.h"
#include "cpu/nvrtc/diagnostics.h"
#include "cpu/nvrtc/flow.h"
#include "cpu/nvrtc/frontend.h"
#include "cpu/nvrtc/full_version.h"
#include "cpu/nvrtc/jit_process.h"
#include "cpu/nvrtc/job.h"
#include "cpu/nvrtc/memory_headers.h"
#include "cpu/nvrtc/name_expressions.h"
#include "cpu/nvrtc/options.h"
#include "cpu/nvrtc/paths.h"
#include "cpu/nvrtc/pch.h"
#include "cpu/nvrtc/pch_heap.h"
#include "cpu/nvrtc/preamble.h"
#include "cpu/nvrtc/process.h"
#include "cpu/nvrtc/program.h"
#include "cpu/nvrtc/text.h"
#include "cpu/nvrtc/timing.h"
#include "image/image.h"

/* Default architecture, sm_75, as in NVRTC 13.0. */
enum { DEFAULT_ARCH = 75 };

static nvrtcResult
names_compile(struct nvrtc_job *job)
{
    struct nvrtc_process process = {0};
    struct nvrtc_text saved = job->program->log;

    if (job->program->expression_count == 0) {
        return NVRTC_SUCCESS;
    }
    /* For name expressions, the front end runs a second time and repeats the
     * warnings of the first run. So the second run gets an empty log, which is
     * only reported if it fails; `saved` has the messages of the first run. */
    job->program->log = (struct nvrtc_text){0};
    nvrtcResult result = nvrtc_job_front(job, true, &process);
    if (result == NVRTC_SUCCESS) {
        nvrtc_text_free(&job->program->log);
        job->program->log = saved;
        if (!nvrtc_names_read(job->program, process.out.bytes,
                              &job->program->log)) {
            result = NVRTC_ERROR_COMPILATION;
        }
    } else {
        nvrtc_text_free(&saved);
    }
    nvrtc_process_free(&process);
    return result;
}

/* ---- pycuda-jit ---- */

/* Starts pycuda-jit, which then waits for bitcode. `kind` is the kind of image
 * to create. On failure adds an explanation to `reason`. */
static nvrtcResult
jit_start(struct nvrtc_process *process, const char *kind,
          const struct nvrtc_strings *flags, struct nvrtc_text *reason)
{
    struct nvrtc_strings argv = {0};
    char path[PATH_MAX], target[NVRTC_TARGET_WORD];
    int code = ENOMEM;

    if (!nvrtc_path_package(path, "PYCUDA_JIT", "bin/pycuda-jit")) {
        nvrtc_text_print(reason,
                         "pycuda-jit was not found: %s.  PYCUDA_JIT names "
                         "no file, or the installation is incomplete.\n",
                         strerror(errno));
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    nvrtc_strings_add(&argv, "%s", path);
    if (nvrtc_jit_target(target)) {
        nvrtc_strings_add(&argv, "%s", target);
    }
    nvrtc_strings_add(&argv, "--kind=%s", kind);
    if (flags) {
        nvrtc_strings_add_all(&argv, flags);
    }
    if (strcmp(kind, "native") == 0 && nvrtc_quick_option()) {
        nvrtc_strings_add(&argv, "%s", nvrtc_quick_option());
    }
    if (!argv.failed) {
        code = nvrtc_process_start(process, argv.word);
    }
    nvrtc_strings_free(&argv);
    if (code) {
        nvrtc_process_explain_start(code, path, reason);
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    return NVRTC_SUCCESS;
}

/* Sends the bitcode to pycuda-jit and receives the image. pycuda-jit's
 * messages about the code are added to `log`. If pycuda-jit itself could not
 * be used, an explanation is added to `reason`, and the result is neither
 * NVRTC_SUCCESS nor NVRTC_ERROR_COMPILATION. */
static nvrtcResult
jit_finish(struct nvrtc_process *process, const struct nvrtc_text *bitcode,
           struct nvrtc_text *image, struct nvrtc_text *log,
           struct nvrtc_text *reason)
{
    int code = nvrtc_process_finish(process, bitcode->bytes, bitcode->length);

    if (code) {
        nvrtc_process_explain_broken(process, code, "pycuda-jit", reason);
        return code == ENOMEM ? NVRTC_ERROR_OUT_OF_MEMORY
                              : NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    if (process->status == 0 && process->out.length &&
        !nvrtc_jit_image_is_complete(&process->out)) {
        nvrtc_text_print(reason,
                         "pycuda-jit wrote %zu bytes that are no complete "
                         "image.\n",
                         process->out.length);
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    if (process->status == 0 && process->out.length) {
        nvrtc_diagnostics_add(log, &process->err, "");
        *image = process->out;
        process->out = (struct nvrtc_text){0};
        return NVRTC_SUCCESS;
    }
    if (process->status == 1 && process->err.length) {
        nvrtc_diagnostics_add(log, &process->err, "");
    } else {
        nvrtc_process_explain(process, "pycuda-jit", log);
    }
    return NVRTC_ERROR_COMPILATION;
}

/* Lets pycuda-jit translate the program's bitcode to PTX. Returns false if it
 * fails: LLVM's back end for PTX does not support all code. */
static bool
ptx_translate(struct _nvrtcProgram *program, const struct nvrtc_strings *flags,
              struct nvrtc_process *process)
{
    const struct nvrtc_text *bitcode = &program->bitcode;
    struct nvrtc_text ignored = {0};
    bool right =
        jit_start(process, "ptx", flags, &ignored) == NVRTC_SUCCESS &&
        nvrtc_process_finish(process, bitcode->bytes, bitcode->length) == 0 &&
        process->status == 0 && process->out.length;

    nvrtc_text_free(&ignored);
    if (right) { /* append the zero byte that ends the text of the PTX */
        nvrtc_text_add(&process->out, "", 1);
    }
    return right && !process->out.failed;
}

/* Creates the text form of a bitcode image. The text begins with the program's
 * PTX or, if there is no PTX, with the names of the kernels. After that,
 * comments contain the image in encoded form. */
static nvrtcResult
ptx_write(struct _nvrtcProgram *program, const struct nvrtc_text *image,
          const struct nvrtc_strings *flags)
{
    struct nvrtc_process process = {0};
    const struct nvrtc_text *named =
        program->cubin.length ? &program->cubin : image;
    size_t length = 0;
    bool translated = ptx_translate(program, flags, &process);
    char *text = cpu_image_text_make(
        image->bytes, image->length, named->bytes, program->arch,
        translated ? process.out.bytes : NULL, &length);

    nvrtc_process_free(&process);
    if (text == NULL) {
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    nvrtc_text_add(&program->ptx, text, length + 1);
    free(text);
    return program->ptx.failed ? NVRTC_ERROR_OUT_OF_MEMORY : NVRTC_SUCCESS;
}

nvrtcResult
nvrtc_compile_ptx(struct _nvrtcProgram *program)
{
    struct nvrtc_process process = {0};
    struct nvrtc_text image = {0};

    if (program->ptx.length) {
        return NVRTC_SUCCESS;
    }
    struct nvrtc_strings flags = {0};
    if (program->flush) {
        nvrtc_strings_add(&flags, "--ftz=1");
    }
    nvrtc_strings_add(&flags, "--arch=%d", program->arch);
    nvrtcResult result = jit_start(&process, "bitcode", &flags, &program->log);
    if (result == NVRTC_SUCCESS) {
        result = jit_finish(&process, &program->bitcode, &image, &program->log,
                            &program->log);
    }
    if (result == NVRTC_SUCCESS) {
        result = ptx_write(program, &image, &flags);
    }
    nvrtc_strings_free(&flags);
    nvrtc_text_free(&image);
    nvrtc_process_free(&process);
    return program->log.failed ? NVRTC_ERROR_OUT_OF_MEMORY : result;
}

/* ---- the complete compilation ---- */

/* Precompiles the leading #include lines of the source. Does nothing if a
 * header of --pre-include is not precompiled: such a header comes before these
 * lines and may change their meaning. */
static void
job_precompile(struct nvrtc_job *job)
{
    struct nvrtc_text lines = {0};

    if (job->pch.path[0] && job->pch.rest.count == 0) {
        nvrtc_preamble_read(&lines, job->program->source, job->headers,
                            &job->options, job->folder);
        nvrtc_pch_extend(&job->pch, job->frontend, job->headers, &job->options,
                         &lines, &job->program->log);
    }
    nvrtc_text_free(&lines);
}

static nvrtcResult
job_prepare(struct nvrtc_job *job)
{
    struct nvrtc_text *log = &job->program->log;
    char given[PATH_MAX];

    if (!nvrtc_path_package(given, "PYCUDA_CUDA_HEADERS", "cuda") ||
        !realpath(given, job->headers)) {
        nvrtc_text_print(log,
                         "The CPU device's headers (pycuda/cuda) were not "
                         "found: %s.  PYCUDA_CUDA_HEADERS can name the "
                         "folder.\n",
                         strerror(errno));
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    if (nvrtc_cccl_is_wanted(job->program->source, job->headers,
                             &job->options)) {
        nvrtc_job_use_cccl(job);
    }
    job->frontend = nvrtc_frontend_find(log);
    if (job->frontend == NULL ||
        !nvrtc_pch_get(&job->pch, job->frontend, job->headers, &job->options,
                       log)) {
        return NVRTC_ERROR_COMPILATION;
    }
    if (!nvrtc_memory_headers_write(job->program, job->folder, log)) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    /* Precompiling is an optimization, so its failures are not reported. */
    bool failed = nvrtc_memory_failed;
    job_precompile(job);
    nvrtc_memory_failed = failed;
    return nvrtc_job_mark(job) ? NVRTC_SUCCESS : NVRTC_ERROR_OUT_OF_MEMORY;
}

static void
pch_message(struct nvrtc_job *job, const char *verb, const char *path)
{
    if (!job->options.is_pch_quiet) {
        nvrtc_text_print(&job->program->log,
                         "\"%s\": %s precompiled header file \"%s\"\n",
                         job->program->name, verb, path);
    }
}

/* Returns the size in bytes of the precompiled header in use, rounded up to
 * whole pages. The result is at least one page. */
static size_t
pch_size(const struct nvrtc_job *job)
{
    struct stat found = {0};
    size_t bytes = 1;

    if (job->pch.path[0] && stat(job->pch.path, &found) == 0) {
        bytes += (size_t)found.st_size;
    }
    return nvrtc_pch_heap_pages(bytes);
}

/* Writes a placeholder file to the path that --create-pch names; --use-pch
 * only checks that it exists. The real precompiled headers are in the cache of
 * pch.c. */
static nvrtcResult
pch_create(struct nvrtc_job *job)
{
    struct _nvrtcProgram *program = job->program;
    const char *path = job->options.create_pch;
    FILE *file = fopen(path, "w");

    program->pch_status = NVRTC_ERROR_PCH_CREATE;
    bool written =
        file && fputs("The CPU device keeps its precompiled headers in the "
                      "compiler's cache.\n",
                      file) >= 0;
    if ((file && fclose(file)) || !written) {
        nvrtc_text_print(&program->log,
                         "Catastrophic error: cannot create precompiled "
                         "header file \"%s\": %s\n",
                         path, strerror(errno));
        return NVRTC_ERROR_COMPILATION;
    }
    program->pch_status = NVRTC_SUCCESS;
    program->pch_bytes = pch_size(job);
    pch_message(job, "creating", path);
    return NVRTC_SUCCESS;
}

/* Sets the result and the messages of the option --pch as NVRTC does: the
 * first call in the process reports that the precompiled header is created,
 * later calls report that it is used. */
static void
pch_report(struct nvrtc_job *job)
{
    static atomic_bool is_created;

    if (atomic_exchange(&is_created, true)) {
        pch_message(job, "using", job->pch.path);
        return;
    }
    job->program->pch_status = NVRTC_SUCCESS;
    job->program->pch_bytes = pch_size(job);
    pch_message(job, "creating", job->pch.path);
}

/* Returns true if the image has a kernel whose name equals these `n` bytes. */
static bool
image_has(const struct nvrtc_text *image, const char *name, size_t n)
{
    const struct image_header *header = (const void *)image->bytes;
    const struct image_kernel *rows =
        (const void *)(image->bytes + header->kernels);

    for (uint32_t i = 0; i < header->kernel_count; i++) {
        const char *known = image->bytes + header->strings + rows[i].name;
        if (strlen(known) == n && !memcmp(known, name, n)) {
            return true;
        }
    }
    return false;
}

/* Checks that the image has all kernels that the option -e lists. */
static nvrtcResult
entries_check(struct nvrtc_job *job)
{
    const struct nvrtc_strings *lists = &job->options.entries;
    const struct nvrtc_text *image = &job->program->cubin;
    nvrtcResult result = NVRTC_SUCCESS;

    for (size_t i = 0; image->length && i < lists->count; i++) {
        for (const char *at = lists->word[i]; *at;) {
            size_t n = strcspn(at, ",");
            if (n && !image_has(image, at, n)) {
                nvrtc_text_print(&job->program->log,
                                 "ptxas fatal   : Unknown function %.*s\n",
                                 (int)n, at);
                result = NVRTC_ERROR_COMPILATION;
            }
            at += n + (at[n] != 0);
        }
    }
    return result;
}

/* Called after a successful compilation: checks that the image has the kernels
 * that the option -e lists, and writes the files that --create-pch, --time and
 * --fdevice-time-trace request. */
static nvrtcResult
job_finish(struct nvrtc_job *job)
{
    nvrtcResult result = entries_check(job);

    if (result == NVRTC_SUCCESS && job->options.create_pch) {
        result = pch_create(job);
    } else if (result == NVRTC_SUCCESS && job->options.pch) {
        pch_report(job);
    }
    if (result == NVRTC_SUCCESS) {
        result = nvrtc_timing_write(&job->timing, job->program->name,
                                    &job->options, &job->program->log);
    }
    return result;
}

static nvrtcResult
job_run_once(struct nvrtc_job *job)
{
    struct _nvrtcProgram *program = job->program;
    const char *kind = job->options.relocatable ? "bitcode" : "native";
    program->arch = job->options.arch ? job->options.arch : DEFAULT_ARCH;
    program->flush = job->options.flush;
    bool code = !job->options.syntax_only;
    nvrtcResult result = NVRTC_SUCCESS;

    if (code) {
        result = nvrtc_job_constants(job);
    }
    if (code && result == NVRTC_SUCCESS) {
        result = jit_start(&job->jit, kind, &job->options.jit, &job->reason);
        job->stopped = result;
    }
    if (result == NVRTC_SUCCESS) {
        nvrtc_timing_begin(&job->timing, "CUDA C++ Frontend");
        result = nvrtc_job_bitcode(job);
    }
    if (result == NVRTC_SUCCESS && code) {
        result = names_compile(job);
    }
    nvrtc_timing_end(&job->timing);
    if (result == NVRTC_SUCCESS && code) {
        nvrtc_timing_begin(&job->timing, "pycuda-jit");
        result = jit_finish(&job->jit, &program->bitcode, &program->cubin,
                            &program->log, &job->reason);
        job->stopped = result == NVRTC_ERROR_COMPILATION ? 0 : result;
        nvrtc_timing_end(&job->timing);
    }
    return result;
}

/* Compiles the program. NVRTC accepts a function that is declared with
 * __device__ and defined without it. For clang these are two functions, and
 * the called one is undefined. Therefore a compilation with an unresolved
 * function is repeated with all functions as device functions. */
static nvrtcResult
job_run(struct nvrtc_job *job)
{
    static const char unresolved[] = "unresolved extern function";
    struct nvrtc_text *log = &job->program->log;
    nvrtcResult result = job_run_once(job);

    if (result == NVRTC_SUCCESS || job->options.device_default ||
        log->bytes == NULL || strstr(log->bytes, unresolved) == NULL) {
        return result ? result : job_finish(job);
    }
    struct nvrtc_text first = *log;
    *log = (struct nvrtc_text){0};
    nvrtc_text_free(&job->program->bitcode);
    nvrtc_process_free(&job->jit);
    job->options.device_default = true;
    nvrtcResult other = job_run_once(job);
    if (other == NVRTC_SUCCESS) {
        nvrtc_text_free(&first);
        return job_finish(job);
    }
    nvrtc_text_free(log);
    *log = first;
    return result;
}

/* Returns the final result of the compilation. Exhausted memory, or a child
 * process that could not be used, takes precedence over errors in the source:
 * a retry that failed for such a reason might have accepted the source. */
static nvrtcResult
job_judge(struct nvrtc_job *job, nvrtcResult result)
{
    struct nvrtc_text *log = &job->program->log;

    if (log->failed || (result && nvrtc_memory_failed)) {
        nvrtc_text_free(log);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    if (result && job->stopped) {
        nvrtc_text_free(log);
        *log = job->reason;
        job->reason = (struct nvrtc_text){0};
        return job->stopped;
    }
    return result;
}

/* Clears the results of the program's previous compilation. Called when the
 * options of the new compilation have been found valid. */
static void
results_clear(struct _nvrtcProgram *program)
{
    program->attempted = true;
    program->pch_status = NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED;
    program->pch_bytes = 0;
}

/* Runs the compilation `job`. If it fails, the program keeps its previous
 * cubin, but has no PTX. */
static nvrtcResult
job_compile(struct nvrtc_job *job)
{
    struct _nvrtcProgram *program = job->program;
    struct nvrtc_text previous = program->cubin;

    program->cubin = (struct nvrtc_text){0};
    nvrtcResult result =
        nvrtc_flow_cancelled() ? NVRTC_ERROR_CANCELLED : job_prepare(job);
    if (result == NVRTC_SUCCESS) {
        result = job_run(job);
    }
    result = job_judge(job, result);
    if (result == NVRTC_SUCCESS) {
        nvrtc_text_free(&previous);
        program->compiled = true;
        program->output = job->options.output;
        program->is_virtual = !job->options.is_real;
        return result;
    }
    nvrtc_text_free(&program->cubin);
    nvrtc_text_free(&program->bitcode);
    program->cubin = previous;
    return result;
}

nvrtcResult
nvrtc_compile(struct _nvrtcProgram *program, int count,
              const char *const *options)
{
    struct nvrtc_job job = {.program = program};
    const struct nvrtc_flow flow = program->flow;

    nvrtc_memory_failed = false;
    nvrtc_flow_begin(&flow);
    /* The previous cubin and lowered names remain until this compilation has
     * succeeded, as in NVRTC. */
    nvrtc_text_free(&program->log);
    nvrtc_text_free(&program->bitcode);
    nvrtc_text_free(&program->ptx);
    nvrtcResult result =
        nvrtc_options_parse(&job.options, count, options, &program->log);
    if (result == NVRTC_SUCCESS) {
        results_clear(program);
        result = job_compile(&job);
    }
    if (nvrtc_flow_end()) {
        nvrtc_text_free(&program->log);
        result = NVRTC_ERROR_CANCELLED;
    }
    nvrtc_memory_headers_remove(program, job.folder);
    nvrtc_process_free(&job.jit);
    free(job.marked);
    free(job.source);
    nvrtc_pch_free(&job.pch);
    nvrtc_options_free(&job.options);
    nvrtc_text_free(&job.reason);
    return result;
}
