/* device_launch_parameters.h - placeholder: the compiler itself declares the
 * names of CUDA's header.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
