/* text.c - fuzz target: images as text with a PTX-like beginning.
 *
 * An input that begins with the image's magic is written as text and read
 * again, any other is read as text: once with a length, once up to its
 * terminating zero.
 *
 * SPDX-License-Identifier: MIT */
#include "image.h"

#include "cpu/module/image.h"

static void
read_back(char *image, size_t size)
{
    uint32_t kind;
    size_t length, bytes;
    void *repeated;

    image_seal(image, size);
    if (cpu_image_check(image, size, &kind, NULL, 0)) {
        return;
    }
    size = cpu_image_size(image);
    char *text = cpu_image_text_make(image, size, image, 90, NULL, &length);
    FUZZ_REQUIRE(text && strlen(text) <= length);
    FUZZ_REQUIRE(cpu_image_is_text(text, SIZE_MAX));
    if (!cpu_image_text_read(text, SIZE_MAX, &repeated, &bytes)) {
        FUZZ_REQUIRE(bytes == size && !memcmp(repeated, image, size));
        free(repeated);
    } else { /* a kernel's name may contain a line break */
        FUZZ_REQUIRE(memmem(text, length, "\n//$", 4) != NULL);
    }
    free(text);
}

static void
text_read(const char *text, size_t most)
{
    size_t bytes = 0;
    void *image = NULL;

    cpu_image_is_text(text, most);
    if (cpu_image_text_read(text, most, &image, &bytes) == CUDA_SUCCESS) {
        FUZZ_REQUIRE(bytes >= sizeof(struct image_header));
        FUZZ_REQUIRE(cpu_image_size(image) <= bytes);
        free(image);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = fuzz_copy(data, size, false);

    if (size >= sizeof(struct image_header) && cpu_image_size(copy)) {
        read_back(copy, size);
    } else {
        char *terminated = fuzz_copy(data, size, true);
        text_read(copy, size);
        text_read(terminated, SIZE_MAX);
        free(terminated);
    }
    free(copy);
    return 0;
}
