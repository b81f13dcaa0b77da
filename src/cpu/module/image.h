/* image.h - compiled kernels (image/image.h) in memory.
 *
 * image.c checks an image's tables and answers questions about it,
 * image_elf.c places and relocates its code, image_symbols.c holds the
 * functions that code may call.  Used by the module functions and by the
 * fault handler.
 *
 * Locks: none; an image is immutable once loaded.  Loading and unloading
 * different images at once is allowed.
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

/* Bytes of the whole image that starts at `bytes`, as its header says, or 0
 * if it is none of ours.  Reads sizeof(struct image_header) bytes. */
size_t cpu_image_size(const void *bytes);

/* image_text.c */

/* The image as text that begins as PTX does, for the architecture sm_<arch>;
 * `named` is an image that has the table of its kernels.  The caller frees it;
 * NULL: out of memory. */
char *cpu_image_text_make(const void *image, size_t bytes, const void *named,
                          int arch, size_t *length);
/* Is this an image as text?  Reads up to `most` bytes, SIZE_MAX: as far as
 * the text is one. */
bool cpu_image_is_text(const void *bytes, size_t most);
/* The image in a text, which ends with a zero or after `most` bytes; the
 * caller frees it.  CUDA_ERROR_INVALID_IMAGE: the text is damaged or cut
 * off. */
CUresult cpu_image_text_read(const void *text, size_t most, void **image,
                             size_t *bytes);

/* Checks header, checksum and tables.  CUDA_SUCCESS and the kind, or
 * CUDA_ERROR_INVALID_IMAGE with a text in `error` (may be NULL). */
CUresult cpu_image_check(const void *bytes, size_t size, uint32_t *kind,
                         char *error, size_t error_size);

/* Makes a native image ready to run.  `bytes` must stay until the image is
 * unloaded.  CUDA_ERROR_INVALID_IMAGE: damaged, or of kind IMAGE_BITCODE;
 * CUDA_ERROR_NO_BINARY_FOR_GPU: this CPU lacks the instructions;
 * CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND: it calls what we do not have;
 * CUDA_ERROR_OUT_OF_MEMORY. */
CUresult cpu_image_load(const void *bytes, size_t size,
                        struct cpu_image **image, char *error,
                        size_t error_size);
void cpu_image_unload(struct cpu_image *image); /* NULL: nothing */

/* Is the address in the code of a loaded image?  Async-signal-safe. */
bool cpu_image_contains(const void *address);
/* The same for code and data. */
bool cpu_image_holds(const void *address);

struct cpu_image_kernel {
    const char *name;
    const struct image_kernel *row;
    const struct image_parameter *parameters; /* row->parameter_count */
    void *entry;      /* image_loop_entry or image_thread_entry: row->flags */
    void *warp_entry; /* image_loop_entry, or NULL */
};

struct cpu_image_global {
    const char *name;
    const struct image_global *row;
    void *address;
};

unsigned cpu_image_kernel_count(const struct cpu_image *image);
unsigned cpu_image_global_count(const struct cpu_image *image);
/* `index` below the count. */
void cpu_image_kernel_at(const struct cpu_image *image, unsigned index,
                         struct cpu_image_kernel *kernel);
void cpu_image_global_at(const struct cpu_image *image, unsigned index,
                         struct cpu_image_global *global);
/* false: no such name. */
bool cpu_image_find_kernel(const struct cpu_image *image, const char *name,
                           struct cpu_image_kernel *kernel);
bool cpu_image_find_global(const struct cpu_image *image, const char *name,
                           struct cpu_image_global *global);

/* image_symbols.c: the address of a function that code may call, or NULL. */
void *cpu_image_symbol(const char *name);

/* image_elf.c */

struct cpu_code {
    char *memory; /* one mapping: code, stubs, then data */
    size_t bytes;
    size_t code_bytes;
    const char *elf;
    size_t elf_bytes;
    uint64_t *sections; /* address of each section in `memory`, or 0 */
    struct cpu_region *region;
    struct jit_code_entry *debug; /* of code that debuggers know; or NULL */
};

/* image_debug.c: code with line tables becomes known to debuggers. */
void cpu_code_publish(struct cpu_code *code);
void cpu_code_withdraw(struct cpu_code *code);

CUresult cpu_code_load(struct cpu_code *code, const void *elf, size_t size,
                       char *error, size_t error_size);
void cpu_code_unload(struct cpu_code *code);
/* The address of a defined symbol with at least `bytes` bytes after it in
 * its section, or NULL. */
void *cpu_code_find(const struct cpu_code *code, const char *symbol,
                    uint64_t bytes);

#endif
