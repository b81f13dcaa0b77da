/* pch_heap.h - the size of the heap that NVRTC has for precompiled headers.
 *
 * SPDX-License-Identifier: MIT */
#ifndef PYCUDA_CPU_NVRTC_PCH_HEAP_H
#define PYCUDA_CPU_NVRTC_PCH_HEAP_H

#include <stddef.h>

/* Returns the number of bytes rounded up to whole pages, as NVRTC does. */
size_t nvrtc_pch_heap_pages(size_t bytes);

#endif
