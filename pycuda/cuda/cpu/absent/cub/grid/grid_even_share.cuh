/* cub/grid/grid_even_share.cuh - stand-in: see absent.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../absent.h"
