/* file.h - files of images, opened only if they are regular files.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/private.h"

/* Reads the file that `name` (str, bytes or os.PathLike) names.  Returns a new
 * bytes object, or NULL with TypeError (no path), or with the exception of
 * CUDA_ERROR_FILE_NOT_FOUND for `routine`, which names the path and the
 * system's reason.  The GIL is released while the file is read. */
PyObject *code_file_read(PyObject *name, const char *routine);

/* Checks that a regular file can be read at `path`.  Returns 0, or -1 with the
 * exception that code_file_read sets. */
int code_file_check(const char *path, const char *routine);
