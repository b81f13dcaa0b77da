/* pch.h - precompiled headers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_PCH_H
#define PYCUDA_CPU_NVRTC_PCH_H

#include <limits.h>
#include <stdbool.h>

#include "cpu/nvrtc/text.h"

struct nvrtc_options;

struct nvrtc_pch {
    char path[PATH_MAX]; /* precompiled header to use; "": none can be used */
    char base[PATH_MAX]; /* precompiled header that `path` extends; "": none */
    /* text of the #include lines that the precompiled headers contain */
    struct nvrtc_text includes;
    /* pre-included headers that are not precompiled */
    struct nvrtc_strings rest;
};

/* Finds or creates the precompiled package headers for `options`. Returns
 * false if the front end cannot be used; `log` has the reason. */
bool nvrtc_pch_get(struct nvrtc_pch *pch, const struct nvrtc_strings *frontend,
                   const char *headers, const struct nvrtc_options *options,
                   struct nvrtc_text *log);
/* Finds or creates a second precompiled header that builds on pch->path and
 * adds the #include lines `lines`; pch->path then names the second one. On
 * failure `pch` is unchanged. */
void nvrtc_pch_extend(struct nvrtc_pch *pch,
                      const struct nvrtc_strings *frontend,
                      const char *headers, const struct nvrtc_options *options,
                      const struct nvrtc_text *lines, struct nvrtc_text *log);
/* Called after the front end failed with the messages `log`. Goes back to the
 * precompiled header `base`, and removes a precompiled file that the front end
 * rejects, such as a damaged one. Returns true if a retry may succeed. */
bool nvrtc_pch_fall_back(struct nvrtc_pch *pch, const char *log);
void nvrtc_pch_free(struct nvrtc_pch *pch);

#endif
