/* cub/device/device_segmented_radix_sort.cuh - cub::DeviceSegmentedRadixSort;
 * see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
