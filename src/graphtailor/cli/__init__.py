"""The command line ``graphtailor``: it parses, calls the library and draws."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code.

    Parameters
    ----------
    arguments : sequence of str or None, default=None
        Without the program's name; None takes those of the process.
    """
    # Whoever ends the process gently gets the same care as Ctrl-C: workers are ended,
    # temporary files removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        # Loading numerical libraries takes seconds, in which one may press Ctrl-C.
        from graphtailor.cli.app import run
    except KeyboardInterrupt:
        sys.exit(130)
    sys.exit(run(arguments))
