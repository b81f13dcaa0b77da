/* nvrtc.h - library folders for NVRTC.
 *
 * All functions need the GIL and keep it, unless a comment says otherwise.
 * core.h describes the results.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CORE_CODE_NVRTC_H
#define PYCUDA_CORE_CODE_NVRTC_H

#include "core/core.h"

/* Passes sys.path to the loader of libraries. */
int core_library_dirs_pass(void);

#endif
