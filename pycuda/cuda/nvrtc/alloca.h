/* alloca.h - stand-in: the device's headers have alloca.
 *
 * SPDX-License-Identifier: MIT */
#pragma once
