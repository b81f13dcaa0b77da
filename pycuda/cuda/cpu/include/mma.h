/* mma.h - says that mma.h is not there on the CPU device.
 *
 * SPDX-License-Identifier: MIT */
#error "mma.h is not available on the CPU device"
