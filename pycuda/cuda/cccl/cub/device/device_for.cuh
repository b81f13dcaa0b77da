/* cub/device/device_for.cuh - cub::DeviceFor; see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
