/* cub/device/device_adjacent_difference.cuh - cub::DeviceAdjacentDifference;
 * see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
