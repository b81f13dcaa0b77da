/* stddef.h - stand-in: the device's compiler and prelude.h have these names.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../prelude.h"
#ifndef offsetof
/* NVRTC has no __builtin_offsetof. */
#define offsetof(type, member) ((size_t)(&((type *)0)->member))
#endif
