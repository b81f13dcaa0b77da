/* rewrite_unroll.c - the rules for `#pragma unroll` where clang refuses it.
 *
 * Called by rewrite.c. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/rewrite.h"

/* Comments out the last #pragma at or before remark->at if it is `#pragma
 * unroll`. */
bool
nvrtc_unroll_rule(const struct nvrtc_remark *remark, struct nvrtc_edits *edits)
{
    const char *at = remark->at + strcspn(remark->at, "\n");

    while (at-- > remark->source) {
        const char *word = at + 1 + strspn(at + 1, " \t");
        if (*at == '#' && nvrtc_begins(word, "pragma")) {
            word += strlen("pragma");
            word += strspn(word, " \t");
            if (!nvrtc_begins(word, "unroll")) {
                return false;
            }
            nvrtc_edits_add(edits, (size_t)(at - remark->source), 0, "//");
            return true;
        }
    }
    return false;
}

/* Removes `#pragma unroll` outside functions, where it has no effect. */
bool
nvrtc_stray_unroll_rule(const struct nvrtc_remark *remark,
                        struct nvrtc_edits *edits)
{
    return *remark->at == '#' && nvrtc_unroll_rule(remark, edits);
}
