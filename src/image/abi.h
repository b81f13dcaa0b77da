/* abi.h - run-time interface between compiled kernels and the CPU device.
 *
 * A kernel in an image is native code. libpycuda_cpu calls it through one of
 * the two entry types below. The kernel calls only the functions listed in
 * IMAGE_RUNTIME and those of libm, libc and libgcc listed in symbols.h
 * (src/cpu/module/image_symbols.c). pycuda-jit uses the field offsets of these
 * structs as constants; the static assertions keep both sides consistent.
 *
 * A change of this file changes the format of images: see IMAGE_VERSION in
 * image.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_IMAGE_ABI_H
#define PYCUDA_IMAGE_ABI_H

#include <stddef.h>
#include <stdint.h>

/* One block of a launch. Constant while the block runs. */
struct image_block {
    uint32_t ctaid[3];       /*  0 blockIdx */
    uint32_t ntid[3];        /* 12 blockDim */
    uint32_t nctaid[3];      /* 24 gridDim */
    uint32_t dynamic_shared; /* 36 bytes requested by the launch */
    char *shared;  /* 40 static shared memory, then dynamic; align 128 */
    void *runtime; /* 48 private to libpycuda_cpu */
};

/* State of one thread of a block that kernel code reads. */
struct image_thread {
    uint32_t tid[3];           /*  0 threadIdx */
    uint32_t linear;           /* 12 x + y*nx + z*nx*ny; lane = linear % 32 */
    struct image_block *block; /* 16 */
    void *runtime;             /* 24 private to libpycuda_cpu */
};

_Static_assert(offsetof(struct image_block, shared) == 40, "abi");
_Static_assert(offsetof(struct image_thread, block) == 16, "abi");

/* Entry of a kernel whose blocks are loops over their threads (no barrier, no
 * warp operation, no spin loop). Runs the blocks [first, first + count) of the
 * grid; x changes fastest in the linear index. The kernel's parameter table
 * describes the layout of `params`. `thread` is scratch memory: the code
 * stores tid, linear and block->ctaid there before it calls a function that
 * was not inlined (recursion, function pointers). Otherwise it only reads
 * ntid, nctaid, shared and dynamic_shared from thread->block. */
typedef void image_loop_entry(const void *params, struct image_thread *thread,
                              uint64_t first, uint64_t count);

/* Entry of all other kernels: runs one thread. The runtime calls it on a
 * separate fiber and switches fibers inside the functions below. */
typedef void image_thread_entry(const void *params,
                                struct image_thread *thread);

/* First argument of __pycuda_barrier. */
enum image_barrier {
    IMAGE_BARRIER_PLAIN, /* __syncthreads; result 0 */
    IMAGE_BARRIER_COUNT, /* __syncthreads_count */
    IMAGE_BARRIER_AND,   /* __syncthreads_and */
    IMAGE_BARRIER_OR,    /* __syncthreads_or */
};

/* Selection of the source lane in __pycuda_shuffle. */
enum image_shuffle {
    IMAGE_SHUFFLE_IDX,
    IMAGE_SHUFFLE_UP,
    IMAGE_SHUFFLE_DOWN,
    IMAGE_SHUFFLE_XOR,
    IMAGE_SHUFFLE_TOGETHER = 8, /* flag: all lanes reach this call together */
};

/* Mask of the bits of a lane's number that identify its segment, in shuffles
 * of this width. */
#define IMAGE_SHUFFLE_SEGMENT(width) (int)((32 - (unsigned)(width)) & 31)

/* Operation of __pycuda_reduce. */
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

/* Memory space of an address. */
enum image_space {
    IMAGE_SPACE_GLOBAL, /* all addresses that are in no other space */
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

/* Call site: the source location that a checked kernel (pycuda-jit --check)
 * passes to the __pycuda_check functions. There is one for each instruction
 * before optimization. Two sites are the same if their addresses are equal. */
struct image_site {
    const char *file;   /* 0 file name of the source's #line; "" if unknown */
    const char *object; /* 8 name of the variable accessed, or "" */
    uint32_t line;      /* 16 0 if unknown */
    uint32_t column;    /* 20 */
    uint32_t flags;     /* 24 enum image_site_flags */
    uint32_t alignment; /* 28 alignment that the access requires, in bytes */
    uint32_t number;    /* 32 assigned by the runtime; 0 at first */
};

_Static_assert(sizeof(struct image_site) == 40, "abi");

/* Properties of an access, of the object accessed, of stops, and of the checks
 * that the access needs. */
enum image_site_flags {
    IMAGE_SITE_READ = 1,
    IMAGE_SITE_WRITE = 2,
    IMAGE_SITE_ATOMIC = 4,
    IMAGE_SITE_VOLATILE = 8,
    IMAGE_SITE_SHARED = 16,      /* the object is a shared variable */
    IMAGE_SITE_LOCAL = 32,       /* the object is a variable of one thread */
    IMAGE_SITE_VARIABLE = 64,    /* a __device__ or __constant__ variable */
    IMAGE_SITE_POINTER = 128,    /* object of a pointer parameter */
    IMAGE_SITE_BARRIER = 256,    /* a barrier of the block */
    IMAGE_SITE_WARP = 512,       /* a warp operation */
    IMAGE_SITE_RETURN = 1024,    /* a return statement of the kernel */
    IMAGE_SITE_NO_MEMORY = 2048, /* the access needs no memory check */
    /* The access needs no check of uninitialized memory. */
    IMAGE_SITE_NO_INIT = 4096,
    IMAGE_SITE_NO_RACE = 8192, /* the access needs no race check */
    /* `value` is the address of the bytes written */
    IMAGE_SITE_COPY = 16384,
    IMAGE_SITE_FILL = 32768,    /* all bytes written equal `value` */
    IMAGE_SITE_RELEASE = 65536, /* an atomic access that is also a fence */
};

/* One loop, or two nested loops, whose accesses are checked before the loop
 * begins. Index 0 is the inner loop. */
struct __attribute__((may_alias)) image_check_nest {
    uint64_t count[2];      /* 0 iterations */
    uint64_t linear;        /* 16 thread of the first iteration */
    int64_t linear_step[2]; /* 24 increment of `linear` per iteration */
    uint64_t rows;          /* 40 number of accesses, which follow */
};

/* Condition of an access: value + iteration * step < limit, compared as
 * unsigned numbers modulo 2**bits. */
struct __attribute__((may_alias)) image_check_condition {
    uint64_t value;     /*  0 */
    int64_t step[2];    /*  8 */
    uint64_t limit;     /* 24 */
    uint32_t bits;      /* 32 32 or 64 */
    uint32_t otherwise; /* 36 nonzero: the condition must be false */
};

enum { IMAGE_CHECK_CONDITIONS = 6, IMAGE_CHECK_ROWS = 64 };

/* One access of a nest. */
struct __attribute__((may_alias)) image_check_row {
    char *address;            /* 0 address in the first iteration */
    void *object;             /* 8 as for __pycuda_check */
    uint64_t object_bytes;    /* 16 */
    int64_t step[2];          /* 24 bytes per iteration */
    struct image_site *site;  /* 40 */
    uint32_t bytes;           /* 48 */
    uint32_t condition_count; /* 52 */
    struct image_check_condition conditions[]; /* 56 */
};

_Static_assert(sizeof(struct image_check_nest) == 48, "abi");
_Static_assert(sizeof(struct image_check_condition) == 40, "abi");
_Static_assert(offsetof(struct image_check_row, conditions) == 56, "abi");

/* Description of a nest and its rows by the compiler. `list` has the words of
 * the structs. The runtime replaces some of them by values of the call:
 * `places` entries of struct image_check_place follow the words and say
 * which. */
struct image_check_form {
    uint16_t words, values, places, unused;
    uint64_t list[];
};

/* The word with index `word` is replaced by the value with index `value`. */
struct __attribute__((may_alias)) image_check_place {
    uint16_t word, value;
};

/* Functions that kernels may call, one row each: ROW(result, name,
 * (arguments), stops). `stops` is 1 if the call may switch fibers; a kernel
 * that may reach such a call needs image_thread_entry. */
#define IMAGE_RUNTIME(ROW)                                                    \
    /* Returns the running thread; constant within a thread. */               \
    ROW(struct image_thread *, __pycuda_self, (void), 0)                      \
    ROW(int32_t, __pycuda_barrier, (int32_t kind, int32_t predicate), 1)      \
    ROW(void, __pycuda_warp_barrier, (uint32_t mask), 1)                      \
    /* Barrier `id` (0 to 47) of `count` threads, or of all threads of the    \
     * block if `count` is 0. */                                              \
    ROW(void, __pycuda_barrier_named, (uint32_t id, uint32_t count), 1)       \
    ROW(uint64_t, __pycuda_shuffle,                                           \
        (uint32_t mask, uint64_t value, int32_t kind, int32_t lane,           \
         int32_t width),                                                      \
        1)                                                                    \
    ROW(uint32_t, __pycuda_ballot, (uint32_t mask, int32_t predicate), 1)     \
    ROW(uint32_t, __pycuda_warp_vote, (uint32_t mask, int32_t predicate), 1)  \
    ROW(uint32_t, __pycuda_match_any, (uint32_t mask, uint64_t value), 1)     \
    /* Returns all lanes that take part if they have the same value, or else  \
     * 0. */                                                                  \
    ROW(uint32_t, __pycuda_match_all, (uint32_t mask, uint64_t value), 1)     \
    ROW(uint32_t, __pycuda_reduce,                                            \
        (uint32_t mask, uint32_t value, int32_t operation), 1)                \
    /* Replaces each mask of a whole warp by the lanes that this lane meets   \
     * or, for a shuffle, may read. Raises an illegal instruction if a mask   \
     * lacks its own lane. */                                                 \
    ROW(void, __pycuda_warp_groups, (uint32_t * masks, int32_t shuffle), 0)   \
    /* Returns the lanes that are at the same call. Waits until all other     \
     * live lanes of the warp are at some stop. */                            \
    ROW(uint32_t, __pycuda_activemask, (void), 1)                             \
    /* Returns the nearest integer, saturated; for NaN, the smallest          \
     * integer. */                                                            \
    ROW(int64_t, __pycuda_to_long, (double value), 0)                         \
    ROW(int64_t, __pycuda_to_longf, (float value), 0)                         \
    /* Barrier of all blocks of a cooperative launch, and a query if the      \
     * launch is cooperative. The barrier fails with LAUNCH_FAILED in other   \
     * launches. */                                                           \
    ROW(void, __pycuda_grid_barrier, (void), 1)                               \
    ROW(int32_t, __pycuda_grid_valid, (void), 1)                              \
    /* Lets other threads of the block run. Called at back edges of spin      \
     * loops. */                                                              \
    ROW(void, __pycuda_yield, (void), 1)                                      \
    ROW(void, __pycuda_nanosleep, (uint32_t nanoseconds), 1)                  \
    /* CUDA's device printf; arguments are packed at natural alignment. */    \
    ROW(int32_t, __pycuda_vprintf, (const char *format, const void *args), 0) \
    /* The next three functions do not return. The first two end the launch   \
     * with CUDA_ERROR_ASSERT or CUDA_ERROR_LAUNCH_FAILED; __pycuda_exit ends \
     * only the thread. */                                                    \
    ROW(void, __pycuda_assert_fail,                                           \
        (const char *expression, const char *file, uint32_t line,             \
         const char *function),                                               \
        0)                                                                    \
    ROW(void, __pycuda_trap, (void), 0)                                       \
    ROW(void, __pycuda_exit, (void), 1)                                       \
    ROW(void *, __pycuda_malloc, (size_t bytes), 0)                           \
    /* Returns NULL also if `alignment` is not a power of two. */             \
    ROW(void *, __pycuda_malloc_aligned, (size_t bytes, size_t alignment), 0) \
    ROW(void, __pycuda_free, (void *pointer), 0)                              \
    ROW(uint64_t, __pycuda_clock64, (void), 0)                                \
    ROW(uint64_t, __pycuda_globaltimer, (void), 0)                            \
    /* Returns the image_space of an address. */                              \
    ROW(int32_t, __pycuda_space, (const void *address), 0)                    \
    /* Texture fetch. `object` is a CUtexObject, `access` an image_access.    \
     * Coordinates that the shape lacks are ignored. `out` receives four      \
     * 32-bit words, floats or integers according to the texture's read mode; \
     * missing channels are 0, and 1 for the fourth. */                       \
    ROW(void, __pycuda_texture,                                               \
        (uint64_t object, int32_t access, float x, float y, float z,          \
         int32_t layer, void *out),                                           \
        0)                                                                    \
    /* Texture fetches at a level of detail, and at the level computed from   \
     * six numbers: the changes of x, y and z along each of two               \
     * directions. */                                                         \
    ROW(void, __pycuda_texture_level,                                         \
        (uint64_t object, int32_t access, float x, float y, float z,          \
         int32_t layer, float level, void *out),                              \
        0)                                                                    \
    ROW(void, __pycuda_texture_gradient,                                      \
        (uint64_t object, int32_t access, float x, float y, float z,          \
         int32_t layer, const float *changes, void *out),                     \
        0)                                                                    \
    /* tex1Dfetch: reads linear memory at an integer coordinate. */           \
    ROW(void, __pycuda_texture_fetch,                                         \
        (uint64_t object, int32_t index, void *out), 0)                       \
    /* Surfaces: x is in bytes; boundary is 0 for trap, 1 for clamp, 2 for    \
     * zero. */                                                               \
    ROW(void, __pycuda_surface_read,                                          \
        (uint64_t object, int32_t access, int32_t x, int32_t y, int32_t z,    \
         int32_t layer, void *out, uint32_t bytes, int32_t boundary),         \
        0)                                                                    \
    ROW(void, __pycuda_surface_write,                                         \
        (uint64_t object, int32_t access, int32_t x, int32_t y, int32_t z,    \
         int32_t layer, const void *value, uint32_t bytes, int32_t boundary), \
        0)                                                                    \
    /* The functions from here on are called only by checked kernels;         \
     * `linear` is the thread. __pycuda_check checks an access to `bytes` at  \
     * `address`. It returns the address to access instead if the access is   \
     * invalid and the launch continues. `object`, or NULL, is the base from  \
     * which the address was computed; with object_bytes 0 it is a pointer    \
     * argument of the kernel. `value` will be written, unless the site's     \
     * flags change its meaning. */                                           \
    ROW(void *, __pycuda_check,                                               \
        (void *address, uint64_t bytes, void *object, uint64_t object_bytes,  \
         uint64_t value, struct image_site *site, uint32_t linear),           \
        0)                                                                    \
    /* Checks all accesses of a nest of loops. Returns 1 if all are valid,    \
     * and records them. Returns 0 if they must be checked one by one. */     \
    ROW(int32_t, __pycuda_check_rows,                                         \
        (const struct image_check_form *form, const uint64_t *values), 0)     \
    /* The next two are called when a block begins, and when all of its       \
     * threads have passed a barrier. */                                      \
    ROW(void, __pycuda_check_block, (uint32_t x, uint32_t y, uint32_t z), 0)  \
    ROW(void, __pycuda_check_meet, (void), 0)                                 \
    ROW(void, __pycuda_check_shared,                                          \
        (void *variable, uint64_t bytes, struct image_site *site), 0)         \
    /* The thread is about to stop, or to return, at this site. */            \
    ROW(void, __pycuda_check_at,                                              \
        (const struct image_site *site, uint32_t linear), 0)                  \
    ROW(void, __pycuda_check_fence, (uint32_t linear), 0)                     \
    ROW(void, __pycuda_check_written, (const void *address, uint64_t bytes),  \
        0)                                                                    \
    ROW(void, __pycuda_check_copy,                                            \
        (const void *to, const void *from, uint64_t bytes), 0)                \
    /* The lifetime of a private variable begins or ends. */                  \
    ROW(void, __pycuda_check_local, (const void *variable, uint64_t bytes),   \
        0)                                                                    \
    /* Reports a use of a private value that was never set, unless            \
     * `undefined` is 0. */                                                   \
    ROW(void, __pycuda_check_value,                                           \
        (uint32_t undefined, struct image_site * site, uint32_t linear), 0)

/* Geometry functions. pycuda/cuda/cpu declares them, and pycuda-jit replaces
 * them by loop variables or loads from image_thread; they are never called at
 * run time.
 *   uint32_t __pycuda_tid(int axis), __pycuda_ctaid(int axis),
 *            __pycuda_ntid(int axis), __pycuda_nctaid(int axis);
 *   uint32_t __pycuda_linear(void)          linear thread index in the block
 *   uint32_t __pycuda_dynamic_shared(void)  bytes of dynamic shared memory
 * `axis` is a constant 0, 1 or 2. */

#endif
