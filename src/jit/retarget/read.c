/* read.c - reads stdin into one LLVM module.
 *
 * The input is LLVM bitcode from clang, a module in PTX, or one or more images
 * that pycuda-jit itself wrote with bitcode in them. Each image begins with
 * its header; several images are linked.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <llvm-c/BitReader.h>
#include <llvm-c/Core.h>
#include <llvm-c/Linker.h>

#include "image/image.h"
#include "jit/jit.h"
#include "jit/ptx/module.h"
#include "jit/report.h"
#include "jit/retarget/retarget.h"
#include "jit/text.h"

void
jit_read_input(struct jit *jit)
{
    static char chunk[1 << 16];
    for (;;) {
        ssize_t got = read(STDIN_FILENO, chunk, sizeof chunk);
        if (got > 0) {
            jit_text_add_bytes(&jit->input, chunk, (size_t)got);
        } else if (got == 0) {
            return;
        } else if (errno != EINTR) {
            jit_die("cannot read the input: %s", strerror(errno));
        }
    }
}

/* Links `module` into jit->module, the module that joins all inputs. */
static void
link_module(struct jit *jit, LLVMModuleRef module)
{
    if (!jit->module) {
        jit->module = module;
    } else if (LLVMLinkModules2(jit->module, module)) {
        jit_user_error(NULL, "the modules cannot be linked");
        jit_stop_on_errors();
    }
}

static void
link_bitcode(struct jit *jit, const char *bytes, size_t length)
{
    LLVMMemoryBufferRef buffer =
        LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, length, "kernel");
    LLVMModuleRef module;
    if (LLVMParseBitcodeInContext2(jit->context, buffer, &module)) {
        jit_user_error(NULL, "the input is not LLVM 19 bitcode");
        jit_stop_on_errors();
    }
    link_module(jit, module);
}

/* Links a module in PTX into jit->module. */
static void
link_ptx(struct jit *jit, const char *text, size_t length)
{
    LLVMModuleRef module = jit_read_ptx(jit, text, length);
    if (!module) {
        jit_stop_on_errors();
    }
    link_module(jit, module);
}

/* Links the bitcode of the image at the start of `bytes` into the module.
 * Returns the size of the image in bytes. */
static size_t
link_image(struct jit *jit, const char *bytes, size_t length)
{
    struct image_header header;
    if (length < sizeof header) {
        jit_user_error(NULL, "the input ends inside an image's header");
        jit_stop_on_errors();
    }
    memcpy(&header, bytes, sizeof header);
    if (header.version != IMAGE_VERSION || header.kind != IMAGE_BITCODE) {
        jit_user_error(NULL, "only bitcode images (target \"ptx\") of this "
                             "version can be linked");
        jit_stop_on_errors();
    }
    if (header.bytes < sizeof header || header.bytes > length ||
        header.payload > header.bytes ||
        header.payload_bytes > header.bytes - header.payload) {
        jit_user_error(NULL, "an image is damaged: its sizes are wrong");
        jit_stop_on_errors();
    }
    link_bitcode(jit, bytes + header.payload, (size_t)header.payload_bytes);
    return (size_t)header.bytes;
}

void
jit_read(struct jit *jit)
{
    struct jit_text input = jit->input;
    size_t at = 0;
    if (input.length == 0) {
        jit_user_error(NULL, "the input is empty");
    }
    while (at < input.length) {
        uint64_t magic = 0;
        if (input.length - at >= sizeof magic) {
            memcpy(&magic, input.bytes + at, sizeof magic);
        }
        if (magic == IMAGE_MAGIC) {
            jit->linked = true;
            at += link_image(jit, input.bytes + at, input.length - at);
        } else if (jit_is_ptx(input.bytes + at, input.length - at)) {
            link_ptx(jit, input.bytes + at, input.length - at);
            at = input.length;
        } else {
            link_bitcode(jit, input.bytes + at, input.length - at);
            at = input.length;
        }
    }
    jit_stop_on_errors();
}
