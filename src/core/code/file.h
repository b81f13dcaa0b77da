/* file.h - reads files of images, only if they are regular files.
 *
 * All functions need the GIL.
 *
 * SPDX-License-Identifier: MIT */
#pragma once

#include "core/private.h"

/* Reads the file `name` (str, bytes or os.PathLike). Returns a new bytes
 * object, or NULL with TypeError (not a path), or with the exception of
 * CUDA_ERROR_FILE_NOT_FOUND for `routine`, which states the path and the
 * system's reason. The GIL is released while the file is read. */
PyObject *code_file_read(PyObject *name, const char *routine);

/* Checks that a regular file can be read at `path`. Returns 0, or -1 with the
 * exception that code_file_read raises. */
int code_file_check(const char *path, const char *routine);
