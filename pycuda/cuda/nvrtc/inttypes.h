/* inttypes.h - stand-in: see stdint.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "stdint.h"
