/* jit_process.c - runs pycuda-jit, which compiles retargetable bitcode to an
 * image.
 *
 * Called by module.c and link.c for images that contain bitcode, which is the
 * CPU device's equivalent of PTX. Thread-safe, without state.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/arch/arch.h"
#include "cpu/module/image.h"
#include "cpu/nvrtc/jit_process.h"
#include "cpu/nvrtc/paths.h"
#include "cpu/nvrtc/process.h"
#include "cpu/nvrtc/text.h"
#include "image/image.h"

#define JIT_WORDS 12

/* Writes pycuda-jit's option --target for this processor to `word` and returns
 * it. If PYCUDA_CPU_TARGET is set, returns NULL, since pycuda-jit reads that
 * variable itself. */
const char *
nvrtc_jit_target(char word[NVRTC_TARGET_WORD])
{
    const char *named = getenv("PYCUDA_CPU_TARGET");

    if (named && *named) {
        return NULL;
    }
    snprintf(word, NVRTC_TARGET_WORD, "--target=%s", cpu_arch_target());
    return word;
}

bool
nvrtc_jit_image_is_complete(const struct nvrtc_text *text)
{
    return text->length >= sizeof(struct image_header) &&
           cpu_image_bytes(text->bytes) == text->length;
}

/* Moves the text to result->text. Returns `code`, or OUT_OF_MEMORY if an
 * append to the text has failed. */
static CUresult
text_move(struct nvrtc_text *text, struct cpu_jit_result *result,
          CUresult code)
{
    if (text->failed) {
        nvrtc_text_free(text);
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    result->text = text->bytes;
    return code;
}

/* Moves the image and the messages of pycuda-jit, which has ended, into
 * `result`. Returns an error if it failed or its image is incomplete. */
static CUresult
result_collect(struct nvrtc_process *process, struct cpu_jit_result *result)
{
    struct nvrtc_text text = {0};
    CUresult code = CUDA_SUCCESS;

    result->status = process->status;
    if (process->status) {
        code = CUDA_ERROR_INVALID_PTX;
    } else if (!nvrtc_jit_image_is_complete(&process->out)) {
        nvrtc_text_print(&text,
                         "pycuda-jit wrote %zu bytes that are no complete "
                         "image",
                         process->out.length);
        return text_move(&text, result, CUDA_ERROR_INVALID_IMAGE);
    } else {
        result->image = process->out.bytes;
        result->image_bytes = process->out.length;
        process->out = (struct nvrtc_text){0};
    }
    if (process->status < 0) {
        nvrtc_process_explain(process, "pycuda-jit", &text);
    } else {
        text = process->err;
        process->err = (struct nvrtc_text){0};
    }
    return text_move(&text, result, code);
}

/* Stores a message about a failed start of pycuda-jit. */
static CUresult
start_failure(int code, const char *path, struct cpu_jit_result *result)
{
    struct nvrtc_text log = {0};

    if (!nvrtc_process_explain_start(code, path, &log)) {
        nvrtc_text_print(&log, "It is searched for next to the library, or "
                               "where PYCUDA_JIT says.");
    }
    return text_move(&log, result, CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
}

/* Stores a message that says why pycuda-jit's input or output could not be
 * transferred completely. Returns the CUresult for the errno `code`. */
static CUresult
finish_failure(const struct nvrtc_process *process, int code,
               struct cpu_jit_result *result)
{
    struct nvrtc_text log = {0};

    nvrtc_process_explain_broken(process, code, "pycuda-jit", &log);
    return text_move(&log, result,
                     code == ENOMEM ? CUDA_ERROR_OUT_OF_MEMORY
                                    : CUDA_ERROR_INVALID_PTX);
}

CUresult
cpu_jit_run(const void *input, size_t bytes, char *const options[],
            struct cpu_jit_result *result)
{
    struct nvrtc_process process = {0};
    char path[PATH_MAX];
    char target[NVRTC_TARGET_WORD];
    char *argv[JIT_WORDS] = {path};
    int words = 1;

    *result = (struct cpu_jit_result){.status = -1};
    if (nvrtc_jit_target(target)) {
        argv[words++] = target;
    }
    for (int i = 0; options && options[i] && words + 1 < JIT_WORDS; i++) {
        argv[words++] = options[i];
    }
    bool found = nvrtc_path_package(path, "PYCUDA_JIT", "bin/pycuda-jit");
    int code = found ? nvrtc_process_start(&process, argv) : errno;
    if (code) {
        return start_failure(code, found ? path : "pycuda-jit", result);
    }
    code = nvrtc_process_finish(&process, input, bytes);
    CUresult done = code ? finish_failure(&process, code, result)
                         : result_collect(&process, result);
    nvrtc_process_free(&process);
    return done;
}
