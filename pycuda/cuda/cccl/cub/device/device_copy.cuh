/* cub/device/device_copy.cuh - cub::DeviceCopy; see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
