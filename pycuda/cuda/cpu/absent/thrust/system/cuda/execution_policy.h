/* thrust/system/cuda/execution_policy.h - placeholder for a missing library;
 * see absent.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../../absent.h"
