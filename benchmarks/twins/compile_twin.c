/* compile_twin.c - the libraries' part of a SourceModule: seconds for NVRTC to
 * compile a source and for the driver to load the image.
 *
 * usage: compile_twin LIBCUDA LIBNVRTC FILE NAME [OPTION ...]
 * compiles FILE, then FILE once more, leaves the image in FILE.image and
 * prints both times, the first with opening NVRTC.
 *
 * usage: compile_twin LIBCUDA - FILE NAME
 * reads FILE.image, loads it and prints the time.
 *
 * Both find the kernel NAME in it.  Run by compile.py in processes of their
 * own, whose context is there when the clock starts.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "seconds.h"

struct image {
    char *bytes;
    size_t size;
};

static void
fail(const char *what, int code)
{
    fprintf(stderr, "compile_twin: %s failed with code %d\n", what, code);
    exit(1);
}

static void
check(int code, const char *what)
{
    if (code) {
        fail(what, code);
    }
}

static void *
open_library(const char *name)
{
    void *library = dlopen(name, RTLD_NOW);

    if (library == NULL) {
        fprintf(stderr, "compile_twin: %s\n", dlerror());
        exit(1);
    }
    return library;
}

static void *
symbol(void *library, const char *name)
{
    void *address = dlsym(library, name);

    if (address == NULL) {
        fail(name, -1);
    }
    return address;
}

/* The whole file; a byte of zero is behind it. */
static struct image
read_file(const char *path)
{
    struct image file = {NULL, 0};
    FILE *stream = fopen(path, "rb");
    long size;

    if (stream == NULL || fseek(stream, 0, SEEK_END) != 0 ||
        (size = ftell(stream)) < 0 || fseek(stream, 0, SEEK_SET) != 0 ||
        (file.bytes = calloc(1, (size_t)size + 1)) == NULL) {
        fail(path, -1);
    }
    file.size = fread(file.bytes, 1, (size_t)size, stream);
    fclose(stream);
    return file;
}

static void
write_file(const char *path, struct image file)
{
    FILE *stream = fopen(path, "wb");

    if (stream == NULL ||
        fwrite(file.bytes, 1, file.size, stream) != file.size ||
        fclose(stream) != 0) {
        fail(path, -1);
    }
}

static void
make_context(void *cuda)
{
    int (*init)(unsigned) = (int (*)(unsigned))symbol(cuda, "cuInit");
    int (*create)(void **, unsigned, int) =
        (int (*)(void **, unsigned, int))symbol(cuda, "cuCtxCreate_v2");
    void *context;

    check(init(0), "cuInit");
    check(create(&context, 0, 0), "cuCtxCreate");
}

static void
load(void *cuda, struct image image, const char *name)
{
    int (*load_data)(void **, const void *) =
        (int (*)(void **, const void *))symbol(cuda, "cuModuleLoadData");
    int (*get)(void **, void *, const char *) =
        (int (*)(void **, void *, const char *))symbol(cuda,
                                                       "cuModuleGetFunction");
    void *module, *function;

    check(load_data(&module, image.bytes), "cuModuleLoadData");
    check(get(&function, module, name), "cuModuleGetFunction");
}

/* As src/api/nvrtc_loader.c does: memory that is freed stays. */
static void
heap_keep(void)
{
    void *volatile block = malloc(16 << 20);
    free(block);
}

static struct image
compile(void *nvrtc, const char *source, int count, char **options)
{
    typedef int (*create_t)(void **, const char *, const char *, int,
                            const char *const *, const char *const *);
    typedef int (*compile_t)(void *, int, const char *const *);
    create_t create = (create_t)symbol(nvrtc, "nvrtcCreateProgram");
    compile_t run = (compile_t)symbol(nvrtc, "nvrtcCompileProgram");
    int (*get_size)(void *, size_t *) =
        (int (*)(void *, size_t *))symbol(nvrtc, "nvrtcGetCUBINSize");
    int (*get)(void *, char *) =
        (int (*)(void *, char *))symbol(nvrtc, "nvrtcGetCUBIN");
    struct image image = {NULL, 0};
    void *program;

    check(create(&program, source, "kernel.cu", 0, NULL, NULL),
          "nvrtcCreateProgram");
    check(run(program, count, (const char *const *)options),
          "nvrtcCompileProgram");
    check(get_size(program, &image.size), "nvrtcGetCUBINSize");
    if ((image.bytes = malloc(image.size + 1)) == NULL) {
        fail("malloc", -1);
    }
    check(get(program, image.bytes), "nvrtcGetCUBIN");
    return image;
}

int
main(int count, char **words)
{
    if (count < 5) {
        fail("compile_twin LIBCUDA LIBNVRTC FILE NAME", count);
    }
    void *cuda = open_library(words[1]);
    int compiles = strcmp(words[2], "-") != 0;
    struct image source = {NULL, 0}, image;
    char image_path[4096];
    double start, middle, end;

    if ((size_t)snprintf(image_path, sizeof(image_path), "%s.image",
                         words[3]) >= sizeof(image_path)) {
        fail("the file's name", -1);
    }
    if (compiles) {
        source = read_file(words[3]);
    }
    make_context(cuda);
    start = seconds();
    if (!compiles) {
        load(cuda, read_file(image_path), words[4]);
        printf("{\"kept\": %.9f}\n", seconds() - start);
        return 0;
    }
    void *nvrtc = open_library(words[2]);
    heap_keep();
    load(cuda, compile(nvrtc, source.bytes, count - 5, words + 5), words[4]);
    middle = seconds();
    image = compile(nvrtc, source.bytes, count - 5, words + 5);
    load(cuda, image, words[4]);
    end = seconds();
    write_file(image_path, image);
    printf("{\"first\": %.9f, \"later\": %.9f}\n", middle - start,
           end - middle);
    return 0;
}
