/* image.h - compiled kernels (image/image.h) in memory.
 *
 * image.c checks an image's tables and looks up kernels and variables,
 * image_elf.c loads and relocates the code, and image_symbols.c lists the
 * functions that the code may call. Used by the module functions and by the
 * fault handler.
 *
 * No locks are needed, since a loaded image is immutable. Different images may
 * be loaded and unloaded concurrently.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_IMAGE_H
#define PYCUDA_CPU_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "api/cuda_types.h"
#include "image/image.h"

struct cpu_image;

/* Returns the size in bytes of the image at `bytes`, according to its header.
 * Returns 0 if it is not an image. Reads only the first sizeof(struct
 * image_header) bytes. */
size_t cpu_image_size(const void *bytes);
/* Returns the size in bytes of the image at `bytes`, or 0 if it is not an
 * image. Reads no byte after the first one that differs from the magic number
 * of images, so that `bytes` may be any shorter data, such as a text. */
size_t cpu_image_bytes(const void *bytes);

/* ---- image_text.c: images as text ---- */

/* Encodes the image as text: the PTX `ptx`, then the image in comments. If
 * `ptx` is NULL, the text begins like PTX for the architecture sm_<arch>, with
 * an empty kernel for each kernel in the table of the image `named`. The
 * caller frees the result. Returns NULL if there is not enough memory. */
char *cpu_image_text_make(const void *image, size_t bytes, const void *named,
                          int arch, const char *ptx, size_t *length);
/* Returns true if `bytes` is an image in text form, and its PTX is unchanged
 * since the text was made. Reads at most `most`
 * bytes; SIZE_MAX means that the text ends with a zero byte. */
bool cpu_image_is_text(const void *bytes, size_t most);
/* Decodes the image in a text that ends with a zero byte or after `most`
 * bytes. The caller frees the image. Returns INVALID_IMAGE if the text is
 * damaged or truncated, or OUT_OF_MEMORY. */
CUresult cpu_image_text_read(const void *text, size_t most, void **image,
                             size_t *bytes);

/* Checks header, checksum and tables of an image, and stores its kind (native
 * or bitcode). If they are invalid, returns INVALID_IMAGE, and writes a text
 * to `error` unless that is NULL. */
CUresult cpu_image_check(const void *bytes, size_t size, uint32_t *kind,
                         char *error, size_t error_size);

/* Loads a native image so that it can run. `bytes` must exist until the image
 * is unloaded. Returns INVALID_IMAGE for a damaged image or one of kind
 * IMAGE_BITCODE, NO_BINARY_FOR_GPU if this CPU lacks the required
 * instructions, SHARED_OBJECT_SYMBOL_NOT_FOUND if the code calls an unknown
 * function, or OUT_OF_MEMORY. */
CUresult cpu_image_load(const void *bytes, size_t size,
                        struct cpu_image **image, char *error,
                        size_t error_size);
/* Loads a native image like cpu_image_load. A variable that the image
 * `variables` also defines is shared: the code uses the memory of `variables`,
 * which must exist until the new image is unloaded. `variables` may be
 * NULL. */
CUresult cpu_image_load_over(const void *bytes, size_t size,
                             const struct cpu_image *variables,
                             struct cpu_image **image, char *error,
                             size_t error_size);
/* Unmaps the code of an image and frees it. The image may be NULL. */
void cpu_image_unload(struct cpu_image *image);

/* Returns true if the address is in the machine code of a loaded image.
 * Async-signal-safe. */
bool cpu_image_contains_code(const void *address);
/* Returns true if the address is in the machine code or the data of a loaded
 * image. Async-signal-safe. */
bool cpu_image_contains(const void *address);

struct cpu_image_kernel {
    const char *name;
    const struct image_kernel *row;
    /* The kernel's parameters, a table in the image. */
    const struct image_parameter *parameters;
    /* Function that runs a block (image_loop_entry) or one thread
     * (image_thread_entry), depending on the flags. */
    void *entry;
    /* Function (image_loop_entry) that runs blocks warp by warp, or NULL. */
    void *warp_entry;
};

struct cpu_image_global {
    const char *name;
    const struct image_global *row;
    void *address;
};

/* Return the number of kernels, or of global variables, in the image. */
unsigned cpu_image_kernel_count(const struct cpu_image *image);
unsigned cpu_image_global_count(const struct cpu_image *image);
/* Return the kernel, or the global variable, with this index. `index` must be
 * less than the count. */
void cpu_image_kernel_at(const struct cpu_image *image, unsigned index,
                         struct cpu_image_kernel *kernel);
void cpu_image_global_at(const struct cpu_image *image, unsigned index,
                         struct cpu_image_global *global);
/* Look up a kernel or a global variable by name. Return false if there is
 * none. */
bool cpu_image_find_kernel(const struct cpu_image *image, const char *name,
                           struct cpu_image_kernel *kernel);
bool cpu_image_find_global(const struct cpu_image *image, const char *name,
                           struct cpu_image_global *global);

/* Returns the address of the variable with this ELF symbol, or NULL if there
 * is none. */
void *cpu_image_variable(const struct cpu_image *image, const char *symbol);

/* image_symbols.c: returns the address of a function that kernel code may
 * call, or NULL if there is no such function. */
void *cpu_image_symbol(const char *name);

/* Code and data of a loaded ELF object (image_elf.c). */

struct cpu_code {
    char *memory; /* one mapping for code, stubs and data */
    size_t bytes;
    size_t code_bytes;
    const char *elf;
    size_t elf_bytes;
    /* Address of each section in `memory`; 0: not loaded. */
    uint64_t *sections;
    struct cpu_region *region;
    struct jit_code_entry *debug; /* entry in the debugger's list, or NULL */
};

/* image_debug.c: add code that has line tables to the debugger's list, and
 * remove it from the list. */
void cpu_code_publish(struct cpu_code *code);
void cpu_code_withdraw(struct cpu_code *code);

/* Load, relocate and unload the ELF object of an image. `elf` must exist until
 * the code is unloaded. If the image `variables` also defines a variable of
 * the object, the code uses the variable of `variables`, which may be NULL. On
 * failure, writes a text to `error`. */
CUresult cpu_code_load(struct cpu_code *code, const void *elf, size_t size,
                       const struct cpu_image *variables, char *error,
                       size_t error_size);
void cpu_code_unload(struct cpu_code *code);
/* Returns the address of a symbol that the object defines. Returns NULL if
 * there is none, or if the symbol's section ends less than `bytes` bytes after
 * the symbol. */
void *cpu_code_find(const struct cpu_code *code, const char *symbol,
                    uint64_t bytes);

#endif
