/* regions.h - declarations shared by the passes that split kernels at
 * barriers.
 *
 * The body is the function that holds a kernel's code; the entry calls it once
 * per thread, in a thread loop. A start point is a place where a thread loop
 * begins: the kernel's begin, or the code after a barrier or warp operation.
 *
 * regions.c decides whether a kernel is split and splits it, using
 * analyse/cfg.c and analyse/uniform.c; spill.c passes values across barriers;
 * entries/region.c writes the entry. Basic blocks are identified by their
 * index in a jit_cfg. A jit_cfg is valid until the basic blocks of its
 * function change.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_REGIONS_H
#define PYCUDA_JIT_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <llvm-c/Core.h>

#include "jit/jit.h"

/* Map from pointers to numbers; a zero-initialised map is empty. */
struct jit_map {
    const void **keys;
    unsigned *values;
    size_t capacity, count;
};

/* jit_map_slot returns a pointer to the number stored for the key, and adds
 * the key with the number 0 if it is missing. The pointer is valid until the
 * next call. jit_map_get returns the number, or 0 if the key is missing. */
unsigned *jit_map_slot(struct jit_map *map, const void *key);
unsigned jit_map_get(const struct jit_map *map, const void *key);

struct jit_block {
    LLVMBasicBlockRef block;
    unsigned *successors;
    unsigned successor_count;
    unsigned *predecessors;
    unsigned predecessor_count;
    bool returns;
};

/* Control-flow graph of a function; basic block 0 is the entry. */
struct jit_cfg {
    struct jit_block *blocks;
    unsigned count;
    struct jit_map index; /* maps a basic block to its index plus 1 */
};

/* Reads the control-flow graph of the function into `cfg`. */
void jit_cfg_read(struct jit_cfg *cfg, LLVMValueRef function);
/* Returns the index of a basic block in cfg->blocks. */
unsigned jit_cfg_index(const struct jit_cfg *cfg, LLVMBasicBlockRef block);
/* Sets reached[b] for `from` and each basic block b that can be reached from
 * it without passing through `stop`. `stop` itself is set if it is reached. If
 * `stop` is NO_BLOCK, it limits no path. */
#define NO_BLOCK (~0u)
void jit_cfg_reach(const struct jit_cfg *cfg, unsigned from, unsigned stop,
                   bool *reached);
/* Sets reached[b] for `from` and each basic block b that can be reached from
 * it on a path that ends at `stop` and at basic blocks b with ends[b] !=
 * JIT_NO_END (`ends` may be NULL). If `within` is not NULL, paths use only the
 * basic blocks marked in it. */
void jit_cfg_reach_within(const struct jit_cfg *cfg, unsigned from,
                          unsigned stop, const unsigned *ends,
                          const bool *within, bool *reached);
/* Tests whether the basic block is in a cycle of the control-flow graph. */
bool jit_cfg_is_cyclic(const struct jit_cfg *cfg, unsigned block);

/* analyse/uniform.c: marks in `differs` the values that may differ between the
 * threads of a thread block. Sets immediate[b] to the immediate post-dominator
 * of basic block b, or to NO_BLOCK. Sets apart[b] if some threads may reach
 * basic block b while others do not. Callers zero all three. */
void jit_find_differing(struct jit_kernel *kernel, const struct jit_cfg *cfg,
                        struct jit_map *differs, unsigned *immediate,
                        bool *apart);

/* Like jit_find_differing: finds the values and branches that may differ
 * between threads, here between those with the same threadIdx.y and
 * threadIdx.z of a thread block. */
void jit_find_row_differing(struct jit_kernel *kernel,
                            const struct jit_cfg *cfg, struct jit_map *differs,
                            unsigned *immediate, bool *apart);

/* Like jit_find_differing: finds the values and branches that may differ
 * between threads, here between the lanes of a warp. Assumes that the
 * threadIdx.x of a warp's first thread is a multiple of 32. */
void jit_find_lanes_differing(struct jit_kernel *kernel,
                              const struct jit_cfg *cfg,
                              struct jit_map *differs, unsigned *immediate,
                              bool *apart);

/* A condition `threadIdx.x predicate limit` or `threadIdx.y predicate limit`,
 * such as `threadIdx.x < n`. Only the threads for which it holds have work. */
struct jit_bound {
    int axis;
    LLVMIntPredicate predicate;
    /* the value that the thread index is compared with: 32 or 64 bits wide and
     * equal for all threads of the block */
    LLVMValueRef limit;
};

/* A split point that split_points.c added to the kernel. Only threads that
 * satisfy all `bounds` run the code after it, as in `if (threadIdx.x < n)`. If
 * there are bounds, that code begins with a basic block whose branch tests
 * them. */
struct jit_added_point {
    LLVMValueRef
        /* barrier call that split_points.c inserted at the split point */
        barrier;
    struct jit_bound bounds[JIT_MAX_BOUNDS];
    unsigned bound_count;
    /* the branch tests the negated condition: it is false if all bounds
     * hold */
    bool inverted;
};

/* A barrier that returns a result, such as __syncthreads_count (warp_votes.c).
 * `kind` is NULL if the barrier returns none. */
struct jit_vote {
    /* first argument of the barrier call, an enum image_barrier: which result
     * the barrier returns */
    LLVMValueRef kind;
    /* the call that adds the thread's vote, the placeholder for the sum of all
     * votes, and the result computed from it */
    LLVMValueRef call, told, result;
};

/* A place at which the kernel is cut: a barrier or a warp operation. The basic
 * block `head` ends there, and `next` begins there. */
struct jit_barrier {
    LLVMBasicBlockRef head, next;
    /* the split point that split_points.c added, or NULL for a barrier of the
     * source */
    const struct jit_added_point *added;
    LLVMValueRef warp; /* warp operation at the start of `next`, or NULL */
    struct jit_vote vote;
};

/* State while a kernel is split at barriers and warp operations. Start point 0
 * is the kernel's entry; start point k is the code after points[k]. */
struct jit_split {
    struct jit_kernel *kernel;
    struct jit_cfg cfg;
    struct jit_map differs;
    /* for each basic block: index of its immediate post-dominator */
    unsigned *immediate;
    bool *apart;
    /* The kernel has warp operations. Then `lanes_differ` and `lanes_apart`
     * are the results of jit_find_lanes_differing, otherwise they are
     * unused. */
    bool warps;
    struct jit_map lanes_differ;
    bool *lanes_apart;
    /* for each lane array (one element per lane of a warp): the alloca that
     * represents it until spill.c passes it as an argument */
    LLVMValueRef *lanes;
    struct jit_barrier points[JIT_MAX_POINTS];
    unsigned count; /* number of start points, including point 0 */
    struct jit_added_point added[JIT_MAX_POINTS];
    unsigned added_count;
};

/* split_points.c: inserts further split points where they help. ends[b]
 * describes how basic block b ends: k > 0 if points[k] follows, 0 if it
 * returns from the kernel, JIT_NO_END if it branches to other basic blocks. */
#define JIT_NO_END JIT_MAX_POINTS
void jit_add_split_points(struct jit *jit, struct jit_split *split,
                          const unsigned *ends);

/* reach_or_return.c: tests whether each lane of a warp either reaches the warp
 * operation of points[point] or returns from the kernel, and waits for no
 * other lane before that. */
bool jit_reaches_or_returns(const struct jit_split *split, unsigned point);

/* guards.c: extends conditions such as `i < n`, where i depends on
 * threadIdx.x, by a uniform test whether they hold for all values of
 * threadIdx.x. */
void jit_add_row_guards(struct jit *jit, struct jit_split *split);

/* prefetch.c: searches the basic blocks marked in `inside`, which form a loop,
 * for a load of element `index` of an array. A row is the elements that the
 * threads of one value of threadIdx.y read in one iteration. Returns the
 * address of the element if prefetching rows of the array pays, else NULL. */
LLVMValueRef jit_far_row(const struct jit_cfg *cfg, const bool *inside,
                         LLVMValueRef index, LLVMValueRef step);
/* Inserts prefetches between basic blocks `from` and `to`: of `count` rows
 * (elements that consecutive threads read in one iteration) of the array with
 * the element at `address`. next[i] is the index of the first element of row
 * i. */
void jit_prefetch_rows(struct jit *jit, struct jit_kernel *kernel,
                       LLVMBasicBlockRef from, LLVMBasicBlockRef to,
                       LLVMValueRef address, const LLVMValueRef *next,
                       unsigned count);
/* jit_build_split_mark inserts a call of __pycuda_cut, at which a kernel is
 * cut as at a barrier if it is split. jit_is_split_mark tests whether an
 * instruction is such a call. jit_drop_split_marks removes all such calls. */
void jit_build_split_mark(struct jit *jit);
bool jit_is_split_mark(LLVMValueRef at);
void jit_drop_split_marks(struct jit *jit);

/* unroll_and_jam.c: a strided loop in the form `for (b = first; b < n; b +=
 * step) if (threadIdx.x < n - b) ...`, to which stride.c transforms it. `gate`
 * is the basic block with the `if`; `round` is the end of the iteration. */
struct jit_strided {
    struct jit_kernel *kernel;
    LLVMBasicBlockRef head, gate, body, round;
    /* the loop variable, equal in all threads, and threadIdx.x */
    LLVMValueRef base, thread;
    /* increment of `base` per iteration, and end of the loop: both i32 */
    LLVMValueRef step, limit;
    /* address of an array element to prefetch (jit_far_row), or NULL */
    LLVMValueRef row;
};
/* Merges several consecutive iterations of a strided loop into one, if that is
 * expected to make the loop faster. */
void jit_unroll_and_jam(struct jit *jit, const struct jit_strided *loop);

/* analyse/access_pattern.c: tests whether the code of the basic blocks
 * `blocks` consists mostly of memory accesses for which consecutive values of
 * threadIdx.x do not access consecutive addresses. */
bool jit_is_scattered(struct jit *jit, const struct jit_split *split,
                      const bool *blocks);

/* warp_votes.c: jit_is_vote tests for a barrier with a result, such as
 * __syncthreads_count. jit_cut_vote replaces such a barrier by a call that
 * adds the thread's vote, at the end of `head`, and by the computation of the
 * result in the basic block after it. Fills `vote`. */
bool jit_is_vote(LLVMValueRef barrier);
void jit_cut_vote(struct jit *jit, LLVMValueRef barrier,
                  LLVMBasicBlockRef head, struct jit_vote *vote);
/* Undoes jit_cut_vote: `barrier`, a barrier without result at the same
 * position, gets the kind and the argument of the original one, and its result
 * replaces the computed one. */
void jit_restore_vote(struct jit *jit, const struct jit_vote *vote,
                      LLVMValueRef barrier);
/* Replaces the call that adds the thread's vote by an addition to the variable
 * at address `sum`, and the placeholder for the sum of all votes by `told`. */
void jit_lower_vote(struct jit *jit, const struct jit_vote *vote,
                    LLVMValueRef sum, LLVMValueRef told);

/* early_exit.c: jit_find_early_exit removes the branch by which threads return
 * before the first barrier, and describes the remaining threads in
 * kernel->early. jit_restore_early_exit inserts the branch again. */
void jit_find_early_exit(struct jit *jit, struct jit_kernel *kernel);
void jit_restore_early_exit(struct jit *jit, struct jit_kernel *kernel);

/* analyse/live.c: returns a bit mask of the start points at which the value is
 * live. */
jit_point_set jit_live_points(const struct jit_split *split,
                              LLVMValueRef value);
/* Callback of jit_replace_elsewhere: builds instructions before `at`, which
 * uses `value`, and returns the value that replaces it there. */
typedef LLVMValueRef jit_make_at(LLVMValueRef value, LLVMValueRef at,
                                 void *data);
/* Replaces each use of the value outside the basic block that defines it by
 * the result of `make`. */
void jit_replace_elsewhere(LLVMValueRef value, jit_make_at *make, void *data);

/* spill.c: adds arguments to the body, and passes every value that is live
 * across a barrier through them or through the context (one memory block of
 * the entry for all threads of a thread block). Returns false, with the body's
 * behaviour unchanged, if the context would be too large. */
bool jit_spill_values(struct jit *jit, struct jit_split *split);
/* Tests whether the value is computed again after each barrier, instead of
 * being stored across it. */
bool jit_is_cheap(struct jit_split *split, LLVMValueRef value);

/* regions/regions.c: splits kernels at barriers and warp operations. */
void jit_split_kernels(struct jit *jit);

#endif
