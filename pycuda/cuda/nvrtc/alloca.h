/* alloca.h - placeholder: the device's headers define alloca.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
