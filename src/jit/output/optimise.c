/* optimise.c - the pass pipelines.
 *
 * Short ones of our own: they take a third of default<O3>'s time and make
 * code that is as fast for thread loops (the inner loops must not be
 * unrolled before the thread loop is vectorised).
 *
 * SPDX-License-Identifier: MIT */
#include <string.h>

#include <llvm-c/Support.h>

#include "jit/jit.h"

/* Unswitches a thread loop however many others are next to it; see
 * jit_bound_unswitching. */
void
jit_tune(void)
{
    static const char *const words[] = {
        "pycuda-jit", "-enable-unswitch-cost-multiplier=false"};
    LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
}

/* Inlines device functions and brings the code into a shape that the later
 * steps recognise; loops stay as the source has them. */
void
jit_prepare(struct jit *jit)
{
    jit_run_passes(jit, "always-inline,globaldce,"
                        "function(sroa,early-cse,simplifycfg,"
                        "instcombine<no-verify-fixpoint>,simplifycfg)");
}

static void
note_private_memory(struct jit *jit, LLVMValueRef at, void *data)
{
    struct jit_kernel *kernel = data;
    (void)jit;
    kernel->sequential |= LLVMIsAAllocaInst(at) != NULL;
}

/* Is or is not a call at which kernels are cut to be copied?  False if the
 * module has none. */
static bool
hold_stops(struct jit *jit, bool hold)
{
    static const char *const names[] = {
        "__pycuda_barrier", "__pycuda_warp_barrier", "__pycuda_shuffle",
        "__pycuda_ballot",  "__pycuda_match_any",    "__pycuda_match_all",
        "__pycuda_reduce",  "__pycuda_activemask",   "__pycuda_warp_vote"};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMValueRef stop = LLVMGetNamedFunction(jit->module, names[i]);
        found |= stop != NULL;
        if (stop && hold) {
            jit_add_attribute(jit, stop, "noduplicate");
        } else if (stop) {
            jit_drop_attribute(stop, "noduplicate");
        }
    }
    return found;
}

/* Small constant loops are unrolled, so that private arrays become values;
 * loops around a barrier or a warp operation only if they are very short,
 * since each copy of one is a region more. */
static void
unroll_loops(struct jit *jit)
{
    const char *rest = "sroa,early-cse,instcombine<no-verify-fixpoint>,"
                       "simplifycfg";
    const char *unroll = "loop-unroll<O3;no-partial;no-runtime;no-upperbound;"
                         "no-peeling;full-unroll-max=";
    bool stops = hold_stops(jit, true);
    jit_run_passes(jit, jit_format("function(loop-simplify,lcssa,"
                                   "loop(loop-rotate,indvars),%s64>,%s)",
                                   unroll, rest));
    if (stops) {
        hold_stops(jit, false);
        jit_run_passes(jit, jit_format("function(loop-simplify,lcssa,"
                                       "loop(loop-rotate,indvars),%s10>,%s)",
                                       unroll, rest));
    }
}

/* What private memory remains is one for all threads of the loop. */
void
jit_prepare_bodies(struct jit *jit)
{
    unsigned byval = LLVMGetEnumAttributeKindForName("byval", 5);
    if (jit->options.level > 0) {
        unroll_loops(jit);
    }
    jit_drop_stride_marks(jit);
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        struct jit_kernel *kernel = &jit->kernels[i];
        kernel->flat =
            !LLVMGetFirstUse(jit_body_argument(kernel, JIT_TID + 1));
        jit_each_instruction(jit, kernel->body, note_private_memory, kernel);
        for (unsigned k = 0; k < kernel->parameter_count; k++) {
            kernel->sequential |= LLVMGetEnumAttributeAtIndex(
                                      kernel->body, k + 1, byval) != NULL;
        }
    }
}

/* The inliner's scope declarations hide the access groups from the
 * vectoriser. */
static void
drop_scope_declaration(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    (void)data;
    if (jit_is_call(at, "llvm.experimental.noalias.scope.decl")) {
        LLVMInstructionEraseFromParent(at);
    }
}

/* Is there code for blocks of one row whose width is known, or for warps?
 * Their loops are of a few vectors, which may stay in registers. */
static bool
has_known_rows(const struct jit *jit, bool *warps)
{
    bool rows = false;
    *warps = false;
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        const struct jit_kernel *kernel = &jit->kernels[i];
        *warps |= kernel->warps;
        rows |= kernel->flat && kernel->regions && kernel->regions->width;
    }
    return rows || *warps;
}

/* Of a warp's loops that are no vectors all rounds may go but one: `if (lane
 * == 0)`. */
static void
unroll_rows(struct jit *jit, bool warps)
{
    jit_run_passes(
        jit, jit_format("function(loop-simplify,lcssa,loop-unroll<O3;"
                        "no-partial;no-runtime;no-upperbound;no-peeling;"
                        "full-unroll-max=%d>,simplifycfg,%searly-cse<memssa>,"
                        "gvn,dse%s)",
                        warps ? 32 : 16, warps ? "sroa," : "",
                        warps ? ",jump-threading,instcombine<"
                                "no-verify-fixpoint>,simplifycfg,adce"
                              : ""));
    jit_join_pieces(jit);
}

/* Rows of blocks are whole vectors as a rule, so that the rest of one does not
 * need vectors of half the length, which take a fifth of the time to compile.
 * Loops over all threads of a grid, without barriers, may have a long rest. */
static void
tune_rows(const struct jit *jit)
{
    static const char *const words[] = {
        "pycuda-jit", "-enable-epilogue-vectorization=false"};
    bool rows = false;
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        rows |= jit->kernels[i].regions != NULL;
    }
    if (rows) {
        LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
    }
}

void
jit_optimise(struct jit *jit)
{
    jit_run_passes(jit, "always-inline,globaldce");
    jit_each_instruction_of_all(jit, drop_scope_declaration, NULL);
    bool rare = jit_declare_rare(jit);
    if (jit->options.level == 0) {
        jit_define_rare(jit);
        jit_run_passes(jit, "function(sroa)");
        jit_drop_own(jit);
        return;
    }
    tune_rows(jit);
    jit_declare_loops(jit);
    if (jit->options.checks) {
        jit_run_passes(jit,
                       "function(sroa,early-cse<memssa>,simplifycfg,"
                       "instcombine<no-verify-fixpoint>,loop-simplify,lcssa,"
                       "loop-mssa(loop-rotate,licm),simplifycfg,"
                       "loop-simplify)");
        jit_check_rows(jit);
    }
    jit_run_passes(jit, "function(sroa,early-cse<memssa>,simplifycfg,"
                        "instcombine<no-verify-fixpoint>)");
    jit_lower_asks(jit);
    jit_part_accesses(jit);
    jit_hide_masks(jit);
    jit_bound_unswitching(jit);
    /* One run: what it finds out of induction variables spares the vectors
     * checks.  Words that are known to be the same after loops were unswitched
     * must be one value by then. */
    jit_run_passes(jit,
                   jit_format("function(loop-simplify,lcssa,"
                              "loop-mssa(loop-rotate,licm%s),"
                              "simplifycfg,early-cse<memssa>,"
                              "instcombine<no-verify-fixpoint>,loop(indvars),"
                              "loop-simplify,lcssa,loop-vectorize)",
                              jit->options.debug
                                  ? ""
                                  : ",simple-loop-unswitch<nontrivial>"));
    jit_show_masks(jit);
    jit_show_zeros(jit);
    jit_define_loops(jit);
    if (rare) {
        jit_define_rare(jit);
    }
    jit_run_passes(jit,
                   "function(instcombine<no-verify-fixpoint>,simplifycfg,sroa,"
                   "early-cse,loop-mssa(licm),simplifycfg)");
    bool warps;
    if (!jit->options.debug && has_known_rows(jit, &warps)) {
        unroll_rows(jit, warps);
    }
    jit_drop_own(jit);
    jit_split_extensions(jit);
}
