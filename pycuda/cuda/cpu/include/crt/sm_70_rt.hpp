/* crt/sm_70_rt.hpp - placeholder: kernels have these names without an include.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
