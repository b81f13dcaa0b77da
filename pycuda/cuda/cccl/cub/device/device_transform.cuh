/* cub/device/device_transform.cuh - cub::DeviceTransform; see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
