/* image.h - file format of compiled CPU kernels, the CPU device's equivalent
 * of a cubin (native code) or of PTX (bitcode).
 *
 * Written by pycuda-jit (src/jit/output/write.c). Read by libpycuda_cpu
 * (src/cpu/module/image.c) and, only for the parameter tables, by
 * pycuda._driver (src/core/code/layout_read.c). The format is little-endian,
 * self-describing and position-independent: all references are byte offsets
 * from the start of the image. Readers check each offset and count against
 * `bytes` before they use it, since an image may come from a damaged cache.
 *
 * Layout:
 *
 *   struct image_header
 *   struct image_kernel[kernel_count]
 *   struct image_parameter[parameter_count]
 *   struct image_global[global_count]
 *   strings             zero-terminated, shared by all tables
 *   payload             ELF relocatable object (native) or LLVM bitcode
 *   input               of pycuda-jit, in a quick version (below)
 *   arguments           of pycuda-jit, in a quick version
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_IMAGE_IMAGE_H
#define PYCUDA_IMAGE_IMAGE_H

#include <stdint.h>

/* The eight bytes 0c 59 43 55 49 4d 47 00 at the start of an image. */
#define IMAGE_MAGIC 0x474d495543590cu
/* Version of the format. Readers reject images of other versions. */
#define IMAGE_VERSION 8u

enum image_kind {
    /* The payload is an ELF object file, which can be loaded. */
    IMAGE_NATIVE = 1,
    /* The payload is LLVM bitcode for any processor. It can be linked; to load
     * it, the CPU device runs pycuda-jit. */
    IMAGE_BITCODE = 2,
};

struct image_header {
    uint64_t magic;
    uint32_t version;
    uint32_t kind;  /* enum image_kind */
    uint64_t bytes; /* size of the whole image in bytes */
    /* 64-bit FNV-1a hash of the image, computed while this member is 0 */
    uint64_t checksum;
    char target[32]; /* processor level: "x86-64-v3", "x86-64-v4", "aarch64" */
    char producer[32]; /* compiler: "pycuda-jit 0.1.0 llvm 19.1.7" */
    uint32_t kernel_count;
    uint32_t parameter_count;
    uint32_t global_count;
    uint32_t checks; /* bits of enum image_check; 0: no checks, or bitcode */
    /* Byte offsets of the tables, the strings and the payload from the start
     * of the image; string_bytes and payload_bytes are sizes in bytes. */
    uint64_t kernels;
    uint64_t parameters;
    uint64_t globals;
    uint64_t strings;
    uint64_t string_bytes;
    uint64_t payload;
    uint64_t payload_bytes;
    /* A quick version is optimised little, and contains what is needed to
     * compile the full version: the input of pycuda-jit, and its arguments,
     * each of which ends with a zero byte. Both versions compute the same
     * bits. In other images these members are 0. */
    uint64_t full_input;
    uint64_t full_input_bytes;
    uint64_t full_arguments;
    uint64_t full_arguments_bytes;
};

/* Checks that are compiled into the code of an image; PYCUDA_CPU_CHECK selects
 * them. */
enum image_check {
    IMAGE_CHECK_MEMORY = 1,
    IMAGE_CHECK_RACE = 2,
    IMAGE_CHECK_SYNC = 4,
    IMAGE_CHECK_INIT = 8,
    IMAGE_CHECK_STREAMS = 16,
    IMAGE_CHECK_BANK = 32,
};

enum image_kernel_flags {
    /* the function `symbol` runs one thread (image_thread_entry), not whole
     * blocks (image_loop_entry) */
    IMAGE_KERNEL_FIBERS = 1,
    /* The kernel is recursive or calls functions through pointers, so its
     * stack size is not known. */
    IMAGE_KERNEL_RECURSIVE = 2,
    /* The kernel has a second entry, an image_loop_entry. It runs blocks that
     * consist of whole warps (src/cpu/run/block.c). */
    IMAGE_KERNEL_WARPS = 4,
    IMAGE_KERNEL_INDEPENDENT_BLOCKS =
        8, /* blocks cannot observe each other's effects, so they may run in
              any order */
    IMAGE_KERNEL_GRID_STRIDE = 16, /* each block runs a grid-stride loop */
};

struct image_kernel {
    /* Strings are represented by their byte offset in the string table. */
    uint32_t name;   /* name of the kernel, mangled unless it is extern "C" */
    uint32_t symbol; /* ELF symbol of the function that starts the kernel */
    uint32_t flags;  /* enum image_kernel_flags */
    /* Index of the kernel's first parameter in the table of all parameters. */
    uint32_t first_parameter;
    uint32_t parameter_count;
    uint32_t parameter_bytes; /* size of the parameter buffer in bytes */
    uint32_t static_shared;   /* bytes of static shared memory */
    /* Stack bytes per thread. Does not include recursive calls, whose depth is
     * unbounded. */
    uint32_t frame_bytes;
    /* Bytes of CUDA's local memory per thread, for cuFuncGetAttribute. */
    uint32_t local_bytes;
    uint32_t constant_bytes;
    /* Maximum threads per block, from __launch_bounds__; 1024 without it. */
    uint32_t max_threads;
    /* Number of registers to report in cuFuncGetAttribute. */
    uint32_t registers;
    /* ELF symbol of the second entry, the function that runs a block warp by
     * warp: offset in the string table. The string is "" if the kernel has no
     * second entry (see IMAGE_KERNEL_WARPS). */
    uint32_t warp_symbol;
    /* Bytes of stack that the second entry needs (see IMAGE_KERNEL_WARPS). */
    uint32_t warp_frame_bytes;
};

struct image_parameter {
    uint32_t offset; /* bytes from the start of the parameter buffer */
    uint32_t bytes;
};

enum image_global_flags {
    IMAGE_GLOBAL_CONSTANT = 1, /* a __constant__ variable */
    IMAGE_GLOBAL_MANAGED = 2,  /* a __managed__ variable */
};

struct image_global {
    uint32_t name;   /* name in the source: offset in the string table */
    uint32_t symbol; /* ELF symbol: offset in the string table */
    uint64_t bytes;  /* size of the variable in bytes */
    uint32_t flags;  /* enum image_global_flags */
    uint32_t reserved;
};

#endif
