/* cub/iterator/discard_output_iterator.cuh - placeholder for a missing
 * library; see absent.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../absent.h"
