"""Runs the program named on the command line in this process's place, so that it is told to stop when the
process that started it ends, however that ends (Linux only; elsewhere just runs it)."""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1

if __name__ == "__main__":
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGTERM), 0, 0, 0)
        if os.getppid() != int(sys.argv[1]):
            # It ended before the request was made.
            sys.exit(1)
    os.execv(sys.argv[2], sys.argv[2:])
