/* libdevice.c - defines the functions of libdevice that a source declares.
 *
 * Called by frontend_retry.c. nvcc and NVRTC link NVIDIA's library of bitcode
 * to each source, so that a source can declare the library's functions itself:
 * extern "C" __device__ float __nv_sinf(float). For each such name, the macro
 * that defines the function (in the header cpu/libdevice.h) is added to the
 * source. A name without a macro is a function of the program, or stays
 * unresolved. Without state.
 *
 * SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "cpu/nvrtc/libdevice.h"
#include "cpu/nvrtc/text.h"
#include "cpu/nvrtc/tokens.h"

enum { NAMES_MOST = 512 };

static const char prefix[] = "__nv_";
#define PREFIX (sizeof prefix - 1)

/* Names that begin with __nv_ and one of these words are no functions of
 * libdevice, but types and functions of CUDA's headers. */
static const char *const others[] = {"atomic", "bfloat", "bswap",
                                     "cvt",    "fp",     "hdl"};

static bool
is_function(struct nvrtc_token name)
{
    if (name.n <= PREFIX || memcmp(name.start, prefix, PREFIX)) {
        return false;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!strncmp(name.start + PREFIX, others[i], strlen(others[i]))) {
            return false;
        }
    }
    return true;
}

/* Returns true if the array `names` contains the name. Otherwise adds it to
 * the array, unless that is full. */
static bool
is_known(struct nvrtc_token *names, size_t *count, struct nvrtc_token name)
{
    for (size_t i = 0; i < *count; i++) {
        if (names[i].n == name.n &&
            !memcmp(names[i].start, name.start, name.n)) {
            return true;
        }
    }
    if (*count < NAMES_MOST) {
        names[(*count)++] = name;
    }
    return false;
}

void
nvrtc_libdevice_write(struct nvrtc_text *text, const char *source,
                      const char *headers)
{
    struct nvrtc_tokens tokens = {
        .at = source, .line_begins = true, .directives = true};
    struct nvrtc_token names[NAMES_MOST];
    size_t count = 0;

    if (strstr(source, prefix) == NULL) {
        return;
    }
    while (nvrtc_token_read(&tokens)) {
        struct nvrtc_token name = tokens.last;
        if (!is_function(name) || is_known(names, &count, name)) {
            continue;
        }
        if (count == 1) {
            nvrtc_text_print(text, "#include \"%s/cpu/libdevice.h\"\n",
                             headers);
        }
        int n = (int)(name.n - 2);
        nvrtc_text_print(text, "#ifdef __pycuda_%.*s\n__pycuda_%.*s\n#endif\n",
                         n, name.start + 2, n, name.start + 2);
    }
}
