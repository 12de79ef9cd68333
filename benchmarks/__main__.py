"""`python -m benchmarks [load|growth|weekly] ...`: one of the measurements, by default the whole sessions."""

import sys

from benchmarks import growth, load, weekly

MEASUREMENTS = {"load": load.main, "growth": growth.main, "weekly": weekly.main}

if __name__ == "__main__":
    chosen = sys.argv.pop(1) if sys.argv[1:2] and sys.argv[1] in MEASUREMENTS else "load"
    sys.exit(MEASUREMENTS[chosen]())
