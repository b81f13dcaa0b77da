/* cuda_stdint.h - the fixed-width integer types.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include <stdint.h>
