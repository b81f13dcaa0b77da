/* sm_20_atomic_functions.hpp - placeholder: kernels have these names without
 * an include.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
