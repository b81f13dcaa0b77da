/* compile.c - one compilation: source, front end, pycuda-jit, image.
 *
 * Called by api.c.  pycuda-jit is started before the front end runs and
 * waits for its input, so that their starts overlap.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/module/image.h"
#include "cpu/nvrtc/nvrtc.h"
#include "image/image.h"

/* A source is rewritten this often at most. */
enum { REWRITES = 4 };
/* What NVRTC 13.0 compiles for where no option names it: sm_75. */
enum { DEFAULT_ARCH = 75 };

/* All that one compilation works with. */
struct job {
    struct _nvrtcProgram *program;
    struct nvrtc_options options;
    const struct nvrtc_words *frontend;
    struct nvrtc_pch pch;
    char headers[PATH_MAX]; /* pycuda/cuda */
    char folder[PATH_MAX];  /* headers given in memory; "": none */
    bool trivial;           /* constructors of shared variables do nothing */
    char *source;           /* in place of the program's, or NULL */
    struct nvrtc_process jit;
    struct nvrtc_timing timing;
};

/* ---- the source as the front end sees it ---- */

/* assert is defined in the precompiled header, before -DNDEBUG counts. */
static const char prologue[] = "#ifdef NDEBUG\n"
                               "#undef assert\n"
                               "#define assert(expression) ((void)0)\n"
                               "#endif\n";

/* What has no execution space becomes the device's: functions by one pragma,
 * variables by another. */
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

static void
source_make(const struct job *job, bool ask, struct nvrtc_text *source)
{
    const struct _nvrtcProgram *program = job->program;

    if (job->pch.path[0] == 0) {
        nvrtc_text_add(source, job->pch.includes.bytes,
                       job->pch.includes.length);
    }
    for (size_t i = 0; i < job->pch.rest.count; i++) {
        nvrtc_text_print(source, "#include \"%s\"\n", job->pch.rest.word[i]);
    }
    nvrtc_text_print(source, "%s", prologue);
    if (job->options.device_default) {
        nvrtc_text_print(source, "%s", device_begin);
    }
    line_directive(source, program->name);
    nvrtc_guides_mark(source, job->source ? job->source : program->source);
    if (job->options.device_default) {
        nvrtc_text_print(source, "%s", device_end);
    }
    if (ask) {
        nvrtc_names_ask(program, source);
    } else {
        nvrtc_names_use(program, source);
    }
}

/* ---- the front end ---- */

static void
frontend_argv(const struct job *job, bool text, struct nvrtc_words *argv)
{
    nvrtc_words_add_all(argv, job->frontend);
    nvrtc_frontend_flags(argv, job->headers, &job->options);
    if (job->folder[0]) {
        nvrtc_words_add(argv, "-I%s", job->folder);
    }
    nvrtc_words_add_all(argv, &job->options.preprocess);
    nvrtc_words_add_all(argv, &job->options.diagnostics);
    if (job->options.quiet) {
        nvrtc_words_add(argv, "-w");
    }
    if (job->pch.path[0]) {
        nvrtc_words_add(argv, "-include-pch");
        nvrtc_words_add(argv, "%s", job->pch.path);
    }
    nvrtc_words_add(argv, text ? "-emit-llvm" : "-emit-llvm-bc");
    nvrtc_words_add(argv, "-o");
    nvrtc_words_add(argv, "-");
    nvrtc_words_add(argv, "-x");
    nvrtc_words_add(argv, "cuda");
    nvrtc_words_add(argv, "-");
}

/* Copies the diagnostics without clang's closing count, which names the GPU
 * that it believes in. */
static void
log_add(struct nvrtc_text *log, const struct nvrtc_text *said)
{
    static const char mark[] = " generated when compiling for sm_";
    const char *line = said->bytes ? said->bytes : "";

    while (*line) {
        size_t n = strcspn(line, "\n");
        n += line[n] == '\n';
        if (!memmem(line, n, mark, sizeof mark - 1)) {
            nvrtc_text_add(log, line, n);
        }
        line += n;
    }
}

/* 1 is an error in the source; anything else is the front end's own. */
static nvrtcResult
frontend_judge(const struct job *job, const struct nvrtc_process *process)
{
    struct nvrtc_text *log = &job->program->log;

    if (process->status == 0) {
        log_add(log, &process->err);
        return NVRTC_SUCCESS;
    }
    if (process->status == 1 && process->err.length) {
        log_add(log, &process->err);
    } else {
        nvrtc_process_explain(process, "The front end (clang)", log);
    }
    return NVRTC_ERROR_COMPILATION;
}

static nvrtcResult
frontend_run(struct job *job, bool ask, struct nvrtc_process *process)
{
    struct nvrtc_words argv = {0};
    struct nvrtc_text source = {0};
    int code = ENOMEM;

    source_make(job, ask, &source);
    frontend_argv(job, ask, &argv);
    if (!source.failed && !argv.failed) {
        code = nvrtc_process_start(process, argv.word);
    }
    if (code == 0) {
        code = nvrtc_process_finish(process, source.bytes, source.length);
    }
    nvrtc_text_free(&source);
    nvrtc_words_free(&argv);
    if (code) {
        nvrtc_process_explain_start(code, job->frontend->word[0],
                                    &job->program->log);
        return NVRTC_ERROR_COMPILATION;
    }
    return frontend_judge(job, process);
}

/* Where the source can't be written anew, the constructor of pycuda::complex
 * (see there) can be left out, once.  true: worth another try. */
static bool
shared_refused(struct job *job)
{
    static const char words[] = "initialization is not supported for "
                                "__shared__ variables";
    struct nvrtc_text *log = &job->program->log;

    if (job->trivial || log->bytes == NULL ||
        strstr(log->bytes, words) == NULL) {
        return false;
    }
    job->trivial = true;
    nvrtc_words_add(&job->options.language, "-ftrivial-auto-var-init=zero");
    nvrtc_words_add(&job->options.preprocess, "-D__PYCUDA_TRIVIAL_COMPLEX__");
    nvrtc_pch_free(&job->pch);
    return nvrtc_pch_get(&job->pch, job->frontend, job->headers, &job->options,
                         log);
}

static void
forget(struct job *job, struct nvrtc_process *process)
{
    nvrtc_text_free(&job->program->log);
    nvrtc_process_free(process);
}

/* Has each error of `log` been said of the source as it was given? */
static bool
said_of_given(const struct nvrtc_text *log, const struct nvrtc_text *given)
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

/* Compiles what rewrite.c makes of the source; false: all is as it was.  Once
 * some is mended, the front end may see more. */
static bool
rewritten(struct job *job, struct nvrtc_process *process)
{
    struct nvrtc_text said = job->program->log;
    struct nvrtc_process other = {0};
    bool well = false;

    job->program->log = (struct nvrtc_text){0};
    for (int round = 0; !well && round < REWRITES; round++) {
        char *source = nvrtc_rewrite(
            round ? &job->program->log : &said, job->program->name,
            job->source ? job->source : job->program->source, round);
        if (source == NULL) {
            break;
        }
        free(job->source);
        job->source = source;
        forget(job, &other);
        well = frontend_run(job, false, &other) == NVRTC_SUCCESS;
    }
    nvrtc_process_free(well ? process : &other);
    if (well) {
        *process = other;
    } else {
        free(job->source);
        job->source = NULL;
    }
    /* What is wrong besides is said alone. */
    if (well || said_of_given(&job->program->log, &said)) {
        nvrtc_text_free(&said);
    } else {
        nvrtc_text_free(&job->program->log);
        job->program->log = said;
    }
    return well;
}

/* NVRTC takes one declaration of a function with __device__ and another
 * without.  To clang these are two functions, but not if all that have no
 * execution space are the device's.  false: all is as it was. */
static bool
unmarked_taken(struct job *job, struct nvrtc_process *process)
{
    static const char *const signs[] = {
        "' does not match any declaration in '",
        "no function template matches function template specialization",
        "__device__ function '", /* ... cannot overload ... */
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
    if (frontend_run(job, false, &other) == NVRTC_SUCCESS ||
        rewritten(job, &other)) {
        nvrtc_text_free(&said);
        nvrtc_process_free(process);
        *process = other;
        return true;
    }
    forget(job, &other);
    job->program->log = said;
    job->options.device_default = false;
    return false;
}

static nvrtcResult
frontend_compile(struct job *job)
{
    struct nvrtc_process process = {0};
    nvrtcResult result = frontend_run(job, false, &process);

    while (result != NVRTC_SUCCESS) {
        if (rewritten(job, &process) || unmarked_taken(job, &process)) {
            result = NVRTC_SUCCESS;
        } else if (shared_refused(job) ||
                   nvrtc_pch_retreat(&job->pch, job->program->log.bytes)) {
            forget(job, &process);
            result = frontend_run(job, false, &process);
        } else {
            break;
        }
    }
    if (result == NVRTC_SUCCESS) {
        job->program->bitcode = process.out;
        process.out = (struct nvrtc_text){0};
    }
    nvrtc_process_free(&process);
    return result;
}

static nvrtcResult
names_compile(struct job *job)
{
    struct nvrtc_process process = {0};
    struct nvrtc_text kept = job->program->log;

    if (job->program->expression_count == 0) {
        return NVRTC_SUCCESS;
    }
    /* the same warnings a second time are not wanted; errors are */
    job->program->log = (struct nvrtc_text){0};
    nvrtcResult result = frontend_run(job, true, &process);
    if (result == NVRTC_SUCCESS) {
        nvrtc_text_free(&job->program->log);
        job->program->log = kept;
        if (!nvrtc_names_read(job->program, process.out.bytes,
                              &job->program->log)) {
            result = NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
        }
    } else {
        nvrtc_text_free(&kept);
    }
    nvrtc_process_free(&process);
    return result;
}

/* ---- pycuda-jit ---- */

static nvrtcResult
jit_start(struct nvrtc_process *process, const char *kind,
          const struct nvrtc_words *flags, struct nvrtc_text *log)
{
    struct nvrtc_words argv = {0};
    char path[PATH_MAX], target[NVRTC_TARGET_WORD];
    int code = ENOMEM;

    if (!nvrtc_path_package(path, "PYCUDA_JIT", "bin/pycuda-jit")) {
        nvrtc_text_print(log, "pycuda-jit was not found: PYCUDA_JIT names no "
                              "file, or the installation is incomplete.\n");
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    nvrtc_words_add(&argv, "%s", path);
    if (nvrtc_jit_target(target)) {
        nvrtc_words_add(&argv, "%s", target);
    }
    nvrtc_words_add(&argv, "--kind=%s", kind);
    if (flags) {
        nvrtc_words_add_all(&argv, flags);
    }
    if (!argv.failed) {
        code = nvrtc_process_start(process, argv.word);
    }
    nvrtc_words_free(&argv);
    if (code) {
        nvrtc_process_explain_start(code, path, log);
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    return NVRTC_SUCCESS;
}

/* Gives it the bitcode and takes the image. */
static nvrtcResult
jit_finish(struct nvrtc_process *process, const struct nvrtc_text *bitcode,
           struct nvrtc_text *image, struct nvrtc_text *log)
{
    int code = nvrtc_process_finish(process, bitcode->bytes, bitcode->length);

    if (code) {
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    if (process->status == 0 && process->out.length) {
        log_add(log, &process->err);
        *image = process->out;
        process->out = (struct nvrtc_text){0};
        return NVRTC_SUCCESS;
    }
    if (process->status == 1 && process->err.length) {
        log_add(log, &process->err);
    } else {
        nvrtc_process_explain(process, "pycuda-jit", log);
    }
    return NVRTC_ERROR_COMPILATION;
}

/* Makes the text of a bitcode image, with the names of the program's own. */
static nvrtcResult
ptx_write(struct _nvrtcProgram *program, const struct nvrtc_text *image)
{
    const struct nvrtc_text *named =
        program->cubin.length ? &program->cubin : image;
    size_t length = 0;
    char *text = cpu_image_text_make(image->bytes, image->length, named->bytes,
                                     program->arch, &length);

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
    nvrtcResult result = jit_start(&process, "bitcode", NULL, &program->log);
    if (result == NVRTC_SUCCESS) {
        result =
            jit_finish(&process, &program->bitcode, &image, &program->log);
    }
    if (result == NVRTC_SUCCESS) {
        result = ptx_write(program, &image);
    }
    nvrtc_text_free(&image);
    nvrtc_process_free(&process);
    return result;
}

/* ---- the whole ---- */

/* The includes that the source begins with, unless other text comes first. */
static void
job_precompile(struct job *job)
{
    struct nvrtc_text lines = {0};

    if (job->pch.path[0] && job->pch.rest.count == 0) {
        nvrtc_leading_read(&lines, job->program->source, job->headers,
                           &job->options, job->folder);
        nvrtc_pch_extend(&job->pch, job->frontend, job->headers, &job->options,
                         &lines, &job->program->log);
    }
    nvrtc_text_free(&lines);
}

static nvrtcResult
job_prepare(struct job *job, int count, const char *const *options)
{
    struct nvrtc_text *log = &job->program->log;
    char given[PATH_MAX];

    nvrtcResult result =
        nvrtc_options_parse(&job->options, count, options, log);
    if (result != NVRTC_SUCCESS) {
        return result;
    }
    if (!nvrtc_path_package(given, "PYCUDA_CUDA_HEADERS", "cuda") ||
        !realpath(given, job->headers)) {
        nvrtc_text_print(log, "The CPU device's headers (pycuda/cuda) were "
                              "not found; PYCUDA_CUDA_HEADERS can name the "
                              "folder.\n");
        return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    job->frontend = nvrtc_frontend_find(log);
    if (job->frontend == NULL ||
        !nvrtc_pch_get(&job->pch, job->frontend, job->headers, &job->options,
                       log)) {
        return NVRTC_ERROR_COMPILATION;
    }
    if (!nvrtc_folder_make(job->program, job->folder, log)) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    job_precompile(job);
    return NVRTC_SUCCESS;
}

/* Writes the file that --create-pch names.  Headers are precompiled without
 * it; --use-pch looks for it. */
static nvrtcResult
pch_create(struct job *job)
{
    struct _nvrtcProgram *program = job->program;
    const char *path = job->options.create_pch;
    FILE *file = fopen(path, "w");

    program->pch_status = NVRTC_ERROR_PCH_CREATE;
    if (!file) {
        nvrtc_text_print(&program->log,
                         "Catastrophic error: cannot create precompiled "
                         "header file \"%s\": %s\n",
                         path, strerror(errno));
        return NVRTC_ERROR_COMPILATION;
    }
    fprintf(file, "The CPU device keeps its precompiled headers in the "
                  "compiler's cache.\n");
    fclose(file);
    program->pch_status = NVRTC_SUCCESS;
    nvrtc_text_print(&program->log,
                     "\"%s\": creating precompiled header file \"%s\"\n",
                     program->name, path);
    return NVRTC_SUCCESS;
}

/* Has the image the kernel whose name are these `n` bytes? */
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

/* Does the image have all kernels that -e lists? */
static nvrtcResult
entries_check(struct job *job)
{
    const struct nvrtc_words *lists = &job->options.entries;
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

/* After a compilation that went well. */
static nvrtcResult
job_finish(struct job *job)
{
    nvrtcResult result = entries_check(job);

    if (result == NVRTC_SUCCESS && job->options.create_pch) {
        result = pch_create(job);
    }
    if (result == NVRTC_SUCCESS) {
        result = nvrtc_timing_write(&job->timing, job->program->name,
                                    &job->options, &job->program->log);
    }
    return result;
}

static nvrtcResult
job_run(struct job *job)
{
    struct _nvrtcProgram *program = job->program;
    const char *kind = job->options.relocatable ? "bitcode" : "native";
    program->arch = job->options.arch ? job->options.arch : DEFAULT_ARCH;
    bool code = !job->options.syntax_only;
    nvrtcResult result = NVRTC_SUCCESS;

    if (code) {
        result = jit_start(&job->jit, kind, &job->options.jit, &program->log);
    }
    if (result == NVRTC_SUCCESS) {
        nvrtc_timing_begin(&job->timing, "CUDA C++ Frontend");
        result = frontend_compile(job);
    }
    if (result == NVRTC_SUCCESS && code) {
        result = names_compile(job);
    }
    nvrtc_timing_end(&job->timing);
    if (result == NVRTC_SUCCESS && code) {
        nvrtc_timing_begin(&job->timing, "pycuda-jit");
        result = jit_finish(&job->jit, &program->bitcode, &program->cubin,
                            &program->log);
        nvrtc_timing_end(&job->timing);
    }
    return result ? result : job_finish(job);
}

nvrtcResult
nvrtc_compile(struct _nvrtcProgram *program, int count,
              const char *const *options)
{
    struct job job = {.program = program};

    program->compiled = false;
    program->pch_status = NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED;
    nvrtc_text_free(&program->log);
    nvrtc_text_free(&program->bitcode);
    nvrtc_text_free(&program->cubin);
    nvrtc_text_free(&program->ptx);
    nvrtcResult result = job_prepare(&job, count, options);
    if (result == NVRTC_SUCCESS) {
        result = job_run(&job);
    }
    nvrtc_folder_remove(program, job.folder);
    nvrtc_process_free(&job.jit);
    free(job.source);
    nvrtc_pch_free(&job.pch);
    nvrtc_options_free(&job.options);
    program->compiled = result == NVRTC_SUCCESS;
    return result;
}
