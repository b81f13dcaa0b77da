/* loop.c - entry of a kernel without barriers: loops over threads.
 *
 * Called by entries.c. The entry runs `count` blocks, from block number
 * `first` on. For each block there are loops over threadIdx.z, threadIdx.y and
 * threadIdx.x around the kernel body. The loop over x is innermost, so that
 * LLVM vectorises it. The threads are independent (CUDA's model: no barrier,
 * no spinning). The access group tells LLVM so, unless private memory is
 * shared between the iterations (kernel->sequential). A guard (guard.c), such
 * as `if (i < n)`, bounds the loop over x. A grid-stride loop surrounds the
 * three loops. nest.c writes the loops themselves.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "jit/body.h"
#include "jit/entries/entries.h"
#include "jit/entries/nest.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/text.h"

/* Writes IR text that sets %limit to the guard's limit, with 64 bits. For a
 * 32-bit index, the limit is clamped to the range of the index. */
static void
write_limit(struct jit *jit, struct jit_kernel *kernel)
{
    struct jit_guard *guard = &kernel->guard;
    struct jit_text *text = jit->wrappers;
    const char *limit = guard->limit;
    if (guard->setup.length) {
        jit_text_add(text, "%s", guard->setup.bytes);
    }
    if (guard->limit_width == 32) {
        jit_text_add(text, "  %%limit = %s i32 %s to i64\n",
                     guard->index_signed ? "sext" : "zext", limit);
    } else if (guard->wide) {
        jit_text_add(text, "  %%limit = add i64 %s, 0\n", limit);
    } else {
        const char *end = guard->index_signed ? "2147483648" : "4294967296";
        jit_text_add(text,
                     "  %%far = icmp %s i64 %s, %s\n"
                     "  %%limit = select i1 %%far, i64 %s, i64 %s\n",
                     guard->compare_signed ? "sgt" : "ugt", limit, end, end,
                     limit);
    }
}

/* If the guard (the condition of the kernel's first branch) has a lower bound,
 * writes IR text that sets %start to the first threadIdx.x for which it holds.
 * Otherwise writes only a branch. */
static void
write_lower(struct jit *jit, struct jit_kernel *kernel)
{
    if (kernel->guard.lower == 0) {
        jit_text_add(jit->wrappers, "  br label %%rows\nrows:\n");
        return;
    }
    jit_text_add(jit->wrappers,
                 "  %%before = sub i64 %lld, %%base\n"
                 "  %%late = icmp sgt i64 %%before, 0\n"
                 "  %%start64 = select i1 %%late, i64 %%before, i64 0\n"
                 "  %%any = icmp ult i64 %%start64, %%bound64\n"
                 "  %%start = trunc i64 %%start64 to i32\n"
                 "  br i1 %%any, label %%rows, label %%next\nrows:\n",
                 (long long)kernel->guard.lower - PLANTED_FAULT(guard_lower));
}

/* Writes IR text that sets %base (64 bits) to the global index of the thread
 * block's first thread, and %bound to the end of the loop over threadIdx.x; it
 * branches to `next` if no thread has work. */
static void
write_guard(struct jit *jit, struct jit_kernel *kernel)
{
    struct jit_guard *guard = &kernel->guard;
    struct jit_text *text = jit->wrappers;
    if (guard->wide) {
        jit_text_add(text, "  %%ctaid64 = zext i32 %%ctaid0 to i64\n"
                           "  %%base.first = mul nuw nsw i64 %%ctaid64, "
                           "%%ntid64\n");
    } else {
        jit_text_add(text, "  %%base.first = %s i32 %%base32 to i64\n",
                     guard->index_signed ? "sext" : "zext");
    }
    write_limit(jit, kernel);
    if (guard->stride) {
        const char *stride = guard->stride;
        bool wide = guard->stride_width == 64;
        jit_text_add(text, "  %%stride = %s i%d %s%s\n", wide ? "add" : "zext",
                     wide ? 64 : 32, stride, wide ? ", 0" : " to i64");
    }
    jit_text_add(text, "  br label %%row\nrow:\n");
    if (guard->stride) {
        jit_text_add(text, "  %%base = phi i64 [%%base.first, %%block.head], "
                           "[%%base.next, %%row.next]\n");
    } else {
        jit_text_add(text, "  %%base = add i64 %%base.first, 0\n");
    }
    jit_text_add(text,
                 "  %%some = icmp %s i64 %%limit, %%base\n"
                 "  %%room = sub i64 %%limit, %%base\n"
                 "  %%short = icmp ult i64 %%room, %%row64\n"
                 "  %%bound64 = select i1 %%short, i64 %%room, i64 "
                 "%%row64\n"
                 "  %%bound = trunc nuw nsw i64 %%bound64 to i32\n"
                 "  %%row32 = trunc i64 %%base to i32\n"
                 "  br i1 %%some, label %%some.row, label %%next\n"
                 "some.row:\n",
                 guard->compare_signed && !PLANTED_FAULT(guard_sign) ? "sgt"
                                                                     : "ugt");
    write_lower(jit, kernel);
}

/* Writes IR text that sets %bound to the number of threads, counted from the
 * first of the thread block, for which index * factor + addend <= limit. */
static void
write_split(struct jit *jit, struct jit_kernel *kernel)
{
    struct jit_guard *guard = &kernel->guard;
    unsigned long long factor = guard->factor, addend = guard->addend;
    jit_text_add(jit->wrappers,
                 "  %%ctaid64 = zext i32 %%ctaid0 to i64\n"
                 "  %%base = mul nuw nsw i64 %%ctaid64, %%ntid64\n");
    write_limit(jit, kernel);
    jit_text_add(jit->wrappers,
                 "  %%row32 = trunc i64 %%base to i32\n"
                 "  %%enough = icmp uge i64 %%limit, %llu\n"
                 "  %%over = sub i64 %%limit, %llu\n"
                 "  %%last = udiv i64 %%over, %llu\n"
                 "  %%last.next = add i64 %%last, %d\n"
                 "  %%fit = select i1 %%enough, i64 %%last.next, i64 0\n"
                 "  %%some = icmp ugt i64 %%fit, %%base\n"
                 "  %%room = sub i64 %%fit, %%base\n"
                 "  %%short = icmp ult i64 %%room, %%row64\n"
                 "  %%capped = select i1 %%short, i64 %%room, i64 %%row64\n"
                 "  %%bound64 = select i1 %%some, i64 %%capped, i64 0\n"
                 "  %%bound = trunc nuw nsw i64 %%bound64 to i32\n"
                 "  br i1 %%some, label %%rows, label %%others\n",
                 addend, addend, factor, 1 - PLANTED_FAULT(split_short));
}

/* Writes IR text that sets %index and %wide to the global index with 32 and 64
 * bits, and %whole to the constant nest->whole. The flags nsw and nuw state
 * that an index within a guard's bound does not wrap. */
static void
write_index(struct jit *jit, struct jit_kernel *kernel,
            const struct jit_nest *nest)
{
    struct jit_guard *guard = &kernel->guard;
    struct jit_text *text = jit->wrappers;
    const char *s = nest->suffix;
    jit_text_add(text, "  %%whole%s = add i1 0, %d\n", s, nest->whole);
    if (!guard->found && !guard->split) {
        jit_text_add(text,
                     "  %%index%s = add i32 %%base32, %%tid0%s\n"
                     "  %%wide%s = add i64 0, 0\n",
                     s, s, s);
        return;
    }
    const char *flags = guard->wide           ? ""
                        : guard->index_signed ? "nsw "
                                              : "nuw ";
    jit_text_add(text,
                 "  %%index%s = add %si32 %%row32, %%tid0%s\n"
                 "  %%tid64%s = zext nneg i32 %%tid0%s to i64\n"
                 "  %%wide%s = add nuw %si64 %%base, %%tid64%s\n",
                 s, flags, s, s, s, s, guard->compare_signed ? "nsw " : "", s);
}

/* Writes the call of the function that runs a pack: `width` threads with
 * consecutive threadIdx.x, from %tid0 on. `mask`: IR operand, a vector that
 * says which of these threads exist. `outer`: suffix of the loops over
 * threadIdx.z and threadIdx.y. */
static void
write_pack_call(struct jit *jit, struct jit_kernel *kernel,
                const struct jit_nest *nest, const char *outer, unsigned width,
                const char *mask)
{
    const char *s = nest->suffix;
    jit_text_add(jit->wrappers,
                 "  %%tid1%s = add i32 %%tid1%s, 0\n"
                 "  %%tid2%s = add i32 %%tid2%s, 0\n"
                 "  %%linear%s = add nuw nsw i32 %%lrow%s, %%tid0%s\n",
                 s, outer, s, outer, s, outer, s);
    write_index(jit, kernel, nest);
    jit_text_add(jit->wrappers, "  call void @\"pack%u.%s\"(", width,
                 kernel->name);
    jit_text_arguments(jit, kernel, nest->suffix);
    jit_text_add(jit->wrappers, ", <%u x i1> %s)\n", width, mask);
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

/* Writes a loop that runs packs: groups of `width` threads with consecutive
 * threadIdx.x. It begins at the threadIdx.x in %x.<previous> and ends when
 * fewer than `width` threads of the row remain. */
static void
write_whole_packs(struct jit *jit, struct jit_kernel *kernel,
                  const struct jit_nest *nest, unsigned width,
                  const char *name)
{
    struct jit_nest inner = *nest;
    struct jit_text *text = jit->wrappers;
    const char *s = inner.suffix = jit_format("%s.%s", nest->suffix, name);
    jit_text_add(text,
                 "  br label %%p%s\np%s:\n"
                 "  %%tid0%s = phi i32 [%%x%s, %%x.start%s], "
                 "[%%p.next%s, %%p.do%s]\n"
                 "  %%room%s = sub i32 %s, %%tid0%s\n"
                 "  %%fits%s = icmp uge i32 %%room%s, %u\n"
                 "  br i1 %%fits%s, label %%p.do%s, label %%p.end%s\n"
                 "p.do%s:\n",
                 s, s, s, s, s, s, s, s, nest->end, s, s, s, width, s, s, s,
                 s);
    write_pack_call(jit, kernel, &inner, nest->suffix, width,
                    lanes_constant(width, false));
    jit_text_add(text,
                 "  %%p.next%s = add nuw nsw i32 %%tid0%s, %u\n"
                 "  br label %%p%s\np.end%s:\n",
                 s, s, width, s, s);
}

/* Writes the call for the last pack of a row, where a row is the threads with
 * the same threadIdx.y and z, and a pack is `width` of them. Only some of its
 * threads exist. */
static void
write_last_pack(struct jit *jit, struct jit_kernel *kernel,
                const struct jit_nest *nest, unsigned width,
                const char *before)
{
    struct jit_nest inner = *nest;
    struct jit_text *text = jit->wrappers;
    const char *s = inner.suffix = jit_format("%s.last", nest->suffix);
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
                 s, before, s, s, nest->suffix, s, s, before, s, width, before,
                 s, width, s, width, width, s,
                 PLANTED_FAULT(pack_tail) ? "ule" : "ult", width,
                 lanes_constant(width, true), s);
    write_pack_call(jit, kernel, &inner, nest->suffix, width,
                    jit_format("%%mask%s", s));
    jit_text_add(text, "  br label %%x.end%s\n", nest->suffix);
}

/* Writes the loops over threads for a kernel that runs in packs (groups of
 * threads with consecutive threadIdx.x, each run by one call). */
static void
write_packs(struct jit *jit, struct jit_kernel *kernel,
            const struct jit_nest *nest)
{
    struct jit_text *text = jit->wrappers;
    const char *s = nest->suffix;
    const char *wide = jit_format("%s.wide", s);
    const char *one = jit_format("%s.one", s);
    bool two = kernel->packs[0] != kernel->packs[1];
    jit_text_rows_start(jit, nest);
    jit_text_add(text,
                 "  br label %%x.start%s\nx.start%s:\n"
                 "  %%x%s = add i32 %s, 0\n",
                 wide, wide, wide, nest->start);
    write_whole_packs(jit, kernel, nest, kernel->packs[0], "wide");
    if (two) {
        jit_text_add(text,
                     "  br label %%x.start%s\nx.start%s:\n"
                     "  %%x%s = add i32 %%tid0%s, 0\n",
                     one, one, one, wide);
        write_whole_packs(jit, kernel, nest, kernel->packs[1], "one");
    }
    write_last_pack(jit, kernel, nest, kernel->packs[1], two ? one : wide);
    jit_text_add(text, "x.end%s:\n  br label %%y.end%s\n", s, s);
    jit_text_rows_end(jit, nest);
}

static void
write_nest(struct jit *jit, struct jit_kernel *kernel,
           const struct jit_nest *nest, unsigned loop)
{
    const char *s = nest->suffix;
    if (kernel->packs[0]) {
        write_packs(jit, kernel, nest);
        return;
    }
    jit_text_nest_start(jit, nest);
    write_index(jit, kernel, nest);
    jit_text_call(jit, kernel, s,
                  kernel->sequential ? "" : ", !llvm.access.group !0");
    jit_text_nest_end(jit, nest, loop);
}

/* Writes the loops over threads. If guard.split is set, writes them twice:
 * with %whole true for the threads before %bound, and with %whole false for
 * the others. */
static void
write_loops(struct jit *jit, struct jit_kernel *kernel, unsigned loop)
{
    struct jit_guard *guard = &kernel->guard;
    struct jit_nest nest = {"", "block.head", "0", "%row0", "row.next", 1};
    if (guard->split) {
        nest = (struct jit_nest){"", "rows", "0", "%bound", "others", 1};
        jit_text_add(jit->wrappers, "rows:\n");
    } else if (guard->found) {
        nest.before = "rows";
        nest.start = guard->lower ? "%start" : "0";
        nest.end = "%bound";
    }
    write_nest(jit, kernel, &nest, loop);
    if (guard->split) {
        static const struct jit_nest rest = {".b",    "tail",     "%bound",
                                             "%row0", "row.next", 0};
        jit_text_add(jit->wrappers,
                     "others:\n"
                     "  %%left = icmp ult i32 %%bound, %%row0\n"
                     "  br i1 %%left, label %%tail, label %%row.next\n"
                     "tail:\n");
        write_nest(jit, kernel, &rest, loop + 1);
    }
}

/* Writes the end of two loops: the loop over thread blocks and, for a kernel
 * that is a grid-stride loop, the loop inside it that repeats the thread loop
 * for each stride. */
static void
write_tail(struct jit *jit, struct jit_kernel *kernel)
{
    jit_text_add(jit->wrappers, "row.next:\n");
    if (kernel->guard.stride) {
        jit_text_add(jit->wrappers,
                     "  %%base.next = add i64 %%base, %s\n"
                     "  br label %%row\n",
                     PLANTED_FAULT(grid_stride) ? "%row64" : "%stride");
    } else {
        jit_text_add(jit->wrappers, "  br label %%next\n");
    }
    jit_text_blocks_end(jit, kernel);
}

/* Tests whether the kernel uses no thread or block index along x other than
 * the global index, and no shared memory. */
static bool
knows_no_block(const struct jit_kernel *kernel)
{
    static const int own[] = {JIT_TID, JIT_CTAID, JIT_LINEAR, JIT_SHARED,
                              JIT_THREAD};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (LLVMGetFirstUse(jit_body_argument(kernel, own[i])) &&
            !(PLANTED_FAULT(merged_blocks) && own[i] <= JIT_CTAID)) {
            return false;
        }
    }
    return true;
}

/* Tests whether the index of the thread is multiplied by a variable, so that
 * neighbouring threads access elements of a column. */
static bool
scales_index(LLVMValueRef index, int depth)
{
    LLVMUseRef use = depth ? LLVMGetFirstUse(index) : NULL;
    for (; use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMOpcode opcode = LLVMGetInstructionOpcode(user);
        if (opcode == LLVMMul && !LLVMIsAConstant(LLVMGetOperand(user, 0)) &&
            !LLVMIsAConstant(LLVMGetOperand(user, 1))) {
            return true;
        }
        if ((opcode == LLVMAdd || opcode == LLVMSub || opcode == LLVMSExt ||
             opcode == LLVMZExt) &&
            scales_index(user, depth - 1)) {
            return true;
        }
    }
    return false;
}

void
jit_write_loop_entry(struct jit *jit, struct jit_kernel *kernel)
{
    unsigned loop = jit_text_loops(1 + kernel->guard.split);
    struct jit_frame frame = {.name = kernel->symbol,
                              .variables = "",
                              .merged = knows_no_block(kernel)};
    frame.columns =
        scales_index(jit_body_argument(kernel, JIT_GLOBAL_INDEX), 4) ||
        scales_index(jit_body_argument(kernel, JIT_WIDE_INDEX), 4);
    jit_text_blocks_start(jit, kernel, &frame);
    if (kernel->guard.split) {
        write_split(jit, kernel);
    } else if (kernel->guard.found) {
        write_guard(jit, kernel);
    }
    write_loops(jit, kernel, loop);
    write_tail(jit, kernel);
    for (int i = 0; i <= kernel->guard.split; i++) {
        jit_text_loop_hints(jit, kernel, loop + (unsigned)i, 0);
    }
}
