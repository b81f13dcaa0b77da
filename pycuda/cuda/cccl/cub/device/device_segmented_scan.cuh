/* cub/device/device_segmented_scan.cuh - cub::DeviceSegmentedScan; see
 * device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
