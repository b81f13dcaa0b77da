/* printf.c - the device's printf.
 *
 * Kernels call __pycuda_vprintf; the text is formatted at once and kept in the
 * context's buffer (its size is CU_LIMIT_PRINTF_FIFO_SIZE; the oldest lines
 * give way) until a synchronisation writes it to stdout.  One lock a buffer,
 * never held while the kernel's memory is read.
 *
 * SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu.h"

#define SPEC_MAX 64 /* characters of one conversion */

struct cpu_fifo {
    pthread_mutex_t lock;
    char *text;
    size_t used, capacity;
    size_t first; /* dropped bytes at the start */
    atomic_bool filled;
};

struct cpu_fifo *
cpu_fifo_new(void)
{
    struct cpu_fifo *fifo = calloc(1, sizeof *fifo);

    if (fifo) {
        pthread_mutex_init(&fifo->lock, NULL);
    }
    return fifo;
}

void
cpu_fifo_delete(struct cpu_fifo *fifo)
{
    pthread_mutex_destroy(&fifo->lock);
    free(fifo->text);
    free(fifo);
}

/* Makes room for one more record; the lock is held.  A record is its length
 * and its bytes. */
static bool
fifo_reserve(struct cpu_fifo *fifo, size_t bytes, size_t limit)
{
    while (fifo->used - fifo->first + bytes > limit &&
           fifo->first < fifo->used) {
        uint32_t length;

        memcpy(&length, fifo->text + fifo->first, sizeof length);
        fifo->first += sizeof length + length;
    }
    if (fifo->first && fifo->first > fifo->capacity / 2) {
        memmove(fifo->text, fifo->text + fifo->first,
                fifo->used - fifo->first);
        fifo->used -= fifo->first;
        fifo->first = 0;
    }
    if (fifo->used + bytes > fifo->capacity) {
        size_t capacity = 2 * (fifo->used + bytes);
        char *text = realloc(fifo->text, capacity);

        if (!text) {
            return false;
        }
        fifo->text = text;
        fifo->capacity = capacity;
    }
    return bytes <= limit;
}

static void
fifo_add(struct cpu_context *ctx, const char *text, size_t length)
{
    struct cpu_fifo *fifo = ctx->fifo;
    uint32_t stored = (uint32_t)length;

    pthread_mutex_lock(&fifo->lock);
    if (fifo_reserve(fifo, sizeof stored + length,
                     ctx->limits[CU_LIMIT_PRINTF_FIFO_SIZE])) {
        memcpy(fifo->text + fifo->used, &stored, sizeof stored);
        memcpy(fifo->text + fifo->used + sizeof stored, text, length);
        fifo->used += sizeof stored + length;
    }
    pthread_mutex_unlock(&fifo->lock);
    atomic_store(&fifo->filled, true);
}

void
cpu_fifo_flush(struct cpu_context *ctx)
{
    struct cpu_fifo *fifo = ctx->fifo;

    if (!atomic_load_explicit(&fifo->filled, memory_order_acquire)) {
        return;
    }
    pthread_mutex_lock(&fifo->lock);
    atomic_store(&fifo->filled, false);
    for (size_t at = fifo->first; at < fifo->used;) {
        uint32_t length;

        memcpy(&length, fifo->text + at, sizeof length);
        fwrite(fifo->text + at + sizeof length, 1, length, stdout);
        at += sizeof length + length;
    }
    fifo->first = fifo->used = 0;
    fflush(stdout);
    pthread_mutex_unlock(&fifo->lock);
}

/* ---- formatting ---- */

struct text {
    char *bytes;
    size_t used, capacity;
    char local[512];
};

struct arguments {
    const char *at;
    int taken;
};

struct spec {
    char text[SPEC_MAX]; /* a host conversion, stars replaced */
    size_t length;
    char conversion;
    bool wide;  /* 64 bits: l, ll, z, j, t */
    int narrow; /* h: 1, hh: 2 */
};

static void
text_put(struct text *text, const char *bytes, size_t n)
{
    if (text->used + n + 1 > text->capacity) {
        size_t capacity = 2 * (text->used + n + 1);
        char *grown = text->bytes == text->local
                          ? malloc(capacity)
                          : realloc(text->bytes, capacity);

        if (!grown) {
            return;
        }
        if (text->bytes == text->local) {
            memcpy(grown, text->local, text->used);
        }
        text->bytes = grown;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->used, bytes, n);
    text->used += n;
}

/* The next packed argument: natural alignment, 4 or 8 bytes. */
static uint64_t
argument_take(struct arguments *arguments, size_t bytes)
{
    uintptr_t at = ((uintptr_t)arguments->at + bytes - 1) & ~(bytes - 1);
    uint64_t value = 0;

    memcpy(&value, (const void *)at, bytes);
    arguments->at = (const char *)at + bytes;
    arguments->taken++;
    return value;
}

static void
spec_add(struct spec *spec, char c)
{
    if (spec->length < SPEC_MAX - 8) {
        spec->text[spec->length++] = c;
    }
}

/* `*`: the number stands in the arguments. */
static void
spec_star(struct spec *spec, struct arguments *arguments)
{
    char digits[16];
    int n = snprintf(digits, sizeof digits, "%d",
                     (int)(int32_t)argument_take(arguments, 4));

    for (int i = 0; i < n; i++) {
        spec_add(spec, digits[i]);
    }
}

/* Reads the conversion after '%'; returns what follows it. */
static const char *
spec_read(const char *format, struct spec *spec, struct arguments *arguments)
{
    *spec = (struct spec){.text = "%", .length = 1};
    while (*format && strchr("-+ #0123456789.*", *format)) {
        if (*format == '*') {
            spec_star(spec, arguments);
        } else {
            spec_add(spec, *format);
        }
        format++;
    }
    while (*format && strchr("hljztL", *format)) {
        spec->wide |= *format != 'h' && *format != 'L';
        spec->narrow += *format == 'h';
        format++;
    }
    spec->conversion = *format;
    return *format ? format + 1 : format;
}

static void
integer_put(struct text *text, struct spec *spec, struct arguments *arguments)
{
    bool is_signed = spec->conversion == 'd' || spec->conversion == 'i';
    uint64_t value = argument_take(arguments, spec->wide ? 8 : 4);
    unsigned bits = spec->narrow == 1 ? 16 : spec->narrow == 2 ? 8 : 32;
    char out[SPEC_MAX + 400];

    if (!spec->wide) {
        value &= bits == 32 ? 0xffffffffu : (1u << bits) - 1;
        if (is_signed && value >> (bits - 1) & 1) {
            value |= ~0ull << bits;
        }
    }
    spec_add(spec, 'l');
    spec_add(spec, 'l');
    spec_add(spec, spec->conversion);
    spec->text[spec->length] = 0;
    int n = snprintf(out, sizeof out, spec->text, (long long)value);
    if (n > 0) {
        text_put(text, out,
                 (size_t)n < sizeof out ? (size_t)n : sizeof out - 1);
    }
}

/* Any other conversion that takes 8 bytes: numbers and strings. */
static void
wide_put(struct text *text, struct spec *spec, struct arguments *arguments)
{
    uint64_t bits = argument_take(arguments, 8);
    double number;
    int n;

    memcpy(&number, &bits, sizeof number);
    spec_add(spec, spec->conversion);
    spec->text[spec->length] = 0;
    bool string = spec->conversion == 's';
    const char *address = (const char *)(uintptr_t)bits;
    if (string && !address) {
        address = "(null)";
    }
    n = string || spec->conversion == 'p'
            ? snprintf(NULL, 0, spec->text, address)
            : snprintf(NULL, 0, spec->text, number);
    if (n < 1) {
        return;
    }
    char *out = malloc((size_t)n + 1);
    if (!out) {
        return;
    }
    if (string || spec->conversion == 'p') {
        snprintf(out, (size_t)n + 1, spec->text, address);
    } else {
        snprintf(out, (size_t)n + 1, spec->text, number);
    }
    text_put(text, out, (size_t)n);
    free(out);
}

static void
character_put(struct text *text, struct spec *spec,
              struct arguments *arguments)
{
    char out[SPEC_MAX];
    int value = (int)argument_take(arguments, 4);

    spec_add(spec, 'c');
    spec->text[spec->length] = 0;
    int n = snprintf(out, sizeof out, spec->text, value);
    text_put(text, out,
             n < 0                    ? 0
             : (size_t)n < sizeof out ? (size_t)n
                                      : sizeof out - 1);
}

static void
spec_put(struct text *text, struct spec *spec, struct arguments *arguments)
{
    if (spec->conversion && strchr("diuoxX", spec->conversion)) {
        integer_put(text, spec, arguments);
    } else if (spec->conversion && strchr("eEfFgGaAsp", spec->conversion)) {
        wide_put(text, spec, arguments);
    } else if (spec->conversion == 'c') {
        character_put(text, spec, arguments);
    } else { /* %%, and what CUDA does not know: as it stands */
        text_put(text, spec->conversion == '%' ? "" : spec->text,
                 spec->conversion == '%' ? 0 : spec->length);
        text_put(text, &spec->conversion, spec->conversion != 0);
    }
}

int32_t
__pycuda_vprintf(const char *format, const void *args)
{
    struct cpu_worker *worker = cpu_worker_tls;
    struct arguments arguments = {.at = args};
    struct text text;

    text.bytes = text.local;
    text.used = 0;
    text.capacity = sizeof text.local;
    if (!format) {
        return -1;
    }
    while (*format) {
        struct spec spec;
        size_t plain = strcspn(format, "%");

        text_put(&text, format, plain);
        format += plain;
        if (*format) {
            format = spec_read(format + 1, &spec, &arguments);
            spec_put(&text, &spec, &arguments);
        }
    }
    fifo_add(worker->ctx, text.bytes, text.used);
    if (text.bytes != text.local) {
        free(text.bytes);
    }
    return arguments.taken;
}
