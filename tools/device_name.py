"""Prints one line that names the device of programs."""

import warnings


def main() -> None:
    """Print kind and name of device 0."""
    from pycuda import _driver
    from pycuda import driver as drv

    warnings.simplefilter("ignore")
    drv.init()
    kind = {"gpu": "GPU", "cpu": "CPU device"}[_driver._device_kind()]
    device = drv.Device(0)
    print(f"{kind}: {device.name()}, {device.multiprocessor_count} cores")


if __name__ == "__main__":
    main()
