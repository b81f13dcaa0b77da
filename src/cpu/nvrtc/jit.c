/* jit.c - runs pycuda-jit, which turns retargetable bitcode into an image.
 *
 * Called by module.c and link.c when they are given what stands for PTX here.
 *
 * SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdio.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"
#include "cpu/nvrtc/nvrtc.h"

#define JIT_WORDS 12

/* PYCUDA_CPU_TARGET is for pycuda-jit to read. */
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

/* Moves the outputs of a child that has ended into `result`. */
static void
result_take(struct nvrtc_process *process, struct cpu_jit_result *result)
{
    struct nvrtc_text text = {0};

    result->status = process->status;
    if (!process->status) {
        result->image = process->out.bytes;
        result->image_bytes = process->out.length;
        process->out = (struct nvrtc_text){0};
    } else if (process->status < 0) {
        nvrtc_process_explain(process, "pycuda-jit", &text);
    }
    if (!text.bytes) {
        text = process->err;
        process->err = (struct nvrtc_text){0};
    }
    result->text = text.bytes;
}

/* Why pycuda-jit could not be started; to be freed. */
static char *
start_failure(int code, const char *path)
{
    struct nvrtc_text log = {0};

    if (!nvrtc_process_explain_start(code, path, &log)) {
        nvrtc_text_print(&log, "It is searched for next to the library, or "
                               "where PYCUDA_JIT says.");
    }
    return log.bytes;
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
    int code = found ? nvrtc_process_start(&process, argv) : ENOENT;
    if (code) {
        result->text = start_failure(code, found ? path : "pycuda-jit");
        return CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
    }
    int failed = nvrtc_process_finish(&process, input, bytes);
    if (failed) {
        result->text = strdup("pycuda-jit: its pipes failed");
    } else {
        result_take(&process, result);
    }
    nvrtc_process_free(&process);
    return !failed && !result->status ? CUDA_SUCCESS : CUDA_ERROR_INVALID_PTX;
}
