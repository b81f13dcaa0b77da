/* image.h - the format of compiled CPU kernels: what stands where a cubin
 * (native code) or PTX (bitcode) stands on a GPU.
 *
 * Written by pycuda-jit (src/jit/output/write.c), read by libpycuda_cpu
 * (src/cpu/module/image.c) and, for the parameter tables alone, by
 * pycuda._driver (src/core/code/layout.c).  Little-endian, self-describing,
 * position-independent: all references are byte offsets from the start of the
 * image.  Readers check every offset and count against `bytes` before they use
 * it: an image may come from a damaged cache.
 *
 *   struct image_header
 *   struct image_kernel[kernel_count]
 *   struct image_parameter[parameter_count]
 *   struct image_global[global_count]
 *   strings             zero-terminated, shared by all tables
 *   payload             ELF relocatable object (native) or LLVM bitcode
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_IMAGE_IMAGE_H
#define PYCUDA_IMAGE_IMAGE_H

#include <stdint.h>

#define IMAGE_MAGIC   0x474d495543590cu /* bytes 0c 59 43 55 49 4d 47 00 */
#define IMAGE_VERSION 4u

enum image_kind {
    IMAGE_NATIVE = 1,  /* payload is ELF; loadable */
    IMAGE_BITCODE = 2, /* payload is retargetable bitcode; linkable; loading it
                          runs pycuda-jit */
};

struct image_header {
    uint64_t magic;
    uint32_t version;
    uint32_t kind;     /* enum image_kind */
    uint64_t bytes;    /* of the whole image */
    uint64_t checksum; /* FNV-1a 64 of the image with this field 0 */
    char target[32];   /* "x86-64-v3", "x86-64-v4", "aarch64" */
    char producer[32]; /* "pycuda-jit 0.1.0 llvm 19.1.7" */
    uint32_t kernel_count;
    uint32_t parameter_count;
    uint32_t global_count;
    uint32_t checks;  /* of native code: enum image_check, 0: none */
    uint64_t kernels; /* offsets of the tables */
    uint64_t parameters;
    uint64_t globals;
    uint64_t strings;
    uint64_t string_bytes;
    uint64_t payload;
    uint64_t payload_bytes;
};

/* Checks that the code of an image makes (PYCUDA_CPU_CHECK). */
enum image_check {
    IMAGE_CHECK_MEMORY = 1,
    IMAGE_CHECK_RACE = 2,
    IMAGE_CHECK_SYNC = 4,
    IMAGE_CHECK_INIT = 8,
};

enum image_kernel_flags {
    IMAGE_KERNEL_FIBERS = 1, /* entry is image_thread_entry */
    IMAGE_KERNEL_RECURSIVE =
        2,                  /* or calls through pointers: stack unbounded */
    IMAGE_KERNEL_WARPS = 4, /* has a second entry, image_loop_entry, for blocks
                               of whole warps (src/cpu/run/block.c) */
    IMAGE_KERNEL_APART = 8, /* no block can see what another does meanwhile */
    IMAGE_KERNEL_ROUNDS = 16, /* every block goes round by the grid's stride */
};

struct image_kernel {
    uint32_t name;            /* offset in strings: name as in the source's
                                 object code (mangled unless extern "C") */
    uint32_t symbol;          /* offset in strings: ELF symbol of the entry */
    uint32_t flags;           /* enum image_kernel_flags */
    uint32_t first_parameter; /* index into the parameter table */
    uint32_t parameter_count;
    uint32_t parameter_bytes; /* size of the parameter buffer */
    uint32_t static_shared;   /* bytes */
    uint32_t frame_bytes;     /* stack that one thread needs, without calls
                                 that recursion makes unbounded */
    uint32_t local_bytes; /* CUDA's local memory a thread, for attributes */
    uint32_t constant_bytes;
    uint32_t max_threads; /* __launch_bounds__, or 1024 */
    uint32_t registers;   /* nominal */
    uint32_t warp_symbol; /* offset in strings: the second entry's, or "" */
    uint32_t warp_frame_bytes; /* stack that it needs */
};

struct image_parameter {
    uint32_t offset; /* bytes in the parameter buffer */
    uint32_t bytes;
};

enum image_global_flags {
    IMAGE_GLOBAL_CONSTANT = 1, /* __constant__ */
    IMAGE_GLOBAL_MANAGED = 2,  /* __managed__ */
};

struct image_global {
    uint32_t name;   /* offset in strings: name as in the source */
    uint32_t symbol; /* offset in strings: ELF symbol */
    uint64_t bytes;
    uint32_t flags; /* enum image_global_flags */
    uint32_t reserved;
};

#endif
