/* edits.h - a list of changes to a source, which are applied together.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_EDITS_H
#define PYCUDA_CPU_NVRTC_EDITS_H

#include <stdbool.h>
#include <stddef.h>

struct nvrtc_edit {
    /* byte offset in the source; number of bytes to remove there */
    size_t at, drop;
    char *text; /* text to insert at `at` */
};

struct nvrtc_edits {
    struct nvrtc_edit *edit; /* array of the edits, sorted by `at` */
    size_t count;
    bool failed; /* an allocation failed; checked by nvrtc_edits_make */
};

/* Adds an edit: at offset `at`, removes `drop` bytes and inserts formatted
 * text. */
void nvrtc_edits_add(struct nvrtc_edits *edits, size_t at, size_t drop,
                     const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Returns true if the list has an edit at the byte offset `at`. */
bool nvrtc_edits_touch(const struct nvrtc_edits *edits, size_t at);
/* Returns the edited source, which the caller frees, or NULL if out of
 * memory. */
char *nvrtc_edits_make(const struct nvrtc_edits *edits, const char *source);
/* Frees the memory of the list. */
void nvrtc_edits_free(struct nvrtc_edits *edits);

#endif
