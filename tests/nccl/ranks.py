"""Ranks of a communicator as threads of one process, for the tests."""

# SPDX-License-Identifier: MIT

import contextlib
import threading
import traceback

import pycuda.driver as drv
from pycuda import nccl


class Ranks:
    """Ranks, each a thread with the primary context of a device."""

    def __init__(self, size, timeout=20.0):
        self.contexts = [
            drv.Device(r).retain_primary_context() for r in range(size)
        ]
        self.comms = nccl.init_all(self.contexts, timeout=timeout)

    def run(self, function):
        """Call ``function(comm)`` in each rank; return results or errors."""
        results = [None] * len(self.comms)

        def call(rank):
            try:
                with self.contexts[rank]:
                    results[rank] = function(self.comms[rank])
            except Exception as error:
                results[rank] = error

        threads = [
            threading.Thread(target=call, args=(rank,), daemon=True)
            for rank in range(len(self.comms))
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive(), "a rank hangs"
        return results

    def check(self, function):
        """Call ``function(comm)`` in each rank; raise the first error."""
        for result in self.run(function):
            if isinstance(result, Exception):
                raise result

    def count_wrong(self, checks):
        """Run the checks; print the name and error of each wrong one."""
        failed = 0
        for check in checks:
            try:
                self.check(check)
            except Exception as error:
                failed += 1
                print(check.__name__)
                traceback.print_exception(error)
        return failed

    def close(self):
        """Destroy the communicator and its contexts."""
        for comm in self.comms:
            comm.destroy()
        for context in self.contexts:
            with contextlib.suppress(drv.Error):
                context.detach()


@contextlib.contextmanager
def ranks(size, timeout=20.0):
    """Enter the ranks of a new communicator."""
    made = Ranks(size, timeout)
    try:
        yield made
    finally:
        made.close()
