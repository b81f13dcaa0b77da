/* packs.c - loops over the threads of a block that run packs.
 *
 * Called by loop.c and region.c. A pack is a group of threads with consecutive
 * threadIdx.x that one function runs (pack/). A kernel has such functions for
 * several widths. At the end of a row, where fewer threads remain than the
 * smallest width, the mask of the pack leaves out the lanes without a thread.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include "jit/entries/nest.h"
#include "jit/entries/packs.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/text.h"

/* Writes the indices of the first thread of a pack (threads with consecutive
 * threadIdx.x), and then the call of the function that runs the pack. The
 * caller has already written one of the indices, %tid0<suffix>. */
static void
write_call(struct jit *jit, struct jit_kernel *kernel,
           const struct jit_pack_nest *packs, const char *suffix,
           unsigned width, const char *mask)
{
    const char *s = suffix, *outer = packs->nest->suffix;
    jit_text_add(jit->wrappers,
                 "  %%tid1%s = add i32 %%tid1%s, 0\n"
                 "  %%tid2%s = add i32 %%tid2%s, 0\n"
                 "  %%linear%s = add nuw nsw i32 %%lrow%s, %%tid0%s\n",
                 s, outer, s, outer, s, outer, s);
    packs->write(jit, kernel, packs, suffix, width, mask);
}

/* Returns an IR vector constant with `width` elements: <i32 0, i32 1, ...> if
 * `count` is true, else <i1 true, ...>. */
static const char *
lanes_constant(unsigned width, bool count)
{
    struct jit_text text = {NULL, 0, 0};
    for (unsigned i = 0; i < width; i++) {
        jit_text_add(&text, "%s%s %u", i ? ", " : "<", count ? "i32" : "i1",
                     count ? i : 1);
    }
    jit_text_add(&text, ">");
    return text.bytes;
}

/* Writes a loop whose iterations each run a pack of `width` threads with
 * consecutive threadIdx.x. The loop begins at the threadIdx.x in %x<suffix>
 * and ends when fewer than `width` threads of the row remain. */
static void
write_whole(struct jit *jit, struct jit_kernel *kernel,
            const struct jit_pack_nest *packs, unsigned width, const char *s)
{
    struct jit_text *text = jit->wrappers;
    jit_text_add(text,
                 "  br label %%p%s\np%s:\n"
                 "  %%tid0%s = phi i32 [%%x%s, %%x.start%s], "
                 "[%%p.next%s, %%p.do%s]\n"
                 "  %%room%s = sub i32 %s, %%tid0%s\n"
                 "  %%fits%s = icmp uge i32 %%room%s, %u\n"
                 "  br i1 %%fits%s, label %%p.do%s, label %%p.end%s\n"
                 "p.do%s:\n",
                 s, s, s, s, s, s, s, s, packs->nest->end, s, s, s, width, s,
                 s, s, s);
    write_call(jit, kernel, packs, s, width, lanes_constant(width, false));
    jit_text_add(text,
                 "  %%p.next%s = add nuw nsw i32 %%tid0%s, %u\n"
                 "  br label %%p%s\np.end%s:\n",
                 s, s, width, s, s);
}

static unsigned
smallest_width(const struct jit_pack_nest *packs)
{
    unsigned i = 0;
    while (i + 1 < JIT_PACK_WIDTHS && packs->widths[i + 1]) {
        i++;
    }
    return packs->widths[i];
}

/* Writes the call for the last pack of a row (the threads with the same
 * threadIdx.y and z), if any threads are left for it. Its mask has only the
 * lanes of these threads. `before` is the suffix in the names of the basic
 * blocks of the loop over full packs, which runs before this call. */
static void
write_last(struct jit *jit, struct jit_kernel *kernel,
           const struct jit_pack_nest *packs, const char *before)
{
    struct jit_text *text = jit->wrappers;
    unsigned width = smallest_width(packs);
    const char *outer = packs->nest->suffix;
    const char *s = jit_format("%s.last", outer);
    jit_text_add(text,
                 "  %%some%s = icmp ne i32 %%room%s, 0\n"
                 "  br i1 %%some%s, label %%p.do%s, label %%x.end%s\n"
                 "p.do%s:\n"
                 "  %%tid0%s = add i32 %%tid0%s, 0\n"
                 "  %%lanes%s = insertelement <%u x i32> poison, i32 "
                 "%%room%s, i64 0\n"
                 "  %%rooms%s = shufflevector <%u x i32> %%lanes%s, <%u x "
                 "i32> poison, <%u x i32> zeroinitializer\n"
                 "  %%mask%s = icmp %s <%u x i32> %s, %%rooms%s\n",
                 s, before, s, s, outer, s, s, before, s, width, before, s,
                 width, s, width, width, s,
                 PLANTED_FAULT(pack_tail) ? "ule" : "ult", width,
                 lanes_constant(width, true), s);
    write_call(jit, kernel, packs, s, width, jit_format("%%mask%s", s));
    jit_text_add(text, "  br label %%x.end%s\n", outer);
}

void
jit_text_packs(struct jit *jit, struct jit_kernel *kernel,
               const struct jit_pack_nest *packs)
{
    struct jit_text *text = jit->wrappers;
    const struct jit_nest *nest = packs->nest;
    const char *s = nest->suffix, *before = NULL;
    jit_text_rows_start(jit, nest);
    for (unsigned i = 0; i < JIT_PACK_WIDTHS && packs->widths[i]; i++) {
        const char *own = jit_format("%s.w%u", s, i);
        const char *start =
            before ? jit_format("%%tid0%s", before) : nest->start;
        jit_text_add(text,
                     "  br label %%x.start%s\nx.start%s:\n"
                     "  %%x%s = add i32 %s, 0\n",
                     own, own, own, start);
        write_whole(jit, kernel, packs, packs->widths[i], own);
        before = own;
    }
    write_last(jit, kernel, packs, before);
    jit_text_add(text, "x.end%s:\n  br label %%y.end%s\n", s, s);
    jit_text_rows_end(jit, nest);
}
