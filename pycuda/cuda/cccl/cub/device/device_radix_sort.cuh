/* cub/device/device_radix_sort.cuh - cub::DeviceRadixSort; see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
