/* cub/device/device_memcpy.cuh - placeholder for a missing library; see
 * absent.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../absent.h"
