/* start_twin.c - the driver's part of a start: cuInit and a context.
 *
 * usage: start_twin LIBRARY.  Run by start.py, which times the process.
 *
 * SPDX-License-Identifier: MIT */
#include <dlfcn.h>
#include <stdio.h>

int
main(int count, char **words)
{
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
    return 0;
}
