/* write.c - writes the image (image/image.h) to stdout.
 *
 * Called by main.c. A failed write ends the process.
 *
 * SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <llvm-c/Core.h>

#include "image/image.h"
#include "jit/entries/entries.h"
#include "jit/ir.h"
#include "jit/jit.h"
#include "jit/output/output.h"
#include "jit/quick_timer.h"
#include "jit/report.h"
#include "jit/target/target.h"
#include "jit/text.h"

static uint32_t
add_string(struct jit_text *strings, const char *name)
{
    uint32_t offset = (uint32_t)strings->length;
    jit_text_add_bytes(strings, name, strlen(name) + 1);
    return offset;
}

static void
add_kernels(struct jit *jit, struct jit_text *out, struct jit_text *strings)
{
    uint32_t first = 0;
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        struct jit_kernel *from = &jit->kernels[i];
        struct image_kernel row = {
            .name = add_string(strings, from->name),
            .symbol = add_string(strings, from->symbol),
            .flags = (from->fibers ? IMAGE_KERNEL_FIBERS : 0u) |
                     (from->recursive ? IMAGE_KERNEL_RECURSIVE : 0u) |
                     (from->warps ? IMAGE_KERNEL_WARPS : 0u) |
                     (from->independent && !from->recursive
                          ? IMAGE_KERNEL_INDEPENDENT_BLOCKS
                          : 0u) |
                     (from->guard.stride ? IMAGE_KERNEL_GRID_STRIDE : 0u),
            .first_parameter = first,
            .parameter_count = from->parameter_count,
            .parameter_bytes = from->parameter_bytes,
            .static_shared = from->static_shared,
            .frame_bytes = from->frame_bytes,
            .local_bytes = from->local_bytes,
            .constant_bytes = jit->constant_bytes,
            .max_threads = from->max_threads,
            .registers = from->registers,
            .warp_symbol =
                add_string(strings, from->warps ? jit_warp_symbol(from) : ""),
            .warp_frame_bytes = from->warp_frame_bytes,
        };
        first += from->parameter_count;
        jit_text_add_bytes(out, &row, sizeof row);
    }
}

static void
add_parameters(struct jit *jit, struct jit_text *out)
{
    for (unsigned i = 0; i < jit->kernel_count; i++) {
        struct jit_kernel *kernel = &jit->kernels[i];
        for (unsigned k = 0; k < kernel->parameter_count; k++) {
            struct image_parameter row = {kernel->parameters[k].offset,
                                          kernel->parameters[k].bytes};
            jit_text_add_bytes(out, &row, sizeof row);
        }
    }
}

static void
add_globals(struct jit *jit, struct jit_text *out, struct jit_text *strings)
{
    for (unsigned i = 0; i < jit->global_count; i++) {
        struct jit_global *from = &jit->globals[i];
        struct image_global row = {
            .name = add_string(strings, from->name),
            .symbol = add_string(strings, jit_name(from->variable)),
            .bytes = from->bytes,
            .flags = from->flags,
        };
        jit_text_add_bytes(out, &row, sizeof row);
    }
}

static uint64_t
fnv1a(const char *bytes, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    }
    return hash;
}

static void
pad(struct jit_text *out, size_t alignment)
{
    static const char zeros[64];
    size_t over = out->length % alignment;
    jit_text_add_bytes(out, zeros, over ? alignment - over : 0);
}

static void
write_all(const char *bytes, size_t length)
{
    while (length) {
        ssize_t put = write(STDOUT_FILENO, bytes, length);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            jit_die("cannot write the image: %s", strerror(errno));
        }
        bytes += put;
        length -= (size_t)put;
    }
}

/* Adds to the image the input and the arguments, from which the full version
 * is compiled later. */
static void
add_full(struct jit *jit, struct jit_text *out, struct image_header *header)
{
    pad(out, 8);
    header->full_input = out->length;
    header->full_input_bytes = jit->input.length;
    jit_text_add_bytes(out, jit->input.bytes, jit->input.length);
    header->full_arguments = out->length;
    header->full_arguments_bytes = jit->arguments.length;
    jit_text_add_bytes(out, jit->arguments.bytes, jit->arguments.length);
}

void
jit_write(struct jit *jit, const char *payload, size_t bytes)
{
    struct jit_text out = {NULL, 0, 0}, strings = {NULL, 0, 0};
    struct image_header header = {
        .magic = IMAGE_MAGIC,
        .version = IMAGE_VERSION,
        .kind = jit->options.kind,
        .kernel_count = jit->kernel_count,
        .global_count = jit->global_count,
        .checks = jit->options.kind == IMAGE_NATIVE ? jit->options.checks : 0,
    };
    unsigned major, minor, patch;
    LLVMGetVersion(&major, &minor, &patch);
    char *producer = jit_format("pycuda-jit %s llvm %u.%u.%u", JIT_VERSION,
                                major, minor, patch);
    strncpy(header.producer, producer, sizeof header.producer - 1);
    strncpy(header.target, jit->options.target->name,
            sizeof header.target - 1);
    jit_text_add_bytes(&out, &header, sizeof header);
    header.kernels = out.length;
    add_kernels(jit, &out, &strings);
    header.parameters = out.length;
    add_parameters(jit, &out);
    header.parameter_count = (uint32_t)((out.length - header.parameters) /
                                        sizeof(struct image_parameter));
    pad(&out, 8);
    header.globals = out.length;
    add_globals(jit, &out, &strings);
    header.strings = out.length;
    header.string_bytes = strings.length;
    jit_text_add_bytes(&out, strings.bytes, strings.length);
    pad(&out, 64);
    header.payload = out.length;
    header.payload_bytes = bytes;
    jit_text_add_bytes(&out, payload, bytes);
    if (jit->options.quick == JIT_QUICK_NOW) {
        add_full(jit, &out, &header);
    }
    header.bytes = out.length;
    memcpy(out.bytes, &header, sizeof header);
    header.checksum = fnv1a(out.bytes, out.length);
    memcpy(out.bytes, &header, sizeof header);
    jit_quick_timer_stop();
    write_all(out.bytes, out.length);
}
