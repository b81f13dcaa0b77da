/* file.h - reads files that contain compiled code (images), and refuses files
 * that are not regular.
 *
 * All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/core.h"

/* Reads the file `name` (str, bytes or os.PathLike) and returns its content as
 * a new bytes object. Returns NULL with TypeError if `name` is not a path. If
 * the file cannot be read, raises the exception of CUDA_ERROR_FILE_NOT_FOUND
 * for `routine`, with the path and the system's reason. Releases the GIL while
 * it reads. */
PyObject *code_file_read(PyObject *name, const char *routine);

/* Checks that `path` is a regular file that can be opened. Returns 0, or -1
 * with the exception of CUDA_ERROR_FILE_NOT_FOUND for `routine`. */
int code_file_check(const char *path, const char *routine);
