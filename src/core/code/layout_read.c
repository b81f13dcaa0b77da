/* layout_read.c - reads the parameter layouts (offsets and sizes) of a
 * module's kernels from its image, the compiled code.
 *
 * A CPU device's image contains a table of layouts (image/image.h); a cubin
 * has .nv.info sections (layout_cubin.c). For any other image the module's
 * table stays empty, and function.c asks the driver instead. Images may come
 * from a damaged cache file, so every offset is checked.
 *
 * SPDX-License-Identifier: MIT */
#include <elf.h>

#include "core/code/layout.h"
#include "core/code/layout_cubin.h"
#include "core/code/layout_read.h"

#include "image/image.h"

#define FATBIN_MAGIC 0xba55ed50u

/* Returns whether a table of `count` entries with `row` bytes each, at
 * `offset`, is inside an image of `bytes` bytes. */
static bool
table_fits(uint64_t offset, uint64_t count, size_t row, uint64_t bytes)
{
    return offset <= bytes && count <= (bytes - offset) / row;
}

/* Returns whether the image has the current version and contains the tables
 * that its header declares. */
static bool
image_valid(const struct image_header *header, size_t bytes)
{
    return header->version == IMAGE_VERSION && header->bytes <= bytes &&
           table_fits(header->kernels, header->kernel_count,
                      sizeof(struct image_kernel), header->bytes) &&
           table_fits(header->parameters, header->parameter_count,
                      sizeof(struct image_parameter), header->bytes) &&
           table_fits(header->strings, header->string_bytes, 1, header->bytes);
}

/* Adds the layout of one kernel of a CPU device's image. Skips the kernel if
 * its offsets are invalid. */
static void
image_read_kernel(const char *image, const struct image_header *header,
                  const struct image_kernel *kernel,
                  struct core_layouts *layouts)
{
    if (kernel->name >= header->string_bytes ||
        kernel->first_parameter > header->parameter_count ||
        kernel->parameter_count >
            header->parameter_count - kernel->first_parameter) {
        return;
    }
    const char *name = image + header->strings + kernel->name;
    size_t length = strnlen(name, header->string_bytes - kernel->name);
    struct core_layout *layout =
        core_layouts_add(layouts, name, length, kernel->parameter_count);
    if (layout == NULL) {
        return;
    }
    layout->known = true;
    layout->bytes = 0;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        struct image_parameter parameter;
        memcpy(&parameter,
               image + header->parameters +
                   (kernel->first_parameter + i) * sizeof parameter,
               sizeof parameter);
        layout->parameters[i] = (struct core_parameter){
            .offset = parameter.offset, .bytes = parameter.bytes};
        if (parameter.offset + parameter.bytes > layout->bytes) {
            layout->bytes = parameter.offset + parameter.bytes;
        }
        if (parameter.offset > UINT16_MAX || parameter.bytes > UINT16_MAX) {
            layout->known = false;
        }
    }
}

/* Reads the layouts of all kernels of a CPU device's image. */
static void
image_read(const char *image, size_t bytes, struct core_layouts *layouts)
{
    struct image_header header;
    uint64_t parameters = 0;
    memcpy(&header, image, sizeof header);
    if (!image_valid(&header, bytes)) {
        return;
    }
    for (uint32_t i = 0; i < header.kernel_count; i++) {
        struct image_kernel kernel;
        memcpy(&kernel, image + header.kernels + i * sizeof kernel,
               sizeof kernel);
        parameters += kernel.parameter_count;
        if (parameters > header.parameter_count) {
            /* The image is damaged, since each parameter entry belongs to one
             * kernel only. Without this check the layouts of a damaged image
             * could need much more memory than the image. */
            return;
        }
        image_read_kernel(image, &header, &kernel, layouts);
    }
    layouts->complete = true;
}

/* Returns whether the image begins with the magic number of the CPU device's
 * images. */
bool
core_image_of_cpu(const void *image, size_t bytes)
{
    const uint64_t magic = IMAGE_MAGIC;
    return bytes >= sizeof magic && memcmp(image, &magic, sizeof magic) == 0;
}

/* Returns whether `count` entries of `row` bytes each, from offset `start`,
 * are inside an image of `bytes` bytes. */
static bool
rows_inside(uint64_t start, uint64_t count, uint64_t row, size_t bytes)
{
    return start <= bytes && (!count || row <= (bytes - start) / count);
}

/* Returns whether the tables and sections of a cubin are inside its `bytes`
 * bytes. NVIDIA's driver does not check that and would read past the end. */
static bool
cubin_is_complete(const char *image, size_t bytes)
{
    Elf64_Ehdr header;

    if (bytes < sizeof header) {
        return false;
    }
    memcpy(&header, image, sizeof header);
    if (!rows_inside(header.e_shoff, header.e_shnum, header.e_shentsize,
                     bytes) ||
        !rows_inside(header.e_phoff, header.e_phnum, header.e_phentsize,
                     bytes)) {
        return false;
    }
    if (header.e_shentsize < sizeof(Elf64_Shdr)) {
        return header.e_shnum == 0;
    }
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr row;

        memcpy(&row, image + header.e_shoff + i * header.e_shentsize,
               sizeof row);
        if (row.sh_type != SHT_NOBITS && row.sh_type != SHT_NULL &&
            !rows_inside(row.sh_offset, 1, row.sh_size, bytes)) {
            return false;
        }
    }
    return true;
}

/* The first fields of a fatbin's header. */
struct fatbin_header {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t bytes; /* size in bytes of the data after the header */
};

/* Returns whether the fatbin is at least as long as its header declares. */
static bool
fatbin_is_complete(const char *image, size_t bytes)
{
    struct fatbin_header header;

    if (bytes < sizeof header) {
        return false;
    }
    memcpy(&header, image, sizeof header);
    return rows_inside(header.header_bytes, 1, header.bytes, bytes);
}

static bool
begins_with(const void *image, size_t bytes, const void *magic, size_t length)
{
    return bytes >= length && memcmp(image, magic, length) == 0;
}

/* Returns false if a cubin, a fatbin or an image of the CPU device is shorter
 * than its headers declare. The driver is not given the length and would read
 * past the end. Returns true for PTX and other formats. If the image has fewer
 * bytes than a magic number, compares only these bytes, so that a truncated
 * image is recognized, too. */
bool
core_image_is_complete(const void *image, size_t bytes)
{
    const uint64_t magic = IMAGE_MAGIC;
    const uint32_t fatbin = FATBIN_MAGIC;
    struct image_header header;
    size_t compared = bytes < sizeof magic ? bytes : sizeof magic;

    if (begins_with(image, bytes, ELFMAG, SELFMAG)) {
        return cubin_is_complete(image, bytes);
    }
    if (begins_with(image, bytes, &fatbin, sizeof fatbin)) {
        return fatbin_is_complete(image, bytes);
    }
    if (memcmp(image, &magic, compared)) {
        return true; /* PTX text, or a format that only the driver knows */
    }
    if (bytes < sizeof header) {
        return false;
    }
    memcpy(&header, image, sizeof header);
    return header.bytes <= bytes;
}

/* Reads the parameter layouts of all kernels of an image into `layouts`.
 * Leaves out kernels whose layout cannot be read. */
void
core_layouts_read(const void *image, size_t bytes,
                  struct core_layouts *layouts)
{
    uint64_t magic;
    *layouts = (struct core_layouts){0};
    if (bytes >= sizeof(struct image_header)) {
        memcpy(&magic, image, sizeof magic);
        if (magic == IMAGE_MAGIC) {
            image_read(image, bytes, layouts);
            return;
        }
    }
    core_layouts_read_cubin(image, bytes, layouts);
}
