/* jit.h - state of pycuda-jit: the module, its kernels and its variables.
 *
 * The program is one pipeline over one LLVM module; main.c calls the passes
 * in order. The header of a folder declares its passes. All state is
 * reachable from struct jit. The program runs on one thread, and all memory
 * is freed by the end of the process, so that passes need no clean-up code.
 *
 * An internal error ends the process (jit_die); functions return errors only
 * where their comments say so.
 *
 * Words of this folder: the "body" of a kernel is the function with the
 * kernel's code, executed for one thread. The "entry" is the function that
 * the runtime calls for a range of blocks; its "thread loop" calls the body
 * for each thread of a block. A "row" is the threads of a block with one
 * value of threadIdx.y and threadIdx.z. A "stop" is a call at which a thread
 * may wait for others, such as a barrier. The "geometry" is threadIdx,
 * blockIdx, blockDim, gridDim.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_JIT_JIT_H
#define PYCUDA_JIT_JIT_H

#include <stdbool.h>
#include <stdint.h>

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#include "jit/options.h"
#include "jit/text.h"

struct jit_outlined;
struct jit_warp_op;

/* Name of a function that returns its pointer argument and is declared
 * `noalias`: LLVM may assume that no other pointer refers to this memory. */
#define JIT_UNALIASED "__pycuda_own"
/* Limit in bytes on the total size of all device variables, on the total size
 * of all shared variables, and on the local memory of a thread. */
#define JIT_MAX_BYTES      (UINT64_C(1) << 30)
#define JIT_MAX_PARAMETERS 1024
/* maximum number of start points of a kernel: its start, and the code after
 * each barrier or warp operation */
#define JIT_MAX_POINTS 128
/* maximum number of conditions that limit a thread loop */
#define JIT_MAX_BOUNDS 4

struct jit_parameter {
    uint32_t offset;
    uint32_t bytes;
    /* true: a struct passed by value; the argument is a pointer to its bytes
     */
    bool is_struct;
};

/* Largest number of widths that the packs of a kernel have. */
enum { JIT_PACK_WIDTHS = 3 };

/* Result of entries/guard.c about a kernel's first branch, such as `if (i <
 * n)`: threads with a global x index (blockIdx.x * blockDim.x + threadIdx.x)
 * of at least `limit` do nothing. The body gets this index as an argument, and
 * the thread loop ends at the limit. */
struct jit_guard {
    bool found;
    bool wide; /* true: the global x index has 64 bits, not 32 */
    /* true: a 32-bit global x index is sign-extended to 64 bits; else
     * zero-extended */
    bool index_signed;
    bool compare_signed;
    /* IR text that computes `limit` and `stride`, which are equal for all
     * threads of a block. Text is used because LLVM values of the kernel's
     * body may disappear when later passes change the body. */
    struct jit_text setup;
    const char *limit;
    unsigned limit_width; /* width of `limit` in bits: 32 or 64 */
    /* threads with a smaller global x index have no work; 0: no such limit */
    int64_t lower;
    /* IR operand of 32 bits: the index is threadIdx.x plus this value, which
     * is equal for all threads of a block. NULL: the index is the global x
     * index. The sum may wrap within a block. */
    const char *base;
    /* true: no first branch limits the threads (`found` is false), but the
     * condition index * factor + addend <= limit selects one of two code paths
     * of the kernel. The threads of each path get their own loop. */
    bool split;
    uint64_t factor, addend;
    /* IR operand: what a grid-stride loop adds to its index, such as
     * blockDim.x * gridDim.x; NULL: the kernel is not such a loop */
    const char *stride;
    unsigned stride_width; /* width of `stride` in bits: 32 or 64 */
};

/* A condition that limits the threads of a loop over the threads of a block
 * along one axis, as IR text for the kernel's entry function. */
struct jit_region_bound {
    int axis; /* axis of threadIdx: 0 (x) or 1 (y) */
    /* IR operand that threadIdx is compared with; NULL: no limit */
    const char *limit;
    unsigned bits; /* width of `limit` in bits: 32 or 64 */
    /* comparison of threadIdx with `limit` that is true for threads that
     * run */
    LLVMIntPredicate predicate;
};

/* Condition under which threads return before the first barrier
 * (regions/early_exit.c); the loops after that barrier run only the other
 * threads.
 */
struct jit_early_exit {
    LLVMValueRef condition; /* NULL: no thread returns early */
    LLVMBasicBlockRef leave;
    /* true: threads return if `condition` is true; false: they return if it is
     * false */
    bool leave_first;
    struct jit_text setup; /* IR text that computes the operands in `ends` */
    /* IR operands: numbers of threads along x and y that do not return
     * early */
    const char *ends[2];
};

/* A set of start points. Bit 0 is the kernel's start, bit k the code after the
 * k-th barrier or warp operation. */
__extension__ typedef unsigned __int128 jit_point_set;
#define JIT_POINT(k) ((jit_point_set)1 << (k))

/* Returns the smallest start point in the set, which must not be empty. */
static inline int
jit_first_point(jit_point_set set)
{
    uint64_t low = (uint64_t)set, high = (uint64_t)(set >> 64);
    return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll(high);
}

/* Returns the largest start point in the set, which must not be empty. */
static inline int
jit_last_point(jit_point_set set)
{
    uint64_t low = (uint64_t)set, high = (uint64_t)(set >> 64);
    return high ? 127 - __builtin_clzll(high) : 63 - __builtin_clzll(low);
}

/* A kernel run as thread loops between barriers (regions/regions.c). A start
 * point is a place where such a loop starts: point 0 is the start of the
 * kernel, point k the code after the k-th barrier or warp operation. */
struct jit_regions {
    /* number of start points (the kernel's start, and the code after each
     * barrier or warp operation) */
    unsigned count;
    /* For each start point: set of the start points that a thread may reach
     * next. Bit 0 of the set means that the kernel may end. */
    jit_point_set follows[JIT_MAX_POINTS];
    /* number of uniform values: values that are equal in all threads and are
     * needed after a barrier or warp operation that follows their
     * computation */
    unsigned uniform_count;
    LLVMTypeRef *uniform_types;
    /* for each uniform value: set of the start points (the code after a
     * barrier or warp operation) at which the value is live */
    jit_point_set *uniform_live;
    /* true: some barrier returns a result: the count, AND or OR of a predicate
     * of the threads */
    bool votes;
    /* size in bytes, per thread, of the memory for values that are live across
     * barriers and may differ between threads */
    uint64_t context_bytes;
    struct jit_region_bound bounds[JIT_MAX_POINTS][JIT_MAX_BOUNDS];
    unsigned bound_counts[JIT_MAX_POINTS];
    /* blockDim.x for which the source seems to be written; 0: unknown */
    unsigned width;
    /* for each start point: widths of the packs (neighbouring threads as lanes
     * of vectors) that run the code from this point to the next one, in the
     * form of jit_kernel.packs */
    unsigned packs[JIT_MAX_POINTS][JIT_PACK_WIDTHS];
    /* set of the start points that follow a __syncthreads() of the source */
    jit_point_set barrier_points;
    /* set of the start points that follow a warp operation */
    jit_point_set warp_points;
    /* for each start point: the warp operation directly before it, or NULL if
     * there is none */
    struct jit_warp_op *warp_ops[JIT_MAX_POINTS];
    /* set of the start points after which the loop over the 32 lanes of a warp
     * is unrolled, because the loop is short and has accesses that cannot be
     * vectorised */
    jit_point_set short_points;
    /* number of lane arrays, which have one element per lane of a warp */
    unsigned lane_count;
    LLVMTypeRef *lane_types;
};

struct jit_kernel {
    char *name;
    char *symbol; /* name of the kernel's entry in the object file */
    /* the kernel function of the input; NULL after `body` is made */
    LLVMValueRef function;
    /* copy of `function` that receives threadIdx, blockIdx, blockDim and
     * gridDim as arguments */
    LLVMValueRef body;
    struct jit_parameter *parameters;
    unsigned parameter_count;
    uint32_t parameter_bytes;
    uint32_t static_shared;
    uint32_t frame_bytes;
    uint32_t local_bytes;
    uint32_t max_threads;
    uint32_t registers;
    /* true: each thread runs on a fiber (a stack of its own), through an
     * image_thread_entry */
    bool fibers;
    /* true: the kernel also has an entry that runs one warp after the other */
    bool warps;
    /* true: the entry that runs each thread on a fiber has been written */
    bool threads_made;
    uint32_t warp_frame_bytes;
    /* text for the user: why the kernel is not split at its barriers or warp
     * operations, so that its threads run on fibers; NULL: no reason was
     * recorded */
    const char *warps_not;
    /* true: thread blocks that run at the same time cannot observe each other
     */
    bool independent;
    /* true: the kernel has recursion, calls through pointers, or dynamic
     * allocas */
    bool recursive;
    bool
        calls_functions; /* the kernel calls a function that was not inlined */
    bool flat;           /* true: the kernel does not use threadIdx.y */
    /* Axis of the launch (0: x, 1: y, 2: z) along which threads are
     * vectorised. The passes and the entry swap it with x
     * (analyse/row_axis.c). */
    unsigned row_axis;
    /* true: the loop over threads must not be vectorised */
    bool sequential;
    /* true: some loops of the kernel became functions that are vectorised over
     * threads (jit/loops) */
    bool own_loops;
    /* numbers of threads of the kernel's packs (groups of threads with
     * consecutive threadIdx.x that one function runs, pack/), the largest
     * first; 0 after the last one, and if there are no packs */
    unsigned packs[JIT_PACK_WIDTHS];
    struct jit_guard guard;
    struct jit_early_exit early;
    /* how the kernel is split at its barriers; NULL: it is not split, and is a
     * single loop over threads or runs on fibers */
    struct jit_regions *regions;
};

struct jit_global {
    char *name; /* name of the variable in the source */
    LLVMValueRef variable;
    uint64_t bytes;
    uint32_t flags;
};

struct jit {
    struct jit_options options;
    struct jit_text input; /* all bytes of stdin */
    /* the arguments of the command line, each ended by a NUL, without
     * --quick and --quick-now */
    struct jit_text arguments;
    /* true: __cluster_dims__ requests clusters of several blocks */
    bool wide_clusters;
    LLVMContextRef context;
    LLVMModuleRef module;
    /* true: the module was read from one or more bitcode images, which were
     * linked; false: from bitcode of clang */
    bool linked;
    LLVMBuilderRef builder;
    LLVMTargetMachineRef machine;
    LLVMTypeRef i1, i8, i32, i64, pointer;
    struct jit_kernel *kernels;
    unsigned kernel_count;
    struct jit_global *globals;
    unsigned global_count;
    uint32_t constant_bytes;
    /* total size in bytes of all device variables, and of all shared
     * variables */
    uint64_t device_sum, shared_sum;
    struct jit_text *wrappers;
    /* array of the loops that became functions (loops/loops.h) */
    struct jit_outlined *outlined;
    unsigned outlined_count;
};

#endif
