/* cub/device/device_topk.cuh - cub::DeviceTopK; see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
