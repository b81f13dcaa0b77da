/* architecture.c - the compute capabilities that the CPU device can have.
 *
 * cuInit selects the capability once (PYCUDA_CPU_ARCH); attributes, occupancy
 * and limits of launches read it. Each row has the limits of a real GPU, since
 * programs may have a table of limits for each capability: V100, T4, A100,
 * A10, L4 and H100.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/architecture.h"
#include "cpu/exports/system_errors.h"

static const struct cpu_architecture architectures[] = {
    {70, 2048, 32, 96 << 10, 96 << 10, 0},
    {75, 1024, 16, 64 << 10, 64 << 10, 0},
    {80, 2048, 32, 164 << 10, 163 << 10, 1 << 10},
    {86, 1536, 16, 100 << 10, 99 << 10, 1 << 10},
    {89, 1536, 24, 100 << 10, 99 << 10, 1 << 10},
    {90, 2048, 32, 228 << 10, 227 << 10, 1 << 10},
};

enum { COUNT = sizeof architectures / sizeof *architectures, DEFAULT = 2 };

static const struct cpu_architecture *selected = &architectures[DEFAULT];

const struct cpu_architecture *
cpu_architecture(void)
{
    return selected;
}

/* Parses "sm_80", "compute_80", "80" or "8.0". Returns 0 for other texts. */
static int
number_of(const char *text)
{
    static const char *const prefixes[] = {"sm_", "compute_"};

    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
        size_t length = strlen(prefixes[i]);

        if (strncmp(text, prefixes[i], length) == 0) {
            text += length;
            break;
        }
    }
    if (text[0] < '0' || text[0] > '9') {
        return 0;
    }
    const char *minor = text + 1 + (text[1] == '.');
    return minor[0] >= '0' && minor[0] <= '9' && !minor[1]
               ? 10 * (text[0] - '0') + minor[0] - '0'
               : 0;
}

CUresult
cpu_architecture_configure(void)
{
    const char *text = getenv("PYCUDA_CPU_ARCH");

    selected = &architectures[DEFAULT];
    if (!text || !*text) {
        return CUDA_SUCCESS;
    }
    int number = number_of(text);
    for (size_t i = 0; i < COUNT; i++) {
        if (architectures[i].number == number) {
            selected = &architectures[i];
            return CUDA_SUCCESS;
        }
    }
    return cpu_setting_error_set(
        "PYCUDA_CPU_ARCH is '%.40s'; it must be sm_70, sm_75, sm_80 (the "
        "default), sm_86, sm_89 or sm_90",
        text);
}
