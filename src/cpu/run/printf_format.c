/* printf_format.c - formats a kernel's packed arguments for printf.
 *
 * Called by printf.c on a thread that runs a kernel, with the text buffer of
 * its worker. Reading a string argument may fault and end the kernel. So these
 * functions hold no lock, and allocate no memory except that of the text
 * buffer, which the next call reuses. The buffer has a maximum size; a text
 * that would exceed it is dropped completely.
 *
 * SPDX-License-Identifier: MIT */
#include <locale.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/run/printf_format.h"

/* Maximum length of a conversion specification such as "%-8.3f", in bytes. */
#define SPEC_MAX 64
/* largest field width and precision that printf accepts */
#define FIELD_MAX 65536

void
cpu_text_clear(struct cpu_text *text, size_t most)
{
    text->used = 0;
    text->most = most;
    text->lost = false;
}

/* Makes space in the text buffer for `n` more bytes and a terminating zero.
 * Returns false if the text would be too large. */
static bool
text_reserve(struct cpu_text *text, size_t n)
{
    if (text->lost || n > text->most - text->used) {
        text->lost = true;
        return false;
    }
    size_t bytes = text->used + n + 1;
    if (bytes > text->capacity) {
        char *grown = realloc(text->bytes, 2 * bytes);

        text->lost = !grown;
        if (!grown) {
            return false;
        }
        text->bytes = grown;
        text->capacity = 2 * bytes;
    }
    return true;
}

static void
text_put(struct cpu_text *text, const char *bytes, size_t n)
{
    if (text_reserve(text, n)) {
        memcpy(text->bytes + text->used, bytes, n);
        text->used += n;
    }
}

void
cpu_text_print(struct cpu_text *text, const char *format, ...)
{
    va_list list, list_copy;
    size_t room = text->capacity - text->used;

    va_start(list, format);
    va_copy(list_copy, list);
    int n = vsnprintf(text->bytes ? text->bytes + text->used : NULL,
                      text->bytes ? room : 0, format, list);
    if (n > 0 && text_reserve(text, (size_t)n)) {
        if ((size_t)n >= room) {
            vsnprintf(text->bytes + text->used, (size_t)n + 1, format,
                      list_copy);
        }
        text->used += (size_t)n;
    }
    va_end(list_copy);
    va_end(list);
}

struct arguments {
    const char *at;
    int taken;
};

struct spec {
    /* conversion specification to pass to the host's printf, with '*' replaced
     * by a number */
    char text[SPEC_MAX];
    size_t length;
    char conversion;
    /* The field that is being read (the width or, after '.', the precision)
     * already has a number. */
    bool numbered;
    bool wide;  /* the argument has 64 bits (l, ll, z, j, t) */
    int narrow; /* length modifier: 1 for h, 2 for hh, 0 for neither */
};

/* Returns the next argument in the kernel's packed argument list. The argument
 * has `bytes` (4 or 8) bytes and is aligned to its size. */
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

/* Appends a width or precision to the specification. Ignores a second number
 * for the same field, since the digits of both would form one huge number. A
 * negative precision counts as none. */
static void
spec_number(struct spec *spec, long number)
{
    bool precision = spec->text[spec->length - 1] == '.';
    char digits[16];

    if (spec->numbered) {
        return;
    }
    spec->numbered = true;
    if (precision && number < 0) {
        spec->length--;
        return;
    }
    number = number > FIELD_MAX    ? FIELD_MAX
             : number < -FIELD_MAX ? -FIELD_MAX
                                   : number;
    int n = snprintf(digits, sizeof digits, "%ld", number);
    for (int i = 0; i < n; i++) {
        spec_add(spec, digits[i]);
    }
}

/* Reads a width or precision given as digits. Returns the rest of the
 * format. */
static const char *
spec_digits(struct spec *spec, const char *format)
{
    long number = 0;

    for (; *format >= '0' && *format <= '9'; format++) {
        if (number <= FIELD_MAX) {
            number = 10 * number + (*format - '0');
        }
    }
    spec_number(spec, number);
    return format;
}

/* Reads a conversion specification after its '%'. Returns the rest of the
 * format. */
static const char *
spec_read(const char *format, struct spec *spec, struct arguments *arguments)
{
    *spec = (struct spec){.text = "%", .length = 1};
    while (*format && strchr("-+ #0123456789.*", *format)) {
        if (*format >= '1' && *format <= '9') {
            format = spec_digits(spec, format);
            continue;
        }
        spec->numbered = spec->numbered && *format != '.';
        if (*format == '*') {
            spec_number(spec, (int32_t)argument_take(arguments, 4));
        } else if (*format != '0' || !spec->numbered) {
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
spec_end(struct spec *spec, const char *conversion)
{
    for (; *conversion; conversion++) {
        spec->text[spec->length++] = *conversion;
    }
    spec->text[spec->length] = 0;
}

static void
integer_put(struct cpu_text *text, struct spec *spec,
            struct arguments *arguments)
{
    bool is_signed = spec->conversion == 'd' || spec->conversion == 'i';
    uint64_t value = argument_take(arguments, spec->wide ? 8 : 4);
    unsigned bits = spec->narrow == 1 ? 16 : spec->narrow == 2 ? 8 : 32;
    const char conversion[] = {'l', 'l', spec->conversion, 0};

    if (!spec->wide) {
        value &= bits == 32 ? 0xffffffffu : (1u << bits) - 1;
        if (is_signed && value >> (bits - 1) & 1) {
            value |= ~0ull << bits;
        }
    }
    spec_end(spec, conversion);
    cpu_text_print(text, spec->text, (long long)value);
}

static locale_t plain_locale; /* the "C" locale; 0: it could not be created */

static void
plain_locale_create(void)
{
    plain_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

/* Formats a floating-point number with a decimal point, in every locale of the
 * program. The thread's locale is changed only in this function, in which no
 * fault can end the kernel. */
static void
number_put(struct cpu_text *text, const char *spec, double number)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, plain_locale_create);
    locale_t before = plain_locale ? uselocale(plain_locale) : (locale_t)0;
    cpu_text_print(text, spec, number);
    if (before) {
        uselocale(before);
    }
}

/* Formats an 8-byte argument that is not an integer: a floating-point number,
 * a pointer or a string. */
static void
wide_put(struct cpu_text *text, struct spec *spec, struct arguments *arguments)
{
    uint64_t bits = argument_take(arguments, 8);
    const char conversion[] = {spec->conversion, 0};
    const char *address = (const char *)(uintptr_t)bits;
    double number;

    memcpy(&number, &bits, sizeof number);
    spec_end(spec, conversion);
    if (spec->conversion == 's') {
        cpu_text_print(text, spec->text, address ? address : "(null)");
    } else if (spec->conversion == 'p') {
        cpu_text_print(text, spec->text, address);
    } else {
        number_put(text, spec->text, number);
    }
}

static void
spec_put(struct cpu_text *text, struct spec *spec, struct arguments *arguments)
{
    if (spec->conversion && strchr("diuoxX", spec->conversion)) {
        integer_put(text, spec, arguments);
    } else if (spec->conversion && strchr("eEfFgGaAsp", spec->conversion)) {
        wide_put(text, spec, arguments);
    } else if (spec->conversion == 'c') {
        spec_end(spec, "c");
        cpu_text_print(text, spec->text, (int)argument_take(arguments, 4));
    } else if (spec->conversion == '%') {
        text_put(text, "%", 1);
    } else { /* as in CUDA, an unsupported conversion is printed unchanged */
        text_put(text, spec->text, spec->length);
        text_put(text, &spec->conversion, spec->conversion != 0);
    }
}

int32_t
cpu_text_format(struct cpu_text *text, const char *format, const void *args)
{
    struct arguments arguments = {.at = args};

    while (*format) {
        size_t plain = strcspn(format, "%");

        text_put(text, format, plain);
        format += plain;
        if (*format) {
            struct spec spec;

            format = spec_read(format + 1, &spec, &arguments);
            spec_put(text, &spec, &arguments);
        }
    }
    return arguments.taken;
}
