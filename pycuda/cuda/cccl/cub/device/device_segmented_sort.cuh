/* cub/device/device_segmented_sort.cuh - cub::DeviceSegmentedSort; see
 * device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
