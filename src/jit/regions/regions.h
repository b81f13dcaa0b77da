/* regions.h - declarations shared by the passes that split kernels at
 * barriers.
 *
 * regions.c decides and splits, using analyse/cfg.c and analyse/uniform.c;
 * carry.c moves values across barriers; entries/region.c writes the entry.
 * Blocks are identified by their index in a jit_cfg; a cfg is valid until the
 * function's blocks change.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_REGIONS_H
#define PYCUDA_JIT_REGIONS_H

#include "jit/jit.h"

/* Map from pointers to numbers; a zero-initialised map is empty. */
struct jit_map {
    const void **keys;
    unsigned *values;
    size_t capacity, count;
};

/* Return the place of the key's number, which is added as 0 if it is missing,
 * until the next call; and the number, 0 for a missing key. */
unsigned *jit_map_place(struct jit_map *map, const void *key);
unsigned jit_map_get(const struct jit_map *map, const void *key);

struct jit_block {
    LLVMBasicBlockRef block;
    unsigned *successors;
    unsigned successor_count;
    unsigned *predecessors;
    unsigned predecessor_count;
    bool returns;
};

/* Control-flow graph of a function; block 0 is the entry. */
struct jit_cfg {
    struct jit_block *blocks;
    unsigned count;
    struct jit_map index; /* index of a block, plus 1 */
};

/* Fills `cfg` for a function. */
void jit_cfg_read(struct jit_cfg *cfg, LLVMValueRef function);
/* Returns the index of a block of the function. */
unsigned jit_cfg_index(const struct jit_cfg *cfg, LLVMBasicBlockRef block);
/* Marks `from` and all blocks that are reachable from it without passing
 * through `stop`; `stop` is marked as well if it is reached. NO_BLOCK: no
 * stop. */
#define NO_BLOCK (~0u)
void jit_cfg_reach(const struct jit_cfg *cfg, unsigned from, unsigned stop,
                   bool *reached);

/* uniform.c: marks in `differs` the values that may differ between threads of
 * a block at the same point of the program; sets each block's immediate
 * post-dominator, or NO_BLOCK; and marks in `apart` the blocks that threads
 * may reach separately. Callers zero all three. */
void jit_find_differing(struct jit_kernel *kernel, const struct jit_cfg *cfg,
                        struct jit_map *differs, unsigned *immediate,
                        bool *apart);

/* Like jit_find_differing, for the lanes of a warp. The x index of a warp's
 * first thread is a multiple of 32. */
void jit_find_lanes_differing(struct jit_kernel *kernel,
                              const struct jit_cfg *cfg,
                              struct jit_map *differs, unsigned *immediate,
                              bool *apart);

/* A condition `threadIdx predicate limit` along axis 0 or 1, which holds for
 * the threads that have work. */
struct jit_bound {
    int axis;
    LLVMIntPredicate predicate;
    LLVMValueRef limit; /* 32 or 64 bits, uniform */
};

/* A point that soft.c added. If it has bounds, the branch of the next block
 * tests whether all of them hold. */
struct jit_soft_point {
    LLVMValueRef barrier; /* call that marks it */
    struct jit_bound bounds[JIT_MAX_BOUNDS];
    unsigned bound_count;
    bool inverted; /* the branch condition is false if they hold */
};

/* A barrier with a result (votes.c); kind NULL: no result. */
struct jit_vote {
    LLVMValueRef kind;               /* first argument of the barrier */
    LLVMValueRef call, told, result; /* values that replace it */
};

/* A barrier: `head` is the block before it, `next` the block after it. */
struct jit_barrier {
    LLVMBasicBlockRef head, next;
    const struct jit_soft_point *soft; /* NULL: a barrier of the source */
    LLVMValueRef warp; /* warp operation at the start of `next`, or NULL */
    struct jit_vote vote;
};

/* State while a kernel is split. Point 0 is the kernel's start, point k
 * follows barrier k. */
struct jit_split {
    struct jit_kernel *kernel;
    struct jit_cfg cfg;
    struct jit_map differs;
    unsigned *immediate; /* post-dominators */
    bool *apart;
    /* Set for kernels with warp operations, with the values that differ
     * between lanes. */
    bool warps;
    struct jit_map lanes_differ;
    bool *lanes_apart;
    LLVMValueRef *lanes; /* variables that represent the lane arrays */
    struct jit_barrier points[JIT_MAX_POINTS];
    unsigned count; /* number of points */
    struct jit_soft_point soft[JIT_MAX_POINTS];
    unsigned soft_count;
};

/* soft.c: marks further points where they help. `ends` is by block: the point
 * at which the block ends, 0 for the kernel's end, or JIT_NO_END. */
#define JIT_NO_END JIT_MAX_POINTS
void jit_add_soft_points(struct jit *jit, struct jit_split *split,
                         const unsigned *ends);

/* meeting.c: tests whether each lane of a warp either reaches the point's warp
 * operation or returns without it, and none waits for another before. */
bool jit_come_or_return(const struct jit_split *split, unsigned point);

/* gates.c: adds a uniform test for whole rows to conditions on the thread
 * index. */
void jit_open_gates(struct jit *jit, struct jit_split *split);

/* ahead.c: returns the address of an array element `index` in the blocks of a
 * loop, if rows of that array are worth prefetching; else NULL. */
LLVMValueRef jit_far_row(const struct jit_cfg *cfg, const bool *inside,
                         LLVMValueRef index, LLVMValueRef step);
/* Inserts, between the two blocks, prefetches of rows of that array that start
 * at the elements `next`. */
void jit_fetch_rows(struct jit *jit, struct jit_kernel *kernel,
                    LLVMBasicBlockRef from, LLVMBasicBlockRef to,
                    LLVMValueRef address, const LLVMValueRef *next,
                    unsigned count);
/* Builds a mark at the builder's position, at which a kernel that is split is
 * cut; tests for marks, and removes all of them. */
void jit_build_cut(struct jit *jit);
bool jit_is_cut_mark(LLVMValueRef at);
void jit_drop_cut_marks(struct jit *jit);

/* jam.c: a loop in the form that stride.c produces. */
struct jit_strided {
    struct jit_kernel *kernel;
    LLVMBasicBlockRef head, gate, body, round;
    LLVMValueRef base, thread; /* `thread` is threadIdx.x */
    LLVMValueRef step, limit;  /* i32 */
    LLVMValueRef row;          /* result of jit_far_row */
};
/* Unrolls the loop over several iterations, if that pays. */
void jit_jam_rounds(struct jit *jit, const struct jit_strided *loop);

/* access.c: tests whether the marked blocks spend most of their work on
 * scattered accesses of the threads of a row. */
bool jit_is_scattered(struct jit *jit, const struct jit_split *split,
                      const bool *blocks);

/* votes.c: barriers with a result. Test for one; and replace one that is cut
 * by a vote at the end of `head` and its result after it. */
bool jit_is_vote(LLVMValueRef barrier);
void jit_cut_vote(struct jit *jit, LLVMValueRef barrier,
                  LLVMBasicBlockRef head, struct jit_vote *vote);
/* Undoes jit_cut_vote: gives `barrier`, a plain barrier in the same position,
 * the kind and the result of the vote. */
void jit_restore_vote(struct jit *jit, const struct jit_vote *vote,
                      LLVMValueRef barrier);
/* Replaces the vote by an addition to *sum, and the result by `told`. */
void jit_lower_vote(struct jit *jit, const struct jit_vote *vote,
                    LLVMValueRef sum, LLVMValueRef told);

/* early.c: removes the threads that return early from the body, and puts them
 * back. kernel->early describes the threads that remain. */
void jit_find_early(struct jit *jit, struct jit_kernel *kernel);
void jit_restore_early(struct jit *jit, struct jit_kernel *kernel);

/* live.c: returns a bit mask of the points at which the value is live. */
uint64_t jit_live_points(const struct jit_split *split, LLVMValueRef value);
/* Replaces the uses of the value outside its own block by the instructions
 * that `make` builds before them. */
typedef LLVMValueRef jit_make_at(LLVMValueRef value, LLVMValueRef at,
                                 void *data);
void jit_replace_elsewhere(LLVMValueRef value, jit_make_at *make, void *data);

/* carry.c: adds the further arguments of the body, and makes every value that
 * is live across a barrier pass through them or through the context. Returns
 * false, with the body's behaviour unchanged, if the context would be too
 * large. */
bool jit_carry_values(struct jit *jit, struct jit_split *split);
/* Tests whether the value will be rematerialised at each point that needs
 * it. */
bool jit_is_cheap(struct jit_split *split, LLVMValueRef value);

#endif
