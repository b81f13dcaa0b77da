/* options.h - the options of a compilation, parsed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_OPTIONS_H
#define PYCUDA_CPU_NVRTC_OPTIONS_H

#include <stdbool.h>

#include "api/nvrtc_types.h"
#include "cpu/nvrtc/text.h"

/* Kinds of compiled code that a compilation creates. */
enum nvrtc_output {
    NVRTC_OUTPUT_CODE,  /* cubin and PTX are created */
    NVRTC_OUTPUT_LTO,   /* -dlto: only LTO IR is created */
    NVRTC_OUTPUT_OPTIX, /* -optix-ir: only OptiX IR is created */
    NVRTC_OUTPUT_PTX, /* PTX; not an output of a compilation, only an argument
                         of output_get */
};

struct nvrtc_options {
    /* flags of clang's cc1 that also change the meaning of headers, such as
     * the C++ standard */
    struct nvrtc_strings language;
    struct nvrtc_strings preprocess;  /* flags of clang's cc1: -I, -D and -U */
    struct nvrtc_strings preincludes; /* file names of --pre-include */
    struct nvrtc_strings jit;         /* options for pycuda-jit */
    /* flags of clang's cc1 that switch warnings on or off, or make them
     * errors */
    struct nvrtc_strings diagnostics;
    /* names of kernels (option -e); a missing kernel is an error */
    struct nvrtc_strings entries;
    /* copies of the option texts without leading and trailing blanks */
    struct nvrtc_strings trimmed;
    /* Folder of the CCCL headers that this compilation uses, or NULL. It is
     * not an option: compile.c and frontend_retry.c set it. */
    const char *cccl;
    const char *times;      /* file of --time, or NULL */
    const char *trace;      /* file of --fdevice-time-trace, or NULL */
    const char *create_pch; /* file of --create-pch, or NULL */
    /* result that NVRTC returns if an option is invalid */
    nvrtcResult result;
    /* number of the target architecture: 90 for sm_90; 0: not specified */
    int arch;
    char arch_suffix; /* 'a' as in sm_90a, or 'f'; 0: no suffix */
    /* kind of the previous ptxas option (enum assembler_kind) */
    int assembler_kind;
    /* the next argument may be the value of the previous ptxas option */
    bool assembler_value;
    /* the option --device-as-default-execution-space was passed */
    bool device_default;
    bool relocatable;
    /* the option -rdc=false (no separate compilation) was passed */
    bool whole_program;
    bool is_real; /* the architecture is sm_..., not compute_... */
    bool pch;     /* the option --pch (use precompiled headers) was passed */
    bool is_pch_quiet; /* the option -pch-messages=false was passed */
    enum nvrtc_output output;
    bool debug; /* the option -G (debug information) was passed */
    /* the option -dopt (optimized code with debug information) was passed */
    bool optimized;
    /* the option -ftz=true (subnormal floats become zero) was passed */
    bool flush;
    bool float128;    /* the option -device-float128 was passed */
    bool quiet;       /* the option that suppresses warnings was passed */
    bool syntax_only; /* the source is only checked; no code is generated */
};

/* Parses the options. Returns NVRTC_SUCCESS, or an error that `log` describes.
 * Values refer to `texts` or to memory of `options`. */
nvrtcResult nvrtc_options_parse(struct nvrtc_options *options, int count,
                                const char *const *texts,
                                struct nvrtc_text *log);
/* Frees the memory of the parsed options. */
void nvrtc_options_free(struct nvrtc_options *options);

#endif
