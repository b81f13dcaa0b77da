/* cub/device/device_batched_topk.cuh - cub::DeviceBatchedTopK; see
 * device_wide.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../device_wide.h"
