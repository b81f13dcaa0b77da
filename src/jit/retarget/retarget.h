/* retarget.h - passes from nvptx bitcode to functions of the host, almost in
 * the order in which main.c calls them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_RETARGET_RETARGET_H
#define PYCUDA_JIT_RETARGET_RETARGET_H

#include <stdbool.h>

#include <llvm-c/Core.h>

struct jit;
struct jit_kernel;

/* retarget/read.c: jit_read_input reads stdin into jit->input; jit_read
 * creates the module from jit->input. */
void jit_read_input(struct jit *jit);
void jit_read(struct jit *jit);
/* retarget/kernels.c: lists the kernels and their parameter layouts. */
void jit_find_kernels(struct jit *jit);
/* retarget/variables.c: moves device variables to address space 0, and lists
 * them in jit.globals. */
void jit_lower_variables(struct jit *jit);
/* retarget/indices.c: turns reads of threadIdx etc. into function calls. */
void jit_lower_indices(struct jit *jit);
/* retarget/intrinsics.c: maps nvptx intrinsics to functions of the runtime. */
void jit_map_intrinsics(struct jit *jit);
/* retarget/lanes.c: replaces operations on whole vectors by the target's
 * vector instructions, if the target has them. */
void jit_lower_lanes(struct jit *jit);
/* retarget/own_functions.c: reports an error if the program defines `function`
 * in extern "C", although it has the name of a CUDA function that a program
 * must not define in this way. */
void jit_check_own_function(LLVMValueRef function);
/* retarget/check.c: both functions report errors of the source.
 * jit_check_declarations runs before any change to the module. For
 * jit_check_source, `linkable` means that names may be undefined, since the
 * code will be linked with other code. */
void jit_check_declarations(struct jit *jit);
void jit_check_source(struct jit *jit, bool linkable);
/* retarget/assembly.c: replaces inline PTX (asm statements) by instructions
 * and calls. */
void jit_lower_assembly(struct jit *jit);
/* retarget/variadic.c: makes calls pass variable arguments (...) in a
 * buffer. */
void jit_lower_variadic(struct jit *jit);
/* retarget/launches.c: reports calls of kernels without a configuration. */
void jit_check_launches(struct jit *jit);
/* retarget/launches.c: replaces launches by kernels by calls of the runtime,
 * and the address of a kernel by the address of an object that contains the
 * kernel's name. */
void jit_lower_launches(struct jit *jit);
/* retarget/retarget.c: sets the triple, the data layout and the function
 * attributes for the host processor. */
void jit_retarget(struct jit *jit);
/* retarget/retarget.c: sets the floating-point flags that the command line
 * requests. */
void jit_set_math(struct jit *jit);
/* retarget/flush.c: makes float arithmetic treat subnormal numbers as zero. */
void jit_flush(struct jit *jit);
/* retarget/arithmetic.c: gives operations that are undefined in LLVM, such as
 * x / 0, the results of a GPU. */
void jit_lower_arithmetic(struct jit *jit);
/* retarget/arithmetic.c: replaces 32-bit divisions by divisions of doubles. */
void jit_widen_divisions(struct jit *jit);
/* retarget/inlining.c: selects the device functions to inline. */
void jit_choose_inlining(struct jit *jit);
/* retarget/tables.c: gives functions local copies of constant tables that
 * contain addresses of shared variables. */
void jit_copy_tables(struct jit *jit);
/* retarget/geometry.c: turns each kernel into its body, a function with
 * threadIdx, blockIdx, blockDim and gridDim as further arguments. */
void jit_make_bodies(struct jit *jit);
/* retarget/geometry.c: lets device functions that were not inlined load
 * threadIdx, blockIdx, blockDim and gridDim from struct image_thread. Kernels
 * that do not run on fibers get code that stores threadIdx and blockIdx in
 * this struct before a call of such a function. Called after the conditions
 * that limit the threads, such as `if (i < n)`, have been found
 * (entries/guard.c). */
void jit_publish_geometry(struct jit *jit);
/* retarget/geometry.c: stores threadIdx and blockIdx in memory before a failed
 * assertion, so that the message names the thread. */
void jit_publish_failures(struct jit *jit, struct jit_kernel *kernel);
/* retarget/shared.c: turns shared variables into offsets in the thread block's
 * shared memory. */
void jit_lower_shared(struct jit *jit);
/* retarget/inlining.c: tests whether the function was marked as not to be
 * inlined. */
bool jit_is_noinline(struct jit *jit, LLVMValueRef function);
/* retarget/kernels.c: tests whether the function is one of jit.kernels. */
bool jit_is_kernel(struct jit *jit, LLVMValueRef function);
/* Returns the element of jit.kernels for a kernel function of the input, or
 * NULL for other functions. */
struct jit_kernel *jit_kernel_of(struct jit *jit, LLVMValueRef function);
/* retarget/check.c: tests whether the runtime provides the name, so that the
 * name may stay undefined in the object file. */
bool jit_is_known_symbol(const char *name);

#endif
