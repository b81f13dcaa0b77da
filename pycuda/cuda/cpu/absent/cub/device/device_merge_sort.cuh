/* cub/device/device_merge_sort.cuh - placeholder for a missing library; see
 * absent.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../absent.h"
