"""Helpers on dtypes and strides that need no device."""

# SPDX-License-Identifier: MIT
