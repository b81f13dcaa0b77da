/* crt/sm_70_rt.h - placeholder: the compiler itself declares the names of
 * CUDA's header.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
