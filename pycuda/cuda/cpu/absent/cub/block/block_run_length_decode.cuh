/* cub/block/block_run_length_decode.cuh - placeholder for a missing library;
 * see absent.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../absent.h"
