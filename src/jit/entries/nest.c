/* nest.c - loop nests of the entries that run whole blocks, as IR text.
 *
 * Called by loop.c, region.c and warp.c. The outer loop runs over thread
 * blocks. Inside it, around a call of the kernel body, are loops over
 * threadIdx.z, threadIdx.y and threadIdx.x. A row is the threads with the same
 * y and z.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

#include "jit/entries/entries.h"
#include "jit/entries/nest.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/loops/loops.h"
#include "jit/output/slow_path.h"
#include "jit/planted_faults.h"
#include "jit/text.h"

unsigned
jit_text_loops(unsigned count)
{
    static unsigned next = 100;
    next += count;
    return next - count;
}

/* Writes IR text that sets three values. %run64 is the number of thread blocks
 * that one loop over threadIdx.x runs; %row0 and %row64 are the number of
 * iterations of this loop, with 32 and 64 bits. `merged`: the only index along
 * x that the kernel uses is the global one, so that neighbouring thread blocks
 * along x are one long row. */
static void
write_run(struct jit *jit, bool merged)
{
    jit_text_add(jit->wrappers,
                 merged
                     ? "  %%run.left = sub i64 %%count, %%done\n"
                       "  %%run.row32 = sub i32 %%nctaid0, %%ctaid0\n"
                       "  %%run.row = zext i32 %%run.row32 to i64\n"
                       "  %%run.most = call i64 @llvm.umin.i64(i64 "
                       "%%run.left, i64 %%run.row)\n"
                       "  %%run64 = call i64 @llvm.umin.i64(i64 %%run.most, "
                       "i64 %%run.limit)\n"
                     : "  %%run64 = add i64 0, 1\n");
    jit_text_add(jit->wrappers, "  %%run32 = trunc i64 %%run64 to i32\n"
                                "  %%row64 = mul i64 %%run64, %%ntid64\n"
                                "  %%row0 = trunc i64 %%row64 to i32\n");
}

void
jit_text_blocks_start(struct jit *jit, struct jit_kernel *kernel,
                      const struct jit_frame *frame)
{
    jit_text_add(jit->wrappers,
                 "define %svoid @\"%s\"(ptr noalias readonly %%params, "
                 "ptr %%thread, i64 %%first, i64 %%count) #%d {\nentry:\n",
                 frame->internal ? "internal " : "", frame->name,
                 frame->internal);
    jit_text_parameters(jit, kernel);
    jit_text_geometry(jit, kernel->row_axis, frame->width, kernel->flat,
                      kernel->regions != NULL);
    jit_text_add(jit->wrappers, "%s", frame->variables);
    jit_text_add(jit->wrappers,
                 "  %%ntid64 = zext i32 %%ntid0 to i64\n"
                 "  %%gx = zext i32 %%nctaid0 to i64\n"
                 "  %%last.index = mul i64 %%gx, %%ntid64\n"
                 "  %%near = icmp ult i64 %%last.index, 2147483648\n"
                 /* A run is a number of neighbouring blocks that are executed
                  * together, row by row. If a block has several rows, runs
                  * are short: the cache lines that one row of the run touches
                  * are then still cached for the next row. */
                 "  %%run.size = mul i32 %%ntid1, %%ntid2\n"
                 "  %%run.single = icmp eq i32 %%run.size, 1\n"
                 "  %%run.short = udiv i64 %d, %%ntid64\n"
                 "  %%run.few = call i64 @llvm.umax.i64(i64 %%run.short, i64 "
                 "1)\n"
                 "  %%run.whole = select i1 %%run.single, i64 %%count, i64 "
                 "%%run.few\n"
                 "  %%run.limit = select i1 %%near, i64 %%run.whole, i64 1\n"
                 "  %%gy = zext i32 %%nctaid1 to i64\n"
                 "  %%bx64 = urem i64 %%first, %%gx\n"
                 "  %%rest = udiv i64 %%first, %%gx\n"
                 "  %%by64 = urem i64 %%rest, %%gy\n"
                 "  %%bz64 = udiv i64 %%rest, %%gy\n"
                 "  %%bx.first = trunc i64 %%bx64 to i32\n"
                 "  %%by.first = trunc i64 %%by64 to i32\n"
                 "  %%bz.first = trunc i64 %%bz64 to i32\n"
                 "  %%none = icmp eq i64 %%count, 0\n"
                 "  br i1 %%none, label %%out, label %%block.head\n"
                 "block.head:\n"
                 "  %%done = phi i64 [0, %%entry], [%%done.next, %%next]\n"
                 "  %%ctaid0 = phi i32 [%%bx.first, %%entry], "
                 "[%%bx.next, %%next]\n"
                 "  %%ctaid1 = phi i32 [%%by.first, %%entry], "
                 "[%%by.next, %%next]\n"
                 "  %%ctaid2 = phi i32 [%%bz.first, %%entry], "
                 "[%%bz.next, %%next]\n"
                 "  %%base32 = mul i32 %%ctaid0, %%ntid0\n",
                 frame->columns ? 1 : 128);
    write_run(jit, frame->merged);
    if (jit->options.checks) {
        jit_text_add(jit->wrappers,
                     "  call void @__pycuda_check_block(i32 %%ctaid0, "
                     "i32 %%ctaid1, i32 %%ctaid2)\n");
    }
}

void
jit_text_rows_start(struct jit *jit, const struct jit_nest *nest)
{
    const char *s = nest->suffix;
    jit_text_add(jit->wrappers,
                 "  br label %%z%s\nz%s:\n"
                 "  %%tid2%s = phi i32 [0, %%%s], [%%z.next%s, %%z.end%s]\n"
                 "  %%zrow%s = mul nuw nsw i32 %%tid2%s, %%ntid1\n"
                 "  br label %%y%s\ny%s:\n",
                 s, s, s, nest->before, s, s, s, s, s, s);
    jit_text_add(jit->wrappers,
                 "  %%tid1%s = phi i32 [%s, %%z%s], [%%y.next%s, %%y.end%s]\n"
                 "  %%yrow%s = add nuw nsw i32 %%zrow%s, %%tid1%s\n"
                 "  %%lrow%s = mul nuw nsw i32 %%yrow%s, %%ntid0\n",
                 s, nest->first_row ? nest->first_row : "0", s, s, s, s, s, s,
                 s, s);
}

void
jit_text_nest_start(struct jit *jit, const struct jit_nest *nest)
{
    const char *s = nest->suffix;
    jit_text_rows_start(jit, nest);
    jit_text_add(jit->wrappers,
                 "  br label %%x%s\nx%s:\n"
                 "  %%tid0%s = phi i32 [%s, %%y%s], [%%x.next%s, %%x.end%s]\n"
                 "  %%linear%s = add nuw nsw i32 %%lrow%s, %%tid0%s\n",
                 s, s, s, nest->start, s, s, s, s, s, s);
}

void
jit_text_nest_end(struct jit *jit, const struct jit_nest *nest, unsigned loop)
{
    const char *s = nest->suffix;
    jit_text_add(jit->wrappers,
                 "  br label %%x.end%s\nx.end%s:\n"
                 "  %%x.next%s = add nuw nsw i32 %%tid0%s, 1\n"
                 "  %%x.more%s = icmp ult i32 %%x.next%s, %s\n"
                 "  br i1 %%x.more%s, label %%x%s, label %%y.end%s, "
                 "!llvm.loop !%u\n",
                 s, s, s, s, s, s, nest->end, s, s, s, loop);
    jit_text_rows_end(jit, nest);
}

void
jit_text_rows_end(struct jit *jit, const struct jit_nest *nest)
{
    const char *s = nest->suffix;
    jit_text_add(jit->wrappers,
                 "y.end%s:\n"
                 "  %%y.next%s = add nuw nsw i32 %%tid1%s, 1\n"
                 "  %%y.more%s = icmp ult i32 %%y.next%s, %s\n"
                 "  br i1 %%y.more%s, label %%y%s, label %%z.end%s\n"
                 "z.end%s:\n",
                 s, s, s, s, s, nest->last_row ? nest->last_row : "%ntid1", s,
                 s, s, s);
    jit_text_add(jit->wrappers,
                 "  %%z.next%s = add nuw nsw i32 %%tid2%s, 1\n"
                 "  %%z.more%s = icmp ult i32 %%z.next%s, %%ntid2\n"
                 "  br i1 %%z.more%s, label %%z%s, label %%%s\n",
                 s, s, s, s, s, s, nest->after);
}

/* Writes the end of the loop over thread blocks. Also ends the lifetime of
 * shared memory: its contents are never read after the thread block has ended.
 * If LLVM keeps them in registers, it can then remove the stores to memory. */
void
jit_text_blocks_end(struct jit *jit, const struct jit_kernel *kernel)
{
    jit_text_add(jit->wrappers, "next:\n");
    if (kernel->static_shared) {
        jit_text_add(jit->wrappers,
                     "  call void @llvm.lifetime.end.p0(i64 %u, "
                     "ptr %%shared)\n",
                     kernel->static_shared);
    }
    jit_text_add(jit->wrappers,
                 "  %%bx.more = add i32 %%ctaid0, %s\n"
                 "  %%bx.end = icmp eq i32 %%bx.more, %%nctaid0\n"
                 "  %%bx.next = select i1 %%bx.end, i32 0, i32 %%bx.more\n"
                 "  %%bx.carry = zext i1 %%bx.end to i32\n"
                 "  %%by.more = add i32 %%ctaid1, %s\n"
                 "  %%by.end = icmp eq i32 %%by.more, %%nctaid1\n"
                 "  %%by.next = select i1 %%by.end, i32 0, i32 %%by.more\n"
                 "  %%by.carry = zext i1 %%by.end to i32\n"
                 "  %%bz.next = add i32 %%ctaid2, %%by.carry\n"
                 "  %%done.next = add nuw i64 %%done, %%run64\n"
                 "  %%more = icmp ult i64 %%done.next, %%count\n"
                 "  br i1 %%more, label %%block.head, label %%out\n"
                 "out:\n  ret void\n}\n",
                 PLANTED_FAULT(run_end) ? "1" : "%run32",
                 PLANTED_FAULT(grid_carry) ? "0" : "%bx.carry");
}

/* Tests whether the kernel body is too long for interleaving (several vectors
 * per iteration of the loop over threads). A long body keeps a processor busy
 * without interleaving, and the interleaved copies would need too many
 * registers. A slow-path call or an outlined loop counts as long. */
static bool
is_long(const struct jit_kernel *kernel)
{
    /* a body with at least this many instructions is not interleaved */
    enum { LONG = 48 };
    unsigned count = 0;
    LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(kernel->body);
    for (; block; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef at = LLVMGetFirstInstruction(block);
        for (; at; at = LLVMGetNextInstruction(at)) {
            LLVMValueRef callee = jit_callee(at);
            bool call = callee && (jit_slow_path_function(jit_name(callee)) ||
                                   jit_is_loop_result(callee));
            count += call ? LONG : 1;
        }
    }
    return count >= LONG;
}

void
jit_text_loop_hints(struct jit *jit, const struct jit_kernel *kernel,
                    unsigned loop, unsigned hints)
{
    /* True if no source line may exist twice: a debugger sets a breakpoint at
     * one address per line, so loops are not copied for --debug. */
    bool single = jit->options.debug;
    /* kernel->own_loops: loops of the kernel were outlined (jit/loops). Such a
     * loop takes as long for one thread as for a vector of threads, so the
     * remainder of the thread loop is vectorised too. */
    bool masks = single || hints & JIT_HINT_SHORT ||
                 (kernel->own_loops && !kernel->regions);
    bool copies = kernel->flat && !kernel->regions && !single;
    jit_text_add(jit->wrappers, "!%u = distinct !{!%u, %s%s%s%s}\n", loop,
                 loop, hints & JIT_HINT_UNROLL ? "" : "!2, ",
                 copies && !is_long(kernel) ? "!3" : "!5", masks ? ", !6" : "",
                 kernel->sequential ? "" : ", !1");
}
