/* entries.h - the functions that the runtime calls to start a kernel, as IR
 * text.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_ENTRIES_ENTRIES_H
#define PYCUDA_JIT_ENTRIES_ENTRIES_H

#include <stdbool.h>

#include <llvm-c/Core.h>

struct jit;
struct jit_kernel;
struct jit_regions;
struct jit_text;

/* entries/loop.c, entries/region.c, entries/thread.c: append the IR text of
 * one kernel's entry, the function that the runtime calls to run it, to
 * jit.wrappers. */
void jit_write_loop_entry(struct jit *jit, struct jit_kernel *kernel);
void jit_write_region_entry(struct jit *jit, struct jit_kernel *kernel);
void jit_write_thread_entry(struct jit *jit, struct jit_kernel *kernel);
/* entries/entries.c: adds the entries of all kernels to the module. */
void jit_add_entries(struct jit *jit);
/* entries/entries.c: adds the entry that runs each thread on a fiber. Called
 * before the kernel is split at its barriers; the entry contains a copy of the
 * unsplit body. */
void jit_add_thread_entry(struct jit *jit, struct jit_kernel *kernel);
/* Returns the IR operand for a value that jit_is_uniform accepts. Appends the
 * instructions that compute it to `text`. */
const char *jit_text_operand(struct jit_text *text, struct jit_kernel *kernel,
                             LLVMValueRef value);
/* Writes the loads of the kernel's parameters from the parameter buffer. */
void jit_text_parameters(struct jit *jit, struct jit_kernel *kernel);
/* Writes IR text that loads blockDim, gridDim and the address of shared
 * memory. `axis`: axis of the launch that the entry calls x
 * (jit_kernel.row_axis). `width` is blockDim.x if it is known, else 0. `flat`:
 * the kernel does not use threadIdx.y. `own`: while the entry runs, shared
 * memory is accessed only through this address. */
void jit_text_geometry(struct jit *jit, unsigned axis, unsigned width,
                       bool flat, bool own);
/* Writes a call of the kernel body (the function with the kernel's code) for
 * one thread. IR names that differ between the loops of an entry end in
 * `suffix`; `metadata` is appended to the call. */
void jit_text_call(struct jit *jit, struct jit_kernel *kernel,
                   const char *suffix, const char *metadata);
/* entries/warp.c: returns the symbol of the function that runs a kernel one
 * warp after the other. The caller frees it. */
char *jit_warp_symbol(const struct jit_kernel *kernel);
/* entries/warp.c: appends the text of the entry that runs warp by warp to
 * jit.wrappers. */
void jit_write_warp_entry(struct jit *jit, struct jit_kernel *kernel);
/* entries/region.c: returns the IR text that declares an entry's variables for
 * uniform values, which are equal in all threads. In these variables the
 * values pass from the thread loop before a barrier to the loop after it.
 * entries/warp.c calls this function too. The caller frees it. */
char *jit_region_variables(const struct jit_regions *regions);
/* entries/region.c: writes the loads of the uniform values that are live at
 * start point number `point` (0: the kernel's start, k: the code after the
 * k-th barrier). */
void jit_region_inputs(struct jit *jit, const struct jit_regions *regions,
                       unsigned point);
/* entries/region.c: writes a call of the kernel body, which then runs from
 * start point number `point` (0: the kernel's start, k: the code after the
 * k-th barrier). */
void jit_region_call(struct jit *jit, struct jit_kernel *kernel, const char *s,
                     unsigned point, bool inside);
/* entries/region.c: writes the loop over the threads of a block that runs the
 * body from start point number `point` (0: the kernel's start, k: the code
 * after the k-th barrier). */
void jit_region_point(struct jit *jit, struct jit_kernel *kernel,
                      unsigned point, unsigned loop);
/* Writes the argument list of a call of the kernel body, without the
 * parentheses. jit_text_call writes the whole call. */
void jit_text_arguments(struct jit *jit, struct jit_kernel *kernel,
                        const char *suffix);

#endif
