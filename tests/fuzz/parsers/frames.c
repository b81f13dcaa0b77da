/* frames.c - fuzz target: the bitcode images that pycuda-jit links.
 *
 * LLVM's parser is not ours and runs in a separate process; it is replaced by
 * stubs that read all bytes passed to them.
 *
 * SPDX-License-Identifier: MIT */
#include "image.h"

#include <setjmp.h>
#include <unistd.h>
#include <sys/types.h>

/* Reads the input's next bytes, a few at a time. If the input begins with '!',
 * the first two calls fail; if it begins with '?', its end is an error. */
static ssize_t input_read(void *bytes, size_t most);
#define read(fd, bytes, most) input_read(bytes, most)
#include "jit/retarget/read.c"
#undef read

static const uint8_t *input;
static size_t input_left;
static int input_faults;
static bool input_fails, errors;
static jmp_buf end;
static char *input_bytes; /* data collected by read_stdin */

static ssize_t
input_read(void *bytes, size_t most)
{
    size_t n = input_left < 61 ? input_left : 61;

    if (input_faults || (input_fails && !n)) {
        errno = input_faults ? EINTR : EIO;
        input_faults -= input_faults > 0;
        return -1;
    }
    n = n < most ? n : most;
    memcpy(bytes, input, n);
    input += n;
    input_left -= n;
    return (ssize_t)n;
}

void
jit_text_add_bytes(struct jit_text *text, const void *bytes, size_t n)
{
    text->bytes = input_bytes = realloc(text->bytes, text->length + n);
    memcpy(text->bytes + text->length, bytes, n);
    text->length += n;
}

bool
jit_is_ptx(const char *bytes, size_t length)
{
    return length > 3 && bytes[0] == 'p' && bytes[1] == 't';
}

LLVMModuleRef
jit_read_ptx(struct jit *jit, const char *text, size_t length)
{
    static volatile char sum;

    (void)jit;
    for (size_t i = 0; i < length; i++) {
        sum ^= text[i];
    }
    errors = true;
    return NULL;
}

void
jit_user_error(LLVMValueRef where, const char *format, ...)
{
    (void)where;
    (void)format;
    errors = true;
}

void
jit_stop_on_errors(void)
{
    if (errors) {
        longjmp(end, 1);
    }
}

_Noreturn void
jit_die(const char *format, ...)
{
    (void)format;
    longjmp(end, 1);
}

LLVMMemoryBufferRef
LLVMCreateMemoryBufferWithMemoryRangeCopy(const char *bytes, size_t length,
                                          const char *name)
{
    static volatile char sum;

    (void)name;
    for (size_t i = 0; i < length; i++) {
        sum ^= bytes[i];
    }
    return (LLVMMemoryBufferRef)(uintptr_t)(length & 0xff);
}

/* Depending on its length, an input is not bitcode, or cannot be linked. */
LLVMBool
LLVMParseBitcodeInContext2(LLVMContextRef context, LLVMMemoryBufferRef buffer,
                           LLVMModuleRef *module)
{
    static char some;

    (void)context;
    *module = (LLVMModuleRef)(void *)&some;
    return (uintptr_t)buffer % 16 == 3;
}

LLVMBool
LLVMLinkModules2(LLVMModuleRef to, LLVMModuleRef from)
{
    return to != from;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jit jit = {0};

    input_faults = size && *data == '!' ? 2 : 0;
    input_fails = size && *data == '?';
    char *bytes = fuzz_copy(data, size, false);
    image_renew(bytes, size);
    input = (const uint8_t *)bytes;
    input_left = size;
    input_bytes = NULL;
    errors = false;
    if (!setjmp(end)) {
        jit_read(&jit);
        FUZZ_REQUIRE(jit.module != NULL);
    }
    free(input_bytes);
    free(bytes);
    return 0;
}
