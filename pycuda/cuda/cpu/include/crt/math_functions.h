/* crt/math_functions.h - placeholder: CUDA's names in this header are built
 * in.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
