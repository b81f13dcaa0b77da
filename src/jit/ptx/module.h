/* module.h - modules in PTX.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PTX_MODULE_H
#define PYCUDA_JIT_PTX_MODULE_H

#include <stdbool.h>
#include <stddef.h>

#include <llvm-c/Core.h>

struct jit;
struct ptx;
struct ptx_lines;

/* Tests whether the bytes are text that begins like a module in PTX: comments,
 * then a directive. */
bool jit_is_ptx(const char *bytes, size_t length);
/* module.c: translates a module in PTX to an LLVM module for nvptx64, in the
 * form in which the front end outputs CUDA C++. Reports each error with its
 * line, and returns NULL if there were errors. */
LLVMModuleRef jit_read_ptx(struct jit *jit, const char *text, size_t length);

/* shared_addresses.c: rewrites addresses in the shared space that the function
 * computes from the address of a variable, so that they do not depend on the
 * start of the block's shared memory. */
void ptx_find_shared_variables(struct jit *jit, LLVMValueRef function);
/* loops.c: turns loops of the function that test at their end, after a branch
 * around them, into loops that test first. */
void ptx_restore_loops(struct jit *jit, LLVMValueRef function);
/* pointers.c: rewrites addresses that are computed as integers to pointer
 * arithmetic, which LLVM analyses better, and turns parameters of kernels that
 * are addresses into pointers. */
void ptx_recover_pointers(struct jit *jit, LLVMModuleRef module);

/* ---- lines.c: source locations ---- */
/* Creates the debug information of a module and returns it. The source
 * locations are lines of the PTX, unless a directive .loc names lines of
 * another source. */
struct ptx_lines *ptx_lines_open(struct jit *jit, LLVMModuleRef module);
/* Completes the debug information. */
void ptx_lines_close(struct ptx_lines *lines);
/* Records the operands of a directive .file. */
void ptx_lines_file(struct ptx_lines *lines, const char *raw);
/* Begins the debug information of a function, whose definition starts in line
 * `line` of the PTX. */
void ptx_lines_function(struct ptx_lines *lines, LLVMValueRef function,
                        unsigned line);
/* Sets the location of the instructions that follow, from the operands of a
 * directive .loc. */
void ptx_lines_loc(struct ptx_lines *lines, const char *raw);
/* Sets the location of the instructions that follow to a line of the PTX,
 * unless a .loc is in effect. */
void ptx_lines_at(struct ptx_lines *lines, unsigned line);

#endif
