/* crt/host_defines.h - stand-in: kernels need no include for its names.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
