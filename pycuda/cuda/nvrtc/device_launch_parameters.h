/* device_launch_parameters.h - stand-in: what it declares for kernels is there already.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
