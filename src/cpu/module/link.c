/* link.c - cuLink*: links several retargetable images into one.
 *
 * Called by users of the library. The inputs are collected and passed to
 * pycuda-jit together when the caller completes the link. Like a cubin that is
 * not relocatable, a native image cannot be linked. A link is used by one
 * thread at a time.
 *
 * SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/device/context.h"
#include "cpu/device/handle.h"
#include "cpu/device/state.h"
#include "cpu/exports/visibility.h"
#include "cpu/module/image.h"
#include "cpu/module/module.h"
#include "cpu/module/ptx.h"
#include "cpu/nvrtc/jit_process.h"
#include "image/image.h"

struct link {
    CUlinkState handle;
    struct cpu_jit_log log;
    unsigned option_count;
    CUjit_option *options; /* options of cuLinkCreate, owned by the caller */
    void **values;
    char *input; /* the images to link, one after another */
    size_t input_bytes;
    void *image; /* the linked image; owned by the link */
};

static void
link_free(void *object)
{
    struct link *link = object;

    free(link->input);
    free(link->image);
    free(link);
}

void
cpu_links_close(struct cpu_context *ctx)
{
    cpu_handles_delete_owned(CPU_LINK, ctx->id, link_free);
}

static CUresult
link_of(CUlinkState handle, struct link **link)
{
    CUresult code = cpu_ready();

    *link = cpu_handle_object(CPU_LINK, handle);
    return code || *link ? code : CUDA_ERROR_INVALID_HANDLE;
}

static CUresult
refuse(struct link *link, CUresult code, const char *name, const char *why)
{
    if (link->log.error && link->log.error_bytes) {
        snprintf(link->log.error, link->log.error_bytes, "%s: %s", name, why);
    }
    return code;
}

CPU_API CUresult
cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values,
                CUlinkState *handle)
{
    struct cpu_context *ctx;
    CUresult code = cpu_context_current(&ctx);

    if (code) {
        return code;
    }
    if (!handle) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    struct link *link = calloc(1, sizeof *link);
    if (!link) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    code = cpu_jit_options(count, options, values, &link->log);
    link->option_count = count;
    link->options = options;
    link->values = values;
    link->handle = code ? NULL : cpu_handle_new(CPU_LINK, link, ctx->id);
    if (!link->handle) {
        free(link);
        return code ? code : CUDA_ERROR_OUT_OF_MEMORY;
    }
    *handle = link->handle;
    return CUDA_SUCCESS;
}

/* Appends an image to the input of the link. `data` must have at least `size`
 * readable bytes. */
static CUresult
image_add(struct link *link, const void *data, size_t size, const char *name)
{
    char error[256] = "";
    uint32_t kind;
    size_t bytes =
        size < sizeof(struct image_header) ? 0 : cpu_image_bytes(data);

    if (!bytes || bytes > size) {
        return refuse(
            link, CUDA_ERROR_INVALID_IMAGE, name,
            "neither PTX nor an image of the CPU device: link PTX, or "
            "what its own NVRTC (libpycuda_cpu.so) compiled to ptx");
    }
    CUresult code = cpu_image_check(data, bytes, &kind, error, sizeof error);
    if (code) {
        return refuse(link, code, name, error);
    }
    if (kind == IMAGE_NATIVE) {
        return refuse(
            link, CUDA_ERROR_NO_BINARY_FOR_GPU, name,
            "an image with machine code cannot be linked: compile it with "
            "-rdc=true");
    }
    char *grown = realloc(link->input, link->input_bytes + bytes);
    if (!grown) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memcpy(grown + link->input_bytes, data, bytes);
    link->input = grown;
    link->input_bytes += bytes;
    return CUDA_SUCCESS;
}

/* Translates PTX to an image with bitcode, and appends the image to the input
 * of the link. */
static CUresult
ptx_add(struct link *link, const char *text, size_t length, const char *name)
{
    struct cpu_jit_result result = {0};
    CUresult code = cpu_ptx_translate(text, length, 1, &result);

    if (code) {
        refuse(link, code, name, result.text ? result.text : "");
    } else {
        code = image_add(link, result.image, result.image_bytes, name);
    }
    free(result.text);
    free(result.image);
    return code;
}

CPU_API CUresult
cuLinkAddData_v2(CUlinkState handle, CUjitInputType type, void *data,
                 size_t size, const char *name, unsigned count,
                 CUjit_option *options, void **values)
{
    struct link *link;
    void *image = NULL;
    CUresult code = link_of(handle, &link);

    (void)count;
    (void)options;
    (void)values;
    if (code) {
        return code;
    }
    if (!data || !size || (unsigned)type >= CU_JIT_NUM_INPUT_TYPES ||
        link->image) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    name = name ? name : "unknown";
    if (cpu_image_is_text(data, size)) {
        code = cpu_image_text_read(data, size, &image, &size);
        if (code) {
            return refuse(link, code, name,
                          "the text of an image of the CPU device is damaged "
                          "or truncated");
        }
        data = image;
    }
    size_t length;
    const char *text = image ? NULL : cpu_ptx_find(data, size, &length);
    code = text ? ptx_add(link, text, length, name)
                : image_add(link, data, size, name);
    free(image);
    return code;
}

CPU_API CUresult
cuLinkAddFile_v2(CUlinkState handle, CUjitInputType type, const char *path,
                 unsigned count, CUjit_option *options, void **values)
{
    struct link *link;
    CUresult code = link_of(handle, &link);
    void *bytes;
    size_t size;

    if (code) {
        return code;
    }
    if (!path) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    code = cpu_file_read(path, &bytes, &size);
    if (code) {
        return refuse(link, code, path, "cannot be read");
    }
    code = cuLinkAddData_v2(handle, type, bytes, size, path, count, options,
                            values);
    free(bytes);
    return code;
}

CPU_API CUresult
cuLinkComplete(CUlinkState handle, void **image, size_t *size)
{
    struct cpu_jit_result result = {0};
    struct link *link;
    CUresult code = link_of(handle, &link);

    if (code) {
        return code;
    }
    if (!image || !link->input || link->image) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    code = cpu_jit_run(link->input, link->input_bytes, NULL, &result);
    if (code) {
        refuse(link, code, "link", result.text ? result.text : "");
    }
    free(result.text);
    cpu_jit_options_report(link->option_count, link->options, link->values,
                           &link->log);
    if (code) {
        return code;
    }
    link->image = result.image;
    *image = result.image;
    if (size) {
        *size = result.image_bytes;
    }
    return CUDA_SUCCESS;
}

CPU_API CUresult
cuLinkDestroy(CUlinkState handle)
{
    struct link *link;
    CUresult code = link_of(handle, &link);

    if (code) {
        return code;
    }
    if (!cpu_handle_delete(handle)) {
        return CUDA_ERROR_INVALID_HANDLE;
    }
    link_free(link);
    return CUDA_SUCCESS;
}
