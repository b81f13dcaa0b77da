/* nvrtc.h - passes the folders in which pip installs NVRTC to the library
 * loader.
 *
 * Unless a comment says otherwise, the functions need the GIL and keep it. An
 * int result is 0, or -1 with an exception; a PyObject * result is a new
 * reference, or NULL with an exception.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CODE_NVRTC_H
#define PYCUDA_CORE_CODE_NVRTC_H

#include "core/core.h"

/* Passes the folders of sys.path to the library loader, which searches below
 * them for NVRTC, cuBLAS and NCCL. */
int core_library_dirs_pass(void);

#endif
