/* crt/mma.h - CUDA's second name of mma.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <mma.h>
