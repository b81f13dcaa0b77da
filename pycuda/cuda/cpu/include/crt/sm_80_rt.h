/* crt/sm_80_rt.h - placeholder: kernels have these names without an include.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
