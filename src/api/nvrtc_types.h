/* nvrtc_types.h - the types of NVRTC, CUDA's run-time compiler, under NVRTC's
 * own names, and its result codes as rows.
 *
 * NVRTC_RESULT_ROWS(ROW) expands to ROW(name, value, text) for each code.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_API_NVRTC_TYPES_H
#define PYCUDA_API_NVRTC_TYPES_H

#include <stddef.h>

#define NVRTC_RESULT_ROWS(ROW)                                                \
    ROW(NVRTC_SUCCESS, 0, "no error")                                         \
    ROW(NVRTC_ERROR_OUT_OF_MEMORY, 1, "out of memory")                        \
    ROW(NVRTC_ERROR_PROGRAM_CREATION_FAILURE, 2,                              \
        "the program could not be made")                                      \
    ROW(NVRTC_ERROR_INVALID_INPUT, 3, "invalid input")                        \
    ROW(NVRTC_ERROR_INVALID_PROGRAM, 4, "invalid program handle")             \
    ROW(NVRTC_ERROR_INVALID_OPTION, 5, "invalid option")                      \
    ROW(NVRTC_ERROR_COMPILATION, 6, "the source does not compile")            \
    ROW(NVRTC_ERROR_BUILTIN_OPERATION_FAILURE, 7,                             \
        "a part of the compiler is missing")                                  \
    ROW(NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION, 8,                 \
        "name expressions must be added before compilation")                  \
    ROW(NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION, 9,                   \
        "lowered names are known after compilation only")                     \
    ROW(NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID, 10,                            \
        "unknown or invalid name expression")                                 \
    ROW(NVRTC_ERROR_INTERNAL_ERROR, 11, "internal error of the compiler")     \
    ROW(NVRTC_ERROR_TIME_FILE_WRITE_FAILED, 12,                               \
        "the file of times could not be written")                             \
    ROW(NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED, 13,                              \
        "no precompiled header was requested")                                \
    ROW(NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED, 14,                            \
        "the precompiled header does not fit its heap")                       \
    ROW(NVRTC_ERROR_PCH_CREATE, 15,                                           \
        "the precompiled header could not be made")                           \
    ROW(NVRTC_ERROR_CANCELLED, 16, "compilation was cancelled")               \
    ROW(NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED, 17,                         \
        "the trace of times could not be written")

#define API_ENUM_ROW(name, value, text) name = value,
typedef enum { NVRTC_RESULT_ROWS(API_ENUM_ROW) } nvrtcResult;
#undef API_ENUM_ROW

typedef struct _nvrtcProgram *nvrtcProgram;

#endif
