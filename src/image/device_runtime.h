/* device_runtime.h - binary interface of memory and launches in kernels.
 *
 * A part of abi.h: the functions below are in its table IMAGE_RUNTIME.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_IMAGE_DEVICE_RUNTIME_H
#define PYCUDA_IMAGE_DEVICE_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

/* A launch of a kernel by a kernel: its configuration (`<<<...>>>`) and the
 * launching thread. The front end's struct __pycuda_launch has the same
 * members (pycuda/cuda/cpu/device_runtime.h). */
struct image_child_launch {
    uint32_t grid[3];       /* offset 0: blocks per axis */
    uint32_t block[3];      /* offset 12: threads per axis */
    uint64_t shared;        /* offset 24: bytes of dynamic shared memory */
    void *stream;           /* offset 32: a stream of the device runtime */
    uint64_t caller_block;  /* offset 40: index of the block in its grid */
    uint32_t caller_thread; /* offset 48: index of the thread in its block */
};

/* In kernel code, a pointer to a kernel is the address of a struct
 * image_kernel_address. pycuda-jit creates one for each kernel whose address
 * is taken. */
struct image_kernel_address {
    uint64_t magic;   /* offset 0: IMAGE_KERNEL_ADDRESS */
    const char *name; /* offset 8: name of the kernel in the image */
};

/* The eight bytes "kernel@@". */
#define IMAGE_KERNEL_ADDRESS 0x40406c656e72656bu

/* A copy or a fill of a box of bytes by kernel code: `depth` slices of
 * `height` rows of `width` bytes. */
struct image_device_copy {
    char *to;         /* offset 0 */
    const char *from; /* offset 8: source; NULL for a fill */
    uint64_t width;   /* offset 16: bytes */
    uint64_t height;  /* offset 24: rows */
    uint64_t depth;   /* offset 32: slices */
    /* offsets 40 to 64: distances in bytes between rows and between slices */
    uint64_t to_pitch, to_slice, from_pitch, from_slice;
    int32_t value;   /* offset 72: byte to write, for a fill */
    int32_t is_fill; /* offset 76 */
};

_Static_assert(sizeof(struct image_child_launch) == 56, "abi");
_Static_assert(sizeof(struct image_device_copy) == 80, "abi");

/* Actions of __pycuda_device_error on the thread's last error. */
enum image_error_action {
    IMAGE_ERROR_PEEK, /* returns the thread's last error */
    IMAGE_ERROR_TAKE, /* returns the last error and resets it */
    IMAGE_ERROR_SET,  /* sets the last error to `code`, and returns `code` */
};

/* Attributes that __pycuda_device_attribute accepts in addition to those of
 * CUdevice_attribute. */
enum image_device_query {
    IMAGE_DEVICE_CURRENT = -1, /* index of the kernel's device */
    IMAGE_DEVICE_COUNT = -2,   /* number of devices */
};

/* Actions of __pycuda_device_object on a stream or an event. */
enum image_object_action {
    IMAGE_STREAM_CREATE,
    IMAGE_STREAM_DESTROY,
    IMAGE_EVENT_CREATE,
    IMAGE_EVENT_DESTROY,
};

/* The functions of the device runtime, as rows of IMAGE_RUNTIME. */
#define IMAGE_DEVICE_RUNTIME(ROW)                                             \
    ROW(void *, __pycuda_malloc, (size_t bytes), 0)                           \
    /* Allocates device memory at a multiple of `alignment`. Returns NULL if  \
     * there is no memory or `alignment` is not a power of two. */            \
    ROW(void *, __pycuda_malloc_aligned, (size_t bytes, size_t alignment), 0) \
    ROW(void, __pycuda_free, (void *pointer), 0)                              \
    /* The functions of the device runtime return a cudaError. `block` is the \
     * index of the caller's block in the grid, `thread` the index of the     \
     * caller in its block. __pycuda_child_launch launches a kernel and, on   \
     * failure, sets the calling thread's last error. `kernel` is the address \
     * of the kernel's struct image_kernel_address, `params` has the          \
     * arguments in `bytes` bytes. */                                         \
    ROW(int32_t, __pycuda_child_launch,                                       \
        (const struct image_child_launch *launch, const void *kernel,         \
         const void *params, uint64_t bytes),                                 \
        0)                                                                    \
    ROW(int32_t, __pycuda_device_error,                                       \
        (uint64_t block, uint32_t thread, int32_t action, int32_t code), 0)   \
    /* Creates or destroys a stream or event (enum image_object_action). */   \
    ROW(int32_t, __pycuda_device_object,                                      \
        (int32_t action, void **object, uint32_t flags), 0)                   \
    /* Records the event in the stream or, if `wait`, makes the stream wait   \
     * for it. */                                                             \
    ROW(int32_t, __pycuda_device_event,                                       \
        (void *event, void *stream, uint64_t block, int32_t wait), 0)         \
    ROW(int32_t, __pycuda_device_copy,                                        \
        (const struct image_device_copy *copy, void *stream, uint64_t block), \
        0)                                                                    \
    /* __pycuda_device_limit stores a limit (a CUlimit) in *value,            \
     * __pycuda_device_attribute an attribute of a device (a                  \
     * CUdevice_attribute or an enum image_device_query), and                 \
     * __pycuda_kernel_attribute an attribute of a kernel (a                  \
     * CUfunction_attribute). */                                              \
    ROW(int32_t, __pycuda_device_limit, (int32_t limit, uint64_t * value), 0) \
    ROW(int32_t, __pycuda_device_attribute,                                   \
        (int32_t attribute, int32_t device, int32_t * value), 0)              \
    ROW(int32_t, __pycuda_kernel_attribute,                                   \
        (const void *kernel, int32_t attribute, int32_t *value), 0)           \
    /* Computes how many blocks of the kernel a multiprocessor can run at a   \
     * time, and stores this number in *blocks. Each block has `threads`      \
     * threads and `shared` bytes of dynamic shared memory. */                \
    ROW(int32_t, __pycuda_kernel_occupancy,                                   \
        (const void *kernel, int32_t threads, uint64_t shared,                \
         int32_t *blocks),                                                    \
        0)

#endif
