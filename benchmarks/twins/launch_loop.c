/* launch_loop.c - launches a kernel many times, for scaling.py.
 *
 * A shared library, loaded into the process that is measured; the context
 * is the current one.  Codes of the driver are returned as negative seconds.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "seconds.h"

static int (*load)(void **, const void *);
static int (*get_function)(void **, void *, const char *);
static int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                     unsigned, unsigned, void *, void **, void **);
static int (*copy)(uint64_t, uint64_t, size_t, void *);
static int (*synchronize)(void);

/* 0, or -1 where the library lacks a function. */
int
loop_open(const char *file)
{
    void *library = dlopen(file, RTLD_NOW);
    if (!library) {
        return -1;
    }
    *(void **)&load = dlsym(library, "cuModuleLoadData");
    *(void **)&get_function = dlsym(library, "cuModuleGetFunction");
    *(void **)&launch = dlsym(library, "cuLaunchKernel");
    *(void **)&copy = dlsym(library, "cuMemcpyDtoDAsync_v2");
    *(void **)&synchronize = dlsym(library, "cuCtxSynchronize");
    return load && get_function && launch && copy && synchronize ? 0 : -1;
}

int
loop_module(const void *image, void **module)
{
    return load(module, image);
}

int
loop_function(void *module, const char *name, void **function)
{
    return get_function(function, module, name);
}

/* Seconds of `count` launches in a row and a wait for the last. */
double
loop_run(void *function, unsigned grid, unsigned block_x, unsigned block_y,
         void **arguments, int count)
{
    int code = synchronize();
    double start = seconds();
    for (int i = 0; i < count && code == 0; i++) {
        code = launch(function, grid, 1, 1, block_x, block_y, 1, 0, NULL,
                      arguments, NULL);
    }
    code = code ? code : synchronize();
    return code ? -(double)code : seconds() - start;
}

/* The same for copies within the device. */
double
loop_copy(uint64_t target, uint64_t source, size_t bytes, int count)
{
    int code = synchronize();
    double start = seconds();
    for (int i = 0; i < count && code == 0; i++) {
        code = copy(target, source, bytes, NULL);
    }
    code = code ? code : synchronize();
    return code ? -(double)code : seconds() - start;
}
