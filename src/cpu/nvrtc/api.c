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
/* first element of the list of all programs; guarded by nvrtc_list_lock */
static struct _nvrtcProgram *list;

/* Returns the address of the pointer to `program` in the list of programs, or
 * of the NULL pointer that ends the list. The caller holds nvrtc_list_lock. */
static struct _nvrtcProgram **
list_find(nvrtcProgram program)
{
    struct _nvrtcProgram **link = &list;

    while (*link && *link != program) {
        link = &(*link)->next;
    }
    return link;
}

bool
nvrtc_program_alive(nvrtcProgram program)
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

/* The architectures that nvrtcGetSupportedArchs lists. The option
 * --gpu-architecture accepts all other architectures as well. */
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

/* Returns true if a header name occurs twice in the array `names`. */
static bool
has_duplicate(int count, const char *const *names)
{
    for (int i = 1; i < count; i++) {
        for (int k = 0; k < i; k++) {
            if (!strcmp(names[i], names[k])) {
                return true;
            }
        }
    }
    return false;
}

nvrtcResult
nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name,
                   int header_count, const char *const *headers,
                   const char *const *include_names)
{
    if (program == NULL) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    if (source == NULL || header_count < 0 ||
        !all_given(header_count, headers) ||
        !all_given(header_count, include_names) ||
        has_duplicate(header_count, include_names)) {
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
    if (!nvrtc_program_alive(program)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    if (option_count < 0) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    if (option_count > 0 && options == NULL) {
        return NVRTC_ERROR_INVALID_OPTION;
    }
    return nvrtc_compile(program, option_count, options);
}

/* ---- logs and names ---- */

nvrtcResult
nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes)
{
    if (!nvrtc_program_alive(program)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    if (bytes == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    *bytes = program->log.length + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    if (!nvrtc_program_alive(program)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    if (log == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    if (program->log.length) {
        memcpy(log, program->log.bytes, program->log.length);
    }
    log[program->log.length] = 0;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcGetPCHCreateStatus(nvrtcProgram program)
{
    return nvrtc_program_alive(program) ? program->pch_status
                                        : NVRTC_ERROR_INVALID_PROGRAM;
}

nvrtcResult
nvrtcSetFlowCallback(nvrtcProgram program, int (*callback)(void *, void *),
                     void *payload)
{
    if (!nvrtc_program_alive(program)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    if (callback == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    program->flow.callback = callback;
    program->flow.payload = payload;
    return NVRTC_SUCCESS;
}

nvrtcResult
nvrtcAddNameExpression(nvrtcProgram program, const char *expression)
{
    if (!nvrtc_program_alive(program)) {
        return NVRTC_ERROR_INVALID_PROGRAM;
    }
    if (expression == NULL) {
        return NVRTC_ERROR_INVALID_INPUT;
    }
    if (program->attempted) {
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
    if (!nvrtc_program_alive(program)) {
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
