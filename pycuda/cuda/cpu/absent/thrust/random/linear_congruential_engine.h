/* thrust/random/linear_congruential_engine.h - stand-in: see absent.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../absent.h"
