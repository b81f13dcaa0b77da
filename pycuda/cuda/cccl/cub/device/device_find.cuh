/* cub/device/device_find.cuh - cub::DeviceFind; see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
