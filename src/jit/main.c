/* main.c - pycuda-jit: compiles nvptx64 bitcode of clang 19 from stdin into an
 * image for the CPU device on stdout.
 *
 * The format is in image/image.h, the design in docs/design/rooms.md.
 * libpycuda_cpu starts the program as a child process, so that an LLVM error
 * cannot harm the user's process. No memory is freed before the process ends.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Support.h>

#include "image/image.h"
#include "jit/analyse/independent_blocks.h"
#include "jit/analyse/row_axis.h"
#include "jit/checks/checks.h"
#include "jit/entries/entries.h"
#include "jit/entries/guard.h"
#include "jit/explain.h"
#include "jit/fibers/fibers.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/loops/loops.h"
#include "jit/options.h"
#include "jit/output/output.h"
#include "jit/pack/pack.h"
#include "jit/regions/regions.h"
#include "jit/regions/stride.h"
#include "jit/report.h"
#include "jit/retarget/retarget.h"
#include "jit/target/target.h"

/* Bytes of shared and constant memory that every GPU accepts, without an opt-
 * in at launch. */
#define GPU_SHARED_BYTES   (48u << 10)
#define GPU_CONSTANT_BYTES (64u << 10)

static void
open_context(struct jit *jit)
{
    jit->context = LLVMContextCreate();
    jit_report_install(jit->context, jit_explain_remark);
    jit->builder = LLVMCreateBuilderInContext(jit->context);
    jit->i1 = LLVMInt1TypeInContext(jit->context);
    jit->i8 = LLVMInt8TypeInContext(jit->context);
    jit->i32 = LLVMInt32TypeInContext(jit->context);
    jit->i64 = LLVMInt64TypeInContext(jit->context);
    jit->pointer = LLVMPointerTypeInContext(jit->context, 0);
}

/* Prints the resource usage of each kernel in the format of nvcc's
 * `--ptxas-options=-v`. */
static void
print_resources(struct jit *jit)
{
    if (jit->constant_bytes) {
        fprintf(stderr, "ptxas info    : 0 bytes gmem, %u bytes cmem[3]\n",
                jit->constant_bytes);
    }
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        struct jit_kernel *kernel = &jit->kernels[i];
        fprintf(stderr,
                "ptxas info    : Compiling entry function '%s' for '%s'\n"
                "ptxas info    : Function properties for %s\n"
                "    %u bytes stack frame, 0 bytes spill stores, 0 bytes "
                "spill loads\n"
                "ptxas info    : Used %u registers, %u bytes smem, %u bytes "
                "cmem[0]\n",
                kernel->name, jit->options.target->name, kernel->name,
                kernel->local_bytes, kernel->registers, kernel->static_shared,
                kernel->parameter_bytes);
    }
}

/* Warns of sizes that the CPU device accepts and every GPU refuses. */
static void
warn_limits(const struct jit *jit)
{
    if (jit->constant_bytes > GPU_CONSTANT_BYTES) {
        fprintf(stderr,
                "ptxas warning : %u bytes of __constant__ variables; a GPU "
                "has at most %u and refuses them\n",
                jit->constant_bytes, GPU_CONSTANT_BYTES);
    }
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        const struct jit_kernel *kernel = &jit->kernels[i];
        if (kernel->static_shared > GPU_SHARED_BYTES) {
            fprintf(stderr,
                    "ptxas warning : kernel '%s' has %u bytes of static "
                    "shared memory; a GPU has at most %u and refuses it\n",
                    kernel->name, kernel->static_shared, GPU_SHARED_BYTES);
        }
    }
}

/* Computes a plausible number of registers per thread, which the image reports
 * for occupancy calculations. On the CPU, threads have no registers of their
 * own. */
static void
set_registers(struct jit *jit)
{
    unsigned most = jit->options.max_registers;
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        jit->kernels[i].registers = most && most < 32 ? most : 32;
    }
}

static void
make_bitcode(struct jit *jit)
{
    jit_check_declarations(jit);
    jit_check_launches(jit);
    jit_check_source(jit, true);
    /* -ftz is an option of this compilation. It was not known when libraries
     * were compiled, so their code is changed here. */
    if (jit->options.flush) {
        jit_flush(jit);
    }
    LLVMMemoryBufferRef code = LLVMWriteBitcodeToMemoryBuffer(jit->module);
    jit_write(jit, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
}

/* Removes all source locations from the module, since they slow down the
 * passes. Keeps them if `now` is false (a later pass needs them) or the output
 * needs them. */
static void
drop_locations(struct jit *jit, bool now)
{
    if (now && !jit->options.debug &&
        jit->options.output != JIT_OUTPUT_EXPLAIN) {
        LLVMStripModuleDebugInfo(jit->module);
    }
}

/* Inserts access checks. Device functions are inlined first, so that an access
 * in one of the project's headers is attributed to the user's line that called
 * it. */
static void
add_checks(struct jit *jit)
{
    jit_run_passes(jit, "always-inline,globaldce,function(sroa)");
    jit_insert_checks(jit);
    drop_locations(jit, true);
}

/* Simplifies the bodies of the kernels whose threads wait for each other at
 * no barrier. */
static void
simplify_bodies(struct jit *jit)
{
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        struct jit_kernel *kernel = &jit->kernels[i];
        if (kernel->fibers) {
            continue;
        }
        jit_remove_stop_checks(jit, kernel);
        jit_choose_row_axis(jit, kernel);
        if (!kernel->calls_functions) {
            jit_find_guard(jit, kernel);
        }
    }
}

static void
make_native(struct jit *jit)
{
    jit_check_declarations(jit);
    jit_open_target(jit);
    jit_map_intrinsics(jit);
    jit_lower_lanes(jit);
    jit_lower_variables(jit);
    jit_lower_launches(jit);
    jit_lower_indices(jit);
    jit_lower_variadic(jit);
    jit_retarget(jit);
    jit_copy_tables(jit);
    jit_run_passes(jit, "globaldce");
    jit_lower_assembly(jit);
    jit_check_source(jit, false);
    drop_locations(jit, !jit->options.checks);
    jit_note_copies(jit);
    jit_run_passes(jit, "function(sroa)");
    jit_lower_arithmetic(jit);
    jit_set_math(jit);
    jit_choose_inlining(jit);
    if (jit->options.checks) {
        add_checks(jit);
    }
    jit_prepare(jit);
    jit_keep_lockstep(jit);
    jit_find_independent_blocks(jit);
    jit_find_spinning(jit);
    jit_find_stops(jit);
    jit_explain_stops(jit);
    jit_make_bodies(jit);
    simplify_bodies(jit);
    jit_publish_geometry(jit);
    jit_lower_shared(jit);
    jit_even_strides(jit);
    jit_prepare_bodies(jit);
    jit_widen_divisions(jit);
    jit_split_kernels(jit);
    jit_pack_kernels(jit);
    jit_outline_loops(jit);
    jit_add_entries(jit);
    jit_keep_locations(jit);
    jit_optimise(jit);
    jit_add_traps(jit);
    if (jit->options.output == JIT_OUTPUT_IR ||
        jit->options.output == JIT_OUTPUT_ASM) {
        jit_show_code(jit);
        return;
    }
    LLVMMemoryBufferRef object = jit_emit(jit);
    if (jit->options.output == JIT_OUTPUT_EXPLAIN) {
        jit_explain_write(jit);
        return;
    }
    jit_write(jit, LLVMGetBufferStart(object), LLVMGetBufferSize(object));
}

/* Sets LLVM's options for unswitching, in checked kernels only: each loop with
 * checks is split into a copy with and a copy without checks, whatever the
 * size of the loop. */
static void
set_passes(const struct jit *jit)
{
    static const char *const words[] = {
        "pycuda-jit", "-unswitch-threshold=400",
        "-enable-unswitch-cost-multiplier=false"};

    if (jit->options.checks) {
        LLVMParseCommandLineOptions(3, words, NULL);
    }
}

int
main(int count, char **arguments)
{
    static struct jit jit;
    jit_read_options(&jit.options, count, arguments);
    jit_tune();
    if (jit.options.output == JIT_OUTPUT_EXPLAIN) {
        jit_explain_enable();
    }
    set_passes(&jit);
    open_context(&jit);
    jit_read(&jit);
    jit_find_kernels(&jit);
    set_registers(&jit);
    if (jit.options.kind == IMAGE_BITCODE) {
        make_bitcode(&jit);
    } else {
        make_native(&jit);
    }
    warn_limits(&jit);
    if (jit.options.verbose) {
        print_resources(&jit);
    }
    if (fflush(stdout) || ferror(stdout)) {
        jit_die("cannot write the output: %s", strerror(errno));
    }
    fflush(stderr);
    _exit(0);
}
