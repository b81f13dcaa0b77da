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
#include "jit/loops/fuse.h"
#include "jit/loops/loops.h"
#include "jit/options.h"
#include "jit/output/output.h"
#include "jit/pack/pack.h"
#include "jit/quick.h"
#include "jit/regions/regions.h"
#include "jit/regions/stride.h"
#include "jit/report.h"
#include "jit/retarget/retarget.h"
#include "jit/step_times.h"
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

/* Warns of __constant__ variables and static shared memory whose total size
 * the CPU device accepts, but every GPU refuses. */
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
    /* Apply -ftz now: when the bitcode is linked or loaded later, the options
     * of this compilation are no longer known. */
    if (jit->options.flush) {
        jit_flush(jit);
    }
    LLVMMemoryBufferRef code = LLVMWriteBitcodeToMemoryBuffer(jit->module);
    jit_write(jit, LLVMGetBufferStart(code), LLVMGetBufferSize(code));
}

/* Removes all source locations from the module, since they slow down the
 * passes. Does nothing if the output needs the locations. `now`: no later pass
 * needs them; if false, the function does nothing. */
static void
drop_locations(struct jit *jit, bool now)
{
    if (now && !jit->options.debug &&
        jit->options.output != JIT_OUTPUT_EXPLAIN) {
        LLVMStripModuleDebugInfo(jit->module);
    }
}

/* Inserts access checks. Device functions are inlined first, so that an access
 * in one of the project's headers is attributed to the line of the user's code
 * that called the header's function. */
static void
add_checks(struct jit *jit)
{
    jit_run_passes(jit, "always-inline,globaldce,function(sroa)");
    jit_insert_checks(jit);
    drop_locations(jit, true);
}

/* Simplifies kernel bodies before they are split: removes checks that cannot
 * fail, chooses the axis of vectorisation, and turns a first branch such as
 * `if (i < n)` into a bound of the thread loop. Kernels that run on fibers are
 * not changed. */
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

/* Removes constants and functions that nothing uses. */
static void
drop_unused(struct jit *jit)
{
    jit_run_passes(jit, "globaldce");
}

static void
check_native_source(struct jit *jit)
{
    jit_check_source(jit, false);
    drop_locations(jit, !jit->options.checks);
}

static void
promote_variables(struct jit *jit)
{
    jit_run_passes(jit, "function(sroa)");
}

static void
add_wanted_checks(struct jit *jit)
{
    if (jit->options.checks) {
        add_checks(jit);
    }
}

/* The steps from nvptx bitcode to optimised code for the target. */
static const struct {
    const char *name;
    void (*run)(struct jit *jit);
} native_steps[] = {
    {"declarations", jit_check_declarations},
    {"target", jit_open_target},
    {"intrinsics", jit_map_intrinsics},
    {"lanes", jit_lower_lanes},
    {"variables", jit_lower_variables},
    {"launches", jit_lower_launches},
    {"indices", jit_lower_indices},
    {"variadic", jit_lower_variadic},
    {"retarget", jit_retarget},
    {"tables", jit_copy_tables},
    {"unused", drop_unused},
    {"assembly", jit_lower_assembly},
    {"source", check_native_source},
    {"copies", jit_note_copies},
    {"promotion", promote_variables},
    {"arithmetic", jit_lower_arithmetic},
    {"mathematics", jit_set_math},
    {"inlining", jit_choose_inlining},
    {"checks", add_wanted_checks},
    {"simplification", jit_prepare},
    {"lockstep", jit_keep_lockstep},
    {"blocks", jit_find_independent_blocks},
    {"spinning", jit_find_spinning},
    {"stops", jit_find_stops},
    {"notes", jit_explain_stops},
    {"bodies", jit_make_bodies},
    {"guards", simplify_bodies},
    {"geometry", jit_publish_geometry},
    {"shared", jit_lower_shared},
    {"strides", jit_even_strides},
    {"exits", jit_join_exits},
    {"unrolling", jit_prepare_bodies},
    {"divisions", jit_widen_divisions},
    {"products", jit_fuse_products},
    {"regions", jit_split_kernels},
    {"packs", jit_pack_kernels},
    {"loops", jit_outline_loops},
    {"entries", jit_add_entries},
    {"locations", jit_keep_locations},
    {"optimisation", jit_optimise},
    {"traps", jit_add_traps},
};

static void
make_native(struct jit *jit)
{
    size_t count = sizeof native_steps / sizeof *native_steps;

    for (size_t i = 0; i < count; i++) {
        jit_step_begin(native_steps[i].name);
        native_steps[i].run(jit);
    }
    if (jit->options.output == JIT_OUTPUT_IR ||
        jit->options.output == JIT_OUTPUT_ASM) {
        jit_show_code(jit);
        return;
    }
    jit_step_begin("machine code");
    LLVMMemoryBufferRef object = jit_emit(jit);
    if (jit->options.output == JIT_OUTPUT_EXPLAIN) {
        jit_explain_write(jit);
        return;
    }
    if (jit->options.output == JIT_OUTPUT_TIMES) {
        jit_step_times_write();
        return;
    }
    jit_write(jit, LLVMGetBufferStart(object), LLVMGetBufferSize(object));
}

/* Sets LLVM's options. In checked kernels, each loop with checks is split into
 * a copy with and a copy without checks, regardless of the size of the loop.
 * When the output is PTX, LLVM must not replace loop indices by pointers that
 * it increments, so that grid-stride loops are recognised when the PTX is
 * read. */
static void
set_passes(const struct jit *jit)
{
    static const char *const words[] = {
        "pycuda-jit", "-unswitch-threshold=400",
        "-enable-unswitch-cost-multiplier=false"};
    static const char *const ptx_words[] = {"pycuda-jit", "-disable-lsr"};

    if (jit->options.checks) {
        LLVMParseCommandLineOptions(3, words, NULL);
    }
    if (jit->options.output == JIT_OUTPUT_PTX) {
        LLVMParseCommandLineOptions(2, ptx_words, NULL);
    }
}

/* Stores the arguments of the command line, from which the full version of the
 * image is compiled later. */
static void
arguments_note(struct jit *jit, int count, char **arguments)
{
    for (int i = 1; i < count; i++) {
        if (strncmp(arguments[i], "--quick", strlen("--quick")) != 0) {
            jit_text_add_bytes(&jit->arguments, arguments[i],
                               strlen(arguments[i]) + 1);
        }
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
    } else if (jit.options.output == JIT_OUTPUT_TIMES) {
        jit_step_times_enable();
    }
    set_passes(&jit);
    jit_step_begin("reading");
    jit_read_input(&jit);
    jit_quick_arm(&jit.options, count, arguments, &jit.input);
    arguments_note(&jit, count, arguments);
    open_context(&jit);
    jit_read(&jit);
    jit_find_kernels(&jit);
    set_registers(&jit);
    if (jit.options.output == JIT_OUTPUT_PTX) {
        jit_write_ptx(&jit);
    } else if (jit.options.kind == IMAGE_BITCODE) {
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
