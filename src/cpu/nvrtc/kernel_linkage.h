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

/* A declaration of a kernel that is no template and no member. */
struct nvrtc_kernel {
    struct nvrtc_token name;
    const char *start; /* of the declaration */
    const char *end;   /* of the declaration: its ';' or '{' */
    /* the declaration's extern "C"; no tokens if it has none */
    struct nvrtc_token word_extern, literal_c;
    bool is_c; /* it has the linkage of extern "C" */
    bool is_static, has_body;
    bool is_unnamed; /* it is inside an unnamed namespace */
};

/* Prototypes with the linkage of extern "C", in the order of the source. */
struct nvrtc_linkage {
    struct nvrtc_kernel prototype[NVRTC_PROTOTYPES_MOST];
    size_t count;
};

/* Adds the edit for the kernel, if it needs one. Kernels are taken in the
 * order of `source`. Prototypes beyond NVRTC_PROTOTYPES_MOST are ignored. */
void nvrtc_linkage_take(struct nvrtc_linkage *linkage,
                        struct nvrtc_edits *edits, const char *source,
                        const struct nvrtc_kernel *kernel);

#endif
