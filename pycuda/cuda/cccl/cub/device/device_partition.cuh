/* cub/device/device_partition.cuh - cub::DevicePartition; see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
