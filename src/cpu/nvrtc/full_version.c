/* full_version.c - compiles the full version of a quick version, and caches
 * it.
 *
 * Called when a module is loaded, and by the thread that replaces quick
 * versions (module/upgrade.c). A cache file (image_cache.c) is named after a
 * hash of the quick version, which contains the input of pycuda-jit and its
 * arguments. Thread-safe, without state.
 *
 * SPDX-License-Identifier: MIT */
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/nvrtc/cache_file.h"
#include "cpu/nvrtc/full_version.h"
#include "cpu/nvrtc/headers.h"
#include "cpu/nvrtc/image_cache.h"
#include "cpu/nvrtc/jit_process.h"
#include "cpu/nvrtc/process.h"
#include "cpu/nvrtc/text.h"
#include "image/image.h"

const char *
nvrtc_quick_option(void)
{
    const char *given = getenv("PYCUDA_CPU_QUICK");

    if (given && strcmp(given, "0") == 0) {
        return NULL;
    }
    return given && strcmp(given, "always") == 0 ? "--quick-now" : "--quick";
}

bool
nvrtc_image_is_quick(const struct image_header *image)
{
    return image->full_input_bytes != 0;
}

bool
nvrtc_full_version_path(const struct image_header *quick, char path[PATH_MAX])
{
    struct nvrtc_digest digest = {0};

    nvrtc_digest_add(&digest, quick, (size_t)quick->bytes);
    return nvrtc_image_cache_path(&digest, path);
}

/* Adds the arguments of the full compilation to `argv`. */
static void
arguments_add(const struct image_header *quick, struct nvrtc_strings *argv)
{
    const char *word = (const char *)quick + quick->full_arguments;
    const char *end = word + quick->full_arguments_bytes;

    for (; word < end; word += strlen(word) + 1) {
        nvrtc_strings_add(argv, "%s", word);
    }
    nvrtc_strings_add(argv, "--replaces");
}

/* Runs pycuda-jit and moves its output to `full`. */
static bool
compile(const struct image_header *quick, struct nvrtc_strings *argv,
        struct nvrtc_text *full)
{
    struct nvrtc_process process = {0};

    if (argv->failed || nvrtc_process_start(&process, argv->word)) {
        return false;
    }
    int code =
        nvrtc_process_finish(&process, (const char *)quick + quick->full_input,
                             (size_t)quick->full_input_bytes);
    bool made = !code && process.is_status_known && process.status == 0 &&
                nvrtc_jit_image_is_complete(&process.out);
    if (made) {
        *full = process.out;
        process.out = (struct nvrtc_text){0};
    }
    nvrtc_process_free(&process);
    return made;
}

bool
nvrtc_full_version_build(const struct image_header *quick, const char *path,
                         struct nvrtc_text *full)
{
    struct nvrtc_strings argv = {0};
    char compiler[PATH_MAX];

    *full = (struct nvrtc_text){0};
    if (!nvrtc_image_compiler(compiler)) {
        return false;
    }
    nvrtc_strings_add(&argv, "%s", compiler);
    arguments_add(quick, &argv);
    bool made = compile(quick, &argv, full);
    nvrtc_strings_free(&argv);
    if (made && path[0]) {
        nvrtc_cache_file_put(path, full);
    }
    return made;
}
