/* cub/block/block_adjacent_difference.cuh - stand-in: see absent.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../absent.h"
