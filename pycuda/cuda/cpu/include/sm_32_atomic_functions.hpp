/* sm_32_atomic_functions.hpp - placeholder: CUDA's names in this header are
 * built in.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
