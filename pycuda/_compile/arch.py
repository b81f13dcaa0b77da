"""Choice of the architecture of the one image that NVRTC makes."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

# Values of -arch that stand for the devices of the machine or for all devices.
_OF_THE_DEVICE = ("native", "all", "all-major")


def arch_number(arch: str) -> int | None:
    """Return the number in "sm_90a" or "compute_100", or None."""
    if not isinstance(arch, str):
        return None  # `compile` reports the invalid type
    digits = arch.partition("_")[2].rstrip("abcdefghijklmnopqrstuvwxyz")
    return int(digits) if digits.isdigit() else None


def choose_arch(
    arch: str | None, code: str | None, device_arch: str | None
) -> str | None:
    """Return the architecture for NVRTC, which makes one image per program.

    `code` may list several, as nvcc's fat binaries do: the result is the one
    that the driver would choose, otherwise the last.
    """
    if arch in _OF_THE_DEVICE:
        return device_arch
    if code:
        codes = [c.strip(" []") for c in code.split(",")]
        return _best_code(codes, device_arch) or codes[-1]
    return arch or device_arch


def _best_code(codes: list[str], device_arch: str | None) -> str | None:
    """Return the best code for the device, or None if unknown."""
    if device_arch in codes:
        return device_arch
    device = arch_number(device_arch or "") or 0
    numbers = [(arch_number(code) or 0, code) for code in codes]
    fitting = [(n, code) for n, code in numbers if 0 < n <= device]
    real = [
        (n, code)
        for n, code in fitting
        if code.startswith("sm_") and n // 10 == device // 10
    ]
    virtual = [(n, c) for n, c in fitting if c.startswith("compute_")]
    found = real or virtual
    return max(found)[1] if found else None
