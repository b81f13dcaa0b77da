/* report_text.c - texts of reports: source locations, names and JSON.
 *
 * SPDX-License-Identifier: MIT */
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cpu/check/report_text.h"
#include "image/abi.h"

/* number of bytes of a source line that a report shows */
#define LINE_MAX_BYTES 160

void
cpu_check_text_add(struct cpu_check_text *text, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    int n = vsnprintf(text->bytes + text->length, text->size - text->length,
                      format, list);
    va_end(list);
    if (n > 0) {
        text->length += (size_t)n;
    }
    if (text->length >= text->size) {
        text->length = text->size - 1;
    }
}

void
cpu_check_text_add_json(struct cpu_check_text *text, const char *key,
                        const char *value)
{
    cpu_check_text_add(text, ", \"%s\": \"", key);
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        if (c == '"' || c == '\\') {
            cpu_check_text_add(text, "\\%c", c);
        } else if (c < 32) {
            cpu_check_text_add(text, "\\u%04x", c);
        } else {
            cpu_check_text_add(text, "%c", c);
        }
    }
    cpu_check_text_add(text, "\"");
}

void
cpu_check_text_add_site(struct cpu_check_text *text,
                        const struct image_site *site)
{
    if (site && site->line) {
        cpu_check_text_add(text, "%s:%u:%u", site->file, site->line,
                           site->column);
    } else {
        cpu_check_text_add(text, "%s", "an unknown location");
    }
}

void
cpu_check_text_add_source(struct cpu_check_text *text,
                          const struct image_site *site)
{
    if (!site || !site->line || !*site->text) {
        return;
    }
    cpu_check_text_add(text, "\n%5u | %.*s\n      | ", site->line,
                       LINE_MAX_BYTES, site->text);
    for (unsigned i = 1;
         i < site->column && i < LINE_MAX_BYTES && site->text[i - 1]; i++) {
        /* Tabs of the source line are copied, so that the caret is below the
         * right character. */
        cpu_check_text_add(text, "%c", site->text[i - 1] == '\t' ? '\t' : ' ');
    }
    cpu_check_text_add(text, "^");
}

void
cpu_check_kernel_name(char *to, size_t size, const char *name)
{
    struct cpu_check_text text = {to, size, 0};
    bool nested = strncmp(name, "_ZN", 3) == 0;
    const char *at = name + (nested ? 3 : 2);

    to[0] = 0;
    if (strncmp(name, "_Z", 2) != 0 || *at < '1' || *at > '9') {
        cpu_check_text_add(&text, "%s", name);
        return;
    }
    do {
        char *word;
        unsigned long n = strtoul(at, &word, 10);
        if (strlen(word) < n) {
            return;
        }
        cpu_check_text_add(&text, "%s%.*s", text.length ? "::" : "", (int)n,
                           word);
        at = word + n;
    } while (nested && *at >= '1' && *at <= '9');
}

void
cpu_check_json_write(const struct cpu_check_text *text)
{
    const char *path = getenv("PYCUDA_CPU_CHECK_REPORT");
    int file =
        path && *path
            ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666)
            : -1;

    if (file >= 0) {
        /* A failed write to the file is ignored, since the report is on
         * stderr, too. */
        ssize_t unused = write(file, text->bytes, text->length);
        (void)unused;
        close(file);
    }
}
