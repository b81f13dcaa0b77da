/* optimise.c - the pipelines of LLVM passes.
 *
 * The pipelines are shorter than LLVM's default<O3>. They take a third of its
 * time and produce equally fast code for loops over threads. Inner loops must
 * not be unrolled before the loop over threads is vectorised.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Support.h>

#include "jit/body.h"
#include "jit/checks/access_ranges.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/loops/loops.h"
#include "jit/output/output.h"
#include "jit/output/slow_path.h"
#include "jit/regions/stride.h"
#include "jit/step_times.h"
#include "jit/text.h"

/* Sets LLVM's options so that it unswitches a thread loop (splits it into
 * copies for a loop-invariant condition) no matter how many sibling loops it
 * has. jit_bound_unswitching limits the number of copies. */
void
jit_tune(void)
{
    static const char *const words[] = {
        "pycuda-jit", "-enable-unswitch-cost-multiplier=false"};
    LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
}

/* Inlines device functions and simplifies the code to the form that later
 * passes expect. Loops keep the structure that they have in the source. */
void
jit_prepare(struct jit *jit)
{
    jit_run_passes(jit, "always-inline,globaldce,"
                        "function(sroa,early-cse,lower-constant-intrinsics,"
                        "simplifycfg,instcombine<no-verify-fixpoint>,"
                        "simplifycfg)");
}

static void
note_private_memory(struct jit *jit, LLVMValueRef at, void *data)
{
    struct jit_kernel *kernel = data;
    (void)jit;
    kernel->sequential |= LLVMIsAAllocaInst(at) != NULL;
}

/* If `hold` is true, adds the attribute `noduplicate` to the functions for
 * barriers and warp operations, since kernels are split at the calls of these
 * functions. If `hold` is false, removes the attribute. Returns false if the
 * module has none of these functions. */
static bool
set_noduplicate(struct jit *jit, bool hold)
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

/* Unrolls small loops with constant trip counts, so that private arrays become
 * scalars. Loops with a barrier or warp operation are unrolled only if they
 * are very short, since each copy of the barrier adds a loop over threads to
 * compile. */
static void
unroll_loops(struct jit *jit)
{
    const char *rest = "sroa,early-cse,instcombine<no-verify-fixpoint>,"
                       "simplifycfg";
    const char *unroll = "loop-unroll<O3;no-partial;no-runtime;no-upperbound;"
                         "no-peeling;full-unroll-max=";
    bool stops = set_noduplicate(jit, true);
    jit_run_passes(jit, jit_format("function(loop-simplify,lcssa,"
                                   "loop(loop-rotate,indvars),%s64>,%s)",
                                   unroll, rest));
    if (stops) {
        set_noduplicate(jit, false);
        jit_run_passes(jit, jit_format("function(loop-simplify,lcssa,"
                                       "loop(loop-rotate,indvars),%s10>,%s)",
                                       unroll, rest));
    }
}

/* Unrolls short loops in the kernel bodies, and sets properties of each kernel
 * that later passes need. One is kernel->sequential: the loop over threads
 * must not be vectorised, since private variables remain in memory and all
 * iterations share this memory. */
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

/* Erases calls of llvm.experimental.noalias.scope.decl, which the inliner
 * adds. These calls hide from the vectoriser that accesses are parallel. */
static void
drop_scope_declaration(struct jit *jit, LLVMValueRef at, void *data)
{
    (void)jit;
    (void)data;
    if (jit_is_call(at, "llvm.experimental.noalias.scope.decl")) {
        LLVMInstructionEraseFromParent(at);
    }
}

/* Tests whether some loop over threads is so short that it becomes a few
 * vectors, which may stay in registers: a loop over a thread block with a
 * known blockDim.x and one value of threadIdx.y, or a loop over a warp. Sets
 * *warps if there is a loop over a warp. */
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

/* Unrolls loops over the threads of blocks with a known blockDim.x, or over
 * the lanes of a warp. A loop over lanes that is not vectorised, such as the
 * loop around `if (lane == 0)`, may then fold to one iteration. */
static void
unroll_rows(struct jit *jit, bool warps)
{
    /* Unrolling a loop over 32 lanes around `if (lane % 32 == 0)` leaves
     * little code. To find out how much, LLVM simulates the iterations, but
     * only for loops with at most the number of iterations that this option
     * sets. */
    static const char *const words[] = {
        "pycuda-jit", "-unroll-max-iteration-count-to-analyze=32"};

    if (warps) {
        LLVMParseCommandLineOptions(sizeof words / sizeof *words, words, NULL);
    }
    jit_run_passes(
        jit, jit_format("function(loop-simplify,lcssa,loop-unroll<O3;"
                        "no-partial;no-runtime;no-upperbound;no-peeling;"
                        "full-unroll-max=%d>,simplifycfg,%searly-cse<memssa>,"
                        "gvn,dse%s)",
                        warps ? 32 : 16, warps ? "sroa," : "",
                        warps ? ",jump-threading,instcombine<"
                                "no-verify-fixpoint>,simplifycfg,adce"
                              : ""));
    jit_join_slices(jit);
}

/* Disables epilogue vectorisation (vectors of half the length for the
 * remaining iterations of a loop) if a kernel is split at barriers. The loops
 * over threads of such a kernel usually need whole vectors only, and epilogue
 * vectorisation takes a fifth of the compile time. Loops over all threads of a
 * grid, without barriers, may have a long remainder. */
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
    jit_each_instruction_of_module(jit, drop_scope_declaration, NULL);
    bool slow_paths = jit_declare_slow_paths(jit);
    if (jit->options.level == 0 || jit->options.quick == JIT_QUICK_NOW) {
        jit_define_slow_paths(jit);
        jit_run_passes(jit, "function(sroa)");
        jit_drop_unaliased(jit);
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
        jit_check_ranges(jit);
    }
    jit_run_passes(jit, "function(sroa,early-cse<memssa>,simplifycfg,"
                        "instcombine<no-verify-fixpoint>)");
    jit_lower_range_checks(jit);
    jit_step_begin("joins");
    jit_part_accesses(jit);
    jit_hide_masks(jit);
    jit_step_begin("unswitching");
    jit_bound_unswitching(jit);
    jit_step_begin("vectorisation");
    /* The following passes must be one pipeline. The results of indvars save
     * run-time checks in the vectorised code, and values that are equal after
     * unswitching must be one value before vectorisation. */
    jit_run_passes(jit,
                   jit_format("function(loop-simplify,lcssa,"
                              "loop-mssa(loop-rotate,licm%s),"
                              "simplifycfg,early-cse<memssa>,"
                              "instcombine<no-verify-fixpoint>,loop(indvars),"
                              "loop-simplify,lcssa,loop-vectorize)",
                              jit->options.debug
                                  ? ""
                                  : ",simple-loop-unswitch<nontrivial>"));
    jit_step_begin("clean-up");
    jit_show_masks(jit);
    jit_show_zeros(jit);
    jit_define_loops(jit);
    if (slow_paths) {
        jit_define_slow_paths(jit);
    }
    jit_run_passes(jit,
                   "function(instcombine<no-verify-fixpoint>,simplifycfg,sroa,"
                   "early-cse,loop-mssa(licm),simplifycfg)");
    bool warps;
    if (!jit->options.debug && has_known_rows(jit, &warps)) {
        unroll_rows(jit, warps);
    }
    jit_drop_unaliased(jit);
    jit_split_extensions(jit);
}
