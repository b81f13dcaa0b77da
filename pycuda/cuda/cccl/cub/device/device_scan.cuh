/* cub/device/device_scan.cuh - cub::DeviceScan; see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
