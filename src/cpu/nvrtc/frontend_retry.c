/* frontend_retry.c - runs the front end, with retries of edited sources.
 *
 * Called by compile.c. Clang rejects some sources that NVRTC accepts. Such a
 * source is compiled again in another form: with its declarations rewritten
 * (rewrite.c), with all functions as device functions, with a trivial
 * constructor of pycuda::complex, with CCCL's headers instead of the package's
 * own (cccl.c), or without the template function bodies that have errors
 * (function_bodies.c). If no retry succeeds, the errors of the
 * first attempt are reported.
 *
 * All state is in the job, which one thread uses.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/nvrtc_types.h"
#include "cpu/nvrtc/attributes.h"
#include "cpu/nvrtc/cccl.h"
#include "cpu/nvrtc/deduction_guides.h"
#include "cpu/nvrtc/diagnostics.h"
#include "cpu/nvrtc/dialect.h"
#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/execution_spaces.h"
#include "cpu/nvrtc/frontend.h"
#include "cpu/nvrtc/function_bodies.h"
#include "cpu/nvrtc/job.h"
#include "cpu/nvrtc/kernel_heads.h"
#include "cpu/nvrtc/launches.h"
#include "cpu/nvrtc/libdevice.h"
#include "cpu/nvrtc/name_expressions.h"
#include "cpu/nvrtc/pch.h"
#include "cpu/nvrtc/process.h"
#include "cpu/nvrtc/program.h"
#include "cpu/nvrtc/rewrite.h"
#include "cpu/nvrtc/space_places.h"
#include "cpu/nvrtc/text.h"

/* Maximum number of rewrites of a source. */
enum { REWRITES = 4 };

/* ---- the front end's input ---- */

/* Defines assert again according to NDEBUG: the precompiled header was created
 * without the program's -DNDEBUG. Removes __COUNTER__, which NVRTC lacks and
 * which clang defines again after it has read a precompiled header. */
static const char prologue[] =
    "#ifdef NDEBUG\n"
    "#undef assert\n"
    "#define assert(expression) ((void)0)\n"
    "#endif\n"
    "#pragma clang diagnostic push\n"
    "#pragma clang diagnostic ignored \"-Wbuiltin-macro-redefined\"\n"
    "#undef __COUNTER__\n"
    "#pragma clang diagnostic pop\n";

/* Makes functions and global variables without an execution space __device__;
 * the first pragma applies to functions, the second to variables. */
static const char device_begin[] =
    "#pragma clang force_cuda_host_device begin\n"
    "#pragma clang attribute push(__attribute__((device)), "
    "apply_to = variable(is_global))\n";
static const char device_end[] = "\n#pragma clang attribute pop\n"
                                 "#pragma clang force_cuda_host_device end\n";

static void
line_directive(struct nvrtc_text *source, const char *name)
{
    nvrtc_text_print(source, "#line 1 \"");
    for (; *name; name++) {
        if (*name == '"' || *name == '\\') {
            nvrtc_text_add(source, "\\", 1);
        }
        nvrtc_text_add(source, *name == '\n' ? " " : name, 1);
    }
    nvrtc_text_print(source, "\"\n");
}

/* Writes definitions of the macros that depend on the requested architecture.
 * These definitions replace those of the precompiled headers (for sm_80). */
static void
architecture_write(const struct nvrtc_job *job, struct nvrtc_text *source)
{
    int arch = job->program->arch * 10;
    char suffix = job->options.arch_suffix;

    if (arch) {
        nvrtc_text_print(source,
                         "#undef __CUDA_ARCH__\n"
                         "#define __CUDA_ARCH__ %d\n"
                         "#undef __CUDA_ARCH_LIST__\n"
                         "#define __CUDA_ARCH_LIST__ %d\n",
                         arch, arch);
    }
    if (suffix == 'a') {
        nvrtc_text_print(source,
                         "#define __CUDA_ARCH_FEAT_SM%d_ALL 1\n"
                         "#define __CUDA_ARCH_SPECIFIC__ %d\n",
                         arch / 10, arch);
    }
    if (suffix) {
        nvrtc_text_print(source, "#define __CUDA_ARCH_FAMILY_SPECIFIC__ %d\n",
                         arch);
    }
    if (arch && arch < 700) {
        nvrtc_text_print(source, "#include \"%s/cpu/warp_before_volta.h\"\n",
                         job->headers);
    }
}

/* Writes declarations that relocatable code (-rdc=true) needs: the device
 * runtime and, if kernels launch kernels, another definition of __global__.
 * This definition omits __attribute__((global)), since clang refuses calls of
 * functions with this attribute, and contains the attribute `used`, without
 * which clang would drop static kernels and instances of templates. */
static void
device_runtime_write(const struct nvrtc_job *job, struct nvrtc_text *source)
{
    if (!job->device_runtime) {
        return;
    }
    nvrtc_text_print(source, "#include \"%s/cpu/device_runtime.h\"\n",
                     job->headers);
    if (job->launches) {
        nvrtc_text_print(source,
                         "#undef __global__\n"
                         "#define __global__ __attribute__((device, used, "
                         "nvptx_kernel))\n");
    }
}

static const char *
source_of(const struct nvrtc_job *job)
{
    return job->source ? job->source : job->marked;
}

/* Writes the lines that are compiled before the program's source code:
 * #include lines, the prologue and a #line directive. */
static void
head_write(const struct nvrtc_job *job, struct nvrtc_text *source)
{
    if (job->pch.path[0] == 0) {
        nvrtc_text_add(source, job->pch.includes.bytes,
                       job->pch.includes.length);
    }
    architecture_write(job, source);
    for (size_t i = 0; i < job->pch.rest.count; i++) {
        nvrtc_text_print(source, "#include \"%s\"\n", job->pch.rest.word[i]);
    }
    nvrtc_text_print(source, "%s", prologue);
    nvrtc_libdevice_write(source, job->program->source, job->headers);
    device_runtime_write(job, source);
    if (job->options.device_default) {
        nvrtc_text_print(source, "%s", device_begin);
    }
    line_directive(source, job->program->name);
}

static void
source_make(const struct nvrtc_job *job, bool ask, struct nvrtc_text *source)
{
    const struct _nvrtcProgram *program = job->program;

    head_write(job, source);
    nvrtc_text_print(source, "%s", source_of(job));
    if (job->options.device_default) {
        nvrtc_text_print(source, "%s", device_end);
    }
    if (ask) {
        nvrtc_names_request(program, source);
    } else {
        nvrtc_names_use(program, source);
    }
}

static bool
is_before_20(const struct nvrtc_job *job)
{
    const struct nvrtc_strings *words = &job->options.language;
    bool before = true;

    for (size_t i = 0; i < words->count; i++) {
        if (!strncmp(words->word[i], "-std=", 5)) {
            before = strstr(words->word[i], "20") == NULL;
        }
    }
    return before;
}

/* Returns a copy of the source in which attributes of memory spaces, such as
 * __attribute__((shared)), are replaced by CUDA's keywords, such as __shared__
 * (attributes.c). */
static char *
attributes_unify(const char *source)
{
    struct nvrtc_edits edits = {0};

    nvrtc_attributes_mark(&edits, source);
    char *text = nvrtc_edits_make(&edits, source);
    nvrtc_edits_free(&edits);
    return text;
}

/* Returns a copy of the source in which the launches in relocatable code have
 * the form that launches.c describes. */
static char *
launches_rewrite(struct nvrtc_job *job, const char *source)
{
    struct nvrtc_edits edits = {0};

    if (job->options.relocatable) {
        job->launches = nvrtc_launches_mark(&edits, source) > 0;
        /* Compiling the header of the device runtime takes 6 ms, so it is left
         * out if the source has no name of the runtime API. If only an
         * included file has one, a retry adds the header. */
        job->device_runtime = job->launches || strstr(source, "cuda") != NULL;
    }
    char *text = nvrtc_edits_make(&edits, source);
    nvrtc_edits_free(&edits);
    return text;
}

bool
nvrtc_job_mark(struct nvrtc_job *job)
{
    struct nvrtc_edits edits = {0};
    char *unified = attributes_unify(job->program->source);
    char *text = unified ? launches_rewrite(job, unified) : NULL;

    free(unified);
    if (text) {
        nvrtc_deduction_guides_mark(&edits, text);
        nvrtc_dialect_mark(&edits, text, is_before_20(job));
        nvrtc_kernel_heads_mark(&edits, text);
        nvrtc_space_places_mark(&edits, text);
        job->marked = nvrtc_edits_make(&edits, text);
    }
    nvrtc_edits_free(&edits);
    free(text);
    return job->marked != NULL;
}

/* ---- the front end ---- */

/* Adds to `argv` the front end's command and its flags, except those that
 * select the output. */
static void
frontend_argv(const struct nvrtc_job *job, struct nvrtc_strings *argv)
{
    const char *checks = getenv("PYCUDA_CPU_CHECK");

    nvrtc_strings_add_all(argv, job->frontend);
    nvrtc_frontend_flags(argv, job->headers, &job->options);
    nvrtc_source_flags(argv, job->program->source);
    if (checks && *checks) {
        /* embeds the source: reports of the kernel checks quote its lines */
        nvrtc_strings_add(argv, "-gembed-source");
    }
    if (job->folder[0]) {
        nvrtc_strings_add(argv, "-I%s", job->folder);
    }
    for (size_t i = 0; i < job->options.preprocess.count; i++) {
        const char *word = job->options.preprocess.word[i];
        /* Skip the -I option of a folder with CCCL: header_flags adds the
         * folder after the package's additions to CCCL. */
        if (job->options.cccl == NULL || !nvrtc_cccl_is_include(word)) {
            nvrtc_strings_add(argv, "%s", word);
        }
    }
    nvrtc_strings_add_all(argv, &job->options.diagnostics);
    if (job->pch.path[0]) {
        nvrtc_strings_add(argv, "-include-pch");
        nvrtc_strings_add(argv, "%s", job->pch.path);
    }
}

/* Adds to `argv` the flags that select the kind of output, and make the front
 * end read from standard input and write to standard output. */
static void
output_argv(const char *output, struct nvrtc_strings *argv)
{
    const char *const words[] = {output, "-o", "-", "-x", "cuda", "-"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        nvrtc_strings_add(argv, "%s", words[i]);
    }
}

/* Adds the messages of a finished front end to the log, and returns the result
 * for its exit status. Status 1 is an error in the source; other nonzero
 * values are failures of the front end itself. */
static nvrtcResult
frontend_judge(const struct nvrtc_job *job,
               const struct nvrtc_process *process)
{
    struct nvrtc_text *log = &job->program->log;
    struct nvrtc_text messages = {0};
    bool refused =
        nvrtc_diagnostics_add(&messages, &process->err, job->headers);
    bool well = process->status == 0 && !refused && !messages.failed;

    if (process->status > 1 || process->status < 0 ||
        (process->status == 1 && process->err.length == 0)) {
        nvrtc_process_explain(process, "The front end (clang)", log);
    } else if (!well || !job->options.quiet) {
        nvrtc_text_add(log, messages.bytes, messages.length);
    }
    nvrtc_text_free(&messages);
    return well ? NVRTC_SUCCESS : NVRTC_ERROR_COMPILATION;
}

/* Runs the front end with the command `argv` and the input `source`. On
 * failure sets job->stopped and job->reason. */
static void
frontend_run(struct nvrtc_job *job, const struct nvrtc_strings *argv,
             const struct nvrtc_text *source, struct nvrtc_process *process)
{
    const char *program = job->frontend->word[0];
    int code = nvrtc_process_start(process, argv->word);

    if (code) {
        nvrtc_process_explain_start(code, program, &job->reason);
        job->stopped = NVRTC_ERROR_COMPILATION;
        return;
    }
    code = nvrtc_process_finish(process, source->bytes, source->length);
    if (code) {
        nvrtc_process_explain_broken(process, code, program, &job->reason);
        job->stopped = code == ENOMEM ? NVRTC_ERROR_OUT_OF_MEMORY
                                      : NVRTC_ERROR_COMPILATION;
    }
}

nvrtcResult
nvrtc_job_front(struct nvrtc_job *job, bool ask, struct nvrtc_process *process)
{
    struct nvrtc_strings argv = {0};
    struct nvrtc_text source = {0};

    if (job->stopped) {
        return job->stopped;
    }
    source_make(job, ask, &source);
    frontend_argv(job, &argv);
    output_argv(ask ? "-emit-llvm" : "-emit-llvm-bc", &argv);
    if (source.failed || argv.failed) {
        job->stopped = NVRTC_ERROR_OUT_OF_MEMORY;
    } else {
        frontend_run(job, &argv, &source, process);
    }
    nvrtc_text_free(&source);
    nvrtc_strings_free(&argv);
    return job->stopped ? job->stopped : frontend_judge(job, process);
}

void
nvrtc_job_syntax(struct nvrtc_job *job, const char *source,
                 struct nvrtc_text *said)
{
    struct nvrtc_process process = {0};
    struct nvrtc_strings argv = {0};
    struct nvrtc_text text = {0};

    head_write(job, &text);
    nvrtc_text_print(&text, "%s%s", source,
                     job->options.device_default ? device_end : "");
    frontend_argv(job, &argv);
    nvrtc_strings_add(&argv, "-ferror-limit");
    nvrtc_strings_add(&argv, "0");
    output_argv("-fsyntax-only", &argv);
    if (!text.failed && !argv.failed) {
        frontend_run(job, &argv, &text, &process);
    }
    *said = process.err;
    process.err = (struct nvrtc_text){0};
    nvrtc_process_free(&process);
    nvrtc_text_free(&text);
    nvrtc_strings_free(&argv);
}

/* Line between the package's headers and the source, in the preprocessor's
 * output. */
#define SOURCE_MARK "__pycuda_source_begins__\n"

/* Runs the preprocessor on the source. Returns its output, which the caller
 * frees, or NULL. The package's headers are included as text and not in
 * precompiled form; their part of the output is left out. */
static char *
preprocess(struct nvrtc_job *job)
{
    struct nvrtc_process process = {0};
    struct nvrtc_strings argv = {0};
    struct nvrtc_text source = {0};
    char first = job->pch.path[0], *text = NULL;

    job->pch.path[0] = 0;
    head_write(job, &source);
    nvrtc_text_print(&source, SOURCE_MARK);
    line_directive(&source, job->program->name);
    nvrtc_text_print(&source, "%s", source_of(job));
    frontend_argv(job, &argv);
    output_argv("-E", &argv);
    job->pch.path[0] = first;
    if (!source.failed && !argv.failed) {
        frontend_run(job, &argv, &source, &process);
    }
    if (!job->stopped && process.status == 0 && process.out.length) {
        nvrtc_text_add(&process.out, "", 1);
        text = strstr(process.out.bytes, SOURCE_MARK);
        text = text ? strdup(text + strlen(SOURCE_MARK)) : NULL;
    }
    nvrtc_process_free(&process);
    nvrtc_text_free(&source);
    nvrtc_strings_free(&argv);
    return text;
}

/* Called if the front end has refused relocatable code. The first retry is for
 * errors about a kernel or about a name of the runtime API: it includes the
 * header of this API, and declares kernels so that device code can take their
 * addresses. The second retry is for launches in headers or in several macros:
 * it edits the preprocessor's output. Returns true if a retry may succeed. */
static bool
retry_launches(struct nvrtc_job *job)
{
    static const char *const signs[] = {
        "reference to __global__ function '",
        "call to __global__ function from ",
        "kernel call to non-global function '",
        "reference to __host__ function 'cudaConfigureCall'",
        "use of undeclared identifier 'cuda",
    };
    const char *log = job->program->log.bytes;
    struct nvrtc_edits edits = {0};
    bool found = false;

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        found |= log && strstr(log, signs[i]);
    }
    if (!found || !job->options.relocatable || job->preprocessed) {
        return false;
    }
    if (!job->device_runtime || !job->launches) {
        job->device_runtime = job->launches = true;
        return true;
    }
    /* The preprocessor's output contains the text of all included headers, so
     * do not use the precompiled header of the source's includes. */
    nvrtc_pch_fall_back(&job->pch, NULL);
    char *text = preprocess(job);
    char *marked = text && nvrtc_launches_mark(&edits, text)
                       ? nvrtc_edits_make(&edits, text)
                       : NULL;
    nvrtc_edits_free(&edits);
    free(text);
    if (marked == NULL) {
        return false;
    }
    free(job->marked);
    job->marked = marked;
    job->preprocessed = true;
    return true;
}

/* Called if rewriting the source did not remove all errors. If the log has an
 * error about the constructor of a shared variable, sets options that give
 * pycuda::complex a trivial constructor, once per job. Returns true if a retry
 * may succeed. */
static bool
retry_shared_complex(struct nvrtc_job *job)
{
    static const char words[] = "initialization is not supported for "
                                "__shared__ variables";
    struct nvrtc_text *log = &job->program->log;

    if (job->trivial || log->bytes == NULL ||
        strstr(log->bytes, words) == NULL) {
        return false;
    }
    job->trivial = true;
    nvrtc_strings_add(&job->options.language, "-ftrivial-auto-var-init=zero");
    nvrtc_strings_add(&job->options.preprocess,
                      "-D__PYCUDA_TRIVIAL_COMPLEX__");
    nvrtc_pch_free(&job->pch);
    return nvrtc_pch_get(&job->pch, job->frontend, job->headers, &job->options,
                         log);
}

static void
job_discard(struct nvrtc_job *job, struct nvrtc_process *process)
{
    nvrtc_text_free(&job->program->log);
    nvrtc_process_free(process);
}

/* Returns true if every error in `log` was also reported for the original
 * source. */
static bool
errors_are_original(const struct nvrtc_text *log,
                    const struct nvrtc_text *given)
{
    static const char mark[] = ": error: ";
    bool any = false;

    for (const char *line = log->bytes; line && *line;) {
        size_t n = strcspn(line, "\n") + 1;
        if (memmem(line, n, mark, sizeof mark - 1)) {
            any = true;
            if (!memmem(given->bytes, given->length, line, n)) {
                return false;
            }
        }
        const char *end = strchr(line, '\n');
        line = end ? end + 1 : NULL;
    }
    return any;
}

/* Compiles the source after rewrite.c has edited it. Repeats the edits and the
 * compilation up to REWRITES times, since clang may report further errors when
 * the first ones are corrected. Returns false if the source still has errors;
 * job->source is then NULL. */
static bool
retry_rewritten(struct nvrtc_job *job, struct nvrtc_process *process)
{
    struct nvrtc_text said = job->program->log;
    struct nvrtc_process other = {0};
    bool well = false;

    job->program->log = (struct nvrtc_text){0};
    for (int round = 0; !well && round < REWRITES; round++) {
        char *source =
            nvrtc_rewrite(round ? &job->program->log : &said,
                          job->program->name, source_of(job), round);
        if (source == NULL) {
            break;
        }
        free(job->source);
        job->source = source;
        job_discard(job, &other);
        well = nvrtc_job_front(job, false, &other) == NVRTC_SUCCESS;
    }
    nvrtc_process_free(well ? process : &other);
    if (well) {
        *process = other;
    } else {
        free(job->source);
        job->source = NULL;
    }
    /* If the rewritten source has errors that the original source does not
     * have, report the errors of the original source instead. */
    if (well || errors_are_original(&job->program->log, &said)) {
        nvrtc_text_free(&said);
    } else {
        nvrtc_text_free(&job->program->log);
        job->program->log = said;
    }
    return well;
}

/* If all functions are device functions and the log has an error about a
 * kernel that is declared twice, excludes kernels from the pragma
 * force_cuda_host_device (execution_spaces.c), once per job. Returns true if a
 * retry may succeed. */
static bool
retry_marked_kernels(struct nvrtc_job *job)
{
    static const char words[] = "' attributes are not compatible";
    struct nvrtc_text *log = &job->program->log;
    struct nvrtc_edits edits = {0};

    if (job->apart || !job->options.device_default || log->bytes == NULL ||
        strstr(log->bytes, words) == NULL) {
        return false;
    }
    job->apart = true;
    nvrtc_kernels_mark(&edits, job->marked);
    char *text = nvrtc_edits_make(&edits, job->marked);
    nvrtc_edits_free(&edits);
    if (text) {
        free(job->marked);
        job->marked = text;
    }
    return text != NULL;
}

/* Compiles the source after retry_unmarked has set the option that makes all
 * functions without an execution space device functions. If that fails,
 * retries with other declarations of kernels and with rewritten code. Returns
 * true on success. */
static bool
retry_with_device_default(struct nvrtc_job *job, struct nvrtc_process *process)
{
    nvrtcResult result = nvrtc_job_front(job, false, process);

    if (result != NVRTC_SUCCESS && retry_marked_kernels(job)) {
        job_discard(job, process);
        result = nvrtc_job_front(job, false, process);
    }
    return result == NVRTC_SUCCESS || retry_rewritten(job, process);
}

/* NVRTC accepts one declaration of a function with __device__ and another one
 * without; for clang these are two functions. If the log has an error about
 * such a function, compiles with all functions without an execution space as
 * device functions. Without such an error, or if this also fails, returns
 * false; the log and the options are then as before. */
static bool
retry_unmarked(struct nvrtc_job *job, struct nvrtc_process *process)
{
    /* Parts of clang's errors about overloads by __host__ and __device__.
     * NVRTC has no such errors, since it compiles no host functions. */
    static const char *const signs[] = {
        "' does not match any declaration in '",
        "no function template matches function template specialization",
        /* the start of "__device__ function 'f' cannot overload __host__
         * ..." */
        "__device__ function '",
        "reference to __host__ function '",
        "reference to __host__ variable '",
        "candidate template ignored: target attributes do not match",
    };
    struct nvrtc_text said = job->program->log;
    struct nvrtc_process other = {0};
    bool try = false;

    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        try |= said.bytes && strstr(said.bytes, signs[i]);
    }
    if (!try || job->options.device_default) {
        return false;
    }
    job->program->log = (struct nvrtc_text){0};
    job->options.device_default = true;
    if (retry_with_device_default(job, &other)) {
        nvrtc_text_free(&said);
        nvrtc_process_free(process);
        *process = other;
        return true;
    }
    job_discard(job, &other);
    job->program->log = said;
    job->options.device_default = false;
    return false;
}

bool
nvrtc_job_use_cccl(struct nvrtc_job *job)
{
    if (job->options.cccl ||
        !nvrtc_cccl_find(job->cccl, &job->options.preprocess)) {
        return false;
    }
    job->options.cccl = job->cccl;
    return true;
}

/* Compiles again, with CCCL's headers in the folder `cccl`, or with the
 * package's own headers if `cccl` is NULL. Returns false if this compilation
 * also fails; the log and the options are then as before the call. */
static bool
retry_headers(struct nvrtc_job *job, struct nvrtc_process *process,
              const char *cccl)
{
    struct nvrtc_text said = job->program->log;
    struct nvrtc_process other = {0};
    const char *before = job->options.cccl;

    job->options.cccl = cccl;
    job->program->log = (struct nvrtc_text){0};
    nvrtc_pch_free(&job->pch);
    bool well = nvrtc_pch_get(&job->pch, job->frontend, job->headers,
                              &job->options, &job->program->log) &&
                (nvrtc_job_front(job, false, &other) == NVRTC_SUCCESS ||
                 retry_rewritten(job, &other) || retry_unmarked(job, &other));
    if (well) {
        nvrtc_text_free(&said);
        nvrtc_process_free(process);
        *process = other;
        return true;
    }
    job_discard(job, &other);
    job->options.cccl = before;
    job->program->log = (struct nvrtc_text){0};
    nvrtc_pch_free(&job->pch);
    nvrtc_pch_get(&job->pch, job->frontend, job->headers, &job->options,
                  &job->program->log);
    nvrtc_text_free(&job->program->log);
    job->program->log = said;
    return false;
}

/* Compiles with CCCL's headers if the log mentions CCCL: a header of the
 * program may include CCCL, and only the source has been searched for it. If
 * CCCL is not installed, adds advice to the log on how to install it. */
static bool
retry_cccl(struct nvrtc_job *job, struct nvrtc_process *process)
{
    if (job->options.cccl ||
        !nvrtc_cccl_is_mentioned(job->program->log.bytes)) {
        return false;
    }
    if (!nvrtc_job_use_cccl(job)) {
        nvrtc_text_print(&job->program->log, "%s", nvrtc_cccl_advice);
        return false;
    }
    job->options.cccl = NULL;
    return retry_headers(job, process, job->cccl);
}

/* If the source includes Thrust's headers, retries without CCCL: in CCCL, some
 * of them need host code. The package's own headers and placeholders suffice
 * if no kernel uses Thrust. */
static bool
retry_without_cccl(struct nvrtc_job *job, struct nvrtc_process *process)
{
    return job->options.cccl && strstr(job->program->source, "thrust/") &&
           retry_headers(job, process, NULL);
}

/* Compiles the source without the bodies of templates that have errors.
 * Returns false, with the job unchanged, if that fails. */
static bool
retry_without_templates(struct nvrtc_job *job, struct nvrtc_process *process)
{
    struct nvrtc_text said = job->program->log;
    struct nvrtc_process other = {0};
    char *marked = job->marked;
    bool taken = false;

    job->program->log = (struct nvrtc_text){0};
    for (int round = 0; !taken && round < REWRITES; round++) {
        char *text = nvrtc_bodies_replace(round ? &job->program->log : &said,
                                          job->program->name, job->marked);
        if (text == NULL) {
            break;
        }
        if (job->marked != marked) {
            free(job->marked);
        }
        job->marked = text;
        job_discard(job, &other);
        taken = nvrtc_job_front(job, false, &other) == NVRTC_SUCCESS ||
                retry_rewritten(job, &other);
    }
    if (taken) {
        free(marked);
        nvrtc_text_free(&said);
        nvrtc_process_free(process);
        *process = other;
        return true;
    }
    if (job->marked != marked) {
        free(job->marked);
    }
    job->marked = marked;
    job_discard(job, &other);
    job->program->log = said;
    return false;
}

nvrtcResult
nvrtc_job_bitcode(struct nvrtc_job *job)
{
    struct nvrtc_process process = {0};
    nvrtcResult result = nvrtc_job_front(job, false, &process);

    while (result != NVRTC_SUCCESS) {
        if (retry_launches(job)) {
            job_discard(job, &process);
            result = nvrtc_job_front(job, false, &process);
        } else if (retry_rewritten(job, &process) ||
                   retry_unmarked(job, &process) ||
                   retry_cccl(job, &process) ||
                   retry_without_cccl(job, &process)) {
            result = NVRTC_SUCCESS;
        } else if (retry_marked_kernels(job) || retry_shared_complex(job) ||
                   nvrtc_pch_fall_back(&job->pch, job->program->log.bytes)) {
            job_discard(job, &process);
            result = nvrtc_job_front(job, false, &process);
        } else if (retry_without_templates(job, &process)) {
            result = NVRTC_SUCCESS;
        } else {
            break;
        }
    }
    if (result != NVRTC_SUCCESS && !job->options.relocatable) {
        nvrtc_launches_explain(&job->program->log);
    }
    if (result == NVRTC_SUCCESS) {
        job->program->bitcode = process.out;
        process.out = (struct nvrtc_text){0};
    }
    nvrtc_process_free(&process);
    return result;
}
