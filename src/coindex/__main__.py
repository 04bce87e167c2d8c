"""The process of the `coindex` command; `python -m coindex` is the same.

Starting and ending take longer than the work of a short command, so both are kept cheap here.
"""

import gc
import sys

QUICK = frozenset({"score"})
"""Commands that are so short that taking all objects apart at the end would be noticed."""


def run() -> None:
    """Run the command line of this process, and end it."""
    gc.set_threshold(200_000, 50, 50)  # a command is over before its garbage matters
    try:
        from coindex.cli import main

        main()
    except KeyboardInterrupt:  # while it starts or ends: `main` answers those during its work
        sys.stderr.write("coindex: interrupted\n")
        sys.exit(130)
    if QUICK.intersection(sys.argv[1:2]):
        _leave()


def _leave() -> None:
    """End the process as Python does, but leave its memory to the operating system."""
    import atexit
    import os

    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(0)


if __name__ == "__main__":
    run()
