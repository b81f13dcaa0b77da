/* source.c - fuzz target: scans and edits of CUDA sources.
 *
 * The input has up to three parts with a line "%%" between: the source, the
 * front end's log, and textual IR with the addresses of name expressions.
 *
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "cpu/nvrtc/attributes.h"
#include "cpu/nvrtc/cccl.h"
#include "cpu/nvrtc/deduction_guides.h"
#include "cpu/nvrtc/diagnostics.h"
#include "cpu/nvrtc/dialect.h"
#include "cpu/nvrtc/edits.h"
#include "cpu/nvrtc/execution_spaces.h"
#include "cpu/nvrtc/frontend.h"
#include "cpu/nvrtc/function_bodies.h"
#include "cpu/nvrtc/headers.h"
#include "cpu/nvrtc/kernel_heads.h"
#include "cpu/nvrtc/name_expressions.h"
#include "cpu/nvrtc/options.h"
#include "cpu/nvrtc/preamble.h"
#include "cpu/nvrtc/program.h"
#include "cpu/nvrtc/rewrite.h"
#include "cpu/nvrtc/space_places.h"
#include "cpu/nvrtc/text.h"

/* ---- our headers, one of each kind ---- */

const char *const nvrtc_header_dirs[] = {"nvrtc", "std", NULL};

bool
nvrtc_headers_contain(const char *headers, const char *folder,
                      const char *name)
{
    (void)headers;
    return !strcmp(folder, "std") ? strlen(name) > 8 : strlen(name) > 4;
}

const char *const nvrtc_cccl_dirs[] = {"cccl", NULL};

bool
nvrtc_cccl_contains(const char *cccl, const char *name)
{
    return strlen(cccl) + strlen(name) > 16;
}

bool
nvrtc_cccl_is_include(const char *word)
{
    return !strcmp(word + 2, "cccl");
}

bool
nvrtc_cccl_undefined(const struct nvrtc_strings *preprocess)
{
    return preprocess->count < 2;
}

bool
nvrtc_headers_among(const char *headers,
                    const struct nvrtc_strings *preprocess)
{
    (void)headers;
    return preprocess->count > 0;
}

bool
nvrtc_headers_are_only(const char *headers, const char *word)
{
    return !strcmp(word + 2, headers);
}

bool
nvrtc_headers_shadowed(const char *headers, const char *folder)
{
    (void)headers;
    return !strcmp(folder, "shadow");
}

bool
nvrtc_headers_undefined(const char *headers,
                        const struct nvrtc_strings *preprocess)
{
    (void)headers;
    return preprocess->count < 3;
}

/* ---- the parts ---- */

/* Cuts the text at its next line "%%"; returns the remaining text, or "". */
static char *
part_cut(char *text)
{
    char *mark = strstr(text, "\n%%\n");

    if (!mark) {
        return text + strlen(text);
    }
    mark[1] = 0;
    return mark + 4;
}

/* Checks and applies the edits, then removes them. */
static void
edits_apply(struct nvrtc_edits *edits, const char *source)
{
    for (size_t i = 0; i < edits->count; i++) {
        FUZZ_REQUIRE(edits->edit[i].at + edits->edit[i].drop <=
                     strlen(source));
    }
    char *made = nvrtc_edits_make(edits, source);
    FUZZ_REQUIRE(made != NULL);
    FUZZ_REQUIRE(edits->count || !strcmp(made, source));
    free(made);
    nvrtc_edits_free(edits);
    *edits = (struct nvrtc_edits){0};
}

/* Makes the edits of a compilation: before it, before its retry, and of the
 * marked source. */
static void
source_mark(const char *source)
{
    struct nvrtc_edits edits = {0};

    nvrtc_attributes_mark(&edits, source);
    edits_apply(&edits, source);
    nvrtc_deduction_guides_mark(&edits, source);
    nvrtc_dialect_mark(&edits, source, true);
    nvrtc_kernel_heads_mark(&edits, source);
    edits_apply(&edits, source);
    nvrtc_space_places_mark(&edits, source);
    edits_apply(&edits, source);
    nvrtc_kernels_mark(&edits, source);
    edits_apply(&edits, source);
}

static void
messages_add(const struct nvrtc_text *said)
{
    struct nvrtc_text log = {0};

    nvrtc_diagnostics_add(&log, said, "/headers");
    nvrtc_text_free(&log);
}

static void
leading_read(const char *source, const char *folder, unsigned words)
{
    static const char *const texts[] = {"-I/headers", "-Ishadow", "-Dx"};
    struct nvrtc_options options = {.device_default = words == 7};
    struct nvrtc_text lines = {0};

    for (unsigned i = 0; i < 3; i++) {
        if (words >> i & 1) {
            nvrtc_strings_add(&options.preprocess, "%s", texts[i]);
        }
    }
    nvrtc_preamble_read(&lines, source, "/headers", &options, folder);
    nvrtc_text_free(&lines);
    nvrtc_strings_free(&options.preprocess);
}

static void
names_read(const char *ir)
{
    struct nvrtc_expression rows[] = {{"k<int>", NULL}, {" &table", NULL}};
    struct _nvrtcProgram program = {.expressions = rows,
                                    .expression_count = 2};
    struct nvrtc_text log = {0}, source = {0};

    nvrtc_names_use(&program, &source);
    nvrtc_names_request(&program, &source);
    if (nvrtc_names_read(&program, ir, &log)) {
        FUZZ_REQUIRE(rows[0].lowered && rows[1].lowered && !log.length);
    }
    program.expression_count = 0;
    nvrtc_names_use(&program, &source);
    free(rows[0].lowered);
    free(rows[1].lowered);
    nvrtc_text_free(&log);
    nvrtc_text_free(&source);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *source = fuzz_copy(data, size, true);
    char *log = part_cut(source), *ir = part_cut(log);
    struct nvrtc_text text = {.bytes = *log ? log : NULL,
                              .length = strlen(log)};

    source_mark(source);
    free(nvrtc_rewrite(&text, "kernel.cu", source, 1));
    free(nvrtc_bodies_replace(&text, "kernel.cu", source));
    for (unsigned words = 0; words < 8; words += 1 + (words == 1)) {
        leading_read(source, words == 5 ? "shadow" : "", words);
    }
    messages_add(&text);
    names_read(ir);
    free(source);
    return 0;
}
