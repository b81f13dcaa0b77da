/* regions.h - what the steps that split kernels at barriers share.
 *
 * regions.c decides and splits, using cfg.c and uniform.c; carry.c moves
 * values over the barriers; entries/region.c writes the entry.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_REGIONS_H
#define PYCUDA_JIT_REGIONS_H

#include "jit/jit.h"

/* From pointers to numbers; 0 is what a new key has. */
struct jit_map {
    const void **keys;
    unsigned *values;
    size_t capacity, count;
};

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

/* The control-flow graph of a function; block 0 is the entry. */
struct jit_cfg {
    struct jit_block *blocks;
    unsigned count;
    struct jit_map index; /* of a block, plus 1 */
};

void jit_cfg_read(struct jit_cfg *cfg, LLVMValueRef function);
unsigned jit_cfg_index(const struct jit_cfg *cfg, LLVMBasicBlockRef block);
/* Marks what can be reached from `from`, which counts, without passing
 * `stop`, which counts as well when it is reached; NO_BLOCK: no stop. */
#define NO_BLOCK (~0u)
void jit_cfg_reach(const struct jit_cfg *cfg, unsigned from, unsigned stop,
                   bool *reached);

/* uniform.c: marks in `differs` the values that may differ between threads of
 * a block at the same point of the program, gives each block's immediate
 * post-dominator or NO_BLOCK, and marks in `apart` the blocks where not all
 * threads come together.  All zero at first. */
void jit_find_differing(struct jit_kernel *kernel, const struct jit_cfg *cfg,
                        struct jit_map *differs, unsigned *immediate,
                        bool *apart);

/* The same for the lanes of a warp, where a warp's first thread has an x index
 * that is a multiple of 32. */
void jit_find_lanes_differing(struct jit_kernel *kernel,
                              const struct jit_cfg *cfg,
                              struct jit_map *differs, unsigned *immediate,
                              bool *apart);

/* threadIdx of the axis, 0 or 1, `predicate` limit: so it is for the threads
 * that have something to do. */
struct jit_bound {
    int axis;
    LLVMIntPredicate predicate;
    LLVMValueRef limit; /* 32 or 64 bits, the same for all threads */
};

/* A point that soft.c added.  With bounds, the next block's branch tells
 * whether all of them hold. */
struct jit_soft_point {
    LLVMValueRef barrier; /* the call that marks it */
    struct jit_bound bounds[JIT_MAX_BOUNDS];
    unsigned bound_count;
    bool inverted; /* the branch's condition is false where they hold */
};

/* A barrier with a result (votes.c); kind NULL: without. */
struct jit_vote {
    LLVMValueRef kind;               /* the barrier's first argument */
    LLVMValueRef call, told, result; /* what stands for it */
};

/* A barrier: `head` ends just before it, `next` is what follows. */
struct jit_barrier {
    LLVMBasicBlockRef head, next;
    const struct jit_soft_point *soft; /* NULL: the source has a barrier */
    LLVMValueRef
        warp; /* the warp operation that `next` starts with, or NULL */
    struct jit_vote vote;
};

/* One kernel while it is split.  Point 0 is the kernel's start, point k what
 * follows barrier k. */
struct jit_split {
    struct jit_kernel *kernel;
    struct jit_cfg cfg;
    struct jit_map differs;
    unsigned *immediate; /* post-dominators */
    bool *apart;
    /* Has warp operations; what may differ between lanes of a warp. */
    bool warps;
    struct jit_map lanes_differ;
    bool *lanes_apart;
    LLVMValueRef *lanes; /* variables that stand for kernel->regions' arrays */
    struct jit_barrier points[JIT_MAX_POINTS];
    unsigned count; /* of points */
    struct jit_soft_point soft[JIT_MAX_POINTS];
    unsigned soft_count;
};

/* soft.c: puts marks where further points help; `ends` as in regions.c: the
 * point that a block ends at, 0 for the kernel's end, or JIT_NO_END. */
#define JIT_NO_END JIT_MAX_POINTS
void jit_add_soft_points(struct jit *jit, struct jit_split *split,
                         const unsigned *ends);

/* meeting.c: do all lanes of a warp come to the warp operation of the point,
 * or return without it, none of them waiting for another before? */
bool jit_come_or_return(const struct jit_split *split, unsigned point);

/* gates.c: conditions that let all threads of a row through say so. */
void jit_open_gates(struct jit *jit, struct jit_split *split);

/* ahead.c: the address, in the blocks of a loop, of an array's element
 * `index` if its rows should be fetched ahead; else NULL. */
LLVMValueRef jit_far_row(const struct jit_cfg *cfg, const bool *inside,
                         LLVMValueRef index, LLVMValueRef step);
/* Fetches, between the blocks, rows of that array from the elements `next`. */
void jit_fetch_rows(struct jit *jit, struct jit_kernel *kernel,
                    LLVMBasicBlockRef from, LLVMBasicBlockRef to,
                    LLVMValueRef address, const LLVMValueRef *next,
                    unsigned count);
/* A mark, at the builder's place, that cuts a kernel which is split. */
void jit_build_cut(struct jit *jit);
bool jit_is_cut_mark(LLVMValueRef at);
void jit_drop_cut_marks(struct jit *jit);

/* jam.c: a loop as stride.c made it. */
struct jit_strided {
    struct jit_kernel *kernel;
    LLVMBasicBlockRef head, gate, body, round;
    LLVMValueRef base, thread; /* threadIdx.x */
    LLVMValueRef step, limit;  /* i32 */
    LLVMValueRef row;          /* as of jit_far_row */
};
void jit_jam_rounds(struct jit *jit, const struct jit_strided *loop);

/* access.c: do threads of a row access memory here and there, in the blocks
 * that are marked, and do little else? */
bool jit_is_scattered(struct jit *jit, const struct jit_split *split,
                      const bool *blocks);

/* votes.c */
bool jit_is_vote(LLVMValueRef barrier);
void jit_cut_vote(struct jit *jit, LLVMValueRef barrier,
                  LLVMBasicBlockRef head, struct jit_vote *vote);
/* `barrier` is a plain one in the place of the one that was cut. */
void jit_restore_vote(struct jit *jit, const struct jit_vote *vote,
                      LLVMValueRef barrier);
void jit_lower_vote(struct jit *jit, const struct jit_vote *vote,
                    LLVMValueRef sum, LLVMValueRef told);

/* early.c: takes the threads that leave at once out of the body and puts them
 * back; kernel->early says who stays. */
void jit_find_early(struct jit *jit, struct jit_kernel *kernel);
void jit_restore_early(struct jit *jit, struct jit_kernel *kernel);

/* live.c: the points at which the value lives, as a set of bits. */
uint64_t jit_live_points(const struct jit_split *split, LLVMValueRef value);
/* Replaces the uses of the value outside its own block by what `make` puts
 * before them. */
typedef LLVMValueRef jit_make_at(LLVMValueRef value, LLVMValueRef at,
                                 void *data);
void jit_replace_elsewhere(LLVMValueRef value, jit_make_at *make, void *data);

/* carry.c: gives the body its further arguments and makes every value that
 * lives over a barrier pass through them or through the context.  False, and
 * nothing has changed, if that takes too much memory. */
bool jit_carry_values(struct jit *jit, struct jit_split *split);
/* Will the value be computed again at each point that needs it? */
bool jit_is_cheap(struct jit_split *split, LLVMValueRef value);

#endif
