/* start_twin.c - the driver's part of a start: cuInit and a context.
 *
 * usage: start_twin LIBRARY.  Run by start.py; prints the seconds that opening
 * the library, cuInit and cuCtxCreate took, as JSON.
 *
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdio.h>
#include <time.h>

static double
seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int
main(int count, char **words)
{
    const double start = seconds();
    void *library = dlopen(count > 1 ? words[1] : "", RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int (*init)(unsigned) = (int (*)(unsigned))dlsym(library, "cuInit");
    int (*create)(void **, unsigned, int) =
        (int (*)(void **, unsigned, int))dlsym(library, "cuCtxCreate_v2");
    void *context;
    if (init == NULL || create == NULL || init(0) != 0 ||
        create(&context, 0, 0) != 0) {
        fprintf(stderr, "no context on device 0\n");
        return 1;
    }
    printf("{\"seconds\": %.6f}\n", seconds() - start);
    return 0;
}
