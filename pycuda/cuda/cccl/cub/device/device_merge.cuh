/* cub/device/device_merge.cuh - cub::DeviceMerge; see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
