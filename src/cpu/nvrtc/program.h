/* program.h - the program object of NVRTC.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_PROGRAM_H
#define PYCUDA_CPU_NVRTC_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "api/nvrtc_types.h"
#include "cpu/nvrtc/flow.h"
#include "cpu/nvrtc/options.h"
#include "cpu/nvrtc/text.h"

struct nvrtc_header {
    char *name;
    char *source;
};

struct nvrtc_expression {
    char *text;
    /* mangled symbol of the expression; NULL before a successful
     * compilation */
    char *lowered;
};

struct _nvrtcProgram {
    struct _nvrtcProgram *next; /* next program in the list of api.c */
    char *name;
    char *source;
    struct nvrtc_header *headers;
    int header_count;
    struct nvrtc_expression *expressions;
    size_t expression_count;
    struct nvrtc_flow flow; /* set by nvrtcSetFlowCallback */
    /* nvrtcCompileProgram was called with valid options */
    bool attempted;
    /* nvrtcCompileProgram has succeeded at least once */
    bool compiled;
    nvrtcResult pch_status; /* result of nvrtcGetPCHCreateStatus */
    struct nvrtc_text log;
    /* LLVM bitcode that the front end has generated */
    struct nvrtc_text bitcode;
    struct nvrtc_text cubin; /* native image; with -rdc a bitcode image */
    struct nvrtc_text ptx;   /* text form of the image; made on request */
    /* number of the target architecture, such as 90 for sm_90 */
    int arch;
    bool flush;      /* compiled with -ftz=true */
    bool is_virtual; /* compiled for compute_..., not for sm_... */
    /* kind of the compiled code: cubin and PTX, LTO IR, or OptiX IR */
    enum nvrtc_output output;
    size_t pch_bytes; /* result of nvrtcGetPCHHeapSizeRequired */
};

/* api.c: returns true if the program has been created and not destroyed. */
bool nvrtc_program_alive(nvrtcProgram program);

#endif
