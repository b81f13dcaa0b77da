/* cub/device/device_merge_sort.cuh - cub::DeviceMergeSort; see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
