"""Memory of this process: what is its own, and what belongs to files."""

import re
import threading
import time
from pathlib import Path

__all__ = ["Watch", "read_bytes", "resident"]


def resident(kind="RssAnon"):
    """Return the resident memory of a kind in MB: RssAnon, RssFile or VmHWM."""
    return int(re.search(kind + r":\s+(\d+)", Path("/proc/self/status").read_text()).group(1)) / 1024


def read_bytes():
    """Return the number of bytes that this process has read by system calls."""
    return int(re.search(r"rchar: (\d+)", Path("/proc/self/io").read_text()).group(1))


class Watch:
    """The largest anonymous memory while some work is done, sampled every 5 ms, less what there was before."""

    def __enter__(self):
        self.most = self._before = resident()
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._look)
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._done.set()
        self._thread.join()
        self.grown = self.most - self._before

    def _look(self):
        while not self._done.is_set():
            self.most = max(self.most, resident())
            time.sleep(0.005)
