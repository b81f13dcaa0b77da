/* cub/thread/thread_search.cuh - placeholder for a missing library; see
 * absent.h.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
#include "../../absent.h"
