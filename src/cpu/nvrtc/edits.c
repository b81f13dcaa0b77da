/* edits.c - a list of changes to a source, which are applied together.
 *
 * Called by all files of this folder that change a source, such as rewrite.c
 * and dialect.c. Positions are byte offsets in the source before all edits.
 * Edits at the same position keep the order in which they were added. Without
 * state; a list is used by one thread.
 *
 * SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/text.h"

void
nvrtc_edits_add(struct nvrtc_edits *edits, size_t at, size_t drop,
                const char *format, ...)
{
    size_t i = edits->count;
    char *text = NULL;
    va_list arguments;

    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    struct nvrtc_edit *edit =
        realloc(edits->edit, (i + 1) * sizeof *edits->edit);
    if (edit) {
        edits->edit = edit;
    }
    if (edit == NULL || length < 0) {
        free(length < 0 ? NULL : text);
        edits->failed = nvrtc_memory_failed = true;
        return;
    }
    for (; i > 0 && edit[i - 1].at > at; i--) {
        edit[i] = edit[i - 1];
    }
    edit[i] = (struct nvrtc_edit){at, drop, text};
    edits->count++;
}

bool
nvrtc_edits_touch(const struct nvrtc_edits *edits, size_t at)
{
    for (size_t i = 0; i < edits->count; i++) {
        if (edits->edit[i].at == at) {
            return true;
        }
    }
    return false;
}

char *
nvrtc_edits_make(const struct nvrtc_edits *edits, const char *source)
{
    struct nvrtc_text text = {0};
    size_t at = 0;

    for (size_t i = 0; i < edits->count; i++) {
        const struct nvrtc_edit *edit = &edits->edit[i];
        if (edit->at > at) {
            nvrtc_text_add(&text, source + at, edit->at - at);
            at = edit->at;
        }
        nvrtc_text_print(&text, "%s", edit->text);
        at = edit->at + edit->drop > at ? edit->at + edit->drop : at;
    }
    nvrtc_text_print(&text, "%s", source + at);
    if (text.failed || edits->failed) {
        nvrtc_text_free(&text);
    }
    return text.bytes;
}

void
nvrtc_edits_free(struct nvrtc_edits *edits)
{
    for (size_t i = 0; i < edits->count; i++) {
        free(edits->edit[i].text);
    }
    free(edits->edit);
    *edits = (struct nvrtc_edits){0};
}
