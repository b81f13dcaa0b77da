/* loop.c - entry of a kernel without barriers: loops over threads.
 *
 * Called by entries.c. The entry runs `count` blocks, from block number
 * `first` on. For each block there are loops over threadIdx.z, threadIdx.y and
 * threadIdx.x around the kernel body. The loop over x is innermost, so that
 * LLVM vectorises it. The threads are independent (CUDA's model: no barrier,
 * no spinning). Metadata (an access group) tells LLVM that the iterations are
 * independent, unless iterations share private memory (kernel->sequential). A
 * guard (guard.c), such as `if (i < n)`, bounds the loop over x. A grid-stride
 * loop surrounds the three loops. nest.c writes the loops themselves.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/body.h"
#include "jit/entries/entries.h"
#include "jit/entries/nest.h"
#include "jit/entries/packs.h"
#include "jit/jit.h"
#include "jit/planted_faults.h"
#include "jit/text.h"

/* Writes IR text that sets %limit, with 64 bits, to the limit n of the
 * kernel's first condition `index < n`. For a 32-bit index, the limit is
 * clamped to the range of the index. */
static void
write_limit(struct jit *jit, struct jit_kernel *kernel)
{
    struct jit_guard *guard = &kernel->guard;
    struct jit_text *text = jit->wrappers;
    const char *limit = guard->limit;
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

/* Writes the IR text kernel->guard.setup, which computes the guard's limit,
 * stride and base. These values are equal for all threads of a block. */
static void
write_setup(struct jit *jit, struct jit_kernel *kernel)
{
    if (kernel->guard.setup.length) {
        jit_text_add(jit->wrappers, "%s", kernel->guard.setup.bytes);
    }
}

/* Returns the least index of a thread that has work. */
static long long
lower_of(const struct jit_guard *guard)
{
    return guard->lower ? (long long)guard->lower - PLANTED_FAULT(guard_lower)
           : guard->base && guard->index_signed ? INT32_MIN
                                                : 0;
}

/* If the guard (the condition of the kernel's first branch) has a lower bound,
 * or the index may wrap within a block, writes IR text that sets %start to the
 * first threadIdx.x for which the guard holds. Otherwise writes only a
 * branch. */
static void
write_lower(struct jit *jit, struct jit_kernel *kernel)
{
    const struct jit_guard *guard = &kernel->guard;
    if (guard->lower == 0 && !guard->base) {
        jit_text_add(jit->wrappers, "  br label %%rows\nrows:\n");
        return;
    }
    jit_text_add(jit->wrappers,
                 "  %%before = sub i64 %lld, %%base\n"
                 "  %%late = icmp sgt i64 %%before, 0\n"
                 "  %%start64 = select i1 %%late, i64 %%before, i64 0\n"
                 "  %%any = icmp ult i64 %%start64, %%bound64\n"
                 "  %%start = trunc i64 %%start64 to i32\n"
                 "  br i1 %%any, label %%rows, label %%%s\nrows:\n",
                 lower_of(guard), guard->base ? "row.next" : "next");
}

/* Writes IR text that sets %base (64 bits) to the global index of the thread
 * block's first thread, and %bound to the end of the loop over threadIdx.x.
 * The text branches to `next` if no thread has work. */
static void
write_guard(struct jit *jit, struct jit_kernel *kernel)
{
    struct jit_guard *guard = &kernel->guard;
    struct jit_text *text = jit->wrappers;
    write_setup(jit, kernel);
    if (guard->wide) {
        jit_text_add(text, "  %%ctaid64 = zext i32 %%ctaid0 to i64\n"
                           "  %%base.first = mul nuw nsw i64 %%ctaid64, "
                           "%%ntid64\n");
    } else {
        jit_text_add(text, "  %%base.first = %s i32 %s to i64\n",
                     guard->index_signed ? "sext" : "zext",
                     guard->base ? guard->base : "%base32");
    }
    write_limit(jit, kernel);
    if (guard->stride) {
        const char *stride = guard->stride;
        bool wide = guard->stride_width == 64;
        jit_text_add(text, "  %%stride = %s i%d %s%s\n", wide ? "add" : "zext",
                     wide ? 64 : 32, stride, wide ? ", 0" : " to i64");
    }
    jit_text_add(text, "  br label %%row\nrow:\n");
    if (guard->stride || guard->base) {
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
                 "  br i1 %%some, label %%some.row, label %%%s\n"
                 "some.row:\n",
                 guard->base ||
                         (guard->compare_signed && !PLANTED_FAULT(guard_sign))
                     ? "sgt"
                     : "ugt",
                 guard->base ? "row.next" : "next");
    write_lower(jit, kernel);
}

/* Writes IR text that sets %bound to the number of threads of the thread block
 * that take the first code path of the kernel. These are the first threads of
 * the block, those with index * factor + addend <= limit. */
static void
write_split(struct jit *jit, struct jit_kernel *kernel)
{
    struct jit_guard *guard = &kernel->guard;
    unsigned long long factor = guard->factor, addend = guard->addend;
    write_setup(jit, kernel);
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
 * bits, and %whole, the argument JIT_WHOLE of the kernel body, to the constant
 * nest->whole. The flags nsw and nuw state that an index below the limit of
 * the kernel's first condition does not wrap. */
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
    const char *flags = guard->wide || guard->base ? ""
                        : guard->index_signed      ? "nsw "
                                                   : "nuw ";
    jit_text_add(text,
                 "  %%index%s = add %si32 %%row32, %%tid0%s\n"
                 "  %%tid64%s = zext nneg i32 %%tid0%s to i64\n"
                 "  %%wide%s = add nuw %si64 %%base, %%tid64%s\n",
                 s, flags, s, s, s, s, guard->compare_signed ? "nsw " : "", s);
}

/* Writes the call of the function that runs the kernel for a pack: `width`
 * neighbouring threads, one in each lane of vectors (jit_write_pack). */
static void
write_pack_call(struct jit *jit, struct jit_kernel *kernel,
                const struct jit_pack_nest *packs, const char *suffix,
                unsigned width, const char *mask)
{
    struct jit_nest nest = *packs->nest;
    nest.suffix = suffix;
    write_index(jit, kernel, &nest);
    jit_text_add(jit->wrappers, "  call void @\"pack%u.%s\"(", width,
                 kernel->name);
    jit_text_arguments(jit, kernel, suffix);
    jit_text_add(jit->wrappers, ", <%u x i1> %s)\n", width, mask);
}

static void
write_nest(struct jit *jit, struct jit_kernel *kernel,
           const struct jit_nest *nest, unsigned loop)
{
    const char *s = nest->suffix;
    if (kernel->packs[0]) {
        struct jit_pack_nest packs = {nest, kernel->packs, write_pack_call, 0};
        jit_text_packs(jit, kernel, &packs);
        return;
    }
    jit_text_nest_start(jit, nest);
    write_index(jit, kernel, nest);
    jit_text_call(jit, kernel, s,
                  kernel->sequential ? "" : ", !llvm.access.group !0");
    jit_text_nest_end(jit, nest, loop);
}

/* Writes the loops over threads. If guard.split is set, the threads before
 * %bound take one code path of the kernel and the others a second one. In that
 * case the loops are written twice: with %whole true for the first path, and
 * with %whole false for the second. */
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
        nest.start = guard->lower || guard->base ? "%start" : "0";
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
    } else if (kernel->guard.base) {
        /* If a row has indices near 2^32, the indices of its last threads have
         * wrapped to small numbers. A second iteration runs these threads as
         * part of a row that begins 2^32 earlier. */
        jit_text_add(jit->wrappers,
                     "  %%base.next = sub i64 %%base, 4294967296\n"
                     "  %%base.end = add i64 %%base.next, %%row64\n"
                     "  %%wraps = icmp sgt i64 %%base.end, %lld\n"
                     "  br i1 %%wraps, label %%row, label %%next\n",
                     lower_of(&kernel->guard) +
                         PLANTED_FAULT(guard_wraps) * (1LL << 40));
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
    if (kernel->guard.base) {
        return false;
    }
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
