/* kernel_linkage.c - gives kernels the linkage that they have in NVRTC.
 *
 * Called by kernel_heads.c for each declaration of a kernel. In NVRTC the name
 * of a kernel with internal linkage is mangled: extern "C" has no effect on a
 * kernel in an unnamed namespace, or on the prototype of a kernel that is
 * defined as static. Clang keeps the plain name: a program that uses this name
 * would run on the CPU device but not find the kernel on a GPU. So a kernel in
 * an unnamed namespace gets extern "C++", and the prototype of a static kernel
 * becomes static. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <ctype.h>
#include <string.h>

#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/kernel_linkage.h"

/* Returns the length of the declaration's text after the kernel's name (the
 * list of parameters), without trailing blanks. */
static size_t
parameters_length(const struct nvrtc_kernel *kernel)
{
    const char *start = kernel->name.start + kernel->name.n;
    size_t n = (size_t)(kernel->end - start);

    while (n > 0 && isspace((unsigned char)start[n - 1])) {
        n--;
    }
    return n;
}

/* Returns true if both declarations have the same name and the same text of
 * the parameters. */
static bool
is_same(const struct nvrtc_kernel *a, const struct nvrtc_kernel *b)
{
    size_t n = parameters_length(a);

    return a->name.n == b->name.n && n == parameters_length(b) &&
           !memcmp(a->name.start, b->name.start, n + a->name.n);
}

/* Adds edits that give the kernel the linkage of extern "C++". */
static void
mangle(struct nvrtc_edits *edits, const char *source,
       const struct nvrtc_kernel *kernel)
{
    const char *literal = kernel->literal_c.start;

    if (literal) {
        nvrtc_edits_add(edits, (size_t)(literal - source), kernel->literal_c.n,
                        "\"C++\"");
    } else {
        nvrtc_edits_add(edits, (size_t)(kernel->start - source), 0,
                        "extern \"C++\" ");
    }
}

/* Adds edits that make a kernel's prototype static, as its definition is. */
static void
make_static(struct nvrtc_edits *edits, const char *source,
            const struct nvrtc_kernel *kernel)
{
    const char *start = kernel->word_extern.start;
    size_t drop = 0;

    if (start) {
        drop = (size_t)(kernel->literal_c.start + kernel->literal_c.n - start);
    }
    nvrtc_edits_add(edits, (size_t)((start ? start : kernel->start) - source),
                    drop, "static ");
}

void
nvrtc_linkage_take(struct nvrtc_linkage *linkage, struct nvrtc_edits *edits,
                   const char *source, const struct nvrtc_kernel *kernel)
{
    if (kernel->is_static) {
        for (size_t i = 0; i < linkage->count; i++) {
            if (is_same(&linkage->prototype[i], kernel)) {
                make_static(edits, source, &linkage->prototype[i]);
            }
        }
    } else if (kernel->is_c && kernel->is_unnamed) {
        mangle(edits, source, kernel);
    } else if (kernel->is_c && !kernel->has_body &&
               linkage->count < NVRTC_PROTOTYPES_MOST) {
        linkage->prototype[linkage->count++] = *kernel;
    }
}
