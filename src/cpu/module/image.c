/* image.c - checks images and provides their kernels and variables.
 *
 * Called by the module functions. Every offset and count in an image is
 * checked against the image's size before it is used, because images may come
 * from damaged files. Loaded images are immutable, so no lock is needed.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/arch/arch.h"
#include "cpu/module/image.h"

struct cpu_image {
    const char *bytes;
    const struct image_header *header;
    const struct image_kernel *kernels;
    const struct image_parameter *parameters;
    const struct image_global *globals;
    const char *strings;
    struct cpu_code code;
    /* two functions per kernel: the first runs a block or a thread; the second
     * runs blocks warp by warp and is NULL if the kernel has no such
     * version */
    void **entries;
    void **addresses; /* address of each global variable */
};

size_t
cpu_image_size(const void *bytes)
{
    struct image_header header;
    memcpy(&header, bytes, sizeof header);
    if (header.magic != IMAGE_MAGIC || header.bytes < sizeof header) {
        return 0;
    }
    return (size_t)header.bytes;
}

/* Writes the error text `text` to the buffer `error` and returns `code`. */
static CUresult
refuse(char *error, size_t error_size, CUresult code, const char *text)
{
    if (error && error_size) {
        snprintf(error, error_size, "%s", text);
    }
    return code;
}

/* Computes the checksum of the image as if its checksum field were zero. */
static uint64_t
checksum(const char *bytes, size_t size)
{
    const size_t start = offsetof(struct image_header, checksum);
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = i - start < 8 ? 0 : (unsigned char)bytes[i];
        hash = (hash ^ byte) * 0x100000001b3u;
    }
    return hash;
}

static bool
table_fits(const struct image_header *header, uint64_t offset, uint64_t count,
           uint64_t row, uint64_t alignment)
{
    return offset <= header->bytes && offset % alignment == 0 &&
           count <= (header->bytes - offset) / row;
}

/* Returns true if all tables of the image are inside it and aligned. */
static bool
tables_fit(const struct image_header *header)
{
    return table_fits(header, header->kernels, header->kernel_count,
                      sizeof(struct image_kernel), 4) &&
           table_fits(header, header->parameters, header->parameter_count,
                      sizeof(struct image_parameter), 4) &&
           table_fits(header, header->globals, header->global_count,
                      sizeof(struct image_global), 8) &&
           table_fits(header, header->strings, header->string_bytes, 1, 1) &&
           table_fits(header, header->payload, header->payload_bytes, 1, 8) &&
           table_fits(header, header->full_input, header->full_input_bytes, 1,
                      1) &&
           table_fits(header, header->full_arguments,
                      header->full_arguments_bytes, 1, 1);
}

static void
find_tables(struct cpu_image *image, const void *bytes)
{
    image->bytes = bytes;
    image->header = bytes;
    image->kernels = (const void *)(image->bytes + image->header->kernels);
    image->parameters =
        (const void *)(image->bytes + image->header->parameters);
    image->globals = (const void *)(image->bytes + image->header->globals);
    image->strings = image->bytes + image->header->strings;
}

/* Returns true if the names, symbols and parameters of all kernels and
 * variables are inside their tables, and if the string table ends with a zero
 * byte. */
static bool
rows_are_right(const struct cpu_image *image)
{
    const struct image_header *header = image->header;
    uint64_t names = header->string_bytes;
    if ((header->kernel_count || header->global_count) &&
        (!names || image->strings[names - 1])) {
        return false;
    }
    const char *arguments = image->bytes + header->full_arguments;
    if (header->full_arguments_bytes &&
        arguments[header->full_arguments_bytes - 1]) {
        return false;
    }
    for (uint32_t i = 0; i < header->kernel_count; i++) {
        const struct image_kernel *row = &image->kernels[i];
        if (row->name >= names || row->symbol >= names ||
            row->warp_symbol >= names ||
            row->first_parameter > header->parameter_count ||
            row->parameter_count >
                header->parameter_count - row->first_parameter) {
            return false;
        }
        for (uint32_t k = 0; k < row->parameter_count; k++) {
            const struct image_parameter *parameter =
                &image->parameters[row->first_parameter + k];
            if ((uint64_t)parameter->offset + parameter->bytes >
                row->parameter_bytes) {
                return false;
            }
        }
    }
    for (uint32_t i = 0; i < header->global_count; i++) {
        if (image->globals[i].name >= names ||
            image->globals[i].symbol >= names) {
            return false;
        }
    }
    return true;
}

CUresult
cpu_image_check(const void *bytes, size_t size, uint32_t *kind, char *error,
                size_t error_size)
{
    struct cpu_image image;
    const struct image_header *header = bytes;
    const char *wrong = NULL;
    if (size < sizeof *header || (uintptr_t)bytes % 8 ||
        header->magic != IMAGE_MAGIC) {
        wrong = "not an image of the CPU device";
    } else if (header->version != IMAGE_VERSION) {
        wrong = "the image was made for another version of the CPU device";
    } else if (header->bytes > size || header->bytes < sizeof *header) {
        wrong = "damaged image: it is shorter than its header says";
    } else if (header->checksum != checksum(bytes, header->bytes)) {
        wrong = "damaged image: the checksum is wrong";
    } else if (!tables_fit(header)) {
        wrong = "damaged image: a table is outside of it";
    } else {
        find_tables(&image, bytes);
        if (!rows_are_right(&image)) {
            wrong = "damaged image: a table's row is wrong";
        }
    }
    if (wrong) {
        return refuse(error, error_size, CUDA_ERROR_INVALID_IMAGE, wrong);
    }
    *kind = header->kind;
    return CUDA_SUCCESS;
}

/* Finds the address of a kernel's function. Returns false if the symbol is
 * missing, or if its address is not in machine code. */
static bool
find_entry(struct cpu_image *image, uint32_t symbol, void **entry)
{
    *entry = cpu_code_find(&image->code, image->strings + symbol, 1);
    return cpu_image_contains_code(*entry);
}

/* Allocates a struct cpu_image with tables for the kernels and variables that
 * the image header at `bytes` declares. Returns NULL if there is not enough
 * memory. */
static struct cpu_image *
image_new(const void *bytes)
{
    const struct image_header *header = bytes;
    struct cpu_image *image = calloc(1, sizeof *image);

    if (!image) {
        return NULL;
    }
    image->entries =
        calloc(2 * (header->kernel_count + 1u), sizeof *image->entries);
    image->addresses =
        calloc(header->global_count + 1u, sizeof *image->addresses);
    if (!image->entries || !image->addresses) {
        cpu_image_unload(image);
        return NULL;
    }
    return image;
}

void *
cpu_image_variable(const struct cpu_image *image, const char *symbol)
{
    for (uint32_t i = 0; i < image->header->global_count; i++) {
        if (strcmp(image->strings + image->globals[i].symbol, symbol) == 0) {
            return image->addresses[i];
        }
    }
    return NULL;
}

/* Finds the functions of all kernels and the addresses of all variables.
 * Returns false if a symbol is missing, or if the address of a variable is in
 * machine code. */
static bool
find_addresses(struct cpu_image *image)
{
    const struct image_header *header = image->header;

    for (uint32_t i = 0; i < header->kernel_count; i++) {
        const struct image_kernel *row = &image->kernels[i];
        bool both = row->flags & IMAGE_KERNEL_WARPS;
        if (!find_entry(image, row->symbol, &image->entries[2 * i]) ||
            (both && !find_entry(image, row->warp_symbol,
                                 &image->entries[2 * i + 1]))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < header->global_count; i++) {
        const char *symbol = image->strings + image->globals[i].symbol;
        image->addresses[i] =
            cpu_code_find(&image->code, symbol, image->globals[i].bytes);
        if (!image->addresses[i] ||
            cpu_image_contains_code(image->addresses[i])) {
            return false;
        }
    }
    return true;
}

CUresult
cpu_image_load(const void *bytes, size_t size, struct cpu_image **out,
               char *error, size_t error_size)
{
    return cpu_image_load_over(bytes, size, NULL, out, error, error_size);
}

CUresult
cpu_image_load_over(const void *bytes, size_t size,
                    const struct cpu_image *variables, struct cpu_image **out,
                    char *error, size_t error_size)
{
    uint32_t kind;
    CUresult result = cpu_image_check(bytes, size, &kind, error, error_size);
    if (result != CUDA_SUCCESS) {
        return result;
    }
    if (kind != IMAGE_NATIVE) {
        return refuse(error, error_size, CUDA_ERROR_INVALID_IMAGE,
                      "the image contains no machine code");
    }
    if (!cpu_arch_runs(((const struct image_header *)bytes)->target)) {
        return refuse(error, error_size, CUDA_ERROR_NO_BINARY_FOR_GPU,
                      "the image was made for another CPU");
    }
    struct cpu_image *image = image_new(bytes);
    if (!image) {
        return refuse(error, error_size, CUDA_ERROR_OUT_OF_MEMORY,
                      "out of memory");
    }
    find_tables(image, bytes);
    result = cpu_code_load(&image->code, image->bytes + image->header->payload,
                           (size_t)image->header->payload_bytes, variables,
                           error, error_size);
    if (result == CUDA_SUCCESS && !find_addresses(image)) {
        result = refuse(error, error_size, CUDA_ERROR_INVALID_IMAGE,
                        "damaged image: a kernel or variable is missing");
    }
    if (result != CUDA_SUCCESS) {
        cpu_image_unload(image);
        return result;
    }
    *out = image;
    return CUDA_SUCCESS;
}

void
cpu_image_unload(struct cpu_image *image)
{
    if (!image) {
        return;
    }
    cpu_code_unload(&image->code);
    free(image->entries);
    free(image->addresses);
    free(image);
}

unsigned
cpu_image_kernel_count(const struct cpu_image *image)
{
    return image->header->kernel_count;
}

unsigned
cpu_image_global_count(const struct cpu_image *image)
{
    return image->header->global_count;
}

void
cpu_image_kernel_at(const struct cpu_image *image, unsigned index,
                    struct cpu_image_kernel *kernel)
{
    kernel->row = &image->kernels[index];
    kernel->name = image->strings + kernel->row->name;
    kernel->parameters = image->parameters + kernel->row->first_parameter;
    kernel->entry = image->entries[2 * index];
    kernel->warp_entry = image->entries[2 * index + 1];
}

void
cpu_image_global_at(const struct cpu_image *image, unsigned index,
                    struct cpu_image_global *global)
{
    global->row = &image->globals[index];
    global->name = image->strings + global->row->name;
    global->address = image->addresses[index];
}

bool
cpu_image_find_kernel(const struct cpu_image *image, const char *name,
                      struct cpu_image_kernel *kernel)
{
    for (unsigned i = 0; i < cpu_image_kernel_count(image); i++) {
        cpu_image_kernel_at(image, i, kernel);
        if (strcmp(kernel->name, name) == 0) {
            return true;
        }
    }
    return false;
}

bool
cpu_image_find_global(const struct cpu_image *image, const char *name,
                      struct cpu_image_global *global)
{
    for (unsigned i = 0; i < cpu_image_global_count(image); i++) {
        cpu_image_global_at(image, i, global);
        if (strcmp(global->name, name) == 0) {
            return true;
        }
    }
    return false;
}

/* Returns whether `bytes` begins with the magic number of images. Stops at the
 * first byte that differs from it, since `bytes` may be shorter. */
static bool
begins_with_magic(const void *bytes)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < sizeof(uint64_t); i++) {
        if (at[i] != (IMAGE_MAGIC >> (8 * i) & 0xff)) {
            return false;
        }
    }
    return true;
}

size_t
cpu_image_bytes(const void *bytes)
{
    return begins_with_magic(bytes) ? cpu_image_size(bytes) : 0;
}
