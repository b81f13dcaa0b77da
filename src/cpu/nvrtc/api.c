/* api.c - the NVRTC functions that libpycuda_cpu exports.
 *
 * Called by any C program. A mutex guards the list of live programs, which
 * serves to detect stale handles. As with NVIDIA's library, different programs
 * may be used concurrently by different threads, but each program by one
 * thread at a time.
 *
 * SPDX-License-Identifier: MIT */
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "api/nvrtc_types.h"
#include "cpu/nvrtc/compile.h"
#include "cpu/nvrtc/locks.h"
#include "cpu/nvrtc/program.h"
#include "cpu/nvrtc/text.h"

#define NVRTC_API __attribute__((visibility("default")))

/* Declares the nvrtc* functions. nvrtc_rows.h has one row per function; the
 * part of PyCUDA that loads NVRTC uses the same rows. */
#define NVRTC_ROW(base, symbol, since, parameters, arguments)                 \
    NVRTC_API nvrtcResult symbol parameters;
#include "api/nvrtc_rows.h"
NVRTC_API const char *nvrtcGetErrorString(nvrtcResult result);

pthread_mutex_t nvrtc_list_lock = PTHREAD_MUTEX_INITIALIZER;
static struct _nvrtcProgram *list; /* guarded by nvrtc_list_lock */

/* Returns the link of the list that points to `program`, or the final NULL
 * link. The caller holds nvrtc_list_lock. */
static struct _nvrtcProgram **
list_find(nvrtcProgram program)
{
    struct _nvrtcProgram **link = &list;

    while (*link && *link != program) {
        link = &(*link)->next;
    }
    return link;
}

static bool
program_alive(nvrtcProgram program)
{
    pthread_mutex_lock(&nvrtc_list_lock);
    bool alive = program && *list_find(program);
    pthread_mutex_unlock(&nvrtc_list_lock);
    return alive;
}

static void
program_free(struct _nvrtcProgram *program)
{
    for (int i = 0; i < program->header_count; i++) {
        free(program->headers[i].name);
        free(program->headers[i].source);
    }
    for (size_t i = 0; i < program->expression_count; i++) {
        free(program->expressions[i].text);
        free(program->expressions[i].lowered);
    }
    free(program->headers);
    free(program->expressions);
    free(program->name);
    free(program->source);
    nvrtc_text_free(&program->log);
    nvrtc_text_free(&program->bitcode);
    nvrtc_text_free(&program->cubin);
    nvrtc_text_free(&program->ptx);
    free(program);
}

/* ---- library ---- */

const char *
nvrtcGetErrorString(nvrtcResult result)
{
#define NAME_ROW(name, value, text)                                           \
    case name:                                                                \
        return #name;
    switch (result) {
        NVRTC_RESULT_ROWS(NAME_ROW)
    }
#undef NAME_ROW
    return "NVRTC_ERROR unknown";
}

nvrtcResult
nvrtcVersion(int *major, int *minor)
{
    if (major == NULL || minor == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    *major = 13;
    *minor = 0;
    return NVRTC_SUCCESS;
}

/* Architectures that nvrtcGetSupportedArchs lists; all others are accepted as
 * well. */
static const int architectures[] = {50, 52,  53,  60,  61,  62, 70,
                                    72, 75,  80,  86,  87,  88, 89,
                                    90, 100, 103, 110, 120, 121};

nvrtcResult
nvrtcGetNumSupportedArchs(int *count)
{
    if (count == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    *count = sizeof architectures / sizeof *architectures;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetSupportedArchs(int *archs)
{
    if (archs == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    memcpy(archs, architectures, sizeof architectures);
    return NVRTC_SUCCESS;
}

/* ---- programs ---- */

static bool
headers_copy(struct _nvrtcProgram *program, int count,
             const char *const *sources, const char *const *names)
{
    program->headers = calloc((size_t)count + 1, sizeof *program->headers);
    if (program->headers == NULL) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        struct nvrtc_header *header = &program->headers[i];
        header->name = strdup(names[i]);
        header->source = strdup(sources[i]);
        program->header_count = i + 1;
        if (header->name == NULL || header->source == NULL) {
            return false;
        }
    }
    return true;
}

static bool
all_given(int count, const char *const *texts)
{
    if (count > 0 && texts == NULL) {
        return false;
    }
    for (int i = 0; i < count; i++) {
        if (texts[i] == NULL) {
            return false;
        }
    }
    return true;
}

nvrtcResult
nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
                   int header_count, const char *const *headers,
                   const char *const *include_names)
{
    if (program == NULL || source == NULL || header_count < 0 ||
        !all_given(header_count, headers) ||
        !all_given(header_count, include_names)) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    struct _nvrtcProgram *made = calloc(1, sizeof *made);
    if (made == NULL) {
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    made->name = strdup(name && *name ? name : "default_program");
    made->source = strdup(source);
    made->pch_status = NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED;
    if (made->name == NULL || made->source == NULL ||
        !headers_copy(made, header_count, headers, include_names)) {
        program_free(made);
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    pthread_mutex_lock(&nvrtc_list_lock);
    made->next = list;
    list = made;
    pthread_mutex_unlock(&nvrtc_list_lock);
    *program = made;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcDestroyProgram(nvrtcProgram *program)
{
    if (program == NULL || *program == NULL) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    pthread_mutex_lock(&nvrtc_list_lock);
    struct _nvrtcProgram **link = list_find(*program);
    bool found = *link != NULL;
    if (found) {
        *link = (*link)->next;
    }
    pthread_mutex_unlock(&nvrtc_list_lock);
    if (!found) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    program_free(*program);
    *program = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcCompileProgram(nvrtcProgram program, int option_count,
                    const char *const *options)
{
    if (!program_alive(program)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    if (option_count < 0 || (option_count > 0 && options == NULL)) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    return nvrtc_compile(program, option_count, options);
}

/* ---- results ---- */

static nvrtcResult
text_size(const struct nvrtc_text *text, size_t extra, size_t *bytes)
{
    if (bytes == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    *bytes = text->length + extra;
    return NVRTC_SUCCESS;
}

static nvrtcResult
text_copy(const struct nvrtc_text *text, char *to)
{
    if (to == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    if (text->length) {
        memcpy(to, text->bytes, text->length);
    }
    return NVRTC_SUCCESS;
}

/* Returns NVRTC_SUCCESS if `program` has been compiled. */
static nvrtcResult
program_ready(nvrtcProgram program)
{
    if (!program_alive(program)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    return program->compiled ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_PROGRAM;
}

/* The empty result, for a kind of output (cubin, LTO IR, PTX) that the options
 * did not request. */
static const struct nvrtc_text absent;

nvrtcResult
nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes)
{
    nvrtcResult result = program_ready(program);

    return result
               ? result
               : text_size(program->lto ? &absent : &program->cubin, 0, bytes);
}

nvrtcResult
nvrtcGetCUBIN(nvrtcProgram program, char *cubin)
{
    nvrtcResult result = program_ready(program);

    return result ? result
                  : text_copy(program->lto ? &absent : &program->cubin, cubin);
}

/* The "LTO IR" of the CPU device is a bitcode image, the same as the cubin of
 * relocatable code; cuLink* and cuLibraryLoad* accept it. Without -dlto its
 * size is 0. */
nvrtcResult
nvrtcGetLTOIRSize(nvrtcProgram program, size_t *bytes)
{
    nvrtcResult result = program_ready(program);

    return result
               ? result
               : text_size(program->lto ? &program->cubin : &absent, 0, bytes);
}

nvrtcResult
nvrtcGetLTOIR(nvrtcProgram program, char *ltoir)
{
    nvrtcResult result = program_ready(program);

    return result ? result
                  : text_copy(program->lto ? &program->cubin : &absent, ltoir);
}

/* "PTX" is the text form of an image that contains bitcode: it can be linked,
 * and is compiled when it is loaded. Its size includes the final zero. With
 * -dlto the text is empty, as on a GPU. */
nvrtcResult
nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes)
{
    nvrtcResult result = program_ready(program);

    if (result == NVRTC_SUCCESS && program->lto) {
        return text_size(&absent, 1, bytes);
    }
    if (result == NVRTC_SUCCESS) {
        result = nvrtc_compile_ptx(program);
    }
    return result ? result : text_size(&program->ptx, 0, bytes);
}

nvrtcResult
nvrtcGetPTX(nvrtcProgram program, char *ptx)
{
    nvrtcResult result = program_ready(program);

    if (result == NVRTC_SUCCESS && program->lto) {
        result = text_copy(&absent, ptx);
        if (result == NVRTC_SUCCESS) {
            *ptx = 0;
        }
        return result;
    }
    if (result == NVRTC_SUCCESS) {
        result = nvrtc_compile_ptx(program);
    }
    return result ? result : text_copy(&program->ptx, ptx);
}

nvrtcResult
nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes)
{
    if (!program_alive(program)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    return text_size(&program->log, 1, bytes);
}

nvrtcResult
nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    if (!program_alive(program)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    nvrtcResult result = text_copy(&program->log, log);
    if (result == NVRTC_SUCCESS) {
        log[program->log.length] = 0;
    }
    return result;
}

nvrtcResult
nvrtcGetPCHCreateStatus(nvrtcProgram program)
{
    return program_alive(program) ? program->pch_status
                                  : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult
nvrtcAddNameExpression(nvrtcProgram program, const char *expression)
{
    if (!program_alive(program)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    if (expression == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    if (program->compiled) {
        return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    }
    size_t count = program->expression_count;
    struct nvrtc_expression *more = realloc(
        program->expressions, (count + 1) * sizeof *program->expressions);
    if (more == NULL) {
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    program->expressions = more;
    more[count] = (struct nvrtc_expression){.text = strdup(expression)};
    if (more[count].text == NULL) {
        return NVRTC_ERROR_OUT_OF_MEMORY;
    }
    program->expression_count++;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetLoweredName(nvrtcProgram program, const char *expression,
                    const char **name)
{
    if (!program_alive(program)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    if (expression == NULL || name == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    if (!program->compiled) {
        return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    }
    for (size_t i = 0; i < program->expression_count; i++) {
        if (!strcmp(program->expressions[i].text, expression)) {
            *name = program->expressions[i].lowered;
            return NVRTC_SUCCESS;
        }
    }
    return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}
