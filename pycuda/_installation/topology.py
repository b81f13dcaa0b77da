"""Links between GPUs, from NVIDIA's management library (NVML)."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

import ctypes

# Level of the topology at which the paths of two devices join: the number that
# nvmlDeviceGetTopologyCommonAncestor returns -> the name that
# `nvidia-smi topo -m` prints.
_LEVELS = {0: "INT", 10: "PIX", 20: "PXB", 30: "PHB", 40: "NODE", 50: "SYS"}
_P2P_NVLINK = 2  # index of a capability of nvmlDeviceGetP2PStatus
_MOST_LINKS = 18


class NvmlError(OSError):
    """A function of NVML failed."""


def _call(library: ctypes.CDLL, name: str, *args: object) -> None:
    code = getattr(library, name)(*args)
    if code != 0:
        raise NvmlError(f"{name} failed with code {code}")


def _handle(library: ctypes.CDLL, bus_id: str) -> ctypes.c_void_p:
    handle = ctypes.c_void_p()
    _call(
        library, "nvmlDeviceGetHandleByPciBusId_v2", bus_id.encode(),
        ctypes.byref(handle),
    )  # fmt: skip
    return handle


def _active_links(library: ctypes.CDLL, device: ctypes.c_void_p) -> int:
    """Return the number of a device's NVLinks that are in use."""
    count = 0
    for link in range(_MOST_LINKS):
        active = ctypes.c_uint(0)
        code = library.nvmlDeviceGetNvLinkState(
            device, ctypes.c_uint(link), ctypes.byref(active)
        )
        count += int(code == 0 and active.value == 1)
    return count


def _link(
    library: ctypes.CDLL, one: ctypes.c_void_p, other: ctypes.c_void_p
) -> str:
    """Return "NV18" for 18 NVLinks, or where the PCIe paths join."""
    status = ctypes.c_uint(1)
    code = library.nvmlDeviceGetP2PStatus(
        one, other, ctypes.c_uint(_P2P_NVLINK), ctypes.byref(status)
    )
    if code == 0 and status.value == 0:
        links = min(_active_links(library, d) for d in (one, other))
        return f"NV{links}"
    level = ctypes.c_uint(0)
    _call(
        library, "nvmlDeviceGetTopologyCommonAncestor", one, other,
        ctypes.byref(level),
    )  # fmt: skip
    return _LEVELS.get(level.value, f"level {level.value}")


def links(bus_ids: list[str]) -> list[list[str]]:
    """Return the link between each pair of devices, by their PCI bus ids.

    Raises
    ------
    OSError
        If NVML is not installed, or fails.
    """
    library = ctypes.CDLL("libnvidia-ml.so.1")
    _call(library, "nvmlInit_v2")
    try:
        devices = [_handle(library, bus_id) for bus_id in bus_ids]
        return [
            ["-" if one is other else _link(library, one, other)
             for other in devices]
            for one in devices
        ]  # fmt: skip
    finally:
        library.nvmlShutdown()
