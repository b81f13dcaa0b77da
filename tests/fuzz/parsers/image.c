/* image.c - fuzz target: images of the CPU device, from header to code.
 *
 * SPDX-License-Identifier: MIT */
#include "image.h"

#include "cpu/module/image.h"

static void
kernels_read(const struct cpu_image *image)
{
    struct cpu_image_kernel kernel, same;

    for (unsigned i = 0; i < cpu_image_kernel_count(image); i++) {
        cpu_image_kernel_at(image, i, &kernel);
        FUZZ_REQUIRE(cpu_image_contains_code(kernel.entry));
        FUZZ_REQUIRE(cpu_image_find_kernel(image, kernel.name, &same));
        for (uint32_t k = 0; k < kernel.row->parameter_count; k++) {
            FUZZ_REQUIRE((uint64_t)kernel.parameters[k].offset +
                             kernel.parameters[k].bytes <=
                         kernel.row->parameter_bytes);
        }
    }
    cpu_image_find_kernel(image, "no such kernel", &kernel);
}

/* Reads and writes each variable completely. */
static void
globals_use(const struct cpu_image *image)
{
    struct cpu_image_global global, same;

    for (unsigned i = 0; i < cpu_image_global_count(image); i++) {
        cpu_image_global_at(image, i, &global);
        FUZZ_REQUIRE(cpu_image_find_global(image, global.name, &same));
        FUZZ_REQUIRE(cpu_image_contains(global.address));
        if (global.row->bytes) {
            char *last = (char *)global.address + global.row->bytes - 1;
            FUZZ_REQUIRE(cpu_image_contains(last));
            *last = *(volatile char *)global.address;
        }
    }
    cpu_image_find_global(image, "no such variable", &global);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cpu_image *image;
    char *bytes = fuzz_copy(data, size, false), error[128];

    image_seal(bytes, size);
    if (size >= sizeof(struct image_header)) {
        size_t told = cpu_image_size(bytes);
        FUZZ_REQUIRE(told == 0 || told >= sizeof(struct image_header));
    }
    if (cpu_image_load(bytes, size, &image, error, sizeof error) ==
        CUDA_SUCCESS) {
        kernels_read(image);
        globals_use(image);
        cpu_image_unload(image);
    }
    cpu_image_unload(NULL);
    free(bytes);
    return 0;
}
