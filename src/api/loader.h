/* loader.h - what the files of the loader share; private to src/api.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_API_LOADER_H
#define PYCUDA_API_LOADER_H

#include <pthread.h>

#include "api/api.h"

/* Guards the tables' filling, the folders and the choices made. */
extern pthread_mutex_t loader_lock;

/* With loader_lock held. */
void table_fill_driver(void *library);
void table_fill_nvrtc(void *library);
int table_fill_cublas(void *library);   /* -1: it lacks something */
char *const *loader_library_dirs(void); /* of sys.path; ended by NULL */
void *loader_cpu_library(void); /* NULL unless the CPU device is in use */
int loader_kind(void);          /* enum api_kind of the opened driver */
const char *loader_cpu_path(void);

/* Writes choice->text, cut at its end if need be.  Returns -1, so that a
 * failure can be explained and returned in one line. */
int loader_explain(struct api_choice *choice, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
