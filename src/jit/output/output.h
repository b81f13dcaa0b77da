/* output.h - optimisation, machine code and the image.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_OUTPUT_OUTPUT_H
#define PYCUDA_JIT_OUTPUT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

struct jit;

/* output/emit.c: creates LLVM's code generator for the target processor. */
void jit_open_target(struct jit *jit);
/* output/optimise.c: sets LLVM's own command-line options. */
void jit_tune(void);
/* output/unswitch.c: LLVM copies a loop for each of its invariant conditions.
 * If some loop has many such conditions, sets an LLVM option that limits the
 * number of copies. */
void jit_bound_unswitching(struct jit *jit);
/* output/optimise.c: run passes before (jit_prepare) and after
 * (jit_prepare_bodies) each kernel becomes a body, which has threadIdx and
 * blockIdx as arguments. */
void jit_prepare(struct jit *jit);
void jit_prepare_bodies(struct jit *jit);
/* output/vector_slices.c: jit_join_slices simplifies reads of a part of a
 * vector. jit_drop_unaliased replaces calls of JIT_UNALIASED by their
 * argument. Both run after the passes that promote memory to registers. */
void jit_join_slices(struct jit *jit);
void jit_drop_unaliased(struct jit *jit);
/* output/vector_extensions.c: splits zero and sign extensions of vectors that
 * LLVM 19 cannot compile. */
void jit_split_extensions(struct jit *jit);
/* output/join.c: keeps the vectoriser from moving an access across another
 * access that may alias. To do so, adds to addresses the results of calls that
 * LLVM cannot see through. jit_show_zeros replaces these results, which are 0,
 * after vectorisation. */
void jit_part_accesses(struct jit *jit);
/* output/masks.c: jit_hide_masks hides masked indices, such as (3 * i) & 63,
 * from the vectoriser, since LLVM 19 vectorises them incorrectly.
 * jit_show_masks restores them. */
void jit_hide_masks(struct jit *jit);
void jit_show_masks(struct jit *jit);
/* output/join.c: removes the zeros that jit_part_accesses added. */
void jit_show_zeros(struct jit *jit);
/* output/optimise.c: runs the optimisation pipeline on the module. The entries
 * must have been added to the module before. */
void jit_optimise(struct jit *jit);
/* output/traps.c: inserts traps, so that a kernel with undefined behaviour,
 * such as a missing `return`, ends with a fault. */
void jit_add_traps(struct jit *jit);
/* output/emit.c: returns the ELF object file, and sets the frame sizes of the
 * kernels. */
LLVMMemoryBufferRef jit_emit(struct jit *jit);
/* output/ptx_text.c: writes the module as PTX to stdout. The module must have
 * the form in which the front end wrote it. */
void jit_write_ptx(struct jit *jit);
/* Writes IR or assembly text to stdout, as jit_options.output says. */
void jit_show_code(struct jit *jit);
/* output/write.c: writes an image with `bytes` bytes of code at `payload` to
 * stdout. */
void jit_write(struct jit *jit, const char *payload, size_t bytes);

#endif
