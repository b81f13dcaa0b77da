/* outputs.c - the NVRTC functions that return compiled code.
 *
 * Called by any C program. Each kind of output (cubin, PTX, LTO IR, OptiX IR)
 * exists only after a compilation with certain options. The size of an output
 * that does not exist is 0; for PTX, which is a text, it is 1. These functions
 * succeed for every program, also before its compilation. After a failed
 * compilation the cubin of the previous one remains, as in NVRTC. A program is
 * used by one thread at a time.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "api/nvrtc_types.h"
#include "cpu/nvrtc/compile.h"
#include "cpu/nvrtc/options.h"
#include "cpu/nvrtc/program.h"
#include "cpu/nvrtc/text.h"

#define NVRTC_API __attribute__((visibility("default")))
#define NVRTC_ROW(base, symbol, since, parameters, arguments)                 \
    NVRTC_API nvrtcResult symbol parameters;
#include "api/nvrtc_rows.h"

static const struct nvrtc_text absent;

/* "PTX" is the text form of an image that contains bitcode: it can be linked,
 * and is compiled when it is loaded. The size of the PTX includes the final
 * zero byte. */
static nvrtcResult
ptx_get(struct _nvrtcProgram *program, const struct nvrtc_text **text)
{
    static char nothing[1];
    static const struct nvrtc_text empty = {.bytes = nothing, .length = 1};

    *text = &empty;
    if (program->output != NVRTC_OUTPUT_CODE || !program->bitcode.length) {
        return NVRTC_SUCCESS;
    }
    nvrtcResult result = nvrtc_compile_ptx(program);
    *text = &program->ptx;
    return result;
}

/* Stores the output of the given kind in `text`. The "LTO IR" and the "OptiX
 * IR" of the CPU device are bitcode images, like the cubin of relocatable
 * code; cuLink* and cuLibraryLoad* accept them. */
static nvrtcResult
output_get(struct _nvrtcProgram *program, enum nvrtc_output kind,
           const struct nvrtc_text **text)
{
    if (kind == NVRTC_OUTPUT_PTX) {
        return ptx_get(program, text);
    }
    bool is_there = program->output == kind &&
                    (kind != NVRTC_OUTPUT_CODE || !program->is_virtual);
    *text = is_there ? &program->cubin : &absent;
    return NVRTC_SUCCESS;
}

static nvrtcResult
output_size(nvrtcProgram program, enum nvrtc_output kind, size_t *bytes)
{
    const struct nvrtc_text *text = &absent;

    if (!nvrtc_program_alive(program)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    if (bytes == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    nvrtcResult result = output_get(program, kind, &text);
    if (result == NVRTC_SUCCESS) {
        *bytes = text->length;
    }
    return result;
}

static nvrtcResult
output_copy(nvrtcProgram program, enum nvrtc_output kind, char *to)
{
    const struct nvrtc_text *text = &absent;

    if (!nvrtc_program_alive(program)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    if (to == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    nvrtcResult result = output_get(program, kind, &text);
    if (result == NVRTC_SUCCESS && text->length) {
        memcpy(to, text->bytes, text->length);
    }
    return result;
}

#define OUTPUT_FUNCTIONS(name, kind)                                          \
    nvrtcResult nvrtcGet##name##Size(nvrtcProgram program, size_t *bytes)     \
    {                                                                         \
        return output_size(program, kind, bytes);                             \
    }                                                                         \
    nvrtcResult nvrtcGet##name(nvrtcProgram program, char *to)                \
    {                                                                         \
        return output_copy(program, kind, to);                                \
    }

OUTPUT_FUNCTIONS(CUBIN, NVRTC_OUTPUT_CODE)
OUTPUT_FUNCTIONS(LTOIR, NVRTC_OUTPUT_LTO)
OUTPUT_FUNCTIONS(OptiXIR, NVRTC_OUTPUT_OPTIX)
OUTPUT_FUNCTIONS(PTX, NVRTC_OUTPUT_PTX)
