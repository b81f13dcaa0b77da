/* cub/device/device_adjacent_difference.cuh - placeholder for a missing
 * library; see absent.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../absent.h"
