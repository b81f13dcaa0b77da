/* cub/iterator/cache_modified_input_iterator.cuh - placeholder for a missing
 * library; see absent.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../absent.h"
