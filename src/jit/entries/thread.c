/* thread.c - entry of a kernel that runs on fibers: runs one thread.
 *
 * Called by entries.c. The entry calls the kernel body for one thread. The
 * geometry (thread and block indices, blockDim and gridDim) is loaded from
 * struct image_thread (image/abi.h).
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>

#include "jit/entries/entries.h"
#include "jit/jit.h"
#include "jit/text.h"

void
jit_write_thread_entry(struct jit *jit, struct jit_kernel *kernel)
{
    struct jit_text *text = jit->wrappers;
    jit_text_add(text,
                 "define void @\"%s\"(ptr noalias readonly %%params, "
                 "ptr %%thread) #0 {\nentry:\n",
                 kernel->symbol);
    jit_text_parameters(jit, kernel);
    jit_text_geometry(jit, 0, 0, false, false);
    for (unsigned axis = 0; axis < 3; axis++) {
        jit_text_add(text,
                     "  %%tp%u = getelementptr inbounds i8, ptr %%thread, "
                     "i64 %u\n  %%tid%u = load i32, ptr %%tp%u\n",
                     axis, 4 * axis, axis, axis);
        jit_text_add(text,
                     "  %%cp%u = getelementptr inbounds i8, ptr %%block, "
                     "i64 %u\n  %%ctaid%u = load i32, ptr %%cp%u\n",
                     axis, 4 * axis, axis, axis);
    }
    jit_text_add(text,
                 "  %%lp = getelementptr inbounds i8, ptr %%thread, i64 12\n"
                 "  %%linear = load i32, ptr %%lp\n"
                 "  %%index = add i32 0, 0\n  %%wide = add i64 0, 0\n"
                 "  %%whole = add i1 0, 0\n");
    jit_text_call(jit, kernel, "", "");
    jit_text_add(text, "  ret void\n}\n");
}
