/* kernel_linkage.h - kernels whose names NVRTC mangles in spite of extern "C".
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_KERNEL_LINKAGE_H
#define PYCUDA_CPU_NVRTC_KERNEL_LINKAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "cpu/nvrtc/tokens.h"

struct nvrtc_edits;

enum { NVRTC_PROTOTYPES_MOST = 64 };

/* A declaration of a kernel that is no template and no class member. */
struct nvrtc_kernel {
    struct nvrtc_token name;
    const char *start; /* start of the declaration */
    const char *end;   /* end of the declaration: its ';' or '{' */
    /* the tokens `extern` and `"C"` of the declaration; empty tokens if it has
     * none */
    struct nvrtc_token word_extern, literal_c;
    bool is_c; /* the kernel has the linkage of extern "C" */
    bool is_static, has_body;
    bool is_unnamed; /* the kernel is inside an unnamed namespace */
};

/* Prototypes of kernels with the linkage of extern "C", in the order of the
 * source. */
struct nvrtc_linkage {
    struct nvrtc_kernel prototype[NVRTC_PROTOTYPES_MOST];
    size_t count;
};

/* Adds the edit that gives a kernel the linkage it has in NVRTC, if it needs
 * one. Called for all declarations of kernels in the order of the source.
 * Prototypes beyond NVRTC_PROTOTYPES_MOST are ignored. */
void nvrtc_linkage_take(struct nvrtc_linkage *linkage,
                        struct nvrtc_edits *edits, const char *source,
                        const struct nvrtc_kernel *kernel);

#endif
