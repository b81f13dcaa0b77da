/* replay.c - runs a fuzz target on files, without a fuzzing engine.
 *
 * Used for coverage, and for the corpus under gcc's sanitizers.
 *
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

static void
file_run(const char *path)
{
    static uint8_t bytes[1 << 20];
    FILE *file = fopen(path, "rb");

    if (!file) {
        perror(path);
        exit(2);
    }
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    LLVMFuzzerTestOneInput(bytes, size);
}

int
main(int count, char **paths)
{
    for (int i = 1; i < count; i++) {
        file_run(paths[i]);
    }
    printf("%d inputs\n", count - 1);
    return 0;
}
