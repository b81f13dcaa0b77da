/* test_loader.c - damaged images are rejected and never crash the loader.
 *
 * Truncates an image at every length, changes random bytes with a wrong or a
 * corrected checksum, and checks the results that have their own error code.
 * Best run under ASan and UBSan.
 *
 * usage: test_loader image image_that_calls
 *
 * SPDX-License-Identifier: MIT */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static unsigned failures;
static char *original;
static size_t size;

static void
expect(bool right, const char *what)
{
    if (!right) {
        failures++;
        printf("FAILED: %s\n", what);
    }
}

static void
seal(char *bytes, size_t length)
{
    struct image_header *header = (struct image_header *)bytes;
    uint64_t hash = 0xcbf29ce484222325u;
    header->checksum = 0;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    }
    header->checksum = hash;
}

/* Loads a copy of exactly `length` bytes, so that ASan detects overruns. */
static CUresult
load(const char *bytes, size_t length)
{
    char error[100];
    struct cpu_image *image = NULL;
    char *copy = malloc(length ? length : 1);
    memcpy(copy, bytes, length);
    CUresult result =
        cpu_image_load(copy, length, &image, error, sizeof error);
    if (result == CUDA_SUCCESS) {
        cpu_image_unload(image);
    }
    free(copy);
    return result;
}

static void
test_truncated(void)
{
    for (size_t length = 0; length < size; length++) {
        if (load(original, length) != CUDA_ERROR_INVALID_IMAGE) {
            expect(false, "a truncated image is refused");
            return;
        }
    }
}

static void
test_changed(bool sealed)
{
    char *bytes = malloc(size);
    unsigned loaded = 0;
    srand(1);
    for (int round = 0; round < 20000; round++) {
        memcpy(bytes, original, size);
        for (int k = rand() % 4; k >= 0; k--) {
            size_t at = (size_t)rand() % size;
            bytes[at] = (char)(bytes[at] ^ (1 + rand() % 255));
        }
        if (sealed) {
            seal(bytes, size);
        }
        loaded += load(bytes, size) == CUDA_SUCCESS;
    }
    if (!sealed) {
        expect(loaded == 0, "a wrong checksum is refused");
    }
    free(bytes);
}

static void
test_answers(void)
{
    char *bytes = malloc(size);
    struct image_header *header = (struct image_header *)bytes;
    memcpy(bytes, original, size);
    expect(load(bytes, size) == CUDA_SUCCESS, "the image itself loads");
    expect(cpu_image_size(bytes) == size, "its size");
    strcpy(header->target, "z80");
    seal(bytes, size);
    expect(load(bytes, size) == CUDA_ERROR_NO_BINARY_FOR_GPU,
           "an image for another CPU");
    memcpy(bytes, original, size);
    header->kind = IMAGE_BITCODE;
    seal(bytes, size);
    expect(load(bytes, size) == CUDA_ERROR_INVALID_IMAGE,
           "bitcode is not loadable");
    memcpy(bytes, original, size);
    header->version++;
    seal(bytes, size);
    expect(load(bytes, size) == CUDA_ERROR_INVALID_IMAGE, "another version");
    free(bytes);
}

/* Returns the first relocation of the first loaded section that has any, or
 * NULL; `end` is set to that section's size. */
static Elf64_Rela *
find_relocation(char *bytes, uint64_t *end)
{
    char *elf = bytes + ((struct image_header *)bytes)->payload;
    const Elf64_Ehdr *head = (const Elf64_Ehdr *)elf;
    const Elf64_Shdr *rows = (const Elf64_Shdr *)(elf + head->e_shoff);

    for (unsigned i = 0; i < head->e_shnum; i++) {
        const Elf64_Shdr *target = &rows[rows[i].sh_info];
        if (rows[i].sh_type == SHT_RELA && rows[i].sh_size > 0 &&
            target->sh_flags & SHF_ALLOC) {
            *end = target->sh_size;
            return (Elf64_Rela *)(elf + rows[i].sh_offset);
        }
    }
    return NULL;
}

/* Every kind of relocation here changes at least four bytes. */
static void
test_relocation_at_the_end(void)
{
    char *bytes = malloc(size);
    uint64_t end = 0;
    memcpy(bytes, original, size);
    Elf64_Rela *row = find_relocation(bytes, &end);
    expect(row != NULL, "the image has relocations");
    for (uint64_t left = 0; row && left < 4; left++) {
        row->r_offset = end - left;
        seal(bytes, size);
        expect(load(bytes, size) == CUDA_ERROR_INVALID_IMAGE,
               "a relocation beyond its section is refused");
    }
    if (row) {
        row->r_offset = end - 8;
        seal(bytes, size);
        expect(load(bytes, size) == CUDA_SUCCESS, "one at the end loads");
    }
    free(bytes);
}

static void
test_contains(void)
{
    char error[100];
    struct cpu_image *image = NULL;
    struct cpu_image_kernel kernel;
    expect(cpu_image_load(original, size, &image, error, sizeof error) ==
               CUDA_SUCCESS,
           "loads again");
    cpu_image_kernel_at(image, 0, &kernel);
    expect(cpu_image_contains_code(kernel.entry), "code is in an image");
    expect(!cpu_image_contains_code(original), "other memory is not");
    cpu_image_unload(image);
    expect(!cpu_image_contains_code(kernel.entry),
           "nor code that was unloaded");
}

static void
read_image(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(2);
    }
    fseek(file, 0, SEEK_END);
    size = (size_t)ftell(file);
    free(original);
    original = malloc(size);
    rewind(file);
    expect(fread(original, 1, size, file) == size, "the file is read");
    fclose(file);
}

int
main(int count, char **arguments)
{
    if (count != 3) {
        fprintf(stderr, "usage: test_loader image image_that_calls\n");
        return 2;
    }
    read_image(arguments[1]);
    test_answers();
    test_truncated();
    test_changed(false);
    test_changed(true);
    test_contains();
    read_image(arguments[2]);
    test_relocation_at_the_end();
    free(original);
    printf("%u failures\n", failures);
    return failures != 0;
}
