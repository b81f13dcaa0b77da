/* cub/device/device_select.cuh - cub::DeviceSelect; see device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
