/* system_errors.h - texts of failed system calls, for cuGetErrorString.
 *
 * SPDX-License-Identifier: MIT */
#ifndef CPU_EXPORTS_SYSTEM_ERRORS_H
#define CPU_EXPORTS_SYSTEM_ERRORS_H

#include <stddef.h>

#include "api/cuda_types.h"

/* Stores "the system refused PURPOSE: ..." as this thread's latest text about
 * a failed system call. PURPOSE is the formatted text, such as an operation
 * and a file name. The rest is the system's text and advice for `error`, an
 * errno value. Always returns CUDA_ERROR_OPERATING_SYSTEM. */
CUresult cpu_system_error_set(int error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the latest text of cpu_system_error_set in this thread. If there is
 * none, returns the latest one of any thread, or NULL. */
const char *cpu_system_error_text(void);

/* Stores the text "out of memory: the system refused BYTES bytes for PURPOSE:
 * ..." for the whole process, since worker threads of the device also allocate
 * memory. Always returns CUDA_ERROR_OUT_OF_MEMORY. */
CUresult cpu_memory_error_set(int error, size_t bytes, const char *purpose);
/* Stores the formatted text, which describes an environment variable with an
 * invalid value. The next query of the text of INVALID_VALUE
 * (cuGetErrorString) returns it. Always returns CUDA_ERROR_INVALID_VALUE. */
CUresult cpu_setting_error_set(const char *format, ...)
    __attribute__((format(printf, 1, 2)));
/* Returns the latest text of cpu_setting_error_set, and removes it, so that
 * the next call returns NULL. */
const char *cpu_setting_error_text(void);

/* Stores the error message of a failed NCCL operation, for the whole process.
 * Always returns CUDA_ERROR_EXTERNAL_DEVICE. cpu_external_error_text returns
 * the latest message, or NULL. */
CUresult cpu_external_error_set(const char *text);
const char *cpu_external_error_text(void);

/* Returns the latest text of cpu_memory_error_set, and removes it, so that the
 * next call returns NULL. */
const char *cpu_memory_error_text(void);

#endif
