/* cub/device/device_run_length_encode.cuh - cub::DeviceRunLengthEncode; see
 * device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
