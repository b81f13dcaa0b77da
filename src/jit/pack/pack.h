/* pack.h - declarations shared by the passes that run a kernel body for
 * several neighbouring threads of a row at a time, in vector registers.
 *
 * A "pack" is such a group of threads, and its threads are "lanes". A "row" of
 * threads has the same threadIdx.y and threadIdx.z. nest.c finds the loops of
 * a body and the order of its basic blocks. shapes.c finds the values that are
 * equal for all lanes or have a constant increment from lane to lane;
 * probable.c finds the values that have a constant increment in most packs but
 * not in all. flow.c writes the control flow
 * of the function for a pack, values.c and memory.c write its instructions,
 * and pack.c decides which kernels run in packs.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_PACK_H
#define PYCUDA_JIT_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/analyse/cfg.h"

struct jit;
struct jit_kernel;

/* pack.c: writes functions that run a kernel for several neighbouring threads
 * at a time, for kernels with loops in which threads access memory. */
void jit_pack_kernels(struct jit *jit);

/* regions.c: the body of a kernel that is split at barriers begins with a
 * switch, which jumps to the kernel's start (start point 0) or to the code
 * after barrier k (start point k). Returns the index of the basic block to
 * which the switch jumps for `point`, or NO_BLOCK if there is no switch. */
unsigned jit_pack_start(const struct jit_kernel *kernel,
                        const struct jit_cfg *cfg, unsigned point);
/* Tests whether threads may execute the code of a split kernel from basic
 * block `start` to the next barrier at the same time, as lanes of vectors. The
 * result is false, for example, for code with an atomic on shared memory,
 * since the atomic is compiled as a load and a store. */
bool jit_pack_is_parallel(const struct jit_kernel *kernel,
                          const struct jit_cfg *cfg, unsigned start);
/* Returns a shallow copy of the kernel with a new body, for the code from
 * start point `point` (0: the kernel's start, k: after barrier k) to the next
 * barrier. The new body only calls the kernel's body, until open_regions
 * (pack.c) lets LLVM inline that call. */
struct jit_kernel *jit_pack_region(struct jit *jit,
                                   const struct jit_kernel *kernel,
                                   unsigned point);
/* Called after LLVM has inlined the kernel's body into a copy that
 * jit_pack_region has made. Removes the alias metadata that the inliner has
 * added, since it is only right for one thread. */
void jit_pack_clean_region(struct jit *jit, const struct jit_kernel *region);

/* How the values that different threads have for one LLVM value of the kernel
 * body are related. The threads are the lanes of a pack. */
enum jit_shape_kind {
    JIT_SHAPE_UNKNOWN, /* not yet determined */
    JIT_SHAPE_LINEAR,  /* lane l has the value of lane 0 plus l * stride */
    JIT_SHAPE_VECTOR,  /* the lanes' values are not known to be linear */
};

/* Relation between the values that one LLVM value of the body has in the lanes
 * of a pack. Stride 0 means uniform: equal in all lanes. The relation holds
 * for the lanes that execute the instruction, modulo 2^bits. If `is_signed`
 * (`is_unsigned`) is true, the relation also holds without wrapping for signed
 * (unsigned) numbers. For a pointer, the stride is in bytes. */
struct jit_shape {
    enum jit_shape_kind kind;
    int64_t stride;
    bool is_signed, is_unsigned;
};

/* A natural loop of the kernel body. Basic blocks are given by their index in
 * the control-flow graph (struct jit_cfg). */
struct jit_pack_loop {
    unsigned head, latch;
    unsigned parent; /* index of the enclosing loop, or JIT_NO_LOOP */
    unsigned size;   /* number of basic blocks in the loop */
    /* for each basic block of the body: true if it is in the loop */
    bool *inside;
    /* true: the threads (lanes) of a pack may leave the loop in different
     * iterations */
    bool parts;
};

#define JIT_NO_LOOP (~0u)

/* Limits per kernel body: JIT_PACK_BUFFERS buffered loads, which read the
 * elements of several iterations at once; and, in the loop of such a load,
 * JIT_PACK_STORES stores whose addresses are compared with the address of the
 * load. */
enum { JIT_PACK_BUFFERS = 8, JIT_PACK_STORES = 4 };

/* A load in an innermost loop that reads consecutive elements: in each
 * iteration, a lane reads the element after the one that it read in the
 * previous iteration. buffered.c reads several elements of each lane at
 * once. */
struct jit_pack_buffered {
    LLVMValueRef load;
    /* index in body->loops of the loop that contains the load */
    unsigned loop;
    /* a sign or zero extension in the address, whose operand must be tested
     * for wrapping at run time; or NULL */
    LLVMValueRef unsure;
    /* stores in the loop, one for each different address */
    LLVMValueRef stores[JIT_PACK_STORES];
    unsigned store_count;
};

/* The body of a kernel, with the results of the analyses in this folder. */
struct jit_pack_body {
    struct jit *jit;
    struct jit_kernel *kernel;
    struct jit_cfg cfg;
    /* values that may differ between threads with the same threadIdx.y and z
     * (jit_find_row_differing) */
    struct jit_map differs;
    /* for each basic block: index of its immediate post-dominator */
    unsigned *immediate;
    bool *apart;
    /* for each basic block: index of its immediate dominator; NO_BLOCK for
     * basic block 0 */
    unsigned *dominator;
    struct jit_pack_loop *loops;
    unsigned loop_count;
    unsigned *loop_of; /* innermost loop of each basic block, or JIT_NO_LOOP */
    /* for each basic block: true if lanes that took different branches may
     * meet again there */
    bool *joins;
    struct jit_map shape_index;
    struct jit_shape *shapes;
    /* Set of the instructions whose shape (relation between the lanes) is an
     * assumption that a run-time test must confirm. The assumptions are:
     * the operand of an integer extension does not wrap (jit_pack_assumes),
     * a quotient or a remainder is linear,
     * a comparison in an index has the same result in all lanes,
     * a select in an index selects the same operand in all lanes. */
    struct jit_map assumed;
    /* true: quotients of indices are assumed to be uniform, and remainders to
     * be linear, if that can be tested (quotients.c) */
    bool quotients;
    /* number of quotients and remainders in the body that are assumed to be
     * linear (to change by a constant from lane to lane) */
    unsigned quotient_count;
    /* true: comparisons, selects, minimums and maximums in indices are assumed
     * to have the same result, or to select the same operand, in all lanes, if
     * that can be tested (choices.c) */
    bool choices;
    /* Function for the same pack that is called if a run-time test of an
     * assumption fails. The function makes none of the assumptions `quotients`
     * and `choices`, or runs the pack as several narrower packs. NULL: the
     * body is called for each lane instead. */
    LLVMValueRef general;
    struct jit_pack_buffered buffered[JIT_PACK_BUFFERS];
    unsigned buffered_count;
    /* number of lanes of one vector register, the width of the smallest
     * packs */
    unsigned register_lanes;
};

/* nest.c: fills dominators and loops. Returns false if a loop has several
 * entries or back edges. */
bool jit_pack_read(struct jit_pack_body *body);
/* Tests whether a lane executes basic block `to` exactly once for each
 * execution of basic block `from`, and not otherwise. This holds if `from`
 * dominates `to`, `to` post-dominates `from`, both are in the same loop, and
 * no path from `from` reaches the next iteration without `to`. */
bool jit_pack_equivalent(const struct jit_pack_body *body, unsigned from,
                         unsigned to);
/* Tests whether lanes that take different paths at a branch in a loop meet
 * again in the same iteration, or after the loop. Example of a loop in which
 * they do not: `for (;;) { if (a) { b; if (c) break; } }`, which is left only
 * in code that some iterations skip. A lane for which `a` is false comes to
 * `b` in a later iteration. So `b` is the immediate post-dominator of the
 * branch, but the lanes do not meet there, since a function for packs executes
 * each iteration for all lanes. Uses body->differs and body->immediate. */
bool jit_pack_lanes_meet_in_iteration(const struct jit_pack_body *body);
/* Returns the innermost loop that contains both basic blocks, or
 * JIT_NO_LOOP. */
unsigned jit_pack_common_loop(const struct jit_pack_body *body, unsigned a,
                              unsigned b);

/* hoist.c: moves arithmetic with the same operands in all iterations out of
 * the loops. Uses the immediate post-dominators. */
void jit_pack_hoist(struct jit_pack_body *body);

/* branches.c: splits each branch whose condition has uniform terms (equal in
 * all lanes) and other terms into two branches, the first one on the uniform
 * terms. Uses the shapes of values. Changes the control flow, so that all
 * analyses of the body have to be repeated. Returns whether any branch was
 * split. */
bool jit_pack_split_branches(const struct jit_pack_body *body);

/* shapes.c: determines the shape of each value of the body: whether it is
 * equal in the lanes of a pack (neighbouring threads), or grows by a constant
 * from lane to lane. */
void jit_pack_find_shapes(struct jit_pack_body *body);
/* Returns how `value` differs between the lanes of a pack (neighbouring
 * threads): it may be equal, or grow by a constant from lane to lane.
 * Constants are equal in all lanes. */
struct jit_shape jit_pack_shape(const struct jit_pack_body *body,
                                LLVMValueRef value);
/* Tests whether the value is the same in all lanes. */
bool jit_pack_is_uniform(const struct jit_pack_body *body, LLVMValueRef value);
/* Tests whether the value grows by a constant from lane to lane, or is
 * uniform. */
bool jit_pack_is_linear(const struct jit_pack_body *body, LLVMValueRef value);
/* Tests for an extension of an integer to 64 bits that counts as linear,
 * although its operand may wrap between lane 0 and the last lane. The operand
 * must be tested at run time. */
bool jit_pack_assumes(const struct jit_pack_body *body, LLVMValueRef at);
/* Tests whether lanes may arrive at the phi from different predecessors, or
 * from different iterations of a loop that they have left. */
bool jit_pack_lanes_mix(const struct jit_pack_body *body, LLVMValueRef phi);

/* probable.c: tests for an address of the form base[index], with elements of
 * `type`, whose index mostly, but not always, grows by a constant from one
 * thread (lane) to the next. Stores the constant, in elements, in *stride. */
bool jit_pack_probable_stride(const struct jit_pack_body *body,
                              LLVMValueRef address, LLVMTypeRef type,
                              int64_t *stride);
/* Tests for an address of the form base[index], with elements of `type`, whose
 * index mostly, but not always, grows by 1 from one thread (lane) to the next.
 * Returns the index. Otherwise returns NULL. */
LLVMValueRef jit_pack_row_index(const struct jit_pack_body *body,
                                LLVMValueRef address, LLVMTypeRef type);
/* Tests for x & 0xffffffff with 64 bits, which is a zero extension of the low
 * half of x. */
bool jit_pack_is_low_half(LLVMValueRef at);
/* If the index is a sign or zero extension, and the operand grows by a
 * constant from lane to lane unless it wraps, returns the operand. Otherwise
 * returns NULL. */
LLVMValueRef jit_pack_unwrapped(const struct jit_pack_body *body,
                                LLVMValueRef index);
/* Tests for an integer that is chosen from several values: a select, a phi, or
 * the smaller or larger of two integers. */
bool jit_pack_is_choice(LLVMValueRef at);
/* Tests whether jit_pack_row_index returns an index that is chosen from
 * several values, such as min(i, n - 1). LLVM's vectoriser would write a
 * gather or scatter for such an access. */
bool jit_pack_is_clamped(const struct jit_pack_body *body,
                         LLVMValueRef address, LLVMTypeRef type);

/* iterations.c: finds the buffered loads of the body, which read the elements
 * of several loop iterations at once. */
void jit_pack_find_buffered(struct jit_pack_body *body);
/* Returns the entry of body->buffered for the load, or NULL. */
const struct jit_pack_buffered *
jit_pack_buffered(const struct jit_pack_body *body, LLVMValueRef at);

struct jit_pack_buffer;

/* State while a function for packs is written: a function that runs the kernel
 * body for several neighbouring threads. A value that is used outside of its
 * basic block is passed in a variable on the stack (its slot), which LLVM's
 * pass sroa turns into a value. */
struct jit_pack_writer {
    struct jit_pack_body *body;
    struct jit *jit;
    LLVMBuilderRef builder;
    unsigned width; /* number of lanes */
    LLVMValueRef function;
    /* entry block of the function; it contains the stack variables (slots) */
    LLVMBasicBlockRef entry;
    LLVMValueRef all; /* mask of the lanes for which the function is called */
    /* basic block that runs the lanes one by one after a failed run-time test;
     * NULL: not yet needed */
    LLVMBasicBlockRef fallback;
    struct jit_map slot_index, local_index;
    LLVMValueRef *slots, *locals;
    /* stack variables of the buffered loads (which read the elements of
     * several iterations at once), in the order of body->buffered; NULL: not
     * yet added */
    struct jit_pack_buffer *buffers;
    unsigned slot_count, local_count, capacity;
    unsigned block;    /* index of the basic block that is being written */
    LLVMValueRef mask; /* mask of the lanes that execute basic block `block` */
    /* true: `mask` equals `all`, the mask with which the function was called.
     * `all` always contains lane 0, so lane 0 executes the block */
    bool whole;
};

/* ---- values.c: writes the instructions of a function for a pack ---- */
/* Returns, for `value` of the kernel body, its value in lane 0. `value` must
 * be equal in all lanes or grow by a constant from lane to lane. */
LLVMValueRef jit_pack_scalar(struct jit_pack_writer *to, LLVMValueRef value);
/* Returns a vector with the values that a value of the body has in all
 * lanes. */
LLVMValueRef jit_pack_vector(struct jit_pack_writer *to, LLVMValueRef value);
/* Returns the type of the stack variable for a value of the body: scalar if
 * the value is linear, else a vector. */
LLVMTypeRef jit_pack_type(const struct jit_pack_writer *to,
                          LLVMValueRef value);
/* Returns, for `value` of the kernel body, its value in lane 0 if `like` is
 * linear (grows by a constant from lane to lane); otherwise the vector of its
 * values in all lanes. */
LLVMValueRef jit_pack_as(struct jit_pack_writer *to, LLVMValueRef value,
                         LLVMValueRef like);
/* Adds a variable on the stack of the function, and returns its address. */
LLVMValueRef jit_pack_slot(struct jit_pack_writer *to, LLVMTypeRef type);
/* Returns the address of the slot through which a value of the body passes to
 * other blocks. A slot is a variable on the stack; it is added at the first
 * call for the value. */
LLVMValueRef jit_pack_slot_of(struct jit_pack_writer *to, LLVMValueRef value);
/* Makes `by` replace `value` of the kernel body in the function for packs:
 * instructions that are written later to the current basic block use `by`. If
 * other basic blocks use `value`, also writes a store of `by` to the slot of
 * `value`. */
void jit_pack_define(struct jit_pack_writer *to, LLVMValueRef value,
                     LLVMValueRef by);
/* Writes code that executes an instruction of the kernel body for all lanes of
 * the mask. The instruction must not be a phi or terminator. */
void jit_pack_instruction(struct jit_pack_writer *to, LLVMValueRef at);
/* Returns a vector that has the scalar in each lane. */
LLVMValueRef jit_pack_splat(struct jit_pack_writer *to, LLVMValueRef scalar);
/* Returns the constant vector 0, stride, 2 * stride, ... */
LLVMValueRef jit_pack_steps(const struct jit_pack_writer *to, LLVMTypeRef type,
                            int64_t stride);
/* Tests whether the instruction can be converted to one for several threads.
 */
bool jit_pack_accepts(LLVMValueRef at);
/* Tests for a call that only carries information for the compiler, such as the
 * lifetime of a variable. The function for a pack does not contain these
 * calls. */
bool jit_pack_ignores(LLVMValueRef at);

/* memory.c: writes a load for all lanes of the mask: a scalar load, a vector
 * load, a gather, or one load per lane. */
void jit_pack_load(struct jit_pack_writer *to, LLVMValueRef at);
/* Writes a store for all lanes of the mask: a scalar store, a vector store, a
 * scatter, or one store per lane. */
void jit_pack_store(struct jit_pack_writer *to, LLVMValueRef at);
/* Emits a gather: loads one element for each lane of the mask, from arbitrary
 * addresses. Returns the vector of the elements. */
LLVMValueRef jit_pack_gather(struct jit_pack_writer *to, LLVMValueRef at);
/* Writes the instruction once per lane of the mask, in a loop over lanes. The
 * vector of the results replaces the instruction's result. */
void jit_pack_serial(struct jit_pack_writer *to, LLVMValueRef at);

/* buffered.c: writes a load that reads the elements of several loop iterations
 * at once. Returns the vector with the lanes' elements for the current
 * iteration. */
LLVMValueRef jit_pack_load_buffered(struct jit_pack_writer *to,
                                    const struct jit_pack_buffered *row);
/* Writes code that empties the buffers of all buffered loads of the loop,
 * before the loop's first iteration. */
void jit_pack_empty_buffers(struct jit_pack_writer *to, unsigned loop);

/* flow.c: adds a function for packs of `width` threads, still without basic
 * blocks; the caller writes the code. Name and parameters have the form that
 * is described at jit_pack_write. Returns the function. */
LLVMValueRef jit_pack_add_function(struct jit_pack_body *body, unsigned width,
                                   const char *prefix);
/* Writes the function that runs the body for a pack of `width` neighbouring
 * threads (lanes), and returns the function. Its parameters are those of the
 * body, for lane 0, and the mask of lanes, which must contain lane 0. Its name
 * consists of `prefix`, the width and the kernel's name. */
LLVMValueRef jit_pack_write(struct jit_pack_body *body, unsigned width,
                            const char *prefix);

#endif
