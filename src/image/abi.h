/* abi.h - binary interface between compiled kernels and the CPU device.
 *
 * A kernel in an image (image.h) is native code. libpycuda_cpu calls it
 * through one of the two entry types below. The kernel calls only the
 * functions listed in IMAGE_RUNTIME and those of libm, libc and libgcc listed
 * in symbols.h (src/cpu/module/image_symbols.c). pycuda-jit uses the field
 * offsets of these structs as constants; the static assertions keep both sides
 * consistent. Offsets in comments are in bytes.
 *
 * A change of this file changes the format of images: see IMAGE_VERSION in
 * image.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_IMAGE_ABI_H
#define PYCUDA_IMAGE_ABI_H

#include <stddef.h>
#include <stdint.h>

#include "image/device_runtime.h"
#include "image/texture_runtime.h"

/* One block of a launch. No member changes while the block runs. */
struct image_block {
    uint32_t ctaid[3];       /* offset 0: blockIdx */
    uint32_t ntid[3];        /* offset 12: blockDim */
    uint32_t nctaid[3];      /* offset 24: gridDim */
    uint32_t dynamic_shared; /* offset 36: bytes of dynamic shared memory */
    /* offset 40: memory of the block's shared variables: static ones first,
     * then dynamic shared memory; 128-byte aligned */
    char *shared;
    void *runtime; /* offset 48: private to libpycuda_cpu */
};

/* State of one thread of a block, for kernel code to read. */
struct image_thread {
    uint32_t tid[3]; /* offset 0: threadIdx */
    /* offset 12: x + y*nx + z*nx*ny; lane in the warp = linear % 32 */
    uint32_t linear;
    struct image_block *block; /* offset 16: the block of the thread */
    void *runtime;             /* offset 24: private to libpycuda_cpu */
};

_Static_assert(offsetof(struct image_block, shared) == 40, "abi");
_Static_assert(offsetof(struct image_thread, block) == 16, "abi");

/* Entry of a kernel whose blocks are loops over their threads (no barrier, no
 * warp operation, no spin loop). Runs the blocks [first, first + count) of the
 * grid in the order of their linear index, in which x changes fastest.
 * `params` has the kernel's arguments at the offsets of its parameter table
 * (image.h). The kernel reads ntid, nctaid, shared and dynamic_shared from
 * thread->block. `thread` is otherwise scratch memory: the kernel stores tid,
 * linear and block->ctaid there before it calls a function that was not
 * inlined (recursion, function pointers). */
typedef void image_loop_entry(const void *params, struct image_thread *thread,
                              uint64_t first, uint64_t count);

/* Entry of kernels that cannot use image_loop_entry: runs one thread. The
 * runtime calls it on a separate fiber (a stack for one CUDA thread) and
 * switches fibers inside functions of IMAGE_RUNTIME. */
typedef void image_thread_entry(const void *params,
                                struct image_thread *thread);

/* Kind of barrier of a block: first argument of __pycuda_barrier. */
enum image_barrier {
    IMAGE_BARRIER_PLAIN, /* __syncthreads; returns 0 */
    IMAGE_BARRIER_COUNT, /* the barrier is __syncthreads_count */
    IMAGE_BARRIER_AND,   /* the barrier is __syncthreads_and */
    IMAGE_BARRIER_OR,    /* the barrier is __syncthreads_or */
};

/* Selects the lane from which a lane reads in __pycuda_shuffle. */
enum image_shuffle {
    IMAGE_SHUFFLE_IDX,
    IMAGE_SHUFFLE_UP,
    IMAGE_SHUFFLE_DOWN,
    IMAGE_SHUFFLE_XOR,
    /* Flag that is added to a kind of shuffle: the code guarantees that all
     * lanes of the warp reach the call. */
    IMAGE_SHUFFLE_CONVERGED = 8,
};

/* For a shuffle within segments of `width` lanes: mask of the bits of a lane
 * index that are equal for all lanes of a segment. */
#define IMAGE_SHUFFLE_SEGMENT(width) (int)((32 - (unsigned)(width)) & 31)

/* Operation by which __pycuda_reduce combines the values of the lanes. */
enum image_reduce {
    IMAGE_REDUCE_ADD,
    IMAGE_REDUCE_MIN_S32,
    IMAGE_REDUCE_MAX_S32,
    IMAGE_REDUCE_MIN_U32,
    IMAGE_REDUCE_MAX_U32,
    IMAGE_REDUCE_AND,
    IMAGE_REDUCE_OR,
    IMAGE_REDUCE_XOR,
};

/* Memory space of an address, the result of __pycuda_space. */
enum image_space {
    IMAGE_SPACE_GLOBAL, /* all addresses that are in no other space */
    IMAGE_SPACE_SHARED,
    IMAGE_SPACE_CONSTANT,
    IMAGE_SPACE_LOCAL,
    IMAGE_SPACE_PARAMETER, /* the kernel's parameters */
};

/* Source location that a checked kernel (compiled by pycuda-jit --check)
 * passes to the __pycuda_check functions. The compiler creates one for each
 * instruction before optimization. Two locations are the same if their
 * addresses are equal. */
struct image_site {
    /* offset 0: file name as in #line of the source; "" if unknown */
    const char *file;
    /* offset 8: name of the variable that is accessed, or "" */
    const char *object;
    uint32_t line;   /* offset 16: line in the file; 0 if unknown */
    uint32_t column; /* offset 20: column in the line */
    uint32_t flags;  /* offset 24: enum image_site_flags */
    /* offset 28: alignment that the access requires, in bytes */
    uint32_t alignment;
    /* offset 32: index in a table of the runtime (check/race.c); 0 at first */
    uint32_t number;
    /* offset 36: line of the first block barrier below `line` in the same
     * kernel, outside of inlined functions; 0 if there is none */
    uint32_t barrier;
    const char *text; /* offset 40: text of the source line; "" if unknown */
};

_Static_assert(sizeof(struct image_site) == 48, "abi");

/* Properties of an instruction: the kind of memory access, the kind of memory
 * that it accesses, whether it is a barrier, warp operation or return, and
 * which checks it does not need. */
enum image_site_flags {
    IMAGE_SITE_READ = 1,
    IMAGE_SITE_WRITE = 2,
    IMAGE_SITE_ATOMIC = 4,
    IMAGE_SITE_VOLATILE = 8,
    IMAGE_SITE_SHARED = 16, /* accesses a shared variable */
    IMAGE_SITE_LOCAL = 32,  /* accesses a variable of one thread */
    /* accesses a __device__ or __constant__ variable */
    IMAGE_SITE_VARIABLE = 64,
    /* accesses an address computed from a pointer argument of the kernel */
    IMAGE_SITE_POINTER = 128,
    IMAGE_SITE_BARRIER = 256, /* the instruction is a barrier of the block */
    IMAGE_SITE_WARP = 512,    /* the instruction is a warp operation */
    IMAGE_SITE_RETURN = 1024, /* the instruction is a return of the kernel */
    IMAGE_SITE_NO_MEMORY = 2048, /* the access needs no memory check */
    /* The access needs no check of uninitialized memory. */
    IMAGE_SITE_NO_INIT = 4096,
    IMAGE_SITE_NO_RACE = 8192, /* the access needs no race check */
    /* the argument `value` of __pycuda_check is the address of the bytes to
     * write */
    IMAGE_SITE_COPY = 16384,
    /* each byte to write equals the argument `value` of __pycuda_check */
    IMAGE_SITE_FILL = 32768,
    IMAGE_SITE_RELEASE = 65536,   /* the access is atomic and also a fence */
    IMAGE_SITE_CONSTANT = 131072, /* accesses a __constant__ variable */
    IMAGE_SITE_INLINED = 262144,  /* is in a function that was inlined */
    IMAGE_SITE_PART = 524288,     /* is a part of the copy of a struct */
};

/* A loop, or two nested loops, whose memory accesses are checked before the
 * loops begin. In arrays of two elements, element 0 describes the inner loop
 * and element 1 the outer loop. */
struct __attribute__((may_alias)) image_check_nest {
    uint64_t count[2]; /* offset 0: number of iterations of each loop */
    /* offset 16: linear index of the thread that runs the first iteration */
    uint64_t linear;
    /* offset 24: step of `linear` per iteration of the inner and outer loop */
    int64_t linear_step[2];
    /* offset 40: number of structs image_check_range, one per access */
    uint64_t rows;
};

/* Condition under which an access takes place: value + i * step[0] + j *
 * step[1] < limit, compared as unsigned numbers modulo 2**bits. i and j are
 * the numbers of completed iterations of the inner and the outer loop. */
struct __attribute__((may_alias)) image_check_condition {
    uint64_t value; /* offset 0: value for the first iteration */
    /* offset 8: step of `value` per iteration of the inner and outer loop */
    int64_t step[2];
    uint64_t limit; /* offset 24: right side of the comparison */
    uint32_t bits;  /* offset 32: number of bits compared: 32 or 64 */
    /* offset 36: if nonzero, the condition is negated */
    uint32_t otherwise;
};

enum { IMAGE_CHECK_CONDITIONS = 6, IMAGE_CHECK_ROWS = 64 };

/* One access in a loop or in two nested loops. */
struct __attribute__((may_alias)) image_check_range {
    char *address; /* offset 0: address in the first iteration */
    /* offset 8: base from which the address is computed: the argument `object`
     * of __pycuda_check */
    void *object;
    uint64_t object_bytes; /* offset 16: size of `object` in bytes, or 0 */
    /* offset 24: number of bytes that an iteration of the inner loop (step[0])
     * or of the outer loop (step[1]) adds to the address */
    int64_t step[2];
    /* offset 40: source location and properties of the access */
    struct image_site *site;
    uint32_t bytes; /* offset 48: size of the access in bytes */
    /* offset 52: number of entries of `conditions` */
    uint32_t condition_count;
    /* offset 56: the access takes place if all conditions are true */
    struct image_check_condition conditions[];
};

_Static_assert(sizeof(struct image_check_nest) == 48, "abi");
_Static_assert(sizeof(struct image_check_condition) == 40, "abi");
_Static_assert(offsetof(struct image_check_range, conditions) == 56, "abi");

/* Constant description of one or two loops and their accesses. The first
 * `words` elements of `list` are a struct image_check_nest and its structs
 * image_check_range, without the values that are known only at run time. The
 * kernel passes those values to __pycuda_check_rows as an array of `values`
 * arguments. After the words, `list` has `places` structs image_check_operand:
 * each tells which word gets which argument. */
struct image_check_form {
    uint16_t words, values, places, unused;
    uint64_t list[];
};

/* Element of the array at the end of image_check_form.list: word number `word`
 * of the struct image_check_form, which describes a loop and its accesses,
 * gets argument number `value` of __pycuda_check_rows (both count from 0). */
struct __attribute__((may_alias)) image_check_operand {
    uint16_t word, value;
};

/* Functions that kernels may call, one row each: ROW(result, name,
 * (arguments), switches). `switches` is 1 if the call may switch to the fiber
 * of another thread. A kernel that can reach such a call needs an
 * image_thread_entry. */
#define IMAGE_RUNTIME(ROW)                                                    \
    /* Returns the state of the running CUDA thread. The pointer does not     \
     * change while the thread runs. */                                       \
    ROW(struct image_thread *, __pycuda_self, (void), 0)                      \
    ROW(int32_t, __pycuda_barrier, (int32_t kind, int32_t predicate), 1)      \
    ROW(void, __pycuda_warp_barrier, (uint32_t mask), 1)                      \
    /* Barrier with the index `id` (0 to 47) for `count` threads, or for all  \
     * threads of the block if `count` is 0. */                               \
    ROW(void, __pycuda_barrier_named, (uint32_t id, uint32_t count), 1)       \
    /* Counts the thread's arrival at barrier `id` (0 to 47) of `count`       \
     * threads, and does not wait. */                                         \
    ROW(void, __pycuda_barrier_arrive, (uint32_t id, uint32_t count), 1)      \
    /* Waits at barrier `id` (0 to 47) of `count` threads. `kind`, an enum    \
     * image_barrier, selects the result: the number of true predicates of    \
     * the threads, or whether all or any are true. */                        \
    ROW(uint32_t, __pycuda_barrier_reduce,                                    \
        (uint32_t id, uint32_t count, int32_t kind, int32_t predicate), 1)    \
    ROW(uint64_t, __pycuda_shuffle,                                           \
        (uint32_t mask, uint64_t value, int32_t kind, int32_t lane,           \
         int32_t width),                                                      \
        1)                                                                    \
    ROW(uint32_t, __pycuda_ballot, (uint32_t mask, int32_t predicate), 1)     \
    ROW(uint32_t, __pycuda_warp_vote, (uint32_t mask, int32_t predicate), 1)  \
    ROW(uint32_t, __pycuda_match_any, (uint32_t mask, uint64_t value), 1)     \
    /* Returns the mask of all participating lanes if they have the same      \
     * value, or else 0. */                                                   \
    ROW(uint32_t, __pycuda_match_all, (uint32_t mask, uint64_t value), 1)     \
    ROW(uint32_t, __pycuda_reduce,                                            \
        (uint32_t mask, uint32_t value, int32_t operation), 1)                \
    /* For a whole warp: `masks[lane]` has the mask argument of a lane.       \
     * Replaces each mask by the mask of the lanes with which its lane        \
     * synchronizes or, if `shuffle` is not 0, from which its lane may read.  \
     * Ends the launch with CUDA_ERROR_ILLEGAL_INSTRUCTION if the mask of a   \
     * lane does not contain the lane itself. */                              \
    ROW(void, __pycuda_warp_groups, (uint32_t * masks, int32_t shuffle), 0)   \
    /* Waits until all live lanes of the warp wait. Returns the mask of the   \
     * lanes that wait at the same call in the code as the calling lane. */   \
    ROW(uint32_t, __pycuda_activemask, (void), 1)                             \
    /* Convert to the nearest integer. Values out of range give the smallest  \
     * or the largest integer, NaN gives the smallest. */                     \
    ROW(int64_t, __pycuda_to_long, (double value), 0)                         \
    ROW(int64_t, __pycuda_to_longf, (float value), 0)                         \
    /* Barrier of all blocks of a cooperative launch, and a function that     \
     * returns whether the launch is cooperative. In other launches, the      \
     * barrier fails with CUDA_ERROR_LAUNCH_FAILED. */                        \
    ROW(void, __pycuda_grid_barrier, (void), 1)                               \
    ROW(int32_t, __pycuda_grid_valid, (void), 1)                              \
    /* Lets other threads of the block run. Called in each iteration of a     \
     * spin loop, which waits for another thread. */                          \
    ROW(void, __pycuda_yield, (void), 1)                                      \
    ROW(void, __pycuda_nanosleep, (uint32_t nanoseconds), 1)                  \
    /* CUDA's printf. `args` has the arguments, each naturally aligned. */    \
    ROW(int32_t, __pycuda_vprintf, (const char *format, const void *args), 0) \
    /* __pycuda_assert_fail ends the launch with CUDA_ERROR_ASSERT, and       \
     * __pycuda_trap with CUDA_ERROR_LAUNCH_FAILED. __pycuda_exit ends only   \
     * the calling thread. */                                                 \
    ROW(void, __pycuda_assert_fail,                                           \
        (const char *expression, const char *file, uint32_t line,             \
         const char *function),                                               \
        0)                                                                    \
    ROW(void, __pycuda_trap, (void), 0)                                       \
    ROW(void, __pycuda_exit, (void), 1)                                       \
    ROW(uint64_t, __pycuda_clock64, (void), 0)                                \
    ROW(uint64_t, __pycuda_globaltimer, (void), 0)                            \
    /* Returns the device's number of multiprocessors. */                     \
    ROW(uint32_t, __pycuda_multiprocessors, (void), 0)                        \
    /* Returns the memory space of an address, an enum image_space. */        \
    ROW(int32_t, __pycuda_space, (const void *address), 0)                    \
    IMAGE_TEXTURE_RUNTIME(ROW)                                                \
    IMAGE_DEVICE_RUNTIME(ROW)                                                 \
    /* Only checked kernels call __pycuda_check* functions. `linear` is the   \
     * index of the thread in the block. __pycuda_check checks an access to   \
     * `bytes` bytes at `address` and returns the address to access. This is  \
     * another address if the access is invalid and the launch continues.     \
     * `object` is the base from which the address was computed, or NULL;     \
     * with object_bytes 0 it is a pointer argument of the kernel. A write    \
     * will store `value`, unless the site has one of the flags               \
     * IMAGE_SITE_COPY and IMAGE_SITE_FILL. */                                \
    ROW(void *, __pycuda_check,                                               \
        (void *address, uint64_t bytes, void *object, uint64_t object_bytes,  \
         uint64_t value, struct image_site *site, uint32_t linear),           \
        0)                                                                    \
    /* Checks all accesses of loops in advance. If all are valid, records     \
     * them and returns 1. Otherwise returns 0, and the kernel checks each    \
     * access with __pycuda_check. */                                         \
    ROW(int32_t, __pycuda_check_rows,                                         \
        (const struct image_check_form *form, const uint64_t *values), 0)     \
    /* __pycuda_check_block is called when a block begins,                    \
     * __pycuda_check_meet when all threads of the block have reached a       \
     * barrier. */                                                            \
    ROW(void, __pycuda_check_block, (uint32_t x, uint32_t y, uint32_t z), 0)  \
    ROW(void, __pycuda_check_meet, (void), 0)                                 \
    ROW(void, __pycuda_check_shared,                                          \
        (void *variable, uint64_t bytes, struct image_site *site), 0)         \
    /* Records that thread `linear` reaches the barrier, warp operation or    \
     * return statement at `site`. */                                         \
    ROW(void, __pycuda_check_at,                                              \
        (const struct image_site *site, uint32_t linear), 0)                  \
    ROW(void, __pycuda_check_fence, (uint32_t linear), 0)                     \
    ROW(void, __pycuda_check_written, (const void *address, uint64_t bytes),  \
        0)                                                                    \
    ROW(void, __pycuda_check_copy,                                            \
        (const void *to, const void *from, uint64_t bytes), 0)                \
    /* Called when the lifetime of a variable of one thread begins or ends:   \
     * records that the bytes of the variable are uninitialized. */           \
    ROW(void, __pycuda_check_local, (const void *variable, uint64_t bytes),   \
        0)                                                                    \
    /* Called when a thread uses a local variable. If `undefined` is not 0,   \
     * the thread has never assigned a value to it: reports the use. */       \
    ROW(void, __pycuda_check_value,                                           \
        (uint32_t undefined, struct image_site * site, uint32_t linear), 0)

/* Functions for threadIdx, blockIdx, blockDim and gridDim. pycuda/cuda/cpu
 * declares them. pycuda-jit replaces their calls by loop variables or by loads
 * from struct image_thread, so they are never called at run time.
 *   uint32_t __pycuda_tid(int axis), __pycuda_ctaid(int axis),
 *            __pycuda_ntid(int axis), __pycuda_nctaid(int axis);
 *   uint32_t __pycuda_linear(void)          linear thread index in the block
 *   uint32_t __pycuda_dynamic_shared(void)  bytes of dynamic shared memory
 * `axis` is a constant 0, 1 or 2. */

#endif
