/* cub/grid/grid_even_share.cuh - placeholder for a missing library; see
 * absent.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../absent.h"
