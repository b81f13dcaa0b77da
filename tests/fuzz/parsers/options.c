/* options.c - fuzz target: NVRTC's options, one per line.
 *
 * The line "<null>" represents a null pointer.
 *
 * SPDX-License-Identifier: MIT */
#include "fuzz.h"

#include "cpu/nvrtc/option_rows.h"
#include "cpu/nvrtc/options.h"
#include "cpu/nvrtc/text.h"

#define MAX_OPTIONS 64

static int
lines_split(char *text, const char **lines)
{
    int count = 0;

    while (count < MAX_OPTIONS) {
        size_t n = strcspn(text, "\n");
        bool last = text[n] == 0;

        text[n] = 0;
        lines[count++] = strcmp(text, "<null>") ? text : NULL;
        if (last) {
            break;
        }
        text += n + 1;
    }
    return count;
}

static void
words_check(const struct nvrtc_strings *words)
{
    for (size_t i = 0; i < words->count; i++) {
        FUZZ_REQUIRE(strlen(words->word[i]) < SIZE_MAX);
    }
    FUZZ_REQUIRE(!words->count || !words->word[words->count]);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *lines[MAX_OPTIONS];
    struct nvrtc_options options = {0};
    struct nvrtc_text log = {0};
    char *text = fuzz_copy(data, size, true);
    int count = lines_split(text, lines);
    nvrtcResult result = nvrtc_options_parse(&options, count, lines, &log);

    FUZZ_REQUIRE((result == NVRTC_SUCCESS) == (log.length == 0));
    FUZZ_REQUIRE(options.arch == 0 || options.arch >= 10);
    words_check(&options.language);
    words_check(&options.preprocess);
    words_check(&options.jit);
    words_check(&options.diagnostics);
    for (size_t i = 0; i < options.jit.count; i++) {
        const char *word = options.jit.word[i];
        FUZZ_REQUIRE(word[0] == '-' && !strchr(word, ' '));
    }
    nvrtc_options_free(&options);
    nvrtc_text_free(&log);
    free(text);
    return 0;
}
