/* abi.h - what compiled kernels and the CPU device agree on at run time.
 *
 * A kernel in an image is native code.  libpycuda_cpu calls it through one of
 * the two entry types below; the kernel calls back only the functions listed
 * in IMAGE_RUNTIME (plus libm, memcpy and friends: the allow-list in
 * src/cpu/module/image_symbols.c).  pycuda-jit hard-codes the field offsets of
 * the structs here; the static assertions keep both sides honest.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_IMAGE_ABI_H
#define PYCUDA_IMAGE_ABI_H

#include <stddef.h>
#include <stdint.h>

/* One block of a launch.  Constant while the block runs. */
struct image_block {
    uint32_t ctaid[3];       /*  0 blockIdx */
    uint32_t ntid[3];        /* 12 blockDim */
    uint32_t nctaid[3];      /* 24 gridDim */
    uint32_t dynamic_shared; /* 36 bytes asked for at the launch */
    char *shared;  /* 40 static shared memory, then dynamic; align 128 */
    void *runtime; /* 48 private to libpycuda_cpu */
};

/* One thread of a block, as kernel code sees it. */
struct image_thread {
    uint32_t tid[3];           /*  0 threadIdx */
    uint32_t linear;           /* 12 x + y*nx + z*nx*ny; lane = linear % 32 */
    struct image_block *block; /* 16 */
    void *runtime;             /* 24 private to libpycuda_cpu */
};

_Static_assert(offsetof(struct image_block, shared) == 40, "abi");
_Static_assert(offsetof(struct image_thread, block) == 16, "abi");

/* Entry of a kernel whose blocks are plain loops over threads (no barrier, no
 * warp operation, no spinning): runs the blocks [first, first + count) of the
 * grid, linear index x fastest.  `params` is laid out by the kernel's
 * parameter table.  `thread` is scratch: the code stores tid, linear and
 * block->ctaid there before it calls a function that was not inlined
 * (recursion, function pointers); otherwise it only reads ntid, nctaid,
 * shared and dynamic_shared from thread->block. */
typedef void image_loop_entry(const void *params, struct image_thread *thread,
                              uint64_t first, uint64_t count);

/* Entry of every other kernel: runs one thread.  The runtime calls it on a
 * fiber of its own and switches fibers inside the functions below. */
typedef void image_thread_entry(const void *params,
                                struct image_thread *thread);

/* The first argument of __pycuda_barrier. */
enum image_barrier {
    IMAGE_BARRIER_PLAIN, /* __syncthreads; result 0 */
    IMAGE_BARRIER_COUNT, /* __syncthreads_count */
    IMAGE_BARRIER_AND,   /* __syncthreads_and */
    IMAGE_BARRIER_OR,    /* __syncthreads_or */
};

/* How __pycuda_shuffle chooses the source lane. */
enum image_shuffle {
    IMAGE_SHUFFLE_IDX,
    IMAGE_SHUFFLE_UP,
    IMAGE_SHUFFLE_DOWN,
    IMAGE_SHUFFLE_XOR,
    IMAGE_SHUFFLE_TOGETHER = 8, /* added: all lanes come to this call */
};

/* Bits of a lane's number that name its segment, in shuffles of the width. */
#define IMAGE_SHUFFLE_SEGMENT(width) (int)((32 - (unsigned)(width)) & 31)

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

/* Which of CUDA's memories an address is in. */
enum image_space {
    IMAGE_SPACE_GLOBAL, /* all that is none of the others */
    IMAGE_SPACE_SHARED,
    IMAGE_SPACE_CONSTANT,
    IMAGE_SPACE_LOCAL,
    IMAGE_SPACE_PARAMETER, /* the kernel's parameters */
};

/* Shape of a texture or surface access. */
enum image_access {
    IMAGE_ACCESS_1D,
    IMAGE_ACCESS_2D,
    IMAGE_ACCESS_3D,
    IMAGE_ACCESS_1D_LAYERED,
    IMAGE_ACCESS_2D_LAYERED,
    IMAGE_ACCESS_CUBE,
    IMAGE_ACCESS_CUBE_LAYERED,
    IMAGE_ACCESS_2D_GATHER, /* `layer` is the component */
};

/* A place in the source that a checked kernel (pycuda-jit --check) names when
 * it calls one of __pycuda_check*.  One for each instruction of the code
 * before it was optimised: two sites are the same place if they are the same
 * address. */
struct image_site {
    const char *file;   /*  0 as the source's #line has it; "" if unknown */
    const char *object; /*  8 the variable that is accessed, or "" */
    uint32_t line;      /* 16 0 if unknown */
    uint32_t column;    /* 20 */
    uint32_t flags;     /* 24 enum image_site_flags */
    uint32_t alignment; /* 28 that the access needs, in bytes */
    uint32_t number;    /* 32 the run time's own; 0 at first */
};

_Static_assert(sizeof(struct image_site) == 40, "abi");

enum image_site_flags {
    IMAGE_SITE_READ = 1,
    IMAGE_SITE_WRITE = 2,
    IMAGE_SITE_ATOMIC = 4,
    IMAGE_SITE_VOLATILE = 8,
    IMAGE_SITE_SHARED = 16,      /* the object is a shared variable, */
    IMAGE_SITE_LOCAL = 32,       /* one of the thread's own, */
    IMAGE_SITE_VARIABLE = 64,    /* a __device__ or __constant__ variable, */
    IMAGE_SITE_POINTER = 128,    /* or what a pointer parameter points to */
    IMAGE_SITE_BARRIER = 256,    /* of the block */
    IMAGE_SITE_WARP = 512,       /* a warp operation */
    IMAGE_SITE_RETURN = 1024,    /* a return statement of the kernel */
    IMAGE_SITE_NO_MEMORY = 2048, /* the access needs no memory check, */
    IMAGE_SITE_NO_INIT = 4096,   /* none of what was written */
    IMAGE_SITE_NO_RACE = 8192,   /* and none for races */
    IMAGE_SITE_COPY = 16384,     /* what is written lies at `value`, */
    IMAGE_SITE_FILL = 32768,     /* or all its bytes are `value` */
    IMAGE_SITE_RELEASE = 65536,  /* an atomic access that is a fence, too */
};

/* One or two loops, one in the other, whose accesses are checked before they
 * begin.  [0] is the inner loop. */
struct __attribute__((may_alias)) image_check_nest {
    uint64_t count[2];      /*  0 rounds */
    uint64_t linear;        /* 16 the thread of the first round, */
    int64_t linear_step[2]; /* 24 and how it grows with each */
    uint64_t rows;          /* 40 accesses; they follow */
};

/* A condition of an access: value + rounds * step < limit, without signs and
 * modulo 2**bits. */
struct __attribute__((may_alias)) image_check_condition {
    uint64_t value;     /*  0 */
    int64_t step[2];    /*  8 */
    uint64_t limit;     /* 24 */
    uint32_t bits;      /* 32 32 or 64 */
    uint32_t otherwise; /* 36 1: it must not hold */
};

enum { IMAGE_CHECK_CONDITIONS = 6, IMAGE_CHECK_ROWS = 64 };

/* An access of such a nest. */
struct __attribute__((may_alias)) image_check_row {
    char *address;            /*  0 in the first round */
    void *object;             /*  8 as __pycuda_check has it */
    uint64_t object_bytes;    /* 16 */
    int64_t step[2];          /* 24 bytes */
    struct image_site *site;  /* 40 */
    uint32_t bytes;           /* 48 */
    uint32_t condition_count; /* 52 */
    struct image_check_condition conditions[]; /* 56 */
};

_Static_assert(sizeof(struct image_check_nest) == 48, "abi");
_Static_assert(sizeof(struct image_check_condition) == 40, "abi");
_Static_assert(offsetof(struct image_check_row, conditions) == 56, "abi");

/* What a nest and its rows are, as far as the compiler knows: words, of which
 * some are filled in with values.  Behind the words stand, two in each, the
 * places of values. */
struct image_check_form {
    uint16_t words, values, places, unused;
    uint64_t list[];
};

struct __attribute__((may_alias)) image_check_place {
    uint16_t word, value;
};

/* Functions that kernels may call, one row each:
 * ROW(result, name, (arguments), stops) - `stops` is 1 where the call may
 * switch fibers, so that a kernel that reaches it needs image_thread_entry. */
#define IMAGE_RUNTIME(ROW)                                                    \
    /* The running thread; constant within one thread. */                     \
    ROW(struct image_thread *, __pycuda_self, (void), 0)                      \
    ROW(int32_t, __pycuda_barrier, (int32_t kind, int32_t predicate), 1)      \
    ROW(void, __pycuda_warp_barrier, (uint32_t mask), 1)                      \
    /* Barrier `id` (0..47) of `count` threads, or of all where that is 0. */ \
    ROW(void, __pycuda_barrier_named, (uint32_t id, uint32_t count), 1)       \
    ROW(uint64_t, __pycuda_shuffle,                                           \
        (uint32_t mask, uint64_t value, int32_t kind, int32_t lane,           \
         int32_t width),                                                      \
        1)                                                                    \
    ROW(uint32_t, __pycuda_ballot, (uint32_t mask, int32_t predicate), 1)     \
    ROW(uint32_t, __pycuda_warp_vote, (uint32_t mask, int32_t predicate), 1)  \
    ROW(uint32_t, __pycuda_match_any, (uint32_t mask, uint64_t value), 1)     \
    /* All lanes that came, if they have the same value, or else 0. */        \
    ROW(uint32_t, __pycuda_match_all, (uint32_t mask, uint64_t value), 1)     \
    ROW(uint32_t, __pycuda_reduce,                                            \
        (uint32_t mask, uint32_t value, int32_t operation), 1)                \
    /* A whole warp's masks become the lanes that each one meets, or, of a    \
     * shuffle, may read; an illegal instruction if one leaves out its own    \
     * lane. */                                                               \
    ROW(void, __pycuda_warp_groups, (uint32_t * masks, int32_t shuffle), 0)   \
    /* Lanes that stand at the same call: waits until every other live lane   \
     * of the warp stands at some stop. */                                    \
    ROW(uint32_t, __pycuda_activemask, (void), 1)                             \
    /* The nearest integer, saturating; NaN becomes the least one. */         \
    ROW(int64_t, __pycuda_to_long, (double value), 0)                         \
    ROW(int64_t, __pycuda_to_longf, (float value), 0)                         \
    /* Barrier of all blocks of a cooperative launch; and whether this is     \
     * one.  LAUNCH_FAILED where it is not. */                                \
    ROW(void, __pycuda_grid_barrier, (void), 1)                               \
    ROW(int32_t, __pycuda_grid_valid, (void), 1)                              \
    /* Lets other threads of the block run; at back edges of spinning loops.  \
     */                                                                       \
    ROW(void, __pycuda_yield, (void), 1)                                      \
    ROW(void, __pycuda_nanosleep, (uint32_t nanoseconds), 1)                  \
    /* CUDA's device printf: arguments packed at natural alignment. */        \
    ROW(int32_t, __pycuda_vprintf, (const char *format, const void *args), 0) \
    /* The three below do not return: the launch ends with CUDA_ERROR_ASSERT  \
     * or CUDA_ERROR_LAUNCH_FAILED; __pycuda_exit ends the thread only. */    \
    ROW(void, __pycuda_assert_fail,                                           \
        (const char *expression, const char *file, uint32_t line,             \
         const char *function),                                               \
        0)                                                                    \
    ROW(void, __pycuda_trap, (void), 0)                                       \
    ROW(void, __pycuda_exit, (void), 1)                                       \
    ROW(void *, __pycuda_malloc, (size_t bytes), 0)                           \
    /* NULL also where `alignment` is no power of two. */                     \
    ROW(void *, __pycuda_malloc_aligned, (size_t bytes, size_t alignment), 0) \
    ROW(void, __pycuda_free, (void *pointer), 0)                              \
    ROW(uint64_t, __pycuda_clock64, (void), 0)                                \
    ROW(uint64_t, __pycuda_globaltimer, (void), 0)                            \
    /* The image_space of an address. */                                      \
    ROW(int32_t, __pycuda_space, (const void *address), 0)                    \
    /* Texture fetch: `object` is a CUtexObject, `access` an image_access;    \
     * coordinates not used by the shape are ignored; out receives four       \
     * 32-bit words, float or integer as the texture's read mode says         \
     * (missing channels 0, and 1 for the fourth). */                         \
    ROW(void, __pycuda_texture,                                               \
        (uint64_t object, int32_t access, float x, float y, float z,          \
         int32_t layer, void *out),                                           \
        0)                                                                    \
    /* The same at a level of detail, and at the one that six numbers call    \
     * for: the changes of x, y and z along each of two directions. */        \
    ROW(void, __pycuda_texture_level,                                         \
        (uint64_t object, int32_t access, float x, float y, float z,          \
         int32_t layer, float level, void *out),                              \
        0)                                                                    \
    ROW(void, __pycuda_texture_gradient,                                      \
        (uint64_t object, int32_t access, float x, float y, float z,          \
         int32_t layer, const float *changes, void *out),                     \
        0)                                                                    \
    /* tex1Dfetch: integer coordinate into linear memory. */                  \
    ROW(void, __pycuda_texture_fetch,                                         \
        (uint64_t object, int32_t index, void *out), 0)                       \
    /* Surfaces: x in bytes; boundary 0 trap, 1 clamp, 2 zero. */             \
    ROW(void, __pycuda_surface_read,                                          \
        (uint64_t object, int32_t access, int32_t x, int32_t y, int32_t z,    \
         int32_t layer, void *out, uint32_t bytes, int32_t boundary),         \
        0)                                                                    \
    ROW(void, __pycuda_surface_write,                                         \
        (uint64_t object, int32_t access, int32_t x, int32_t y, int32_t z,    \
         int32_t layer, const void *value, uint32_t bytes, int32_t boundary), \
        0)                                                                    \
    /* Of checked kernels only; `linear` is the thread.  __pycuda_check: may  \
     * `bytes` at `address` be accessed?  Answers where to access instead,    \
     * where it does not end the launch.  `object` (or NULL) is what the      \
     * address was made from; with object_bytes 0 it is a pointer that the    \
     * kernel was given.  `value` is what will be written, unless the site's  \
     * flags say otherwise. */                                                \
    ROW(void *, __pycuda_check,                                               \
        (void *address, uint64_t bytes, void *object, uint64_t object_bytes,  \
         uint64_t value, struct image_site *site, uint32_t linear),           \
        0)                                                                    \
    /* All accesses of a nest of loops at once: 1 if nothing is wrong with    \
     * them, which is noted then; 0 if they must be checked one by one. */    \
    ROW(int32_t, __pycuda_check_rows,                                         \
        (const struct image_check_form *form, const uint64_t *values), 0)     \
    /* A block begins; its threads have passed a barrier. */                  \
    ROW(void, __pycuda_check_block, (uint32_t x, uint32_t y, uint32_t z), 0)  \
    ROW(void, __pycuda_check_meet, (void), 0)                                 \
    ROW(void, __pycuda_check_shared,                                          \
        (void *variable, uint64_t bytes, struct image_site *site), 0)         \
    /* The thread is about to stop, or to return, here. */                    \
    ROW(void, __pycuda_check_at,                                              \
        (const struct image_site *site, uint32_t linear), 0)                  \
    ROW(void, __pycuda_check_fence, (uint32_t linear), 0)                     \
    ROW(void, __pycuda_check_written, (const void *address, uint64_t bytes),  \
        0)                                                                    \
    ROW(void, __pycuda_check_copy,                                            \
        (const void *to, const void *from, uint64_t bytes), 0)                \
    /* A private variable begins to exist, or ends. */                        \
    ROW(void, __pycuda_check_local, (const void *variable, uint64_t bytes),   \
        0)                                                                    \
    /* A value that nobody set decides something. */                          \
    ROW(void, __pycuda_check_value,                                           \
        (uint32_t undefined, struct image_site * site, uint32_t linear), 0)

/* Geometry: declared in pycuda/cuda/cpu and replaced by pycuda-jit with loop
 * variables or loads from image_thread; never called at run time.
 *   uint32_t __pycuda_tid(int axis), __pycuda_ctaid(int axis),
 *            __pycuda_ntid(int axis), __pycuda_nctaid(int axis);
 *   uint32_t __pycuda_linear(void)            linear thread index in the block
 *   uint32_t __pycuda_dynamic_shared(void)    bytes of dynamic shared memory
 * `axis` is a constant 0, 1 or 2. */

#endif
