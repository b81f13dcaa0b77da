/* layout_cubin.c - kernel parameters from a cubin's .nv.info sections.
 *
 * A cubin is an ELF64 file. Its section ".nv.info.<kernel>" holds attribute
 * records. A record begins with a format byte, an attribute number of one
 * byte, and two bytes whose meaning depends on the format: unused, an inline
 * value, or the length of the payload that follows. Attribute 0x17 describes
 * one parameter in 12 bytes: its index, its offset and, in the top 14 bits of
 * the last word, its size. Attribute 0x19 has the size of all parameters
 * together. If the sizes of the parameters do not add up to it, the layout
 * counts as unknown.
 *
 * SPDX-License-Identifier: MIT */
#include "core/code/layout.h"
#include "core/code/layout_cubin.h"

#include <elf.h>

enum {
    FORMAT_SIZED = 0x04,
    ATTRIBUTE_PARAMETER = 0x17,
    ATTRIBUTE_PARAMETER_BYTES = 0x19,
    PARAMETER_RECORD = 12,
    MAX_PARAMETERS = 4096,
};

static const char prefix[] = ".nv.info.";

struct record {
    uint8_t format, attribute;
    /* inline value of the record, or the length of its payload in bytes */
    uint16_t value;
    const unsigned char *payload;
};

/* Reads the record at *offset and advances *offset. Returns false at the end
 * of the section or if the record is truncated. */
static bool
record_next(const unsigned char *section, size_t bytes, size_t *offset,
            struct record *record)
{
    if (bytes - *offset < 4) {
        return false;
    }
    const unsigned char *at = section + *offset;
    record->format = at[0];
    record->attribute = at[1];
    memcpy(&record->value, at + 2, sizeof record->value);
    record->payload = at + 4;
    *offset += 4;
    if (record->format == FORMAT_SIZED) {
        if (bytes - *offset < record->value) {
            return false;
        }
        *offset += record->value;
    }
    return true;
}

static bool
is_parameter(const struct record *record)
{
    return record->format == FORMAT_SIZED &&
           record->attribute == ATTRIBUTE_PARAMETER &&
           record->value >= PARAMETER_RECORD;
}

/* Returns the number of parameters that a .nv.info section describes, and
 * stores their total size in bytes. */
static uint32_t
parameters_count(const unsigned char *section, size_t bytes, uint32_t *total)
{
    struct record record;
    uint32_t count = 0;
    *total = 0;
    for (size_t offset = 0; record_next(section, bytes, &offset, &record);) {
        count += is_parameter(&record);
        if (record.attribute == ATTRIBUTE_PARAMETER_BYTES &&
            record.format != FORMAT_SIZED) {
            *total = record.value;
        }
    }
    return count;
}

/* Reads the .nv.info section of one kernel and adds the layout to
 * `layouts`. */
static void
section_read(const unsigned char *section, size_t bytes, const char *kernel,
             size_t length, struct core_layouts *layouts)
{
    uint32_t total, seen = 0;
    uint32_t count = parameters_count(section, bytes, &total);
    struct record record;
    if (count > MAX_PARAMETERS) {
        return;
    }
    struct core_layout *layout =
        core_layouts_add(layouts, kernel, length, count);
    if (layout == NULL) {
        return;
    }
    for (size_t offset = 0; record_next(section, bytes, &offset, &record);) {
        uint16_t ordinal, parameter_offset;
        uint32_t word;
        if (!is_parameter(&record)) {
            continue;
        }
        memcpy(&ordinal, record.payload + 4, sizeof ordinal);
        memcpy(&parameter_offset, record.payload + 6, sizeof parameter_offset);
        memcpy(&word, record.payload + 8, sizeof word);
        if (ordinal >= count || layout->parameters[ordinal].bytes != 0) {
            return;
        }
        layout->parameters[ordinal] = (struct core_parameter){
            .offset = parameter_offset, .bytes = word >> 18};
        seen += word >> 18 != 0;
        if (parameter_offset + (word >> 18) > layout->bytes) {
            layout->bytes = parameter_offset + (word >> 18);
        }
    }
    layout->known =
        seen == count && layout->bytes <= total && (count > 0 || total == 0);
}

static bool
part_fits(uint64_t offset, uint64_t size, size_t bytes)
{
    return offset <= bytes && size <= bytes - offset;
}

void
core_layouts_read_cubin(const unsigned char *image, size_t bytes,
                        struct core_layouts *layouts)
{
    Elf64_Ehdr header;
    Elf64_Shdr names, section;
    if (bytes < sizeof header || memcmp(image, ELFMAG, SELFMAG) != 0 ||
        image[EI_CLASS] != ELFCLASS64) {
        return;
    }
    memcpy(&header, image, sizeof header);
    if (header.e_shentsize != sizeof section ||
        header.e_shstrndx >= header.e_shnum ||
        !part_fits(header.e_shoff, (uint64_t)header.e_shnum * sizeof section,
                   bytes)) {
        return;
    }
    const unsigned char *table = image + header.e_shoff;
    memcpy(&names, table + header.e_shstrndx * sizeof names, sizeof names);
    if (!part_fits(names.sh_offset, names.sh_size, bytes)) {
        return;
    }
    const char *text = (const char *)image + names.sh_offset;
    /* bytes of all sections read so far; if they exceed the file, sections
     * overlap and the file is damaged */
    size_t read = 0;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        memcpy(&section, table + i * sizeof section, sizeof section);
        if (section.sh_name >= names.sh_size ||
            !part_fits(section.sh_offset, section.sh_size, bytes)) {
            continue;
        }
        const char *name = text + section.sh_name;
        size_t length = strnlen(name, names.sh_size - section.sh_name);
        if (length >= sizeof prefix &&
            memcmp(name, prefix, sizeof prefix - 1) == 0) {
            read += section.sh_size;
            if (read > bytes) {
                return;
            }
            section_read(image + section.sh_offset, section.sh_size,
                         name + sizeof prefix - 1,
                         length - (sizeof prefix - 1), layouts);
        }
    }
    layouts->complete = true;
}
