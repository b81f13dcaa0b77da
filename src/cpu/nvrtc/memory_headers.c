/* memory_headers.c - writes headers that the caller passed as strings to
 * files.
 *
 * The files of a compilation are in a new temporary folder, which is removed
 * after the compilation. Called by compile.c in any thread.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cpu/nvrtc/memory_headers.h"
#include "cpu/nvrtc/program.h"
#include "cpu/nvrtc/text.h"

/* Returns true if the header's name is a relative path without "..", so that
 * the file is inside the temporary folder. */
static bool
name_contained(const char *name)
{
    if (name[0] == 0 || name[0] == '/') {
        return false;
    }
    for (const char *part = name; part;) {
        if (!strncmp(part, "..", 2) && (part[2] == '/' || part[2] == 0)) {
            return false;
        }
        part = strchr(part, '/');
        part = part ? part + 1 : NULL;
    }
    return true;
}

static bool
parents_make(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = 0;
        int code = mkdir(path, 0700);
        *slash = '/';
        if (code && errno != EEXIST) {
            return false;
        }
    }
    return true;
}

static bool
header_write(const struct nvrtc_header *header, const char *folder,
             struct nvrtc_text *log)
{
    char path[PATH_MAX];

    if (!name_contained(header->name)) {
        nvrtc_text_print(log,
                         "nvrtc: error: a header given in memory needs a "
                         "relative name without \"..\", not \"%s\"\n",
                         header->name);
        return false;
    }
    int n = snprintf(path, sizeof path, "%s/%s", folder, header->name);
    FILE *file = NULL;
    errno = ENAMETOOLONG;
    if (n < PATH_MAX && parents_make(path)) {
        file = fopen(path, "we");
    }
    bool right = file && fputs(header->source, file) >= 0;
    if (file && fclose(file)) {
        right = false;
    }
    if (!right) {
        nvrtc_text_print(log,
                         "nvrtc: error: cannot write the header %s, %zu "
                         "bytes, to %s: %s; TMPDIR can name another place\n",
                         header->name, strlen(header->source), path,
                         strerror(errno));
    }
    return right;
}

bool
nvrtc_memory_headers_write(const struct _nvrtcProgram *program,
                           char path[PATH_MAX], struct nvrtc_text *log)
{
    const char *parent = getenv("TMPDIR");

    path[0] = 0;
    if (program->header_count == 0) {
        return true;
    }
    int n = snprintf(path, PATH_MAX, "%s/pycuda-headers-XXXXXX",
                     parent && *parent ? parent : "/tmp");
    if (n >= PATH_MAX || mkdtemp(path) == NULL) {
        nvrtc_text_print(log,
                         "nvrtc: error: cannot make a folder in %s for "
                         "headers given in memory: %s; TMPDIR can name "
                         "another place\n",
                         parent && *parent ? parent : "/tmp",
                         n >= PATH_MAX ? strerror(ENAMETOOLONG)
                                       : strerror(errno));
        path[0] = 0;
        return false;
    }
    for (int i = 0; i < program->header_count; i++) {
        if (!header_write(&program->headers[i], path, log)) {
            nvrtc_memory_headers_remove(program, path);
            path[0] = 0;
            return false;
        }
    }
    return true;
}

/* Removes the header's file from the temporary folder, and each parent folder
 * of the file that becomes empty. */
static void
header_remove(const struct nvrtc_header *header, const char *folder)
{
    char path[PATH_MAX];
    size_t n = strlen(folder);

    if (snprintf(path, sizeof path, "%s/%s", folder, header->name) >=
        PATH_MAX) {
        return;
    }
    unlink(path);
    for (char *slash = strrchr(path, '/'); slash && slash > path + n;
         slash = strrchr(path, '/')) {
        *slash = 0;
        if (rmdir(path)) {
            break;
        }
    }
}

void
nvrtc_memory_headers_remove(const struct _nvrtcProgram *program,
                            const char *path)
{
    if (path[0] == 0) {
        return;
    }
    for (int i = 0; i < program->header_count; i++) {
        if (name_contained(program->headers[i].name)) {
            header_remove(&program->headers[i], path);
        }
    }
    rmdir(path);
}
