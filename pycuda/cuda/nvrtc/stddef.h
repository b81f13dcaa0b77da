/* stddef.h - placeholder: the compiler and prelude.h define these names.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../prelude.h"
#ifndef offsetof
/* NVRTC has no __builtin_offsetof. */
#define offsetof(type, member) ((size_t)(&((type *)0)->member))
#endif
