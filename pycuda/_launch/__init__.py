"""Checks of a launch's arguments against the source, and error messages."""

# SPDX-License-Identifier: MIT
