/* cub/device/device_reduce.cuh - cub::DeviceReduce; see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
