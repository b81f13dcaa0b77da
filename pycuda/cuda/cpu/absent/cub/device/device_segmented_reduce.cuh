/* cub/device/device_segmented_reduce.cuh - placeholder for a missing library;
 * see absent.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../absent.h"
