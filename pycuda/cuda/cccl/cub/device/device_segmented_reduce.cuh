/* cub/device/device_segmented_reduce.cuh - cub::DeviceSegmentedReduce; see
 * device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
