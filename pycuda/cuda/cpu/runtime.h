/* runtime.h - the functions of src/image/abi.h that compiled kernels call.
 *
 * Names, order and types match the list IMAGE_RUNTIME in abi.h; arguments
 * called `kind` are values of the enums in abi.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#define __PYCUDA_CONST __attribute__((const, nothrow))

extern "C" {
__device__ unsigned int __pycuda_tid(int axis) __PYCUDA_CONST;
__device__ unsigned int __pycuda_ctaid(int axis) __PYCUDA_CONST;
__device__ unsigned int __pycuda_ntid(int axis) __PYCUDA_CONST;
__device__ unsigned int __pycuda_nctaid(int axis) __PYCUDA_CONST;
__device__ unsigned int __pycuda_linear(void) __PYCUDA_CONST;
__device__ unsigned int __pycuda_dynamic_shared(void) __PYCUDA_CONST;
__device__ char *__pycuda_shared_window(void) __PYCUDA_CONST;

__device__ int __pycuda_barrier(int kind, int predicate);
__device__ void __pycuda_warp_barrier(unsigned int mask);
__device__ void __pycuda_barrier_named(unsigned int id, unsigned int count);
__device__ unsigned long __pycuda_shuffle(unsigned int mask,
                                          unsigned long value, int kind,
                                          int lane, int width);
__device__ unsigned int __pycuda_ballot(unsigned int mask, int predicate);
__device__ unsigned int __pycuda_warp_vote(unsigned int mask, int predicate);
__device__ unsigned int __pycuda_match_any(unsigned int mask,
                                           unsigned long value);
__device__ unsigned int __pycuda_match_all(unsigned int mask,
                                           unsigned long value);
__device__ unsigned int __pycuda_reduce(unsigned int mask, unsigned int value,
                                        int operation);
__device__ unsigned int __pycuda_activemask(void);
__device__ void __pycuda_grid_barrier(void);
__device__ int __pycuda_grid_valid(void);
__device__ void __pycuda_yield(void);
__device__ void __pycuda_nanosleep(unsigned int nanoseconds);
__device__ int __pycuda_vprintf(const char *format, const void *args);
__device__ void __pycuda_assert_fail(const char *expression, const char *file,
                                     unsigned int line, const char *function)
    __attribute__((noreturn));
__device__ void __pycuda_trap(void) __attribute__((noreturn));
__device__ void __pycuda_exit(void) __attribute__((noreturn));
__device__ void *__pycuda_malloc(size_t bytes);
__device__ void *__pycuda_malloc_aligned(size_t bytes, size_t alignment);
__device__ void __pycuda_free(void *pointer);
__device__ unsigned long __pycuda_clock64(void);
__device__ unsigned long __pycuda_globaltimer(void);
/* Lacks the attribute const: with it, the compiler could keep the variable at
 * `address` in a register. */
__device__ int __pycuda_space(const void *address) __attribute__((nothrow));
__device__ void __pycuda_texture(unsigned long object, int access, float x,
                                 float y, float z, int layer, void *out);
__device__ void __pycuda_texture_level(unsigned long object, int access,
                                       float x, float y, float z, int layer,
                                       float level, void *out);
__device__ void __pycuda_texture_gradient(unsigned long object, int access,
                                          float x, float y, float z, int layer,
                                          const float *changes, void *out);
__device__ unsigned int __pycuda_texture_word(unsigned long object, int index,
                                              int channel)
    __attribute__((pure, nothrow));
__device__ const void *__pycuda_texture_plain(unsigned long object,
                                              int channels, int bytes)
    __attribute__((const, nothrow));
__device__ unsigned int __pycuda_texture_width(unsigned long object)
    __attribute__((const, nothrow));
__device__ void __pycuda_surface_read(unsigned long object, int access, int x,
                                      int y, int z, int layer, void *out,
                                      unsigned int bytes, int boundary);
__device__ void __pycuda_surface_write(unsigned long object, int access, int x,
                                       int y, int z, int layer,
                                       const void *value, unsigned int bytes,
                                       int boundary);
}

enum __pycuda_barrier_kind {
    __PYCUDA_BARRIER_PLAIN,
    __PYCUDA_BARRIER_COUNT,
    __PYCUDA_BARRIER_AND,
    __PYCUDA_BARRIER_OR,
};
enum __pycuda_shuffle_kind {
    __PYCUDA_SHUFFLE_IDX,
    __PYCUDA_SHUFFLE_UP,
    __PYCUDA_SHUFFLE_DOWN,
    __PYCUDA_SHUFFLE_XOR,
};
enum __pycuda_reduce_kind {
    __PYCUDA_REDUCE_ADD,
    __PYCUDA_REDUCE_MIN_S32,
    __PYCUDA_REDUCE_MAX_S32,
    __PYCUDA_REDUCE_MIN_U32,
    __PYCUDA_REDUCE_MAX_U32,
    __PYCUDA_REDUCE_AND,
    __PYCUDA_REDUCE_OR,
    __PYCUDA_REDUCE_XOR,
};
enum __pycuda_space_kind {
    __PYCUDA_SPACE_GLOBAL,
    __PYCUDA_SPACE_SHARED,
    __PYCUDA_SPACE_CONSTANT,
    __PYCUDA_SPACE_LOCAL,
    __PYCUDA_SPACE_PARAMETER,
};
enum __pycuda_access {
    __PYCUDA_1D,
    __PYCUDA_2D,
    __PYCUDA_3D,
    __PYCUDA_1D_LAYERED,
    __PYCUDA_2D_LAYERED,
    __PYCUDA_CUBE,
    __PYCUDA_CUBE_LAYERED,
    __PYCUDA_2D_GATHER,
};
