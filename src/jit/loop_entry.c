/* loop_entry.c - the entry of a kernel whose blocks are loops over threads.
 *
 * For each block of [first, first + count): z, y, x loops around the body,
 * x innermost, so that the vectoriser sees the threads of a row.  The
 * threads are independent (CUDA's model: no barrier, no spinning), which the
 * access group says, unless private memory is shared between the iterations
 * (kernel->sequential).  A guard bounds the x loop; a grid-stride loop goes
 * around the three.
 *
 * SPDX-License-Identifier: MIT */
#include "jit/jit.h"

static void
write_head(struct jit *jit, struct jit_kernel *kernel)
{
    jit_text_add(jit->wrappers,
                 "define void @\"%s\"(ptr noalias readonly %%params, "
                 "ptr %%thread, i64 %%first, i64 %%count) #0 {\nentry:\n",
                 kernel->symbol);
    jit_text_parameters(jit, kernel);
    jit_text_geometry(jit);
    jit_text_add(jit->wrappers,
                 "  %%gx = zext i32 %%nctaid0 to i64\n"
                 "  %%gy = zext i32 %%nctaid1 to i64\n"
                 "  %%bx64 = urem i64 %%first, %%gx\n"
                 "  %%rest = udiv i64 %%first, %%gx\n"
                 "  %%by64 = urem i64 %%rest, %%gy\n"
                 "  %%bz64 = udiv i64 %%rest, %%gy\n"
                 "  %%bx.first = trunc i64 %%bx64 to i32\n"
                 "  %%by.first = trunc i64 %%by64 to i32\n"
                 "  %%bz.first = trunc i64 %%bz64 to i32\n"
                 "  %%ntid64 = zext i32 %%ntid0 to i64\n"
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
                 "  %%base32 = mul i32 %%ctaid0, %%ntid0\n");
}

/* The limit as 64 bits; a 32-bit index never passes its own range. */
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

/* Sets %start, the x loop's first thread, if it is not 0. */
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
                 (long long)kernel->guard.lower);
}

/* Sets %base (64 bits) and %bound, the x loop's end; leaves to `leave` when
 * no thread has work. */
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
                 "  %%short = icmp ult i64 %%room, %%ntid64\n"
                 "  %%bound64 = select i1 %%short, i64 %%room, i64 "
                 "%%ntid64\n"
                 "  %%bound = trunc nuw nsw i64 %%bound64 to i32\n"
                 "  %%row32 = trunc i64 %%base to i32\n"
                 "  br i1 %%some, label %%some.row, label %%next\n"
                 "some.row:\n",
                 guard->compare_signed ? "sgt" : "ugt");
    write_lower(jit, kernel);
}

/* How many threads of the block, from the first, have index * factor +
 * addend <= limit: %bound. */
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
                 "  %%last.next = add i64 %%last, 1\n"
                 "  %%fit = select i1 %%enough, i64 %%last.next, i64 0\n"
                 "  %%some = icmp ugt i64 %%fit, %%base\n"
                 "  %%room = sub i64 %%fit, %%base\n"
                 "  %%short = icmp ult i64 %%room, %%ntid64\n"
                 "  %%capped = select i1 %%short, i64 %%room, i64 %%ntid64\n"
                 "  %%bound64 = select i1 %%some, i64 %%capped, i64 0\n"
                 "  %%bound = trunc nuw nsw i64 %%bound64 to i32\n"
                 "  br i1 %%some, label %%rows, label %%others\n",
                 addend, addend, factor);
}

/* One nest of loops; all its names end in `suffix`. */
struct nest {
    const char *suffix;
    const char *before;      /* block that leads to it */
    const char *start, *end; /* of the x loop */
    const char *after;
    int whole;
};

static void
write_index(struct jit *jit, struct jit_kernel *kernel,
            const struct nest *nest)
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

static void
write_nest_head(struct jit *jit, const struct nest *nest)
{
    const char *s = nest->suffix;
    jit_text_add(jit->wrappers,
                 "  br label %%z%s\nz%s:\n"
                 "  %%tid2%s = phi i32 [0, %%%s], [%%z.next%s, %%z.end%s]\n"
                 "  %%zrow%s = mul nuw nsw i32 %%tid2%s, %%ntid1\n"
                 "  br label %%y%s\ny%s:\n",
                 s, s, s, nest->before, s, s, s, s, s, s);
    jit_text_add(jit->wrappers,
                 "  %%tid1%s = phi i32 [0, %%z%s], [%%y.next%s, %%y.end%s]\n"
                 "  %%yrow%s = add nuw nsw i32 %%zrow%s, %%tid1%s\n"
                 "  %%lrow%s = mul nuw nsw i32 %%yrow%s, %%ntid0\n"
                 "  br label %%x%s\nx%s:\n",
                 s, s, s, s, s, s, s, s, s, s, s);
    jit_text_add(jit->wrappers,
                 "  %%tid0%s = phi i32 [%s, %%y%s], [%%x.next%s, %%x.end%s]\n"
                 "  %%linear%s = add nuw nsw i32 %%lrow%s, %%tid0%s\n",
                 s, nest->start, s, s, s, s, s, s);
}

static void
write_nest(struct jit *jit, struct jit_kernel *kernel, const struct nest *nest,
           unsigned loop)
{
    const char *s = nest->suffix;
    write_nest_head(jit, nest);
    write_index(jit, kernel, nest);
    jit_text_call(jit, kernel, s,
                  kernel->sequential ? "" : ", !llvm.access.group !0");
    jit_text_add(jit->wrappers,
                 "  br label %%x.end%s\nx.end%s:\n"
                 "  %%x.next%s = add nuw nsw i32 %%tid0%s, 1\n"
                 "  %%x.more%s = icmp ult i32 %%x.next%s, %s\n"
                 "  br i1 %%x.more%s, label %%x%s, label %%y.end%s, "
                 "!llvm.loop !%u\n",
                 s, s, s, s, s, s, nest->end, s, s, s, loop);
    jit_text_add(jit->wrappers,
                 "y.end%s:\n"
                 "  %%y.next%s = add nuw nsw i32 %%tid1%s, 1\n"
                 "  %%y.more%s = icmp ult i32 %%y.next%s, %%ntid1\n"
                 "  br i1 %%y.more%s, label %%y%s, label %%z.end%s\n"
                 "z.end%s:\n",
                 s, s, s, s, s, s, s, s, s);
    jit_text_add(jit->wrappers,
                 "  %%z.next%s = add nuw nsw i32 %%tid2%s, 1\n"
                 "  %%z.more%s = icmp ult i32 %%z.next%s, %%ntid2\n"
                 "  br i1 %%z.more%s, label %%z%s, label %%%s\n",
                 s, s, s, s, s, s, nest->after);
}

static void
write_loops(struct jit *jit, struct jit_kernel *kernel, unsigned loop)
{
    struct jit_guard *guard = &kernel->guard;
    struct nest nest = {"", "block.head", "0", "%ntid0", "row.next", 1};
    if (guard->split) {
        nest = (struct nest){"", "rows", "0", "%bound", "others", 1};
        jit_text_add(jit->wrappers, "rows:\n");
    } else if (guard->found) {
        nest.before = "rows";
        nest.start = guard->lower ? "%start" : "0";
        nest.end = "%bound";
    }
    write_nest(jit, kernel, &nest, loop);
    if (guard->split) {
        static const struct nest rest = {".b",     "tail",     "%bound",
                                         "%ntid0", "row.next", 0};
        jit_text_add(jit->wrappers,
                     "others:\n"
                     "  %%left = icmp ult i32 %%bound, %%ntid0\n"
                     "  br i1 %%left, label %%tail, label %%row.next\n"
                     "tail:\n");
        write_nest(jit, kernel, &rest, loop + 1);
    }
}

static void
write_tail(struct jit *jit, struct jit_kernel *kernel)
{
    jit_text_add(jit->wrappers, "row.next:\n");
    if (kernel->guard.stride) {
        jit_text_add(jit->wrappers,
                     "  %%base.next = add i64 %%base, %%stride\n"
                     "  br label %%row\n");
    } else {
        jit_text_add(jit->wrappers, "  br label %%next\n");
    }
    jit_text_add(jit->wrappers,
                 "next:\n"
                 "  %%bx.more = add i32 %%ctaid0, 1\n"
                 "  %%bx.end = icmp eq i32 %%bx.more, %%nctaid0\n"
                 "  %%bx.next = select i1 %%bx.end, i32 0, i32 %%bx.more\n"
                 "  %%bx.carry = zext i1 %%bx.end to i32\n"
                 "  %%by.more = add i32 %%ctaid1, %%bx.carry\n"
                 "  %%by.end = icmp eq i32 %%by.more, %%nctaid1\n"
                 "  %%by.next = select i1 %%by.end, i32 0, i32 %%by.more\n"
                 "  %%by.carry = zext i1 %%by.end to i32\n"
                 "  %%bz.next = add i32 %%ctaid2, %%by.carry\n"
                 "  %%done.next = add nuw i64 %%done, 1\n"
                 "  %%more = icmp ult i64 %%done.next, %%count\n"
                 "  br i1 %%more, label %%block.head, label %%out\n"
                 "out:\n  ret void\n}\n");
}

void
jit_write_loop_entry(struct jit *jit, struct jit_kernel *kernel)
{
    static unsigned loop = 100;
    write_head(jit, kernel);
    if (kernel->guard.split) {
        write_split(jit, kernel);
    } else if (kernel->guard.found) {
        write_guard(jit, kernel);
    }
    write_loops(jit, kernel, loop);
    write_tail(jit, kernel);
    for (int i = 0; i <= kernel->guard.split; i++, loop++) {
        jit_text_add(jit->wrappers, "!%u = distinct !{!%u, !2, %s%s}\n", loop,
                     loop, kernel->flat ? "!3" : "!5",
                     kernel->sequential ? "" : ", !1");
    }
}
