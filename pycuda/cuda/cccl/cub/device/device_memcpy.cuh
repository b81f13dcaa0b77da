/* cub/device/device_memcpy.cuh - cub::DeviceMemcpy; see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
