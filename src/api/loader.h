/* loader.h - functions and data that the files of the loader share; private to
 * src/api.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_API_LOADER_H
#define PYCUDA_API_LOADER_H

#include <pthread.h>

#include "api/api.h"

/* Protects library_dirs, package_dir, the results (api_choice) of all loaders,
 * and the tables while they are filled. */
extern pthread_mutex_t loader_lock;

/* The caller must hold loader_lock for all functions in this file except
 * loader_explain. table_fill_* replace the stubs (functions that return an
 * error) of a table by the functions of an open library. The library must
 * never be closed. */
void table_fill_driver(void *library);
void table_fill_nvrtc(void *library);
/* returns -1 if the library lacks a function, else 0 */
int table_fill_cublas(void *library);
/* returns -1 if the library lacks a function of NCCL 2.7, else 0 */
int table_fill_nccl(void *library);
/* Returns the folders of sys.path, an array that ends with NULL, or NULL if
 * they are not set. */
char *const *loader_library_dirs(void);
/* Returns the handle of the CPU device's library; NULL if it is not open. */
void *loader_cpu_library(void);
/* Returns the enum api_kind of the open driver. */
int loader_kind(void);
/* Returns the path of the CPU device's library, which is the open driver. */
const char *loader_cpu_path(void);

/* Formats choice->text, truncated if it is too long. Always returns -1, so
 * that a caller can explain and return a failure in one statement. */
int loader_explain(struct api_choice *choice, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
