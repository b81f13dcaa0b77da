/* cub/block/block_radix_rank.cuh - stand-in: see absent.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../absent.h"
