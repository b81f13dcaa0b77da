/* device_launch_parameters.h - stand-in: kernels have it all without.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
