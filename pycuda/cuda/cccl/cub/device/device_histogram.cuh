/* cub/device/device_histogram.cuh - cub::DeviceHistogram; see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
