/* device_atomic_functions.hpp - stand-in: kernels need no include for its names.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
