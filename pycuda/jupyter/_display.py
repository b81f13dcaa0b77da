"""HTML of arrays and devices in notebooks."""

# SPDX-License-Identifier: MIT

from __future__ import annotations

from html import escape
from typing import Any

import pycuda.driver as drv
from pycuda import _driver
from pycuda.gpuarray import GPUArray

#: Arrays with more bytes are not copied to the host to be shown.
MOST_BYTES = 1 << 26


def table(title: str, rows: list[tuple[str, object]]) -> str:
    """Return an HTML table with a title and two columns."""
    cells = "".join(
        f"<tr><th style='text-align:left'>{escape(name)}</th>"
        f"<td style='text-align:left'>{escape(str(value))}</td></tr>"
        for name, value in rows
    )
    return f"<div><b>{escape(title)}</b><table>{cells}</table></div>"


def kind() -> str:
    """Return the kind of this process's devices."""
    return "CPU device" if _driver._device_kind() == "cpu" else "GPU"


def _device_name() -> str:
    try:
        return drv.Context.get_device().name()
    except drv.Error:
        return "no current device"


def _values(array: Any) -> str | None:
    """Return the values as NumPy prints them; None if that is impossible."""
    if array.nbytes > MOST_BYTES:
        return f"({array.nbytes:,} bytes: not copied to the host)"
    try:
        return str(array.get())
    except drv.Error:
        return None


def array_html(array: Any) -> str | None:
    """Return shape, dtype, device and values of an array.

    Returns None if the context has failed: the text form reports the error.
    """
    values = _values(array)
    if values is None:
        return None
    head = " &middot; ".join(
        escape(part)
        for part in (
            f"shape {tuple(array.shape)}",
            str(array.dtype),
            f"{array.nbytes:,} bytes",
            _device_name(),
        )
    )
    return (
        f"<div><b>{escape(type(array).__name__)}</b> {head}"
        f"<pre style='max-height:20em;overflow:auto'>"
        f"{escape(values)}</pre></div>"
    )


def device_html(device: drv.Device) -> str:
    """Return name, capability, memory and sizes of a device."""
    attribute = drv.device_attribute
    version = drv.get_driver_version()
    major, minor = device.compute_capability()
    rows: list[tuple[str, object]] = [
        ("kind", kind()),
        ("compute capability", f"{major}.{minor}"),
        ("memory", f"{device.total_memory() / 2**30:.1f} GiB"),
        (
            "multiprocessors",
            device.get_attribute(attribute.MULTIPROCESSOR_COUNT),
        ),
        (
            "threads per block",
            device.get_attribute(attribute.MAX_THREADS_PER_BLOCK),
        ),
        (
            "shared memory per block",
            f"{device.get_attribute(attribute.MAX_SHARED_MEMORY_PER_BLOCK)}"
            " bytes",
        ),
        ("CUDA version", f"{version // 1000}.{version % 1000 // 10}"),
        ("PCI bus", device.pci_bus_id()),
    ]
    return table(device.name(), rows)


_FORMATS = ((GPUArray, array_html), (drv.Device, device_html))


def open_formats(shell: Any) -> None:
    """Register the HTML of arrays and devices with a shell."""
    formatter = shell.display_formatter.formatters["text/html"]
    for shown, html in _FORMATS:
        formatter.for_type(shown, html)


def close_formats(shell: Any) -> None:
    """Remove the HTML of arrays and devices from a shell."""
    formatter = shell.display_formatter.formatters["text/html"]
    for shown, html in _FORMATS:
        if formatter.type_printers.get(shown) is html:
            formatter.pop(shown)
