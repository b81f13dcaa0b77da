/* options.h - options of pycuda-jit, from its command line and the
 * environment.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_OPTIONS_H
#define PYCUDA_JIT_OPTIONS_H

#include <stdbool.h>

#include "image/image.h"

struct jit_target;

/* The output that the program writes to stdout. */
enum jit_output {
    JIT_OUTPUT_IMAGE,
    JIT_OUTPUT_EXPLAIN, /* JSON, written by explain.c */
    JIT_OUTPUT_IR,      /* optimised code as LLVM IR text */
    JIT_OUTPUT_ASM,     /* optimised code as assembly of the target */
    JIT_OUTPUT_TIMES,   /* JSON: processor time of each step */
    JIT_OUTPUT_PTX,     /* PTX, written by LLVM's NVPTX back end */
};

/* The kernel checks that the environment variable PYCUDA_CPU_CHECK selects. */
enum jit_check {
    JIT_CHECK_MEMORY = IMAGE_CHECK_MEMORY,
    JIT_CHECK_RACE = IMAGE_CHECK_RACE,
    JIT_CHECK_SYNC = IMAGE_CHECK_SYNC,
    JIT_CHECK_INIT = IMAGE_CHECK_INIT,
    JIT_CHECK_STREAMS = IMAGE_CHECK_STREAMS,
    JIT_CHECK_BANK = IMAGE_CHECK_BANK,
};

/* Whether the image may be a quick version (jit/quick.c). */
enum jit_quick {
    JIT_QUICK_NEVER,
    /* --quick: write a quick version if the full version takes long to
     * compile */
    JIT_QUICK_ALLOWED,
    JIT_QUICK_NOW, /* --quick-now: write a quick version */
};

struct jit_options {
    const struct jit_target *target;
    enum image_kind kind;
    bool verbose;
    bool fast_math;
    bool fmad;
    bool flush; /* true: float arithmetic treats subnormal numbers as zero */
    bool debug; /* true: keep the source locations in the output */
    /* true: stores to constant memory are not reported */
    bool constant_writes;
    enum jit_output output;
    enum jit_quick quick;
    /* true: the image will replace a quick version in a running process. Its
     * variables may then be those of the quick version, at any distance from
     * the code */
    bool replaces;
    unsigned checks; /* bits of enum jit_check */
    /* true: split kernels at barriers where possible, so that they run as
     * loops over threads; false: run them on fibers */
    bool regions;
    /* true: also split kernels at warp operations, so that they run one warp
     * after the other */
    bool warps;
    int level;              /* optimisation level: -O0 .. -O3 */
    unsigned arch;          /* compute capability of PTX: 80 for 8.0 */
    unsigned max_registers; /* value of --max-registers; 0: not given */
};

/* options.c: parses the command line. A wrong option ends the process. */
void jit_read_options(struct jit_options *options, int count,
                      char **arguments);

#endif
