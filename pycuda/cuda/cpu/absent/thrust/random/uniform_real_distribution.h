/* thrust/random/uniform_real_distribution.h - stand-in: see absent.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../absent.h"
